"""Sums and maxima along axes of sparse tensors, against NumPy on dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import Sample

_INDICES, _SHAPE = np.int64([[0, 0], [0, 2], [1, 1]]), np.int64([3, 4])
_VALUES = np.float64([1, -2, -3])


def _samples(op: str, *values: np.ndarray, **options) -> list[Sample]:
    return [
        Sample(op, [_INDICES[: len(v)], v, _SHAPE, np.int32(axes)], {"keep_dims": keep}, **options)
        for v in values
        for axes in ([1], [-2], 0, [0, 1], [])
        for keep in (False, True)
    ]


SAMPLES = [
    *_samples("SparseReduceSum", _VALUES, grad=True),
    *_samples("SparseReduceSum", np.int32([1, 2, 3]), _VALUES.astype(np.complex64), _VALUES.astype(np.float16)),
    *_samples("SparseReduceSum", np.float32([])),
    *_samples("SparseReduceMax", _VALUES, np.int8([-1, -2, -3]), np.float32([])),
    *_samples("SparseReduceSumSparse", _VALUES, np.complex64([1, 2j, 3]), np.float32([])),
    *_samples("SparseReduceMaxSparse", _VALUES, np.uint8([1, 2, 3]), np.float32([])),
]


@st.composite
def cases(draw: st.DrawFn) -> tuple[np.ndarray, list[int], bool]:
    array = draw(hnp.arrays(np.int32, hnp.array_shapes(max_dims=3), elements=st.integers(-2, 2)))
    axes = draw(st.lists(st.integers(-array.ndim, array.ndim - 1), max_size=2))
    return array, axes, draw(st.booleans())


@given(cases())
def test_results_are_those_of_the_stored_elements(case) -> None:
    array, axes, keepdims = case
    value, unique = tf.sparse.from_dense(array), tuple({axis % array.ndim for axis in axes})
    stored = np.ma.masked_equal(array, 0)
    sums = array.sum(axis=unique, keepdims=keepdims)
    highest = np.ma.filled(stored.max(axis=unique, keepdims=keepdims), 0) if unique else array
    for reduce, expected in ((tf.sparse.reduce_sum, sums), (tf.sparse.reduce_max, highest)):
        assert np.array_equal(reduce(value, axes, keepdims).numpy(), expected)
        sparse = reduce(value, axes, keepdims, output_is_sparse=True)
        assert np.array_equal(tf.sparse.to_dense(sparse).numpy(), expected)
    assert int(tf.sparse.reduce_sum(value)) == array.sum()


def test_a_sparse_result_has_elements_only_where_there_were_some() -> None:
    value = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, -1, 5], [3, 2])
    total = tf.sparse.reduce_sum(value, 1, output_is_sparse=True)
    assert total.indices.numpy().tolist() == [[0], [2]] and total.values.numpy().tolist() == [0, 5]


def test_older_names_of_arguments() -> None:
    value, v1 = tf.SparseTensor(_INDICES, _VALUES, _SHAPE), tf.compat.v1
    assert v1.sparse_reduce_sum(value, reduction_axes=1).numpy().tolist() == [-1, -3, 0]
    assert v1.sparse_reduce_max(value, 1, keep_dims=True).numpy().tolist() == [[1], [-3], [0]]
    assert v1.sparse_reduce_sum_sparse(value, 1).values.numpy().tolist() == [-1, -3]
    assert v1.sparse_reduce_max_sparse(value, 1).values.numpy().tolist() == [1, -3]
    with pytest.raises(ValueError, match="Cannot specify both 'reduction_axes' and 'axis'"):
        v1.sparse_reduce_sum(value, 0, reduction_axes=1)
    with pytest.raises(ValueError, match="Cannot specify both 'keep_dims' and 'keepdims'"):
        v1.sparse_reduce_sum(value, 0, True, keep_dims=True)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"reduction_axes": [2]}, "InvalidArgumentError", "Invalid reduction dimension 2, for input with 2 dimensions"),
        ({"reduction_axes": [[0]]}, "InvalidArgumentError", "Expected reduction_axes to be a scalar or a vector"),
        ({"input_indices": [0]}, "InvalidArgumentError", r"indices must be a matrix, but got: \[1\]"),
        ({"input_values": [1.0, 2.0]}, "InvalidArgumentError", "indices and values rows .indexing dimension. must mat"),
        ({"input_values": [[1.0]]}, "InvalidArgumentError", r"vals must be a vec, but got: \[1,1\]"),
        ({"input_shape": [2]}, "InvalidArgumentError", "Order length must be SparseTensor rank"),
        ({"input_shape": [-2, 2]}, "InvalidArgumentError", "Expected shape dimensions to be non-negative, got -2"),
        ({"input_indices": [[0, 5]]}, "InternalError", r"Obtained a write index of 5 which is outside of bounds"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(change, error, message) -> None:
    arguments = {"input_indices": [[0, 1]], "input_values": [1.0], "input_shape": [2, 2], "reduction_axes": [0]}
    with pytest.raises(getattr(tf.errors, error), match=message):
        tf.raw_ops.SparseReduceSum(**{**arguments, **change})


def test_graphs_know_the_shape() -> None:
    with tf.Graph().as_default():
        value = tf.SparseTensor(_INDICES, _VALUES, _SHAPE)
        assert tf.sparse.reduce_sum(value, 0).shape == [4]
        assert tf.sparse.reduce_max(value, 0, keepdims=True).shape == [1, 4]
        assert tf.sparse.reduce_sum(value, tf.compat.v1.placeholder(tf.int32, [1])).shape.rank is None


def test_ranks_may_be_known_only_when_a_function_runs() -> None:
    total = tf.function(tf.sparse.reduce_sum, input_signature=[tf.SparseTensorSpec(None, tf.float64)])
    assert total(tf.SparseTensor(_INDICES, _VALUES, _SHAPE)).numpy() == -4


@pytest.mark.xla
def test_reductions_compile() -> None:
    @tf.function(jit_compile=True)
    def reduced(values: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        value = tf.SparseTensor(_INDICES, values, _SHAPE)
        return tf.sparse.reduce_sum(value, 1), tf.sparse.reduce_max(value, 1)

    sums, highest = reduced(tf.constant(_VALUES))
    assert sums.numpy().tolist() == [-1, -3, 0] and highest.numpy().tolist() == [1, -3, 0]


@pytest.mark.parametrize("axis", [0.5, [0.5], "a"])
def test_axes_must_be_integers(axis: object) -> None:
    with pytest.raises(TypeError, match=r"Cannot convert .* to EagerTensor of dtype int32"):
        tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 2]]), axis=axis)
    with pytest.raises(tf.errors.InvalidArgumentError, match="SparseReduceSum as input #3"):
        tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 2]]), axis=tf.constant(0.5))


@pytest.mark.parametrize("axis", [(np.int64(0), 1), np.array([0, 1]), tf.constant([0, 1], tf.int64), [0, -1]])
def test_axes_may_be_integers_of_any_kind(axis: object) -> None:
    assert tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 2]]), axis=axis).numpy() == 3


def test_no_axis_is_reduced_for_an_empty_list_like_in_tensorflow() -> None:
    value = tf.sparse.from_dense([[1, 2]])
    assert tf.sparse.reduce_sum(value, axis=[]).shape == tf.sparse.reduce_sum(value, axis=np.zeros(0, np.int32)).shape
