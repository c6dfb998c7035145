"""An LSTM written by hand with tf.while_loop and TensorArray; learns to sum a sequence."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
steps, batch, hidden = 6, 20, 8
data = rng.uniform(-1, 1, (batch, steps, 1)).astype(np.float32)
target = data.sum(1)

x = tf.placeholder(tf.float32, [None, steps, 1])
y = tf.placeholder(tf.float32, [None, 1])
kernel = tf.get_variable("kernel", initializer=rng.normal(0, 0.3, (1 + hidden, 4 * hidden)).astype(np.float32))
bias = tf.get_variable("bias", [4 * hidden], initializer=tf.zeros_initializer())
inputs = tf.TensorArray(tf.float32, size=steps).unstack(tf.transpose(x, [1, 0, 2]))
outputs = tf.TensorArray(tf.float32, size=steps)
zeros = tf.zeros([tf.shape(x)[0], hidden])


def body(time, c, h, outputs):
    gates = tf.matmul(tf.concat([inputs.read(time), h], 1), kernel) + bias
    i, j, f, o = tf.split(gates, 4, axis=1)
    c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    h = tf.tanh(c) * tf.sigmoid(o)
    return time + 1, c, h, outputs.write(time, h)


_, c, h, outputs = tf.while_loop(lambda time, *_: time < steps, body, [tf.constant(0), zeros, zeros, outputs])
sequence = tf.transpose(outputs.stack(), [1, 0, 2])
w = tf.get_variable("w", initializer=rng.normal(0, 0.3, (hidden, 1)).astype(np.float32))
prediction = tf.matmul(sequence[:, -1], w)
loss = tf.reduce_mean(tf.square(prediction - y))
train = tf.train.AdamOptimizer(0.02).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(31):
        value, _ = sess.run([loss, train], {x: data, y: target})
        if step % 10 == 0:
            print(step, "%.4f" % value)
    print(sess.run(tf.shape(sequence), {x: data}))
