"""A function that meets a tensor goes on in the graph from there, with the variables that it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autograph.operators.resuming import iterate


def test_statements_before_the_graph_takes_over_run_once() -> None:
    ran = []

    @tf.function
    def f(x, items):
        for item in items:
            ran.append(item)
            if item > 1:
                ran.append("branch")
                if x > item:
                    x = x - item
            x += 1
        return x

    assert f(tf.constant(5), [1, 2, 3]).numpy() == 5 + 3 - 2 - 3
    assert ran == [1, 2, "branch", 3, "branch"]


def test_a_condition_is_evaluated_once() -> None:
    evaluated = []

    def test(x, name):
        evaluated.append(name)
        return x > 0

    @tf.function
    def f(x):
        if test(x, "a") and not test(x - 5, "b"):
            return x
        return -x

    assert [f(tf.constant(x)).numpy() for x in (3, 9, -1)] == [3, -9, 1]
    assert evaluated == ["a", "b"]


def test_closures_share_their_variables_with_the_graph() -> None:
    @tf.function
    def f(x):
        total = 0

        def add(y):
            nonlocal total
            total += y

        add(1)
        if x > 0:
            x = x * 2
        add(x)
        return total

    assert [f(tf.constant(x)).numpy() for x in (3, -3)] == [7, -2]


@pytest.mark.parametrize("x", [3, -3])
def test_the_bodies_of_with_and_try_are_left_as_in_python(x: int) -> None:
    class Manager:
        def __enter__(self) -> Any:
            events.append("enter")
            return self

        def __exit__(self, *_: object) -> None:
            events.append("exit")

    def f(x):
        y = 0
        with Manager() as m:
            if x > 0:
                y = x
            else:
                y = -x * 10
        try:
            events.append("try")
            if y > 5:
                y += 1
        finally:
            events.append("finally")
        return y if m is not None else 0

    events: list[str] = []
    assert tf.function(f)(tf.constant(x)).numpy() == f(x)
    assert events == ["enter", "exit", "try", "finally"] * 2


def test_an_error_of_the_user_inside_the_graph_is_not_taken_for_a_transfer_of_control() -> None:
    @tf.function
    def f(x):
        y = bool(x)  # refused here, not at the `if`
        if y:
            return 1
        return 2

    @tf.function(autograph=False)
    def inner(x):
        return 1 if x > 0 else 2

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: inner(x) if x is not None else 0)(tf.constant(1))
    assert f(tf.constant(3)).numpy() == 1


def test_a_variable_decides_like_a_tensor() -> None:
    flag = tf.Variable(True)

    @tf.function
    def f():
        if flag:
            return 1
        return 2

    first = f().numpy()
    flag.assign(False)
    assert (first, f().numpy()) == (1, 2)


def test_numpy_and_python_values_decide_in_python() -> None:
    @tf.function
    def f(x):
        if np.float32(1) > 0 and [1]:
            return x
        return undefined_name  # type: ignore[name-defined]  # noqa: F821

    assert f(tf.constant(1)).numpy() == 1


def test_eager_tensors_are_run_over_in_python_outside_of_a_graph() -> None:
    assert [int(x) for x in iterate(tf.constant([1, 2]))] == [1, 2]
    with tf.Graph().as_default(), pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        iterate(tf.constant([1, 2]))
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        iterate(3)
