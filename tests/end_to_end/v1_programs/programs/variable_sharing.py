"""Sharing variables: scopes, reuse, templates, regularizers, custom getters, name scopes, initializers from scopes."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def layer(x, size):
    w = tf.get_variable("w", [x.shape[1].value, size])
    b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


x = tf.constant([[1.0, 2.0]])
with tf.variable_scope("net", initializer=tf.constant_initializer(0.5), regularizer=lambda w: 0.1 * tf.reduce_sum(w * w)):
    with tf.variable_scope("first"):
        a = layer(x, 3)
    with tf.variable_scope("second") as second:
        b = layer(a, 2)
    with tf.variable_scope(second, reuse=True):
        again = layer(a * 2, 2)
template = tf.make_template("shared", layer, size=1)
c, d = template(a), template(a * 3)
try:
    with tf.variable_scope("net/first"):
        layer(x, 3)
except ValueError as error:
    print(str(error).split(".")[0][:40])


def scaled(getter, name, *args, **kwargs):
    return getter(name, *args, **kwargs) * 2.0


with tf.variable_scope("custom", custom_getter=scaled, initializer=tf.ones_initializer()):
    e = layer(x, 2)
with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
    first, second_get = tf.get_variable("v", []), tf.get_variable("v", [])
print(first is second_get, [v.op.name for v in tf.global_variables()])
print([r.op.name for r in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    with tf.variable_scope("shared", reuse=True):
        sess.run(tf.get_variable("w").assign([[1.0], [2.0], [3.0]]))
    print([v.tolist() for v in sess.run([b, again, c, d, e])], "%.4f" % sess.run(tf.losses.get_regularization_loss()))
