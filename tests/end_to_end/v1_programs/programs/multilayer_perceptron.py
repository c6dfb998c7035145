"""A two-layer network with dictionaries of weights and biases, as the examples of the time had it."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(3)
rng = np.random.RandomState(3)
data = rng.normal(size=(120, 8)).astype(np.float32)
target = np.stack([data.sum(1) > 0, data.sum(1) <= 0], 1).astype(np.float32)

n_hidden_1, n_hidden_2, n_input, n_classes = 16, 16, 8, 2
X = tf.placeholder("float", [None, n_input])
Y = tf.placeholder("float", [None, n_classes])
weights = {
    "h1": tf.Variable(tf.random_normal([n_input, n_hidden_1], stddev=0.3, seed=1)),
    "h2": tf.Variable(tf.random_normal([n_hidden_1, n_hidden_2], stddev=0.3, seed=2)),
    "out": tf.Variable(tf.random_normal([n_hidden_2, n_classes], stddev=0.3, seed=3)),
}
biases = {
    "b1": tf.Variable(tf.random_normal([n_hidden_1], seed=4)),
    "b2": tf.Variable(tf.random_normal([n_hidden_2], seed=5)),
    "out": tf.Variable(tf.random_normal([n_classes], seed=6)),
}


def multilayer_perceptron(x):
    layer_1 = tf.nn.relu(tf.add(tf.matmul(x, weights["h1"]), biases["b1"]))
    layer_2 = tf.nn.relu(tf.add(tf.matmul(layer_1, weights["h2"]), biases["b2"]))
    return tf.matmul(layer_2, weights["out"]) + biases["out"]


logits = multilayer_perceptron(X)
loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=Y))
train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss_op)
correct_pred = tf.equal(tf.argmax(logits, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct_pred, tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(1, 31):
        sess.run(train_op, feed_dict={X: data, Y: target})
        if step % 10 == 0:
            loss, acc = sess.run([loss_op, accuracy], feed_dict={X: data, Y: target})
            print("Step %d, loss %.3f, accuracy %.2f" % (step, loss, acc))
