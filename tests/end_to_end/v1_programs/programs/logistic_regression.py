"""Softmax regression on synthetic digits, with batches and accuracy."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def digits(count, seed):
    rng = np.random.RandomState(seed)
    prototypes = np.random.RandomState(7).rand(10, 64)
    labels = rng.randint(0, 10, count)
    images = prototypes[labels] + rng.normal(0, 0.3, (count, 64))
    return images.astype(np.float32), np.eye(10, dtype=np.float32)[labels]


images, labels = digits(500, 1)
x = tf.placeholder(tf.float32, [None, 64])
y = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([64, 10]))
b = tf.Variable(tf.zeros([10]))
pred = tf.nn.softmax(tf.matmul(x, W) + b)
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))
optimizer = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
correct = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(5):
        avg_cost = 0.0
        for i in range(10):
            batch = slice(i * 50, (i + 1) * 50)
            _, c = sess.run([optimizer, cost], feed_dict={x: images[batch], y: labels[batch]})
            avg_cost += c / 10
        print("Epoch:", epoch + 1, "cost=", "{:.5f}".format(avg_cost))
    test_images, test_labels = digits(200, 2)
    print("Accuracy:", accuracy.eval({x: test_images, y: test_labels}))
