"""Assertions and checks in a graph: tf.Assert, assert_* with control dependencies, verify_tensor_all_finite, errors."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
with tf.control_dependencies([tf.assert_positive(x, message="x must be positive"), tf.assert_equal(tf.shape(x), tf.shape(y))]):
    ratio = tf.divide(y, x)
with tf.control_dependencies([tf.Assert(tf.reduce_all(y < 10), [y], name="limit")]):
    limited = tf.identity(y)
finite = tf.verify_tensor_all_finite(tf.log(y), "log of y is not finite")
v = tf.Variable(1.0, name="never_initialized")


def attempt(what, fetch, feed=None):
    try:
        print(what, sess.run(fetch, feed))
    except tf.errors.OpError as error:
        words = [word for word in ("x must be positive", "not finite", "never_initialized", "You must feed") if word in error.message]
        print(what, type(error).__name__, words, error.error_code)
    except (ValueError, TypeError) as error:
        print(what, type(error).__name__)


with tf.Session() as sess:
    attempt("good", ratio, {x: [1.0, 2.0], y: [3.0, 4.0]})
    attempt("negative", ratio, {x: [1.0, -2.0], y: [3.0, 4.0]})
    attempt("lengths", ratio, {x: [1.0], y: [3.0, 4.0]})
    attempt("limit", limited, {y: [30.0]})
    attempt("log", finite, {y: [0.0]})
    attempt("variable", v)
    attempt("not fed", ratio, {x: [1.0]})
    attempt("shape", ratio, {x: [[1.0]], y: [1.0]})
    attempt("fetch", 3)
