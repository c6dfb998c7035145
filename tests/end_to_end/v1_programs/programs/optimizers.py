"""Every optimizer of the time takes ten steps on the same bowl."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
optimizers = {
    "sgd": tf.train.GradientDescentOptimizer(0.1),
    "momentum": tf.train.MomentumOptimizer(0.05, 0.9),
    "nesterov": tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    "adagrad": tf.train.AdagradOptimizer(0.5),
    "adadelta": tf.train.AdadeltaOptimizer(1.0),
    "adam": tf.train.AdamOptimizer(0.1),
    "rmsprop": tf.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "ftrl": tf.train.FtrlOptimizer(0.5, l2_regularization_strength=0.01),
    "proximal_sgd": tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01),
    "proximal_adagrad": tf.train.ProximalAdagradOptimizer(0.5, l1_regularization_strength=0.01),
}
with tf.Session() as sess:
    for name in sorted(optimizers):
        with tf.variable_scope(name):
            w = tf.get_variable("w", initializer=[3.0, -2.0])
            loss = tf.reduce_sum(tf.square(w) * [1.0, 0.5])
            train = optimizers[name].minimize(loss)
        sess.run(tf.global_variables_initializer())
        for _ in range(10):
            sess.run(train)
        slots = [optimizers[name].get_slot(w, slot).op.name for slot in optimizers[name].get_slot_names()]
        print(name, "%.5f" % sess.run(loss), slots)
