"""Towers that share variables, with averaged gradients, as the multi-GPU CIFAR-10 tutorial did it."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
data, target = rng.normal(size=(8, 3)).astype(np.float32), rng.normal(size=(8, 1)).astype(np.float32)


def tower_loss(scope, x, y):
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.5))
    b = tf.get_variable("b", [1], initializer=tf.constant_initializer(0.0))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y), name="mse")
    tf.add_to_collection("losses", loss)
    return tf.add_n(tf.get_collection("losses", scope), name="total_loss")


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(axis=0, values=grads), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


optimizer = tf.train.GradientDescentOptimizer(0.1)
tower_grads, losses = [], []
with tf.variable_scope(tf.get_variable_scope()):
    for i, (x, y) in enumerate(zip(np.split(data, 2), np.split(target, 2))):
        with tf.device("/cpu:0"):
            with tf.name_scope("tower_%d" % i) as scope:
                loss = tower_loss(scope, tf.constant(x), tf.constant(y))
                tf.get_variable_scope().reuse_variables()
                losses.append(loss)
                tower_grads.append(optimizer.compute_gradients(loss))
train_op = optimizer.apply_gradients(average_gradients(tower_grads))
print([v.name for v in tf.global_variables()], [loss.name for loss in losses])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(11):
        values, _ = sess.run([losses, train_op])
        if step % 5 == 0:
            print(step, ["%.4f" % value for value in values])
