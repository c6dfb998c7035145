"""`and`, `or`, `not`, `in`: Python's on Python values, short-circuiting operations of the graph on tensors."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autograph.operators.logic import and_, in_, not_, not_in, or_

FORMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "and": lambda a, b, c: a and b,
    "or": lambda a, b, c: a or b,
    "not": lambda a, b, c: not a,
    "mixed": lambda a, b, c: a and not b or c,
    "parentheses": lambda a, b, c: not (a or (b and not c)),
    "three": lambda a, b, c: a and b and c,
    "seven": lambda a, b, c: a or b or c or a or b or c and not a or b or c,
    "ternary": lambda a, b, c: (b if a else c) or (c if b else a),
}


@pytest.mark.parametrize("name", list(FORMS))
def test_logic_over_tensors_is_pythons(name: str) -> None:
    form = FORMS[name]
    traced = tf.function(lambda a, b, c: form(a, b, c))
    for values in itertools.product([False, True], repeat=3):
        expected = form(*values)
        assert bool(traced(*map(tf.constant, values))) == expected
        for tensors in itertools.product([False, True], repeat=3):
            mixed = [tf.constant(v) if is_tensor else v for v, is_tensor in zip(values, tensors, strict=True)]
            assert bool(traced(*mixed)) == expected, mixed


@pytest.mark.parametrize(("operator", "first", "decides"), [(and_, False, False), (or_, True, True)])
def test_the_second_operand_is_not_evaluated_if_the_first_decides(operator: Any, first: bool, decides: bool) -> None:
    def fails() -> Any:
        raise AssertionError

    assert operator(lambda: first, fails) is decides


def test_the_second_operand_runs_in_the_graph_only_if_the_first_does_not_decide() -> None:
    count = tf.Variable(0)

    def counted(x):
        count.assign_add(1)
        return x

    @tf.function
    def both(a, b):
        return a and counted(b)

    for first in (True, False, False):
        both(tf.constant(first), tf.constant(True))
    assert count.numpy() == 1


@pytest.mark.parametrize("value", [0, 1, "", "a", [], None])
def test_python_values_keep_their_kind(value: Any) -> None:
    assert and_(lambda: value, lambda: "second") == (value and "second")
    assert or_(lambda: value, lambda: "second") == (value or "second")
    assert not_(value) is (not value)


def test_operands_must_be_boolean_scalars() -> None:
    for value in (tf.constant(1), tf.constant([True, False])):
        for form in (lambda x: x and True, lambda x: not x, lambda x: True and x or False):
            with pytest.raises((TypeError, ValueError), match="condition of"):
                tf.function(lambda x, form=form: form(x))(value)


CONTAINERS = [[1, 2, 3], (1, 2), range(5), {1: 2}, {1, 4}, [], ()]


@pytest.mark.parametrize("container", CONTAINERS, ids=str)
@pytest.mark.parametrize("item", [1, 4, 9])
def test_a_tensor_is_searched_for_in_python_collections(container: Any, item: int) -> None:
    found = tf.function(lambda x: (x in container, x not in container))(tf.constant(item))
    assert [bool(part) for part in found] == [item in container, item not in container]


@pytest.mark.parametrize("item", [2, 7])
def test_a_tensor_is_searched_as_an_array(item: int) -> None:
    array = np.array([[1, 2], [3, 4]])
    found = tf.function(lambda x, y: (y in x, item in x, item not in x))(
        tf.constant(array), tf.constant(item, tf.int64)
    )
    assert [bool(part) for part in found] == [item in array, item in array, item not in array]


def test_membership_of_python_values_is_pythons() -> None:
    assert in_("a", "cat") and not_in(1, [2]) and in_(None, [None])
    with pytest.raises(TypeError, match="is not iterable"):
        in_(1, 2)
