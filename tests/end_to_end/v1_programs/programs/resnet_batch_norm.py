"""A residual block with batch normalization by hand: moments, moving averages, UPDATE_OPS, a switch for training."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
images = rng.normal(2.0, 3.0, (16, 6, 6, 4)).astype(np.float32)
labels = (images.mean((1, 2, 3)) > 2).astype(np.int32)


def batch_norm(x, is_training, scope):
    with tf.variable_scope(scope):
        size = x.get_shape()[-1:]
        beta = tf.get_variable("beta", size, initializer=tf.zeros_initializer())
        gamma = tf.get_variable("gamma", size, initializer=tf.ones_initializer())
        moving_mean = tf.get_variable("moving_mean", size, initializer=tf.zeros_initializer(), trainable=False)
        moving_var = tf.get_variable("moving_variance", size, initializer=tf.ones_initializer(), trainable=False)
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign(moving_mean, 0.9 * moving_mean + 0.1 * mean))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign(moving_var, 0.9 * moving_var + 0.1 * variance))
        m, v = tf.cond(is_training, lambda: (mean, variance), lambda: (moving_mean + 0.0, moving_var + 0.0))
        return tf.nn.batch_normalization(x, m, v, beta, gamma, 1e-3)


def conv(x, scope):
    with tf.variable_scope(scope):
        k = tf.get_variable("k", initializer=rng.normal(0, 0.2, (3, 3, 4, 4)).astype(np.float32))
        return tf.nn.conv2d(x, k, [1, 1, 1, 1], "SAME")


x = tf.placeholder(tf.float32, [None, 6, 6, 4])
y = tf.placeholder(tf.int32, [None])
is_training = tf.placeholder_with_default(False, [])
h = tf.nn.relu(batch_norm(conv(x, "conv1"), is_training, "bn1"))
h = batch_norm(conv(h, "conv2"), is_training, "bn2")
pooled = tf.reduce_mean(tf.nn.relu(h + x), [1, 2])
logits = tf.matmul(pooled, tf.get_variable("w", initializer=rng.normal(0, 0.3, (4, 2)).astype(np.float32)))
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    train = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(11):
        _, value = sess.run([train, loss], {x: images, y: labels, is_training: True})
        if step % 5 == 0:
            print("step %d training loss %.4f, evaluation loss %.4f" % (step, value, sess.run(loss, {x: images, y: labels})))
    with tf.variable_scope("bn1", reuse=True):
        print(sess.run(tf.get_variable("moving_mean")).round(3), len(update_ops))
