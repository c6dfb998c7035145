"""Transfer learning: a trained body is restored, frozen, and gets a new head that alone is trained."""
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
data = rng.normal(size=(60, 4)).astype(np.float32)
path = os.path.join(tempfile.mkdtemp(), "body")
start = rng.normal(0, 0.5, (4, 6)).astype(np.float32)


def body(x, trainable=True):
    with tf.variable_scope("body"):
        w = tf.get_variable("w", initializer=start, trainable=trainable)
        return tf.tanh(tf.matmul(x, w))


def head(h, size, scope):
    with tf.variable_scope(scope):
        return tf.matmul(h, tf.get_variable("w", [6, size], initializer=tf.constant_initializer(0.1)))


with tf.Graph().as_default():
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])
    loss = tf.losses.mean_squared_error(y, head(body(x), 1, "old_head"))
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    saver = tf.train.Saver(tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="body"))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(20):
            sess.run(train, {x: data, y: data[:, :1]})
        print("old task %.4f" % sess.run(loss, {x: data, y: data[:, :1]}), saver.save(sess, path) == path)
with tf.Graph().as_default():
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int64, [None])
    h = body(x, trainable=False)
    logits = head(tf.stop_gradient(h), 3, "new_head")
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    restorer = tf.train.Saver(tf.global_variables("body"))
    print([v.name for v in tf.trainable_variables()])
    labels = data[:, :3].argmax(1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        restorer.restore(sess, path)
        before = sess.run(tf.global_variables("body")[0])
        for step in range(21):
            value, _ = sess.run([loss, train], {x: data, y: labels})
            if step % 10 == 0:
                print("new task %d %.4f" % (step, value))
        print("body unchanged", np.array_equal(before, sess.run(tf.global_variables("body")[0])))
