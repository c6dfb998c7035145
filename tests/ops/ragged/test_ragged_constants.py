"""tf.ragged.constant, constant_value and placeholder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_constant = tf.ragged.constant
_constant_value = tf.compat.v1.ragged.constant_value
_CUBE = [[[1, 2], [3, 4]], [[5, 6]]]


@pytest.mark.parametrize(
    ("pylist", "options", "dtype", "shape"),
    [
        ([[1, 2], [3]], {}, tf.int32, [2, None]),
        ([[]], {}, tf.float32, [1, None]),
        ([[[]], []], {}, tf.float32, [2, None, None]),
        ([[1, 2], [3, 4]], {"ragged_rank": 1}, tf.int32, [2, None]),
        (_CUBE, {"ragged_rank": 1}, tf.int32, [2, None, 2]),
        (_CUBE, {"inner_shape": (2,)}, tf.int32, [2, None, 2]),
        (_CUBE, {"inner_shape": (2,), "ragged_rank": 1}, tf.int32, [2, None, 2]),
        (_CUBE, {}, tf.int32, [2, None, None]),
        ([], {"ragged_rank": 2}, tf.float32, [0, None, None]),
        ([], {"ragged_rank": 1, "inner_shape": (3,)}, tf.float32, [0, None, 3]),
        ([[]], {"ragged_rank": 1, "inner_shape": (2,)}, tf.float32, [1, None, 2]),
        ([[[], []], [[]]], {"ragged_rank": 1}, tf.float32, [2, None, 0]),
        ([[1, 2.5]], {}, tf.float32, [1, None]),
        ([[1]], {"dtype": tf.float64}, tf.float64, [1, None]),
        (([1, 2], (3,)), {}, tf.int32, [2, None]),
        ([np.array([1, 2]), [3]], {}, tf.int32, [2, None]),
        ([range(3)], {}, tf.int32, [1, None]),
        ([[True], []], {}, tf.bool, [2, None]),
        ([[b"a", "b"]], {}, tf.string, [1, None]),
        ([[1 + 2j], []], {}, tf.complex128, [2, None]),
        ([[2**40], []], {}, tf.int64, [2, None]),
        ([[np.float64(1)], [2]], {}, tf.float64, [2, None]),
    ],
)
def test_nested_lists_become_ragged(pylist: Any, options: Any, dtype: Any, shape: Any) -> None:
    x = _constant(pylist, **options)
    assert isinstance(x, tf.RaggedTensor)
    assert x.dtype == dtype
    assert x.shape.as_list() == shape


@pytest.mark.parametrize(
    ("pylist", "options", "shape"),
    [
        (1, {}, []),
        ("abc", {}, []),
        ([], {}, [0]),
        ([1, 2], {}, [2]),
        (range(3), {}, [3]),
        ([[1, 2], [3, 4]], {"ragged_rank": 0}, [2, 2]),
        ([], {"inner_shape": (0, 3)}, [0, 3]),
        ([1], {"inner_shape": (1,)}, [1]),
    ],
)
def test_a_list_without_ragged_dimension_becomes_dense(pylist: Any, options: Any, shape: Any) -> None:
    x = _constant(pylist, **options)
    assert isinstance(x, tf.Tensor)
    assert x.shape.as_list() == shape


def test_row_splits_of_a_dtype() -> None:
    for dtype in (tf.int32, "int32"):
        assert _constant([[[1]]], row_splits_dtype=dtype).nested_row_splits[1].dtype == tf.int32
    assert _constant_value([[1]], row_splits_dtype=tf.int32).row_splits.dtype == np.int32


@pytest.mark.parametrize(
    ("pylist", "options", "error", "words"),
    [
        ([1, [2]], {}, ValueError, "all scalar values must have the same nesting depth"),
        ([[[1]], [2]], {}, ValueError, "all scalar values must have the same nesting depth"),
        ([[1, 2], [3]], {"ragged_rank": 0}, ValueError, "Can't convert non-rectangular Python sequence to Tensor."),
        (
            [[1, 2]],
            {"ragged_rank": 2},
            ValueError,
            "pylist has scalar values depth 2, but ragged_rank=2 requires scalar value depth greater than 2",
        ),
        ([[[1, 2], [3]]], {"ragged_rank": 1}, ValueError, "inner values have inconsistent shape"),
        (_CUBE, {"inner_shape": (3,)}, TypeError, "Eager execution of tf.constant with unsupported shape."),
        (
            _CUBE,
            {"inner_shape": (2,), "ragged_rank": 2},
            ValueError,
            f"Invalid pylist={_CUBE}: incompatible with ragged_rank=2 and dim(inner_shape)=1",
        ),
        ([["a", 1]], {}, ValueError, "Can't convert Python sequence with mixed types to Tensor."),
        ([["a"]], {"dtype": tf.int32}, TypeError, "Cannot convert ['a'] to EagerTensor of dtype int32"),
        ([[1]], {"row_splits_dtype": tf.int16}, ValueError, "row_splits must have dtype int32 or int64"),
        ([[1]], {"ragged_rank": -1}, ValueError, "Invalid ragged_rank=-1: must be nonnegative"),
        (5, {"ragged_rank": 1}, ValueError, "Invalid pylist=5: incompatible with ragged_rank=1"),
        (5, {"inner_shape": (1,)}, ValueError, "Invalid pylist=5: incompatible with dim(inner_shape)=1"),
        ([{"a": 1}], {}, ValueError, "Attempt to convert a value ({'a': 1}) with an unsupported type"),
    ],
)
def test_bad_lists_are_refused(pylist: Any, options: Any, error: Any, words: str) -> None:
    check_refusal(lambda: _constant(pylist, **options), error, words)


def test_a_ragged_tensor_is_no_list() -> None:
    for make in (_constant, _constant_value):
        with pytest.raises(TypeError, match=r"pylist may not be a RaggedTensor or RaggedTensorValue\."):
            make(_constant([[1]]))


def test_constants_of_a_graph_are_named() -> None:
    with tf.Graph().as_default() as graph:
        _constant([[1], [2, 3]], name="x")
    assert [op.name for op in graph.get_operations()][:2] == ["x/values", "x/Const"]


def test_constant_values_are_arrays() -> None:
    x = _constant_value([[1, 2], [3]])
    assert repr(x) == "tf.RaggedTensorValue(values=array([1, 2, 3]), row_splits=array([0, 2, 3]))"
    assert _constant_value([[1]], dtype="float32").dtype == np.float32
    assert _constant_value([[1]], dtype=tf.float32).dtype == np.float32
    assert _constant_value(_CUBE, inner_shape=(2,)).shape == (2, None, 2)
    assert _constant_value([[1, 2], [3, 4]], ragged_rank=0).tolist() == [[1, 2], [3, 4]]
    assert _constant_value([[], []]).dtype == np.float64


def test_placeholders() -> None:
    placeholder = tf.compat.v1.ragged.placeholder
    with tf.Graph().as_default():
        assert placeholder(tf.int32, 1).shape.rank is None
        assert placeholder(tf.int32, 2, [None]).shape.as_list() == [None, None, None, None]
        x = placeholder(tf.int32, 1, [3], "x")
        assert x.shape.as_list() == [None, None, 3]
        assert [part.name for part in (x.flat_values, x.row_splits)] == ["x/flat_values:0", "x/row_splits_0:0"]
        assert isinstance(placeholder(tf.float32, 0, [3]), tf.Tensor)
    with pytest.raises(RuntimeError, match=r"tf\.placeholder\(\) is not compatible with eager execution\."):
        placeholder(tf.int32, 1)
