"""`tf.compat.v1.Dimension`: arithmetic and comparisons of sizes that may be unknown."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf

Dimension = tf.compat.v1.Dimension
known, other, unknown = Dimension(3), Dimension(5), Dimension(None)


@pytest.mark.parametrize(
    ("function", "expected"),
    [(operator.add, 8), (operator.mul, 15), (operator.floordiv, 0), (operator.mod, 3)],
)
def test_arithmetic_gives_a_dimension(function: Callable[[Any, Any], Any], expected: int) -> None:
    for left, right in ((known, other), (known, 5), (3, other)):
        assert repr(function(left, right)) == f"Dimension({expected})"
    for left, right in ((known, unknown), (unknown, 5), (3, unknown), (unknown, None)):
        assert repr(function(left, right)) == "Dimension(None)"


def test_a_difference_is_not_negative() -> None:
    assert (other - known).value == (5 - known).value == 2
    with pytest.raises(ValueError, match="Dimension -2 must be >= 0"):
        known - other


def test_a_comparison_with_an_unknown_dimension_is_not_known() -> None:
    assert known == 3 and known < 5 and known <= 3 and known > 2
    assert not (known != 3 or known >= other)
    for function in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        assert function(known, unknown) is None and function(unknown, unknown) is None
    assert known != "x"
    with pytest.raises(TypeError, match="Dimension value must be integer or None"):
        operator.lt(known, "x")


def test_dimensions_are_merged() -> None:
    assert known.is_compatible_with(3) and known.is_compatible_with(unknown) and not known.is_compatible_with(4)
    assert known.merge_with(None).value == unknown.merge_with(3).value == 3
    for call in (known.merge_with, known.assert_is_compatible_with):
        with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
            call(4)


def test_a_known_dimension_is_an_integer() -> None:
    assert (int(known), float(known), [None] * known, bool(known), bool(unknown)) == (3, 3.0, [None] * 3, True, False)
    assert (str(known), str(unknown), repr(Dimension(Dimension(4)))) == ("3", "?", "Dimension(4)")
    with pytest.raises(TypeError):
        int(unknown)


@pytest.mark.parametrize("value", ["x", 1.0, b"3", [1]])
def test_what_is_no_integer_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="Dimension value must be integer or None or have an __index__ method"):
        Dimension(value)


def test_true_division_says_what_to_use() -> None:
    for call in (lambda: known / 2, lambda: 2 / known):
        with pytest.raises(TypeError, match="please use // instead"):
            call()


def test_a_dimension_is_no_key_and_can_be_copied() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(known)
    assert pickle.loads(pickle.dumps(known)).value == copy.deepcopy(known).value == 3


def test_shapes_take_and_give_dimensions() -> None:
    assert tf.TensorShape([known, unknown]) == tf.TensorShape([3, None])
    assert tf.TensorShape(known).as_list() == [3]
    assert tf.zeros(tf.TensorShape([known, 2])).shape == (3, 2)
    assert tf.compat.v1.dimension_at_index(tf.TensorShape([7]), 0).value == 7
    assert tf.compat.v1.dimension_at_index(tf.TensorShape(None), 0).value is None
    assert tf.compat.dimension_value(known) == 3
