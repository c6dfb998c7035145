"""A variational autoencoder with the reparameterization trick; the noise is fed."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(5)
data = (rng.rand(64, 2).dot(rng.rand(2, 10)) / 2).astype(np.float32)


def dense(x, size, name, activation=None):
    with tf.variable_scope(name):
        shape = [x.get_shape().as_list()[-1], size]
        w = tf.get_variable("w", shape, initializer=tf.constant_initializer(rng.normal(0, 0.3, shape)))
        b = tf.get_variable("b", [size], initializer=tf.constant_initializer(0.0))
        y = tf.nn.bias_add(tf.matmul(x, w), b)
        return activation(y) if activation else y


x = tf.placeholder(tf.float32, [None, 10])
epsilon = tf.placeholder(tf.float32, [None, 2])
hidden = dense(x, 8, "encoder", tf.nn.tanh)
mean, log_var = dense(hidden, 2, "mean"), dense(hidden, 2, "log_var")
z = mean + tf.exp(0.5 * log_var) * epsilon
logits = dense(dense(z, 8, "decoder", tf.nn.tanh), 10, "out")
reconstruction = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1)
kl = -0.5 * tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), axis=1)
loss = tf.reduce_mean(reconstruction + kl)
train = tf.train.AdamOptimizer(0.02).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(41):
        _, value, kl_value = sess.run([train, loss, tf.reduce_mean(kl)] if step == 0 else [train, loss, kl], {
            x: data, epsilon: rng.normal(size=(64, 2))})
        if step % 20 == 0:
            print("%d loss %.4f kl %.4f" % (step, value, np.mean(kl_value)))
    print(sess.run(tf.sigmoid(logits), {z: np.zeros((1, 2))}).round(2))
