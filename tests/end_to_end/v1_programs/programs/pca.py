"""Principal components by singular values and by the eigenvectors of the covariance matrix."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
data = (rng.normal(size=(50, 2)).dot(rng.normal(size=(2, 5))) + rng.normal(0, 0.05, (50, 5))).astype(np.float64)
x = tf.placeholder(tf.float64, [None, 5])
mean, variance = tf.nn.moments(x, [0])
centered = x - mean
s, u, v = tf.svd(centered)
projected = tf.matmul(centered, v[:, :2])
covariance = tf.matmul(centered, centered, transpose_a=True) / tf.cast(tf.shape(x)[0] - 1, tf.float64)
e, vectors = tf.self_adjoint_eig(covariance)
explained = tf.reduce_sum(tf.square(s[:2])) / tf.reduce_sum(tf.square(s))
with tf.Session() as sess:
    values = sess.run({"s": s, "e": e, "explained": explained, "variance": variance, "p": projected}, {x: data})
    print("singular values", values["s"].round(4))
    print("eigenvalues", values["e"][::-1].round(4))
    print("explained %.4f" % values["explained"], "variance", values["variance"].round(4))
    print("projected", np.abs(values["p"]).sum().round(3))
