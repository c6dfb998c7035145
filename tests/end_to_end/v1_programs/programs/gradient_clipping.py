"""Clipping gradients by global norm, by norm and by value between compute_gradients and apply_gradients."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
a = tf.Variable([[10.0], [20.0]], name="a")
b = tf.Variable([5.0], name="b")
loss = tf.reduce_sum(tf.square(tf.matmul(x, a) + b))
optimizer = tf.train.GradientDescentOptimizer(0.1)
grads_and_vars = optimizer.compute_gradients(loss)
gradients, variables = zip(*grads_and_vars)
clipped, norm = tf.clip_by_global_norm(gradients, 5.0)
by_norm = [tf.clip_by_norm(g, 2.0) for g in gradients]
by_value = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in grads_and_vars]
train_global = optimizer.apply_gradients(zip(clipped, variables))
train_value = optimizer.apply_gradients(by_value)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([v.op.name for v in variables], "%.3f" % sess.run(norm))
    print(["%.4f" % np.linalg.norm(g) for g in sess.run(by_norm)])
    sess.run(train_global)
    print(sess.run([a, b]))
    sess.run(train_value)
    print(sess.run([a, b]), "%.4f" % sess.run(tf.global_norm(clipped)))
