"""Python within a graph: py_func with several results, a state outside of the graph, a gradient by override."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
calls = []


def statistics(values, scale):
    calls.append(len(values))
    return np.float32(values.mean() * scale), np.sort(values)[::-1].copy(), b"of %d" % len(values)


x = tf.placeholder(tf.float32, [None])
mean, ordered, text = tf.py_func(statistics, [x, tf.constant(2.0)], [tf.float32, tf.float32, tf.string])
mean.set_shape([])
ordered.set_shape([None])


def py_func_with_gradient(func, inputs, Tout, grad, name):
    tf.RegisterGradient(name)(grad)
    with tf.get_default_graph().gradient_override_map({"PyFunc": name, "PyFuncStateless": name}):
        return tf.py_func(func, inputs, Tout, stateful=False, name=name)


cube, = py_func_with_gradient(
    lambda v: v ** 3, [x], [tf.float32], lambda op, grad: 3 * op.inputs[0] ** 2 * grad, "MyCube")
cube.set_shape([None])
gradient, = tf.gradients(tf.reduce_sum(cube), x)
with tf.Session() as sess:
    for values in ([1.0, 3.0, 2.0], [5.0, 4.0]):
        print(sess.run([mean, ordered, text], {x: values}))
    print(sess.run([cube, gradient], {x: [1.0, 2.0]}), calls)
