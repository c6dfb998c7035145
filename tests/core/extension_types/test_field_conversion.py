"""What constructors make of their arguments, and how they refuse."""
# ruff: noqa: UP006, UP007, UP035, UP045 -- users write the old names too

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple, Union

import numpy as np
import pytest

import millrace as tf
from millrace._src.util.immutable_dict import ImmutableDict
from tests.core.extension_types.test_fields import Inner, with_field


@pytest.mark.parametrize(
    ("annotation", "given", "held"),
    [
        *((int, 1, 1), (int, True, True), (float, 1.5, 1.5), (str, "a", "a"), (bytes, b"a", b"a"), (None, None, None)),
        *((tf.TensorShape, [1, None], tf.TensorShape([1, None])), (tf.TensorShape, None, tf.TensorShape(None))),
        *((tf.DType, "int32", tf.int32), (tf.DType, np.float32, tf.float32)),
        *((Tuple[int, str], [1, "a"], (1, "a")), (Tuple[int, ...], [], ()), (Mapping[str, int], {"a": 1}, {"a": 1})),
        *((Union[int, str], "a", "a"), (Optional[int], None, None), (Union[float, int], 1, 1)),
    ],
    ids=repr,
)
def test_an_argument_becomes_what_the_field_holds(annotation: Any, given: Any, held: Any) -> None:
    value = with_field(annotation)(given).f
    assert value == held and (type(value) is type(held) or isinstance(value, ImmutableDict))


def test_values_become_tensors() -> None:
    tensor = tf.constant([1, 2])
    assert with_field(tf.Tensor)(tensor).f is tensor
    assert with_field(tf.Tensor)([1.0, 2.0]).f.numpy().tolist() == [1.0, 2.0]
    assert with_field(tf.Tensor)(tf.Variable(3.0)).f.numpy() == 3.0
    nested = with_field(Mapping[str, Tuple[tf.Tensor, ...]])({"a": [1, [2]]}).f
    assert [part.shape.rank for part in nested["a"]] == [0, 1]


@pytest.mark.parametrize(
    ("annotation", "given", "message"),
    [
        (int, 1.5, "f: expected 'int', got 'float'"),
        (int, np.int32(3), "f: expected 'int', got 'int32'"),
        (float, 1, "f: expected 'float', got 'int'"),
        (str, b"a", "f: expected 'str', got 'bytes'"),
        (None, 1, "f: expected 'NoneType', got 'int'"),
        (tf.Tensor, None, "f: expected a Tensor, got 'NoneType'"),
        (tf.Tensor, [[1], [2, 3]], "f: expected a Tensor, got 'list'"),
        (tf.Tensor, tf.TensorSpec([]), "f: expected a Tensor, got 'TensorSpec'"),
        (tf.TensorShape, "a", "f: expected 'tf.TensorShape', got 'str'"),
        (tf.DType, "xx", "f: expected 'tf.DType', got 'str'"),
        (Inner, 1, "f: expected 'Inner', got 'int'"),
        (Tuple[int, str], (1,), "f: expected tuple with length 2, got 'tuple' of length 1"),
        (Tuple[int, str], (1, 2), "f[1]: expected 'str', got 'int'"),
        (Tuple[int, ...], 5, "f: expected tuple, got 'int'"),
        (Mapping[str, int], [("a", 1)], "f: expected mapping, got 'list'"),
        (Mapping[str, int], {"a": "b"}, "f['a']: expected 'int', got 'str'"),
        (Mapping[str, int], {1: 1}, "f[<key>]: expected 'str', got 'int'"),
        (Union[int, str], 1.5, f"f: expected {Union[int, str]}, got 'float'"),
        (Mapping[str, Tuple[int, ...]], {"a": [1, "b"]}, "f['a'][1]: expected 'int', got 'str'"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_named_with_its_path(annotation: Any, given: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        with_field(annotation)(given)
    assert str(error.value) == message


def test_specs_take_specs_where_values_take_tensors() -> None:
    kind = with_field(Tuple[tf.Tensor, Inner])
    inner = Inner.Spec(tf.TensorSpec([2]))
    assert kind.Spec((tf.TensorSpec([]), inner)).f == (tf.TensorSpec([]), inner)
    with pytest.raises(TypeError, match=r"f\[0\]: expected a TensorSpec, got 'int'"):
        kind.Spec((1, inner))
    with pytest.raises(TypeError, match=r"f\[1\]: expected a TypeSpec for 'Inner', got 'C.Spec'"):
        kind.Spec((tf.TensorSpec([]), kind.Spec((tf.TensorSpec([]), inner))))


def test_a_field_of_the_class_of_variables_takes_variables_only() -> None:
    kind = type(tf.Variable(1.0))
    v = tf.Variable(3.0)
    assert with_field(kind)(v).f is v
    assert with_field(tuple[kind, ...])([v, v]).f == (v, v)
    assert with_field(kind | None)(None).f is None and with_field(kind | tf.Tensor)(v).f is v
    with pytest.raises(TypeError, match="f: expected 'ResourceVariable', got 'EagerTensor'"):
        with_field(kind)(tf.constant(3.0))
