"""A generative adversarial network on numbers: two losses, two lists of variables, two optimizers."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(4)


def start(*shape):
    return tf.constant_initializer(rng.normal(0, 0.4, shape).astype(np.float32))


def generator(z):
    with tf.variable_scope("generator"):
        w1 = tf.get_variable("w1", [2, 8], initializer=start(2, 8))
        w2 = tf.get_variable("w2", [8, 1], initializer=start(8, 1))
        return tf.matmul(tf.nn.leaky_relu(tf.matmul(z, w1)), w2)


def discriminator(x, reuse=False):
    with tf.variable_scope("discriminator", reuse=reuse):
        w1 = tf.get_variable("w1", [1, 8], initializer=start(1, 8))
        b1 = tf.get_variable("b1", [8], initializer=tf.zeros_initializer())
        w2 = tf.get_variable("w2", [8, 1], initializer=start(8, 1))
        return tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2)


z = tf.placeholder(tf.float32, [None, 2])
real = tf.placeholder(tf.float32, [None, 1])
fake = generator(z)
d_real, d_fake = discriminator(real), discriminator(fake, reuse=True)
d_loss = tf.reduce_mean(
    tf.nn.sigmoid_cross_entropy_with_logits(logits=d_real, labels=tf.ones_like(d_real))
    + tf.nn.sigmoid_cross_entropy_with_logits(logits=d_fake, labels=tf.zeros_like(d_fake)))
g_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=d_fake, labels=tf.ones_like(d_fake)))
t_vars = tf.trainable_variables()
d_vars = [var for var in t_vars if "discriminator" in var.name]
g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="generator")
d_train = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(d_loss, var_list=d_vars)
g_train = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(g_loss, var_list=g_vars)
print(len(d_vars), len(g_vars))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(21):
        feed = {z: rng.uniform(-1, 1, (32, 2)), real: rng.normal(3, 0.5, (32, 1))}
        _, dl = sess.run([d_train, d_loss], feed)
        _, gl = sess.run([g_train, g_loss], feed)
        if step % 10 == 0:
            print("step %d: d %.3f, g %.3f" % (step, dl, gl))
