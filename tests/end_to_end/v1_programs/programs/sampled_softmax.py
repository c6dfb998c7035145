"""A classifier of many classes trained with sampled softmax over candidates, judged by the full softmax."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(1)
classes, size = 12, 6
centers = rng.normal(size=(classes, size)).astype(np.float32)
labels = rng.randint(0, classes, (60, 1))
inputs = (centers[labels[:, 0]] + rng.normal(0, 0.1, (60, size))).astype(np.float32)

x = tf.placeholder(tf.float32, [None, size])
y = tf.placeholder(tf.int64, [None, 1])
weights = tf.get_variable("softmax_w", [classes, size], initializer=tf.constant_initializer(0.1))
biases = tf.get_variable("softmax_b", [classes], initializer=tf.zeros_initializer())
candidates = (tf.range(classes, dtype=tf.int64), tf.ones_like(y, tf.float32), tf.ones([classes]))
train_loss = tf.reduce_mean(tf.nn.sampled_softmax_loss(
    weights, biases, y, x, classes, classes, sampled_values=candidates, remove_accidental_hits=True))
full = tf.matmul(x, weights, transpose_b=True) + biases
eval_loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.squeeze(y, 1), logits=full))
in_top = tf.nn.in_top_k(full, tf.squeeze(y, 1), 1)
train = tf.train.AdagradOptimizer(0.5).minimize(train_loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(15):
        loss, _ = sess.run([train_loss, train], {x: inputs, y: labels})
        if step % 7 == 0:
            print(step, "%.4f" % loss)
    print("full softmax %.4f" % sess.run(eval_loss, {x: inputs, y: labels}))
    print("top 1: %.2f" % np.mean(sess.run(in_top, {x: inputs, y: labels})))
