"""Scalars, histograms, images and text of a training, merged, written by FileWriters, and read back."""
import glob
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
x = tf.placeholder(tf.float32, [None, 4], name="x")
with tf.name_scope("layer"):
    w = tf.Variable(np.linspace(-1, 1, 8).reshape(4, 2).astype(np.float32), name="w")
    tf.summary.histogram("weights", w)
    h = tf.matmul(x, w)
with tf.name_scope("train"):
    loss = tf.reduce_mean(tf.square(h))
    tf.summary.scalar("loss", loss)
    step_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
tf.summary.image("input", tf.reshape(x, [-1, 2, 2, 1]), max_outputs=1)
merged = tf.summary.merge_all()
print([t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)])
with tf.Session() as sess:
    train_writer = tf.summary.FileWriter(os.path.join(folder, "train"), sess.graph)
    test_writer = tf.summary.FileWriter(os.path.join(folder, "test"))
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        summary, _ = sess.run([merged, step_op], {x: np.eye(4)})
        train_writer.add_summary(summary, i)
        value = sess.run(loss, {x: np.ones((1, 4))})
        test_writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="accuracy", simple_value=value)]), i)
    train_writer.close()
    test_writer.close()
for part in ("train", "test"):
    path, = glob.glob(os.path.join(folder, part, "events*"))
    for event in tf.train.summary_iterator(path):
        for value in event.summary.value:
            if value.HasField("simple_value"):
                print(part, event.step, value.tag, "%.4f" % value.simple_value)
            elif event.step == 0:
                print(part, value.tag, value.WhichOneof("value"))
