"""Programs that are traced as functions: arguments, results, control flow, calls, gradients, variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.formats.program import Programs

PROGRAMS = Programs()


def _scalar(tf: Any) -> list[Any]:
    return [tf.TensorSpec([], tf.float32, name="x")]


def _vector(tf: Any) -> list[Any]:
    return [tf.TensorSpec([None], tf.float32, name="x")]


def _matrix(tf: Any) -> list[Any]:
    return [tf.TensorSpec([None, 3], tf.float32, name="x")]


# --- functions ---------------------------------------------------------------------------------------------------


@PROGRAMS.function(_scalar)
def one_argument(tf, x):
    return x * 2.0


@PROGRAMS.function(lambda tf: [tf.TensorSpec([], tf.float32, name="X"), tf.TensorSpec([2], tf.int32)])
def two_arguments(tf, x, y):
    return tf.cast(y, tf.float32) + x


@PROGRAMS.function(lambda tf: [])
def no_arguments(tf):
    return tf.constant([1, 2])


@PROGRAMS.function(_scalar)
def no_results(tf, x):
    tf.identity(x)


@PROGRAMS.function(_scalar)
def structured_results(tf, x):
    return {"b": x + 1.0, "a": (x, [x * 2.0])}


@PROGRAMS.function(_vector)
def captured_constant(tf, x):
    return x * tf.constant([1.0])


@PROGRAMS.function(_scalar)
def conditional(tf, x):
    return tf.cond(x > 0.0, lambda: x * 2.0, lambda: -x)


@PROGRAMS.function(_scalar)
def conditional_with_two_results(tf, x):
    return tf.cond(x > 0.0, lambda: (x, x + 1.0), lambda: (-x, x - 1.0))


@PROGRAMS.function(_scalar)
def nested_conditionals(tf, x):
    return tf.cond(x > 0.0, lambda: tf.cond(x > 1.0, lambda: x, lambda: x * 2.0), lambda: -x)


@PROGRAMS.function(_scalar)
def loop(tf, x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), [0, x])


@PROGRAMS.function(_scalar)
def loop_with_bounds(tf, x):
    return tf.while_loop(
        lambda y: y < 100.0, lambda y: [y * x], [x], maximum_iterations=7, parallel_iterations=3, name="power"
    )


@PROGRAMS.function(_scalar)
def conditional_in_a_loop(tf, x):
    return tf.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (i + 1, tf.cond(y > 0.0, lambda: y - x, lambda: y + x)),
        [tf.constant(0), x],
    )


@PROGRAMS.function(lambda tf: [tf.TensorSpec([], tf.int32, name="i")])
def switch(tf, i):
    return tf.switch_case(i, [lambda: tf.constant(1.0), lambda: tf.constant(2.0)])


@PROGRAMS.function(_scalar)
def call_of_a_function(tf, x):
    double = tf.function(_double, autograph=False)
    return double(x) + 1.0


def _double(x):
    return x * 2.0


@PROGRAMS.function(_scalar, add_shapes=True)
def call_of_a_function_with_shapes(tf, x):
    return tf.function(_double, autograph=False)(x)


@PROGRAMS.function(_scalar)
def two_calls_of_a_function(tf, x):
    double = tf.function(_double, autograph=False)
    return double(double(x))


@PROGRAMS.function(_scalar)
def print_has_an_effect(tf, x):
    tf.print("x =", x)
    return x


@PROGRAMS.function(_scalar)
def assertion_has_an_effect(tf, x):
    tf.debugging.Assert(x > 0.0, [x])
    return x


@PROGRAMS.function(_matrix)
def dense_layer_function(tf, x):
    w = tf.constant(np.ones((3, 2), np.float32))
    return tf.nn.softmax(tf.matmul(x, w) + [0.5, 1.5])


@PROGRAMS.function(
    lambda tf: [[tf.TensorSpec([], tf.float32), tf.TensorSpec([1], tf.float32)], {"k": tf.TensorSpec([2])}]
)
def nested_arguments(tf, pair, mapping):
    return pair[0] + pair[1] + mapping["k"]


@PROGRAMS.function(_vector)
def manual_control_dependency(tf, x):
    y = x + 1.0
    with tf.control_dependencies([y]):
        return tf.identity(x, name="after")


@PROGRAMS.function(_vector)
def gradient_in_a_function(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    return tape.gradient(y, x)


@PROGRAMS.function(_vector)
def shapes_and_values(tf, x):
    n = tf.shape(x)[0]
    return tf.reshape(x, [n, 1]), tf.zeros([n])


@PROGRAMS.function(lambda tf: [tf.TensorSpec(None, tf.float32, name="x")])
def unknown_rank_argument(tf, x):
    return tf.reduce_sum(x) + tf.cast(tf.rank(x), tf.float32)


@PROGRAMS.function(lambda tf: [tf.TensorSpec([], tf.string, name="s")])
def string_argument(tf, s):
    return tf.strings.join([s, "!"])


VARIABLES: dict[str, Any] = {}


def _variable(tf, name, value):
    key = f"{tf.__name__}/{name}"
    if key not in VARIABLES:
        with tf.init_scope():
            VARIABLES[key] = tf.Variable(value, name=name)
    return VARIABLES[key]


@PROGRAMS.function(_scalar)
def variable_read(tf, x):
    return _variable(tf, "v", 1.0) * x


@PROGRAMS.function(_scalar)
def variable_assign(tf, x):
    v = _variable(tf, "v", 1.0)
    v.assign(x)
    v.assign_add(2.0)
    return v + x


@PROGRAMS.function(_scalar)
def two_variables(tf, x):
    a, b = _variable(tf, "a", 1.0), _variable(tf, "b", 2.0)
    a.assign(x * b)
    b.assign_add(x * a)
    return a + b


@PROGRAMS.function(_scalar)
def variable_in_a_conditional(tf, x):
    v = _variable(tf, "v", 1.0)
    return tf.cond(x > 0.0, lambda: v * x, lambda: x)


@PROGRAMS.function(_scalar)
def variable_in_a_loop(tf, x):
    v = _variable(tf, "v", 1.0)
    return tf.while_loop(lambda y: y < 10.0, lambda y: [y + v], [x])


@PROGRAMS.function(_scalar)
def call_of_a_function_with_a_variable(tf, x):
    v = _variable(tf, "v", 1.0)

    def bump(y):
        v.assign_add(y)
        return v + y

    return tf.function(bump, autograph=False)(x)


@PROGRAMS.function(_matrix)
def training_step(tf, x):
    w = _variable(tf, "w", np.ones((3, 2), np.float32))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    gradient = tape.gradient(loss, w)
    w.assign_sub(0.1 * gradient)
    return loss


@PROGRAMS.function(_vector, add_shapes=True)
def variables_in_functions_with_shapes(tf, x):
    v, w = _variable(tf, "vector", [1.0, 2.0]), _variable(tf, "scalar", 3.0)
    y = tf.function(lambda y: y * v, autograph=False)(x)
    return tf.cond(x[0] > 0.0, lambda: w * y, lambda: v - y)


@PROGRAMS.function(_scalar, add_shapes=True)
def loop_over_a_variable_with_shapes(tf, x):
    v = _variable(tf, "scalar", 3.0)
    return tf.while_loop(lambda x: x < 9.0, lambda x: [v + x], [x])


@PROGRAMS.function(_vector, add_shapes=True)
def loop_over_a_list_with_shapes(tf, x):
    empty = tf.raw_ops.EmptyTensorList(element_shape=[2], max_num_elements=-1, element_dtype=tf.float32)
    push = tf.raw_ops.TensorListPushBack
    _, filled = tf.while_loop(lambda i, _: i < 3, lambda i, f: [i + 1, push(input_handle=f, tensor=x)], [0, empty])
    return tf.raw_ops.TensorListStack(input_handle=filled, element_shape=-1, element_dtype=tf.float32)
