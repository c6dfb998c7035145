"""A denoising autoencoder with tied weights."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
basis = rng.rand(3, 16)
data = (rng.rand(100, 3).dot(basis) / 3).astype(np.float32)
noisy = data + rng.normal(0, 0.05, data.shape).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 16], name="x")
clean = tf.placeholder(tf.float32, [None, 16], name="clean")
with tf.name_scope("encoder"):
    W = tf.Variable(rng.normal(0, 0.2, (16, 4)).astype(np.float32), name="W")
    b = tf.Variable(tf.zeros([4]), name="b")
    code = tf.nn.sigmoid(tf.nn.xw_plus_b(x, W, b))
with tf.name_scope("decoder"):
    b_out = tf.Variable(tf.zeros([16]), name="b")
    output = tf.matmul(code, W, transpose_b=True) + b_out
loss = tf.losses.mean_squared_error(clean, output)
train = tf.train.AdamOptimizer(0.05).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(30):
        _, value = sess.run([train, loss], {x: noisy, clean: data})
        if epoch % 10 == 0:
            print("epoch %d loss %.5f" % (epoch, value))
    print("code", sess.run(code, {"x:0": noisy[:2]}).shape, W.name, b.name, b_out.name)
