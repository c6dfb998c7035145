"""Builtins over tensors give what Python gives on the values, as one loop of the graph where it loops."""

# ruff: noqa: C416, C417  (programs as users write them)

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.autograph.modes import assert_same_value


def ints(*values: Any) -> Any:
    return np.array(values, np.int32)


def floats(*values: Any) -> Any:
    return np.array(values, np.float32)


def _helper(v):
    if v > 2:
        return v * 2
    return -v


def _enumerated(x):
    total = 0
    for k, v in enumerate(x, 2):
        total = total * 2 + k * v
    return total


def _zipped(x):
    total = 0
    for a, b in zip(x, x + 1):
        if a > 1:
            total += a * b
    return total


def _nested(x):
    total = 0
    for k, (a, (j, b)) in enumerate(zip(x, enumerate(x))):
        total = total * 2 + k * a - j * b
    return total


def _mapped(x):
    total = 0
    for v in map(_helper, x):
        total = total * 3 + v
    return total


def _mapped_over_two(x):
    total = 0
    for v in map(lambda a, b: a * b, x, reversed(x)):
        total = total * 3 + v
    return total


def _filtered(x):
    total = 0
    for v in filter(lambda u: u > 1, x):
        total = total * 3 + v
    return total


def _filtered_by_truth(x):
    total = 0
    for v in filter(None, x - 1):
        total = total * 3 + v
    return total


def _numbered_after_filter(x):
    total = 0
    for k, v in enumerate(filter(lambda u: u > 1, x)):
        total = total * 3 + k * v
    return total


def _reversed_until(x):
    total = 0
    for v in reversed(x):
        if v == 1:
            break
        total = total * 10 + v
    return total


def _rest_of_iterator(x):
    values = iter(x)
    first = next(values)
    total = 0
    for v in values:
        total = total * 10 + v
    return first, total


def _range_in_iterators(x):
    total = 0
    for k, v in enumerate(range(x[0])):
        total += k * v
    for a, b in zip(range(x[0]), range(1, x[0] + 1)):
        total += a * b
    for a in reversed(range(x[0])):
        total = total * 2 + a
    return total


def _with_a_python_list(x):
    total = 0
    for a, b in zip(x, [1, 2, 3]):
        total += a * b
    return total


LOOPS = [
    _enumerated,
    _zipped,
    _nested,
    _mapped,
    _mapped_over_two,
    _filtered,
    _filtered_by_truth,
    _numbered_after_filter,
    _reversed_until,
    _rest_of_iterator,
    _range_in_iterators,
    _with_a_python_list,
]

REDUCTIONS: list[Callable[[Any], Any]] = [
    lambda x: sum(x),
    lambda x: sum(x, 5),
    lambda x: (max(x), min(x)),
    lambda x: max(x, key=lambda v: -v),
    lambda x: min(x, key=_helper),
    lambda x: (max(x, default=7), min(x, default=7)),
    lambda x: (any(x > 2), all(x > 2), any(x), all(x)),
    lambda x: sum(map(_helper, x)),
    lambda x: max(map(_helper, x)),
    lambda x: any(map(lambda v: v > 2, x)),
    lambda x: sorted(x),
    lambda x: sorted(x, key=lambda v: v % 3, reverse=True),
    lambda x: sorted(map(_helper, x)),
    lambda x: (next(iter(x)), next(iter(x), 7), next(iter([]), x[0])),
    lambda x: len(x),
]

IN_PYTHON: list[Callable[[Any], Any]] = [
    lambda x: list(x),
    lambda x: tuple(x),
    lambda x: list(zip(x, x + 1)),
    lambda x: dict(enumerate(x)),
    lambda x: [v for v in reversed(x)],
    lambda x: list(zip(*[iter(x)] * 2)),
    lambda x: {k: v for k, v in zip("abc", x)},
    lambda x: list(map(_helper, x)),
]


@pytest.mark.parametrize("function", [*LOOPS, *REDUCTIONS])
@pytest.mark.parametrize("values", [(3, 1, 2), (1, 5, 5), (3, 4, 0)])
@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None], tf.int32)]])
def test_a_vector_gives_what_python_gives(function: Any, values: Any, signature: Any) -> None:
    x = ints(*values)
    assert_same_value(function(x), tf.function(function, input_signature=signature)(tf.constant(x)))


@pytest.mark.xla
@pytest.mark.parametrize("function", [*LOOPS, *REDUCTIONS])
def test_a_compiled_graph_gives_what_python_gives(function: Any) -> None:
    x = ints(3, 1, 2)
    assert_same_value(function(x), tf.function(function, jit_compile=True)(tf.constant(x)))


def test_gradients_go_through_the_loops() -> None:
    @tf.function
    def f(x):
        total = 0.0
        for i, (a, b) in enumerate(zip(x, reversed(x))):
            total += a * b * tf.cast(i, tf.float32)
        return total + max(x) + sum(map(lambda v: v * v, x))

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert y.numpy() == 27.0
    assert tape.gradient(y, x).numpy().tolist() == [8.0, 8.0, 9.0]


@pytest.mark.parametrize("function", IN_PYTHON)
def test_python_iterates_over_a_vector_of_known_length(function: Any) -> None:
    x = ints(3, 1, 2)
    assert_same_value(function(x), tf.function(function)(tf.constant(x)))


@pytest.mark.parametrize("function", [f for f in LOOPS if f not in (_with_a_python_list, _rest_of_iterator)])
def test_the_graph_of_a_loop_does_not_grow_with_the_length(function: Any) -> None:
    sizes = []
    for length in (10, 500):
        graph = tf.function(function).get_concrete_function(tf.TensorSpec([length], tf.int32)).graph
        sizes.append(len(graph.get_operations()))
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("values", [(3, np.nan, 5), (np.nan, 3, 5), (2, 1), (np.nan,)])
def test_min_and_max_meet_nan_as_python_does(values: Any) -> None:
    def extremes(x):
        return max(x), min(x), max(x, key=lambda v: v), min(x, key=lambda v: -v)

    assert_same_value(extremes(floats(*values)), tf.function(extremes)(tf.constant(floats(*values))))


@pytest.mark.parametrize(("a", "b"), [(4, 1), (1, 4), (3, 3), (-5, 12)])
def test_python_collections_of_tensors(a: int, b: int) -> None:
    def f(a, b):
        return [
            (max(a, b), max(a, b, 4), max([a, b, 2]), min(a, 3), max(v for v in (a, b))),
            max([a, b], key=lambda v: -v),
            max(3, 1, key=lambda v: -v),
            (any([a > 3, b > 3]), all([a > 3, b > 3]), any([False, a > 9]), all(v > 0 for v in (a, b))),
            (any([]), all([]), any([True, a > 3]), all([False, a > 3])),
            sorted([a, b, 7]),
            sorted([(a, b), (b, a)], key=lambda pair: pair[0], reverse=True),
            sum([a, b], 1),
            list(filter(lambda k: k % 2, [1, 2, 3])),
        ]

    values = np.int32(a), np.int32(b)
    assert_same_value(f(*values), tf.function(f)(*map(tf.constant, values)))


@pytest.mark.parametrize("a", [7, -7, 14, 15, 25, 0])
def test_numbers(a: int) -> None:
    def f(a, x):
        quotients = divmod(a, 2), divmod(9, a + 100)
        rounded = round(a), round(a, -1), round(a, 1), round(x, 1), round(x * 10, -1)
        return quotients, rounded, abs(a), pow(a, 2), float(a), int(x), bool(a)

    values = np.int32(a), np.float32(a / 4 + 0.05)
    assert_same_value(f(*values), tf.function(f)(*map(tf.constant, values)))


def test_round_gives_an_integer() -> None:
    assert tf.function(lambda x: round(x))(tf.constant([2.5, 3.5, -0.6])).numpy().tolist() == [2, 4, -1]


def test_complex_of_tensors() -> None:
    def f(a, b):
        return complex(a, b), complex(a), complex(imag=b)

    values = [part.numpy() for part in tf.function(f)(tf.constant(1.5), tf.constant(2))]
    assert values == [1.5 + 2j, 1.5, 2j]
    assert values[0].dtype == np.complex64


def test_filter_of_python_values_by_a_tensor() -> None:
    def f(x):
        total = 0
        for v in filter(lambda u: u > x, [1, 2, 3, 4]):
            total = total * 10 + v
        return total

    assert tf.function(f)(tf.constant(2)).numpy() == 34


def test_strict_zip_of_different_lengths_raises() -> None:
    def f(x, y):
        return [a + b for a, b in zip(x, y, strict=True)]

    with pytest.raises(ValueError, match="argument 2 is shorter"):
        tf.function(f)(tf.constant([1, 2]), tf.constant([1]))


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: list(x), "its length is only known when the graph runs"),
        (lambda x: [v for v in enumerate(x)], "its length is only known when the graph runs"),
        (
            lambda x: list(filter(lambda v: v > 1, [x[0], x[1]])),
            "which elements pass is only known when the graph runs",
        ),
        (lambda x: list(zip(x, "abc")), "goes together with 'abc'"),
    ],
)
def test_what_python_cannot_iterate_over_says_why(function: Any, says: str) -> None:
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=says):
        tf.function(function, input_signature=[tf.TensorSpec([None], tf.int32)])(tf.constant([1, 2, 3]))


def test_rows_are_not_compared() -> None:
    for function in (max, any, sorted):
        with pytest.raises(ValueError, match=r"more than one element is ambiguous|only supports only 1D"):
            tf.function(lambda x, function=function: function(x))(tf.constant([[1, 2], [3, 4]]))


CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("abs", (), {}),
    ("abs", ("a",), {}),
    ("len", (3,), {}),
    ("len", ([1, 2],), {}),
    ("range", (), {}),
    ("range", (1, 2, 3, 4), {}),
    ("range", (2, 9, 3), {}),
    ("int", ("z", 36), {}),
    ("int", ("12",), {"base": 3}),
    ("int", (), {}),
    ("int", ([],), {}),
    ("float", ("1e3",), {}),
    ("float", ("x",), {}),
    ("complex", (1,), {"imag": 2}),
    ("complex", ("1+2j",), {}),
    ("bool", (), {}),
    ("bool", ([],), {}),
    ("bool", (1, 2), {}),
    ("round", (2.5,), {}),
    ("round", (2.567,), {"ndigits": 1}),
    ("round", ("a",), {}),
    ("divmod", (7, 2), {}),
    ("divmod", (7,), {}),
    ("divmod", (7, 0), {}),
    ("pow", (2, 5, 7), {}),
    ("pow", (2,), {"exp": 3}),
    ("min", (3, 1), {}),
    ("min", (), {}),
    ("min", ([],), {}),
    ("min", ([],), {"default": 4}),
    ("max", ("abc",), {"key": ord}),
    ("max", (3,), {}),
    ("max", (3, 1), {"default": 4}),
    ("sum", ([1, 2],), {"start": 3}),
    ("sum", (["a"],), {}),
    ("sum", (), {}),
    ("sorted", ([3, 1, 2],), {"reverse": True}),
    ("sorted", (["b", 1],), {}),
    ("sorted", ("bca",), {"key": ord}),
    ("sorted", (), {}),
    ("any", ([0, 2],), {}),
    ("any", (3,), {}),
    ("all", ({},), {}),
    ("enumerate", ("ab", 3), {}),
    ("enumerate", ("ab",), {"start": 3}),
    ("enumerate", (3,), {}),
    ("zip", ("ab", [1, 2]), {"strict": True}),
    ("zip", ("ab", [1]), {"strict": True}),
    ("zip", (3,), {}),
    ("zip", (), {}),
    ("map", (ord, "ab"), {}),
    ("map", (ord,), {}),
    ("map", (), {}),
    ("filter", (str.isalpha, "a1b"), {}),
    ("filter", (None, [0, 1]), {}),
    ("filter", (None,), {}),
    ("reversed", ([1, 2],), {}),
    ("reversed", ({1},), {}),
    ("iter", ([1, 2],), {}),
    ("iter", (3,), {}),
    ("iter", (), {}),
    ("iter", (dict, {}), {}),
    ("next", (iter([]), 5), {}),
    ("next", (iter([]),), {}),
    ("next", ([],), {}),
    ("list", ("ab",), {}),
    ("list", (3,), {}),
    ("tuple", ({1: 2},), {}),
    ("set", ([1, 1],), {}),
    ("set", ([[]],), {}),
    ("dict", ([("a", 1)],), {"b": 2}),
    ("dict", ([1],), {}),
    ("frozenset", ("aa",), {}),
]


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        value = call()
        return type(value) in (list, tuple, set, frozenset, dict, range), _listed(value)
    except Exception as error:
        return type(error)


def _listed(value: Any) -> Any:
    return list(value) if hasattr(value, "__iter__") and not isinstance(value, (dict, set, frozenset, str)) else value


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS)
def test_python_arguments_keep_the_behaviour_of_python(name: str, args: Any, kwargs: Any) -> None:
    builtin = getattr(builtins, name)
    found: list[Any] = []

    def f(x, copies):
        found.append(_outcome(lambda: builtin(*copies, **kwargs)))
        return x

    expected = _outcome(lambda: builtin(*_fresh(args), **kwargs))
    tf.function(lambda x: f(x, _fresh(args)))(tf.constant(1))
    assert found == [expected]


def _fresh(args: Any) -> Any:
    return [iter(()) if hasattr(arg, "__next__") else arg for arg in args]


def test_dicts_and_sets_of_tensors_fail_as_in_python() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        tf.function(lambda x: set(x))(tf.constant([1, 2]))
