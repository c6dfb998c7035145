"""Gradients where nothing was kept: loops that do not run, branches that are not taken, and these in each other."""

from __future__ import annotations

from typing import Any

from tests.oracle.modes import ALL_MODES, derivatives


def _arguments(tf: Any, n: int) -> list[Any]:
    return [tf.constant([1.5, 0.5]), tf.constant(n)]


def _loop(tf: Any, n: Any, y: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y) * x), (0, y))[1]


@derivatives(3, modes=ALL_MODES)
def loop_that_does_not_run(tf, np):
    return lambda x, n: _loop(tf, n, x, x), _arguments(tf, 0)


@derivatives(2, modes=ALL_MODES)
def loop_of_no_trips_by_a_constant(tf, np):
    return lambda x, n: _loop(tf, 0, x, x) * x, _arguments(tf, 0)


@derivatives(2, modes=ALL_MODES)
def branch_with_a_loop_that_is_not_taken(tf, np):
    return lambda x, n: tf.cond(n > 0, lambda: _loop(tf, 3, x, x), lambda: x * x), _arguments(tf, 0)


@derivatives(2, modes=ALL_MODES)
def branch_with_a_loop_that_is_taken(tf, np):
    return lambda x, n: tf.cond(n > 0, lambda: _loop(tf, 3, x, x), lambda: x * x), _arguments(tf, 1)


@derivatives(2, modes=ALL_MODES)
def case_of_a_loop_that_is_not_taken(tf, np):
    def f(x, n):
        return tf.switch_case(n, [lambda: x * x, lambda: _loop(tf, 2, x, x), lambda: tf.sin(x)])

    return f, _arguments(tf, 2)


@derivatives(2, modes=ALL_MODES)
def inner_loops_that_do_not_run(tf, np):
    def f(x, n):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, _loop(tf, n, y, x) * x), (0, x))[1]

    return f, _arguments(tf, 0)


@derivatives(3, modes=("through", "inside"))
def inner_loops_that_run_once(tf, np):
    def f(x, n):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, _loop(tf, n, y, x) * x), (0, x))[1]

    return f, _arguments(tf, 1)


@derivatives(2, modes=ALL_MODES)
def inner_loops_some_of_which_run(tf, np):
    def f(x, n):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, _loop(tf, i * n, y, x) * x), (0, x))[1]

    return f, _arguments(tf, 1)


@derivatives(2, modes=ALL_MODES)
def branches_in_a_loop_one_of_which_has_a_loop(tf, np):
    def f(x, n):
        def body(i, y):
            return i + 1, tf.cond(i < n, lambda: _loop(tf, 2, y, x), lambda: y * x)

        return tf.while_loop(lambda i, y: i < 3, body, (0, x))[1]

    return f, _arguments(tf, 0)


@derivatives(2, modes=ALL_MODES)
def array_that_is_not_written(tf, np):
    def f(x, n):
        array = tf.TensorArray(tf.float32, 3, element_shape=[2])
        body = lambda i, array: (i + 1, array.write(i, tf.sin(x)))
        array = tf.while_loop(lambda i, array: i < n, body, (0, array))[1]
        return tf.reduce_sum(array.stack()) + x

    return f, _arguments(tf, 0)


@derivatives(2, modes=ALL_MODES)
def scan_of_one_element(tf, np):
    def f(x, n):
        return tf.reduce_sum(tf.scan(lambda a, e: a * tf.sin(e), x[: n + 1])) * x

    return f, _arguments(tf, 0)
