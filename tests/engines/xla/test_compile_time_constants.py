"""Sizes that depend on values: compiled again for each value, or left to the NumPy tier, with the same answers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.xla import runner

pytestmark = pytest.mark.xla

SIZED = {
    "a leading part": lambda x, n: x[:n],
    "a trailing part": lambda x, n: x[n:],
    "a window": lambda x, n: x[n : n + 2],
    "from the end": lambda x, n: x[-n:],
    "a stride": lambda x, n: x[::n],
    "a column": lambda x, n: x[:n, 0],
    "sums of a part": lambda x, n: tf.reduce_sum(x[:n], 0),
    "tf.slice with a size": lambda x, n: tf.slice(x, [0, 0], tf.stack([n, 2])),
    "tf.slice to the end": lambda x, n: tf.slice(x, tf.stack([n, 0]), [-1, -1]),
    "a range": lambda x, n: tf.range(n),
    "zeros": lambda x, n: tf.zeros([n, 2]),
    "a reshape": lambda x, n: tf.reshape(x, [n, -1]),
    "a tile": lambda x, n: tf.tile(x, [n, 1]),
    "padding": lambda x, n: tf.pad(x, [[n, 0], [0, 0]]),
    "an axis": lambda x, n: tf.reduce_sum(x, axis=n - 1),
    "one_hot": lambda x, n: tf.one_hot([0, 1], n),
    "top_k": lambda x, n: tf.math.top_k(x[:, 0], n).values,
    "segments": lambda x, n: tf.math.unsorted_segment_sum(x, [0] * 6, n),
    "inside a branch": lambda x, n: tf.cond(x[0, 0] < 1.0, lambda: x[:n], lambda: x[n:]),
    "inside a loop": lambda x, n: tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, t + tf.reduce_sum(x[: i + 1])), (0, 0.0)
    ),
    "computed from floats": lambda x, n: x[: tf.cast(tf.reduce_max(x[:, 0]), tf.int32) - 7],
}


@pytest.mark.parametrize("function", SIZED.values(), ids=SIZED)
def test_a_size_may_be_a_tensor(function):
    x = tf.reshape(tf.range(12.0), [6, 2])
    compiled = tf.function(function, jit_compile=True, autograph=False)
    for n in (2, 1, 2):
        for got, wanted in zip(
            tf.nest.flatten(compiled(x, tf.constant(n))), tf.nest.flatten(function(x, tf.constant(n))), strict=True
        ):
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted)


def test_a_size_with_very_many_values_stays_right():
    compiled = tf.function(lambda x, n: x[:n], jit_compile=True, autograph=False)
    x = tf.range(100)
    for n in range(2 * runner._MAX_SPECIALIZATIONS):
        assert compiled(x, tf.constant(n)).shape == (n,)


def test_a_size_kept_in_a_variable_follows_it():
    n = tf.Variable(2)
    compiled = tf.function(lambda x: x[:n], jit_compile=True, autograph=False)
    assert compiled(tf.range(5)).numpy().tolist() == [0, 1]
    n.assign(4)
    assert compiled(tf.range(5)).numpy().tolist() == [0, 1, 2, 3]


def test_variables_change_once_where_the_size_is_not_known_at_first():
    v = tf.Variable(0.0)

    @tf.function(jit_compile=True, autograph=False)
    def step(n):
        v.assign_add(1.0)
        return tf.zeros([n]) + v

    for calls, n in enumerate((2, 3, 2), start=1):
        np.testing.assert_array_equal(step(tf.constant(n)), np.full(n, calls, np.float32))
    assert float(v) == 3.0


def test_a_size_out_of_range_is_the_ops_error():
    compiled = tf.function(lambda x, n: tf.slice(x, [0], tf.reshape(n, [1])), jit_compile=True, autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected size\[0\] in \[0, 5\], but got 9"):
        compiled(tf.range(5), tf.constant(9))


def test_a_gradient_through_a_part_of_tensor_size():
    compiled = tf.function(lambda x, n: tf.reduce_sum(x[:n] ** 2), jit_compile=True, autograph=False)
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = compiled(x, tf.constant(2))
    np.testing.assert_array_equal(tape.gradient(y, x), [2.0, 4.0, 0.0])


def test_threads_that_find_out_at_once_what_must_be_known_stay_on_xla() -> None:
    for _ in range(3):
        f = tf.function(lambda x, n: x[:n] * 2.0, autograph=False, jit_compile=True)
        x, n = tf.range(8, dtype=tf.float32), tf.constant(3)
        concrete = f.get_concrete_function(x, n)
        concrete.graph_function.program()
        start = threading.Barrier(4)

        def run(concrete=concrete, x=x, n=n, start=start) -> list[float]:
            start.wait()
            return concrete(x, n).numpy().tolist()

        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(run) for _ in range(4)]
        assert [answer.result() for answer in answers] == [[0.0, 2.0, 4.0]] * 4
        assert concrete.tier.name == "xla", concrete.tier.reason
