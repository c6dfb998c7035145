"""Exponential moving averages of weights: evaluation with the averages, restored by variables_to_restore."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None])
y = tf.placeholder(tf.float32, [None])
w = tf.Variable(0.0, name="w")
loss = tf.reduce_mean(tf.square(w * x - y))
global_step = tf.train.get_or_create_global_step()
opt_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step)
ema = tf.train.ExponentialMovingAverage(decay=0.9, num_updates=global_step)
with tf.control_dependencies([opt_op]):
    training_op = ema.apply([w])
average = ema.average(w)
print(ema.average_name(w), average.name)
saver = tf.train.Saver()
path = os.path.join(tempfile.mkdtemp(), "model")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(10):
        sess.run(training_op, {x: [1.0, 2.0], y: [3.0, 6.0]})
    print("w %.4f average %.4f step %d" % (sess.run(w), sess.run(average), sess.run(global_step)))
    saver.save(sess, path)
restorer = tf.train.Saver(ema.variables_to_restore([w]))
with tf.Session() as sess:
    restorer.restore(sess, path)
    print("restored %.4f" % sess.run(w))
