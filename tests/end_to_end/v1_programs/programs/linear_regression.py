"""Linear regression with gradient descent, fed by placeholders."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.RandomState(0)
train_x = rng.uniform(0, 10, 40).astype(np.float32)
train_y = (0.3 * train_x + 0.8 + rng.normal(0, 0.1, 40)).astype(np.float32)

X = tf.placeholder("float")
Y = tf.placeholder("float")
W = tf.Variable(0.1, name="weight")
b = tf.Variable(0.2, name="bias")
pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * len(train_x))
optimizer = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    for epoch in range(20):
        for (x, y) in zip(train_x, train_y):
            sess.run(optimizer, feed_dict={X: x, Y: y})
        if (epoch + 1) % 10 == 0:
            c = sess.run(cost, feed_dict={X: train_x, Y: train_y})
            print("Epoch:", "%04d" % (epoch + 1), "cost=", "{:.6f}".format(c))
    print("W=", sess.run(W), "b=", sess.run(b))
