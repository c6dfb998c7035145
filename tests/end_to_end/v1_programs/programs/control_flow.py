"""Control flow of the time: while_loop with shape invariants, cond, case, scan, map_fn, foldl, control dependencies."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
n = tf.placeholder(tf.int32, [])
_, fibonacci = tf.while_loop(
    lambda i, values: i < n,
    lambda i, values: (i + 1, tf.concat([values, [values[-1] + values[-2]]], 0)),
    [tf.constant(2), tf.constant([1, 1])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
parity = tf.cond(tf.equal(n % 2, 0), lambda: tf.constant("even"), lambda: tf.constant("odd"))
size = tf.case([(n < 3, lambda: tf.constant("small")), (n < 6, lambda: tf.constant("medium"))],
               default=lambda: tf.constant("large"), exclusive=False)
elements = tf.cast(tf.range(1, n + 1), tf.float32)
running = tf.scan(lambda total, x: total + x, elements)
squares = tf.map_fn(lambda x: x * x, elements)
product = tf.foldl(lambda total, x: total * x, elements)
counter = tf.Variable(0, name="counter")
increment = tf.assign_add(counter, n)
with tf.control_dependencies([increment]):
    after = tf.identity(counter.read_value())
nested = tf.while_loop(
    lambda i, total: i < n,
    lambda i, total: (i + 1, tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + j), [0, total])[1]), [0, 0])[1]
power = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * elements), [0, tf.ones_like(elements)],
                      shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])], back_prop=True)[1]
slope = tf.gradients(power, elements)[0]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in (2, 5, 8):
        feed = {n: value}
        print(sess.run([fibonacci, parity, size, after, nested], feed))
        print([v.tolist() for v in sess.run([running, squares, product, slope], feed)])
