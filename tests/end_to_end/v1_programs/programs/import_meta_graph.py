"""A graph saved with its checkpoint is imported again, and trained on by the names of its tensors."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
path = os.path.join(tempfile.mkdtemp(), "model")
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.5))
    prediction = tf.matmul(x, w, name="prediction")
    loss = tf.reduce_mean(tf.square(prediction - y), name="loss")
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
    tf.add_to_collection("train_op", train_op)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.save(sess, path, global_step=100)
tf.reset_default_graph()
saver = tf.train.import_meta_graph(path + "-100.meta")
graph = tf.get_default_graph()
x, y = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("y:0")
loss = graph.get_tensor_by_name("loss:0")
train_op = tf.get_collection("train_op")[0]
print(train_op.name, [v.name for v in tf.global_variables()], x.shape.as_list())
with tf.Session() as sess:
    saver.restore(sess, path + "-100")
    feed = {x: [[1.0, 2.0], [3.0, 1.0]], y: [[2.0], [1.0]]}
    print("%.4f" % sess.run(loss, feed))
    for _ in range(10):
        sess.run(train_op, feed)
    print("%.4f" % sess.run(loss, feed), sess.run("prediction:0", feed).round(3).tolist())
