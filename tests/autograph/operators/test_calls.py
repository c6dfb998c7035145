"""What is called from converted code is converted, wherever it comes from; what is kept out runs as it is."""

from __future__ import annotations

import functools
import logging
import textwrap
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autograph.operators import calls


def _absolute(x):
    if x > 0:
        return x
    return -x


def _scaled(x, by, plus=0):
    if x > 0:
        return x * by + plus
    return x - by


class Box:
    offset = 10

    def __init__(self, factor: Any = 2) -> None:
        self.factor = factor

    def method(self, x):
        if x > 0:
            return x * self.factor
        return x

    def __call__(self, x):
        return self.method(x) + 1

    @classmethod
    def of_class(cls, x):
        if x > 0:
            return x + cls.offset
        return x

    @staticmethod
    def static(x):
        if x > 0:
            return x + 100
        return x

    @property
    def made(self):
        return lambda x: self.method(x) * 2 if x > 0 else x

    def __getitem__(self, x):
        return _absolute(x)


class Derived(Box):
    def method(self, x):
        if x > 1:
            return super().method(x) - 1
        return x


class Unhashable(Box):
    __hash__ = None  # type: ignore[assignment]


class KeepsWhatItGets:
    def __init__(self, x):
        self.value = x


class Branches:
    def __init__(self, x):
        self.value = x if x > 0 else -x


def _decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) + 1

    return wrapper


@_decorated
def _with_wrapper(x):
    if x > 0:
        return x
    return -x


BY_THREE = {"by": 3}
CALLS: dict[str, Callable[[Any], Any]] = {
    "a function": lambda x: _absolute(x),
    "a function in a local variable": lambda x: (lambda f: f(x))(_absolute),
    "a nested call": lambda x: _absolute(_absolute(x - 5)),
    "starred arguments": lambda x: _scaled(*(x,), **BY_THREE, plus=1),
    "a partial": lambda x: functools.partial(_scaled, by=3)(x),
    "a partial of a partial": lambda x: functools.partial(functools.partial(_scaled, plus=4), by=3)(x),
    "a partial of a method": lambda x: functools.partial(Box(3).method)(x),
    "a method": lambda x: Box(3).method(x),
    "a bound method in a variable": lambda x: (lambda m: m(x))(Box(3).method),
    "an unbound method": lambda x: Box.method(Box(3), x),
    "an overridden method with super": lambda x: Derived(3).method(x),
    "a class method": lambda x: Box.of_class(x),
    "a class method of an instance": lambda x: Derived().of_class(x),
    "a static method": lambda x: Box.static(x),
    "a function of a property": lambda x: Box(3).made(x),
    "a callable object": lambda x: Box(3)(x),
    "a callable that cannot be hashed": lambda x: Unhashable(3)(x),
    "a class": lambda x: Box(x).factor,
    "a lambda": lambda x: (lambda y: y * 2 if y > 0 else y)(x),
    "a decorated function": lambda x: _with_wrapper(x),
    "a function of a dictionary": lambda x: {"f": _absolute}["f"](x),
    "a function of a list": lambda x: [f(x) for f in [_absolute, _with_wrapper]][1],
    "a closure": lambda x: (lambda k: lambda y: y + k if y > 0 else y)(3)(x),
    "functools.reduce": lambda x: functools.reduce(lambda a, b: a + b if a > b else a - b, [x, 2, 3]),
    "map": lambda x: list(map(_absolute, [x, -x]))[1],
    "sorted with a key": lambda x: sorted([3, -5], key=lambda v: -v)[0] + _absolute(x),
    "max with a key": lambda x: max([x, 2], key=lambda v: v * v),
}


@pytest.mark.parametrize("name", list(CALLS))
@pytest.mark.parametrize("x", [4, -3])
def test_what_is_called_is_converted(name: str, x: int) -> None:
    function = CALLS[name]
    traced = tf.function(lambda v: function(v))
    assert int(traced(tf.constant(x))) == function(x)


def _maps(x):
    return tf.map_fn(_absolute, x)


def _branches(x):
    return tf.cond(x[0] > 0, lambda: _absolute(x[1]), functools.partial(_absolute, x[2]))


def _loops(x):
    def body(i, total):
        if total > 3:
            return i + 1, total + 1
        return i + 1, total + 2

    return tf.while_loop(lambda i, _: i < 4, body, [tf.constant(0), x[0]])[1]


def _switches(x):
    return tf.switch_case(x[0], [lambda: _absolute(x[1]), lambda: _absolute(x[2])])


def _folds(x):
    return tf.foldl(lambda a, b: a + b if b > 0 else a - b, x)


@pytest.mark.parametrize("function", [_maps, _branches, _loops, _switches, _folds])
def test_functions_given_to_tensorflows_own_are_converted(function: Callable[[Any], Any]) -> None:
    x = tf.constant([1, -2, 3])
    np.testing.assert_array_equal(tf.function(function)(x), function(x))


def test_constructors_run_in_python() -> None:
    assert tf.function(lambda x: KeepsWhatItGets(x).value)(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: Branches(x).value)(tf.constant(1))


def test_a_function_in_tf_function_stays_a_call_of_its_own() -> None:
    inner = tf.function(_absolute)
    outer = tf.function(lambda x: inner(x) + inner(-x))
    assert outer(tf.constant(-3)).numpy() == 6
    called = [op.type for op in outer.get_concrete_function(tf.constant(1)).graph.get_operations()]
    assert sum("PartitionedCall" in kind for kind in called) == 2


def test_a_function_that_is_excluded_runs_as_it_is_and_what_it_calls_too() -> None:
    @tf.autograph.experimental.do_not_convert
    def excluded(x: Any) -> Any:
        return _absolute(x)

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: excluded(x))(tf.constant(1))


def test_a_tf_function_called_from_an_excluded_function_is_converted() -> None:
    inner = tf.function(_absolute)

    @tf.autograph.experimental.do_not_convert
    def excluded(x: Any) -> Any:
        return inner(x)

    assert tf.function(lambda x: excluded(x))(tf.constant(-4)).numpy() == 4


@pytest.mark.parametrize("package", ["numpy", "keras", "millrace", "json", "tensorflow.keras"])
def test_packages_that_are_not_written_for_conversion_are_kept_out(package: str) -> None:
    module = types.FunctionType(_absolute.__code__, {"__name__": f"{package}.inner"}, "_absolute")
    assert module.__module__ == f"{package}.inner"
    assert calls.convert_function(module) is module
    assert calls.callee(module) is module


def test_a_users_module_of_a_similar_name_is_converted() -> None:
    function = types.FunctionType(_absolute.__code__, {"__name__": "numpy_tricks.inner"}, "_absolute")
    assert calls.convert_function(function) is not function


@pytest.mark.parametrize("thing", [len, int, np.add, np.array, "".join, {}.get, object(), 3, tf.add, print])
def test_what_is_no_python_function_of_the_user_is_called_itself(thing: Any) -> None:
    found = calls.callee(thing)
    if thing in (len, int, print):
        assert callable(found)
    else:
        assert found == thing


def test_what_cannot_be_called_fails_as_in_python() -> None:
    with pytest.raises(TypeError, match="'int' object is not callable"):
        tf.function(lambda x, f: f(x))(tf.constant(1), 3)


def test_a_module_function_is_looked_up_once_and_a_closure_is_not_kept() -> None:
    def closure() -> Any:
        return lambda: captured

    captured = 1
    assert calls.call[_absolute] is calls.call[_absolute]
    inner = closure()
    calls.callee(inner)
    assert inner not in calls.call


def test_arguments_that_do_not_fit_are_reported_for_the_users_function() -> None:
    with pytest.raises(TypeError, match=r"_absolute\(\) takes 1 positional argument but 2 were given"):
        tf.function(lambda x: _absolute(x, x))(tf.constant(1))


@pytest.mark.unconverted
def test_a_function_without_source_is_called_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    namespace: dict[str, Any] = {"__name__": "users"}
    exec("def straight(x):\n    return x + 1\ndef branch(x):\n    return x if x is None else x + 2", namespace)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        traced = tf.function(lambda x: namespace["straight"](x) + namespace["branch"](x))
        assert traced(tf.constant(1)).numpy() == 5
    messages = [record.getMessage() for record in caplog.records]
    assert [textwrap.shorten(m.partition("Cause: ")[2], 60) for m in messages if "branch" in m]
    assert not [m for m in messages if "straight" in m]
