"""Sparse features: sparse_placeholder, sparse_tensor_dense_matmul, embedding_lookup_sparse, a linear model on them."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.sparse_placeholder(tf.float32, shape=[None, 6])
ids = tf.sparse_placeholder(tf.int64)
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [6, 1], initializer=tf.zeros_initializer())
table = tf.get_variable("table", initializer=np.arange(12, dtype=np.float32).reshape(6, 2))
linear = tf.sparse_tensor_dense_matmul(x, w)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=linear))
train = tf.train.FtrlOptimizer(0.3).minimize(loss)
embedded = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean")
dense = tf.sparse_tensor_to_dense(x)
total = tf.sparse_reduce_sum(x, 1)
indices = [[0, 0], [0, 3], [1, 1], [2, 5], [3, 0], [3, 1]]
value = tf.SparseTensorValue(indices, [1.0, 2.0, 3.0, 1.0, 0.5, 0.5], [4, 6])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(dense, {x: value}).sum(0).tolist(), sess.run(total, {x: value}).tolist())
    for step in range(21):
        current, _ = sess.run([loss, train], {x: value, y: [[1.0], [0.0], [1.0], [0.0]]})
        if step % 10 == 0:
            print("%d %.4f" % (step, current))
    print(sess.run(embedded, {ids: tf.SparseTensorValue([[0, 0], [0, 1], [1, 0]], [0, 2, 5], [2, 2])}).tolist())
    back = sess.run(x, {x: value})
    print(type(back).__name__, back.values.tolist(), back.dense_shape.tolist())
