"""Comprehensions and unpacking over tensors."""

# ruff: noqa: C404, C416  (programs as users write them)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.autograph.modes import assert_same_value

MATRIX = np.array([[3, 1], [2, 5], [1, 1]], np.int32)
UNKNOWN = [tf.TensorSpec([None, 2], tf.int32)]


def _unpacks(x):
    (a, b), c, d = x
    e, *f = x
    *g, (h, i) = x
    j = k, l, m = x
    [n, o] = p, q = x[0]
    return a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q


def _unpacks_in_loops(x):
    total = 0
    for a, b in x:
        if a > 1:
            total += a * b
    for k, (a, b) in enumerate(x):
        total = total * 2 + k * a + b
    for a, *rest in x:
        total += a * rest[0]
    for (a, b), (c, d) in zip(x, reversed(x), strict=True):
        total += a * d - b * c
    for a, b in [x[0], (1, 2), x[1]]:
        total = total * 2 + a - b
    return total


def _unpacks_in_calls(x):
    def inner(*args, k=0):
        return args[0] - args[1] + k

    return inner(*x[0]), inner(*x[0][:1], 5, k=x[1][0]), max(*x[1]), [*x[2], 7], (*x, *x)


def _unpacks_in_regions(x):
    left = []

    class Region:
        def __enter__(self):
            return self

        def __exit__(self, *args):
            left.append(len(left))

    total = 0
    for row in [x[0], x[1], x[2]]:
        with Region():
            a, b = row
            try:
                c, *d = row
                if a > 2:
                    continue
            finally:
                total += 1
        total = total * 10 + a - b + c - d[0]
    return total, left


def _order_of_assignment(x):
    trace = []

    class Traced:
        def __setattr__(self, name, value):
            trace.append(name)

    t = Traced()
    t.a, (t.b, t.c), t.d = 1, x[0], 3
    return trace


COMPREHENSIONS: list[Callable[[Any], Any]] = [
    lambda x: [row * 2 for row in x],
    lambda x: [[v + 1 for v in row] for row in x],
    lambda x: [v * w for row in x for v in row for w in (1, 2)],
    lambda x: [a * b for a, b in x],
    lambda x: {k: a - b for k, (a, b) in zip("abc", x, strict=True)},
    lambda x: [k * a + b for k, (a, b) in enumerate(x)],
    lambda x: [a + b[0] for *k, (a, *b) in enumerate(x)],
    lambda x: [k * a for k, a in enumerate(row for row in x)],
    lambda x: sum(a * b for a, b in x),
    lambda x: [row for k, row in enumerate(x) if k % 2 == 0],
    lambda x: max(v if v > 2 else -v for row in x for v in row),
    lambda x: len({k for k in range(len(x))}),
    lambda x: dict([(k, v) for k, v in zip("ab", x, strict=False)]),
]


@pytest.mark.parametrize(
    "function",
    [_unpacks, _unpacks_in_regions, _unpacks_in_loops, _unpacks_in_calls, _order_of_assignment, *COMPREHENSIONS],
)
def test_a_matrix_gives_what_python_gives(function: Any) -> None:
    assert_same_value(function(MATRIX), tf.function(function)(tf.constant(MATRIX)))


def test_the_graph_checks_how_many_parts_there_are() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        a, b = x
        return a - b

    assert f(tf.constant([5, 3])).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([5, 3, 1]))


def test_rows_of_unknown_number_unpack_in_a_loop_of_the_graph() -> None:
    def f(x):
        total = 0
        for k, (a, b) in enumerate(x):
            total = total * 2 + k * a + b
        return total

    assert_same_value(f(MATRIX), tf.function(f, input_signature=UNKNOWN)(tf.constant(MATRIX)))


@pytest.mark.parametrize("wrong", ["a, b = x", "a, b, c, d = x", "a, b, c, d, *e = x"])
def test_the_wrong_number_of_parts_raises_as_in_python(wrong: str) -> None:
    functions: dict[str, Any] = {
        "a, b = x": _two_parts,
        "a, b, c, d = x": _four_parts,
        "a, b, c, d, *e = x": _at_least_four_parts,
    }
    with pytest.raises(ValueError, match="values to unpack"):
        tf.function(functions[wrong])(tf.constant(MATRIX))


def _two_parts(x):
    a, b = x
    return a + b


def _four_parts(x):
    a, b, c, d = x
    return a + b + c + d


def _at_least_four_parts(x):
    a, b, c, d, *e = x
    return a + b + c + d, e


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: [v for v in x], "its length is only known when the graph runs"),
        (lambda x: [*x], "its length is only known when the graph runs"),
        (lambda x: [k for k in (1, 2) if x[0, 0] > k], "length is only known when the graph runs"),
    ],
)
def test_what_has_no_static_meaning_says_why(function: Any, says: str) -> None:
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=says):
        tf.function(function, input_signature=UNKNOWN)(tf.constant(MATRIX))
