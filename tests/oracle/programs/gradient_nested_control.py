"""Gradients of loops and branches in each other, as people write them: AutoGraph, arrays, tapes and calls inside."""

from __future__ import annotations

from typing import Any

from tests.oracle.modes import derivatives

MODES = ("inside", "through", "xla", "xla_through")


def _arguments(tf: Any) -> list[Any]:
    return [tf.constant([1.3, 0.6]), tf.constant([0.3, -0.2]), tf.constant(3)]


@derivatives(2, modes=MODES, autograph=True)
def leaving_by_break(tf, np):
    def f(x, w, n):
        y = x
        for _ in tf.range(5):
            if tf.reduce_sum(y) > 8.0:
                break
            y = y * x + w
        return y

    return f, _arguments(tf)


@derivatives(2, modes=MODES, autograph=True)
def skipping_by_continue(tf, np):
    def f(x, w, n):
        y, s = x, tf.zeros_like(x)
        for i in tf.range(6):
            if i % 2 == 0:
                continue
            s += tf.sin(y) * x[0]
            y = y * w + x
        return s

    return f, _arguments(tf)


@derivatives(2, modes=MODES, autograph=True)
def inner_loop_of_growing_length(tf, np):
    def f(x, w, n):
        s = x * 0.0
        for i in tf.range(n):
            t = x
            for _ in tf.range(i + 1):
                t = t * tf.cos(x) + w
                if t[0] > 2.0:
                    break
            s += t * t
        return s

    return f, _arguments(tf)


@derivatives(2, modes=MODES, autograph=True)
def array_written_and_read(tf, np):
    def f(x, w, n):
        array = tf.TensorArray(tf.float32, 3, element_shape=[2], clear_after_read=False)
        y = x
        for i in tf.range(3):
            y = y * w + x
            array = array.write(i, y)
        s = x * 0.0
        for i in tf.range(n - 1):
            s += array.read(i) * array.read(i + 1)
        return s + tf.reduce_sum(array.stack())

    return f, _arguments(tf)


@derivatives(2, modes=MODES, autograph=True)
def rows_with_a_condition(tf, np):
    def f(x, w, n):
        s = x * 0.0
        for row in tf.stack([x, x * x, tf.sin(x) * w]):
            if tf.reduce_sum(row) > 1.0:
                s += row * row
            else:
                s = s * row + x
        return s

    return f, _arguments(tf)


@derivatives(3, modes=MODES, autograph=True)
def elements_by_the_counter(tf, np):
    def f(x, w, n):
        m = tf.tile(x, [4])
        s = w[0]
        for i in tf.range(8):
            s = s * m[i] + m[7 - i] ** 2
        return s

    return f, _arguments(tf)


@derivatives(2, modes=MODES, autograph=True)
def gradient_steps_in_a_loop(tf, np):
    def f(x, w, n):
        y = x
        for _ in tf.range(3):
            with tf.GradientTape() as tape:
                tape.watch(y)
                loss = tf.reduce_sum(tf.sin(y) * y * w)
            y = y - 0.3 * tape.gradient(loss, y)
        return y

    return f, _arguments(tf)


@derivatives(2, modes=MODES)
def function_with_a_branch_called_in_a_loop(tf, np):
    def f(x, w, n):
        @tf.function(autograph=False)
        def step(y, k):
            return tf.cond(k > 1, lambda: tf.sin(y) * x, lambda: y * w)

        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, step(y, i) + x), (0, x))[1]

    return f, _arguments(tf)


@derivatives(2, modes=MODES)
def map_in_a_fold(tf, np):
    def f(x, w, n):
        return tf.foldl(lambda a, e: a * x + tf.map_fn(lambda q: q * q * e, x) * w, tf.tile(x, [2]), x)

    return f, _arguments(tf)


@derivatives(2, modes=MODES, autograph=True)
def updates_of_single_elements(tf, np):
    def f(x, w, n):
        v = x
        for i in tf.range(n):
            v = tf.tensor_scatter_nd_update(v, [[i % 2]], [v[(i + 1) % 2] * x[0]])
            v = tf.concat([v[1:], v[:1]], 0) + w
        return v

    return f, _arguments(tf)
