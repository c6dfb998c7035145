"""Learning-rate schedules that follow a global step, one of them driving an optimizer."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
global_step = tf.Variable(0, trainable=False, name="step")
rates = {
    "exponential": tf.train.exponential_decay(0.1, global_step, 10, 0.5),
    "staircase": tf.train.exponential_decay(0.1, global_step, 10, 0.5, staircase=True),
    "piecewise": tf.train.piecewise_constant(global_step, [5, 15], [1.0, 0.5, 0.1]),
    "polynomial": tf.train.polynomial_decay(0.1, global_step, 20, 0.01, power=2.0),
    "natural": tf.train.natural_exp_decay(0.1, global_step, 10, 0.5),
    "inverse": tf.train.inverse_time_decay(0.1, global_step, 10, 0.5),
    "cosine": tf.train.cosine_decay(0.1, global_step, 20),
}
w = tf.Variable(4.0)
optimizer = tf.train.GradientDescentOptimizer(rates["staircase"])
train = optimizer.minimize(tf.square(w), global_step=global_step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        found = sess.run(rates)
        print(sess.run(global_step), {name: round(float(found[name]), 5) for name in sorted(found)})
        for _ in range(8):
            sess.run(train)
    print("%.5f" % sess.run(w))
