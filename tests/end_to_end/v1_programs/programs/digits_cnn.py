"""A convolutional network in the style of the "deep MNIST" tutorial: variables by hand, max pooling, dropout, Adam."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(1)
rng = np.random.RandomState(0)
prototypes = rng.rand(10, 12, 12)
labels = rng.randint(0, 10, 200)
images = (prototypes[labels] + rng.normal(0, 0.2, (200, 12, 12))).reshape(200, 144).astype(np.float32)
one_hot = np.eye(10, dtype=np.float32)[labels]


def weight_variable(shape, seed):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=seed))


def bias_variable(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding="SAME")


def max_pool_2x2(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


x = tf.placeholder(tf.float32, shape=[None, 144])
y_ = tf.placeholder(tf.float32, shape=[None, 10])
keep_prob = tf.placeholder(tf.float32)
x_image = tf.reshape(x, [-1, 12, 12, 1])
h_pool1 = max_pool_2x2(tf.nn.relu(conv2d(x_image, weight_variable([3, 3, 1, 8], 1)) + bias_variable([8])))
h_pool2 = max_pool_2x2(tf.nn.relu(conv2d(h_pool1, weight_variable([3, 3, 8, 16], 2)) + bias_variable([16])))
h_pool2_flat = tf.reshape(h_pool2, [-1, 3 * 3 * 16])
h_fc1 = tf.nn.relu(tf.matmul(h_pool2_flat, weight_variable([144, 32], 3)) + bias_variable([32]))
h_fc1_drop = tf.nn.dropout(h_fc1, keep_prob)
y_conv = tf.matmul(h_fc1_drop, weight_variable([32, 10], 4)) + bias_variable([10])
cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y_conv))
train_step = tf.train.AdamOptimizer(1e-2).minimize(cross_entropy)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y_conv, 1), tf.argmax(y_, 1)), tf.float32))

sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())
for i in range(12):
    batch = slice(i % 4 * 50, i % 4 * 50 + 50)
    if i % 4 == 0:
        loss = cross_entropy.eval(feed_dict={x: images, y_: one_hot, keep_prob: 1.0})
        print("step %d, loss %.3f" % (i, loss))
    train_step.run(feed_dict={x: images[batch], y_: one_hot[batch], keep_prob: 1.0})
print("training accuracy > 0.8:", accuracy.eval(feed_dict={x: images, y_: one_hot, keep_prob: 1.0}) > 0.8)
dropped = h_fc1_drop.eval(feed_dict={x: images[:4], keep_prob: 0.5})
print("dropout keeps about half:", 0.2 < np.mean(dropped > 0) / max(np.mean(h_fc1.eval(feed_dict={x: images[:4]}) > 0), 1e-6) < 0.8)
sess.close()
