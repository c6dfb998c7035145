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


def _changed(n, change):
    items = []
    for i in tf.range(n):
        items.append(i * 2)
    return change(items)


def _extended(items):
    items.extend([7, 8])
    items += [9]
    return items


def _popped(items):
    return items.pop(), items.pop(0), items


def _inserted(items):
    items.insert(1, 50)
    items.insert(-1, 60)
    items.insert(100, 70)
    return items


def _removed(items):
    items.remove(2)
    del items[0]
    return items


def _replaced(items):
    items[0] = 9
    items[-1] += 1
    return items


def _reversed(items):
    items.reverse()
    return items


def _cleared(items):
    items.clear()
    items.append(5)
    return items


def _joined(items):
    return items + [1], [2] + items, items * 2, list(items)


def _asked(items):
    return 2 in items, 3 in items, 3 not in items, items.index(4), items.count(2), items == [0, 2, 4], items == [1]


def _of_truth(items):
    if not items:
        return 1
    if items and len(items) > 2:
        return 2
    return 3


def _branched(items):
    if items[0] > 0:
        items.append(1)
    else:
        items.pop()
    return items


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.xla)])
@pytest.mark.parametrize(
    "change",
    [_extended, _popped, _inserted, _removed, _replaced, _reversed, _cleared, _joined, _asked, _of_truth, _branched],
    ids=lambda f: f.__name__,
)
def test_a_list_of_the_graph_has_the_methods_of_pythons(change: Callable[[Any], Any], jit: bool) -> None:
    expected = _changed(3, change)
    got = tf.function(_changed, jit_compile=jit)(tf.constant(3), change)
    for left, right in zip(*[v if isinstance(v, tuple) else (v,) for v in (expected, got)], strict=True):
        np.testing.assert_array_equal(np.asarray(right), np.asarray(left))


def _stack_machine(program):
    stack = [0]
    for code in program:
        if code < 0:
            top = stack.pop()
            stack[-1] += top
        else:
            stack.append(code)
    return stack


def _extended_in_a_loop(program):
    items = [1]
    for code in program:
        items.extend([code, code + 1])
        items += [code * 2]
    return items


def _emptied_in_a_loop(program):
    items = [5]
    total = 0
    for code in program:
        items.append(code)
        if code < 0:
            items.clear()
        total += len(items)
    return total, items


@pytest.mark.parametrize(
    "function", [_stack_machine, _extended_in_a_loop, _emptied_in_a_loop], ids=lambda f: f.__name__
)
def test_a_loop_may_make_a_list_longer_and_shorter(function: Callable[[Any], Any]) -> None:
    program = [3, 4, -1, 5, 6, -1, -1, 2]
    expected, got = function(program), tf.function(function)(tf.constant(program))
    for left, right in zip(*[v if isinstance(v, tuple) else (v,) for v in (expected, got)], strict=True):
        np.testing.assert_array_equal(np.asarray(right), np.asarray(left))


def test_a_helper_function_changes_the_list_of_its_caller() -> None:
    def push(items, value):
        items.append(value)
        items.append(value + 1)

    @tf.function
    def f(n):
        items = [0]
        for i in tf.range(n):
            items.append(i)
        push(items, 7)
        return items

    assert f(tf.constant(2)).numpy().tolist() == [0, 0, 1, 7, 8]


def test_another_name_of_a_list_sees_what_a_loop_assigns_to_its_items() -> None:
    @tf.function
    def f(n):
        items = [1, 2, 3]
        other = items
        for i in tf.range(n):
            items[1] = i
        return other

    assert [int(x) for x in f(tf.constant(5))] == [1, 4, 3]


OUT_OF_RANGE = ["items[7] = 1", "items[-9] = 1", "items.pop(7)", "del items[5]", "items.remove(99)"]


@pytest.mark.parametrize("change", OUT_OF_RANGE)
def test_an_index_out_of_range_is_an_error_when_the_graph_runs(change: str) -> None:
    @tf.function
    def f(n):
        items = [1]
        for i in tf.range(n):
            items.append(i)
        exec(change, {}, {"items": items})
        return items

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"list index out of range|not in the list"):
        f(tf.constant(2))


@pytest.mark.parametrize(
    ("use", "error", "words"),
    [
        ("[5].extend(items)", TypeError, "Python cannot iterate over a list that a loop of the graph builds"),
        ("np.asarray(items)", NotImplementedError, "to a numpy array"),
        ("items.sort(key=abs)", TypeError, "key is not supported"),
        ("items.append(np.float64(1.5))", TypeError, "elements of dtype int32; received float64"),
        ("items[0:1].__setitem__(slice(0, 1), 5)", TypeError, "A part of a list"),
        ("bool(items)", TypeError, "as a Python `bool` is not allowed"),
    ],
)
def test_what_a_list_of_the_graph_cannot_do_says_so(use: str, error: type[Exception], words: str) -> None:
    @tf.function
    def f(n):
        items = [1]
        for i in tf.range(n):
            items.append(i)
        exec(use, {"np": np}, {"items": items})
        return items

    with pytest.raises(error, match=words):
        f(tf.constant(2))


def _read_while_it_grows(n):
    items = [1]
    total = 0
    for i in tf.range(n):
        items.append(i)
        part = items[1:] + [7]
        total += len(items.copy()) + items.count(1) + len(part)
        if 2 in items and items:
            total += items.index(1)
    return total, items


def _sorted_and_cut(n):
    items = [3, 1]
    for i in tf.range(n):
        items.append(i)
    items.sort()
    del items[1:3]
    items *= 2
    items.sort(reverse=True)
    return items, items != [1]


@pytest.mark.parametrize("function", [_read_while_it_grows, _sorted_and_cut], ids=lambda f: f.__name__)
def test_reading_a_list_gives_what_pythons_gives(function: Callable[[Any], Any]) -> None:
    expected, got = function(4), tf.function(function)(tf.constant(4))
    for left, right in zip(expected, got, strict=True):
        np.testing.assert_array_equal(np.asarray(right), np.asarray(left))
