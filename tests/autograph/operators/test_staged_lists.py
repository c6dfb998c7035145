"""Lists that a loop of the graph appends to are lists afterwards: they can be indexed, run over, stacked, returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf


def _squares(n):
    items = []
    for i in tf.range(n):
        items.append(i * i)
    return items


def _with_start(n):
    items = [100, 200]
    i = 0
    while i < n:
        items.append(i)
        i += 1
    return items


def _vectors(n):
    items = []
    for i in tf.range(n):
        items.append([i, i + 1])
    return tf.stack(items)


def _filtered(n):
    items = [0]
    for i in tf.range(n):
        if i % 2 == 0:
            items.append(i)
    return items


def _read_inside(n):
    items = [1, 1]
    for _ in tf.range(n):
        items.append(items[-1] + items[-2])
    return items[-1], items[0]


def _length_inside(n):
    items = []
    for i in tf.range(n):
        items.append(i)
    return len(items)


def _run_over(n):
    items = []
    for i in tf.range(n):
        items.append(i)
    total = 0
    for item in items:
        total = total * 2 + item
    return total


def _two_lists(n):
    evens, odds = [0], [0]
    for i in tf.range(n):
        if i % 2 == 0:
            evens.append(i)
        else:
            odds.append(i)
    return len(evens) * 100 + len(odds)


@pytest.mark.parametrize(
    "function",
    [_squares, _with_start, _vectors, _filtered, _read_inside, _run_over, _length_inside, _two_lists],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("n", [1, 5])
def test_a_list_built_by_the_graph_holds_what_pythons_holds(function: Callable[[Any], Any], n: int) -> None:
    expected, got = function(n), tf.function(function)(tf.constant(n))
    for left, right in zip(*[v if isinstance(v, tuple) else (v,) for v in (expected, got)], strict=True):
        np.testing.assert_array_equal(np.asarray(right), np.asarray(left))


def test_a_list_that_a_loop_only_reads_stays_a_list() -> None:
    @tf.function
    def f(n):
        items = [1, 2, 3]
        total = 0
        for i in tf.range(n):
            total += i * items[1] + len(items)
        assert type(items) is list
        return total

    assert f(tf.constant(3)).numpy() == 15


def test_a_list_of_a_python_loop_stays_a_list() -> None:
    @tf.function
    def f(x):
        items = []
        for i in range(3):
            items.append(x + i)
        assert type(items) is list and len(items) == 3
        return items[2]

    assert f(tf.constant(1)).numpy() == 3


def test_elements_of_different_dtypes_are_refused() -> None:
    @tf.function
    def f(n):
        items = [1.5]
        for i in tf.range(n):
            items.append(i)
        return items

    with pytest.raises(TypeError, match="elements of one dtype, not float32 and int32"):
        f(tf.constant(3))


def test_gradients_flow_through_a_list() -> None:
    @tf.function
    def f(x):
        items = []
        for i in tf.range(3):
            items.append(x * tf.cast(i, tf.float32))
        return tf.reduce_sum(tf.stack(items) ** 2)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 20.0
