from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_types import Literal, Weakref


class Color(enum.Enum):
    RED = 1


class Number(enum.IntEnum):
    ONE = 1


class Slotted:
    __slots__ = ()


@dataclass(frozen=True)
class Frozen:
    a: int


@dataclass
class Mutable:
    a: int


@pytest.mark.parametrize(
    "array",
    [np.float32(1), np.array(2.0, np.float32), tf.constant(3.0)],
    ids=["scalar", "array", "tensor"],
)
def test_arrays_and_numpy_scalars_are_tensors(array: Any) -> None:
    assert from_value(array) == tf.TensorSpec([], tf.float32)


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.array("a"), tf.string),
        (np.array([b"a"], dtype=object), tf.string),
        (np.bool_(True), tf.bool),
        (np.int8(1), tf.int8),
        (np.array([1 + 1j]), tf.complex128),
    ],
)
def test_arrays_of_any_kind_take_their_tensors_dtype(array: Any, dtype: Any) -> None:
    assert from_value(array).dtype is dtype


def test_an_array_of_unknown_objects_is_refused() -> None:
    with pytest.raises(ValueError, match="Failed to convert a NumPy array to a Tensor"):
        from_value(np.array([object()]))


def test_variables_go_by_spec() -> None:
    text = repr(from_value(tf.Variable(1.0)))
    assert text == "VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)"


@pytest.mark.parametrize(
    "value", [1, "a", b"a", None, ..., range(3), 1j, tf.float32, tf.TensorShape([1]), np.dtype("f4"), Slotted()]
)
def test_immutable_values_are_literals(value: Any) -> None:
    assert isinstance(from_value(value), Literal)


@pytest.mark.parametrize("value", [Color.RED, Frozen(1), len, int, frozenset([1]), lambda: 1])
def test_other_objects_are_weak_references(value: Any) -> None:
    assert isinstance(from_value(value), Weakref)


def test_an_int_enum_is_not_the_int() -> None:
    assert from_value(Number.ONE) != from_value(1)


@pytest.mark.parametrize("value", [{1, 2}, Mutable(1), bytearray(b"a"), deque([1])])
def test_mutable_values_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="Could not generate a generic TraceType for"):
        from_value(value)


def test_the_error_shows_the_inner_value() -> None:
    with pytest.raises(
        TypeError, match=r"Could not generate a generic TraceType for \{2\}.Please verify that it is immutable"
    ):
        from_value([1, {"a": {2}}])


def test_a_type_stands_for_itself() -> None:
    spec = tf.TensorSpec([None], tf.int32, name="x")
    assert from_value(spec) is spec
    assert from_value([spec]).components == (spec,)
