"""Sparse tensors joined, split and cut, against NumPy on dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample

_A, _B = np.int64([[0, 1], [1, 0]]), np.int64([[0, 0], [1, 1]])
_SHAPE, _NARROW = np.int64([2, 3]), np.int64([2, 2])
_FLOATS = np.float64([1, 2])

SAMPLES = [
    Sample("SparseConcat", [[_A, _B], [_FLOATS, _FLOATS + 2], [_SHAPE, _NARROW]], {"concat_dim": 1}),
    Sample("SparseConcat", [[_A, _A], [np.int32([1, 2]), np.int32([3, 4])], [_SHAPE, _SHAPE]], {"concat_dim": -2}),
    Sample("SparseConcat", [[_A[:0], _A[::-1].copy()], [_FLOATS[:0], _FLOATS], [_SHAPE, _SHAPE]], {"concat_dim": 0}),
    Sample("SparseSplit", [np.int64(1), _A, _FLOATS, _SHAPE], {"num_split": 2}),
    Sample("SparseSplit", [np.int64(-2), _A[:0], np.bool_([]), _SHAPE], {"num_split": 2}),
    Sample("SparseSlice", [_A, np.int32([1, 2]), _SHAPE, np.int64([0, 1]), np.int64([2, 9])]),
    Sample("SparseSlice", [_A, np.array(["a", "b"], object), _SHAPE, np.int64([5, 5]), np.int64([2, 2])]),
    Sample("SparseSliceGrad", [np.float64([5]), _A, np.int64([0, 1]), np.int64([[0, 0]])], grad=LookupError),
]
GRADIENT_PROGRAMS = [
    GradientProgram(
        "SparseSlice",
        lambda values: tf.sparse.to_dense(tf.sparse.slice(tf.SparseTensor(_A, values, _SHAPE), [0, 1], [2, 2])),
        [_FLOATS],
        xla=False,  # the number of elements depends on the data
        no_second="gradient registry has no entry for: SparseSliceGrad",
    )
]


def dense(value: tf.SparseTensor) -> np.ndarray:
    return tf.sparse.to_dense(value).numpy()


arrays = hnp.arrays(np.int32, hnp.array_shapes(min_dims=1, max_dims=3), elements=st.integers(-1, 1))


@given(arrays, st.data())
def test_joins_are_those_of_dense_arrays(array, data) -> None:
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    cut = data.draw(st.integers(0, array.shape[axis]))
    parts = np.split(array, [cut], axis)
    joined = tf.sparse.concat(axis, [tf.sparse.from_dense(part) for part in parts])
    assert np.array_equal(dense(joined), array)


@given(arrays, st.data())
def test_pieces_are_those_of_dense_arrays(array, data) -> None:
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    count = data.draw(st.integers(1, array.shape[axis]))
    pieces = tf.sparse.split(tf.sparse.from_dense(array), count, axis)
    for piece, expected in zip(pieces, np.array_split(array, count, axis), strict=True):
        assert np.array_equal(dense(piece), expected)


@given(arrays, st.data())
def test_blocks_are_those_of_dense_arrays(array, data) -> None:
    start = [data.draw(st.integers(0, size)) for size in array.shape]
    size = [data.draw(st.integers(0, size + 1)) for size in array.shape]
    block = array[tuple(slice(a, a + n) for a, n in zip(start, size, strict=True))]
    assert np.array_equal(dense(tf.sparse.slice(tf.sparse.from_dense(array), start, size)), block)


def test_other_dimensions_may_grow() -> None:
    a, b = tf.SparseTensor(_A, [1, 2], _SHAPE), tf.SparseTensor(_B, [3, 4], _NARROW)
    joined = tf.sparse.concat(0, [a, b], expand_nonconcat_dims=True)
    assert dense(joined).tolist() == [[0, 1, 0], [2, 0, 0], [3, 0, 0], [0, 4, 0]]
    assert dense(tf.compat.v1.sparse_concat(0, [a, b], expand_nonconcat_dim=True)).tolist() == dense(joined).tolist()
    wide = tf.sparse.concat(-1, [a, tf.SparseTensor([[2, 0]], [9], [3, 1])], expand_nonconcat_dims=True)
    assert wide.shape == [3, 4]


def test_a_single_tensor_is_its_own_join() -> None:
    value = tf.SparseTensor(_A, [1, 2], _SHAPE)
    assert tf.sparse.concat(1, [value]) is value


@pytest.mark.parametrize(
    ("axis", "parts", "error", "message"),
    [
        (
            0,
            [(_A, [1, 2], _SHAPE), (_B, [3, 4], _NARROW)],
            tf.errors.InvalidArgumentError,
            "Input shapes must match: expected 3 for dimension 1 but got 2 at position 1",
        ),
        (2, [(_A, [1, 2], _SHAPE)] * 2, tf.errors.InvalidArgumentError, r"Concat dimension must be in range \[-2, 2\)"),
        (
            0,
            [(_A, [1, 2], _SHAPE), ([[0]], [1], [2])],
            tf.errors.InvalidArgumentError,
            "Ranks of all input tensors must match: expected 2 but got 1 at position 1",
        ),
    ],
)
def test_tensors_that_do_not_fit_are_not_joined(axis, parts, error, message) -> None:
    with pytest.raises(error, match=message):
        tf.sparse.concat(axis, [tf.SparseTensor(*part) for part in parts])


def test_other_values_are_not_joined() -> None:
    value = tf.SparseTensor(_A, [1, 2], _SHAPE)
    with pytest.raises(TypeError, match="Inputs must be a list or tuple"):
        tf.sparse.concat(0, value)
    with pytest.raises(TypeError, match="Input must be a SparseTensor"):
        tf.sparse.concat(0, [value, tf.ones([2, 3])])
    with pytest.raises(ValueError, match="Cannot specify both 'concat_dim' and 'axis'"):
        tf.compat.v1.sparse_concat(0, [value], concat_dim=0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"num_split": 5, "axis": 0},
            tf.errors.InvalidArgumentError,
            "Input num_split should be between 1 and the spl",
        ),
        (
            {"num_split": 2, "axis": 2},
            tf.errors.InvalidArgumentError,
            r"Input axis should be in range \[-2, 2\), got 2",
        ),
        ({"num_split": 2}, ValueError, "axis is required"),
        ({"axis": 0}, ValueError, "num_split is required"),
    ],
)
def test_splits_that_make_no_sense_are_refused(arguments, error, message) -> None:
    with pytest.raises(error, match=message):
        tf.sparse.split(tf.SparseTensor(_A, [1, 2], _SHAPE), **arguments)


def test_v1_split_takes_keywords_alone() -> None:
    value = tf.SparseTensor([[0], [3]], [1, 2], [4])
    parts = tf.compat.v1.sparse_split(sp_input=value, num_split=2, split_dim=0)
    assert [part.values.numpy().tolist() for part in parts] == [[1], [2]]
    with pytest.raises(ValueError, match="Keyword arguments are required for this function"):
        tf.compat.v1.sparse_split(value, value, 2, 0)


@pytest.mark.parametrize(
    ("start", "size", "message"),
    [
        ([0], [2], "Expected start to be a vector of length 2 but got length 1"),
        ([0, 0], [2], "Expected size to be a vector of length 2 but got length 1"),
        ([0, 0], [-1, 2], "Expected a non-negative size, got -1"),
        ([[0, 0]], [1, 2], r"Input start should be a vector but received shape \[1,2\]"),
    ],
)
def test_blocks_that_make_no_sense_are_refused(start, size, message) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.sparse.slice(tf.SparseTensor(_A, [1, 2], _SHAPE), start, size)


def test_retain_keeps_marked_elements() -> None:
    value = tf.SparseTensor(_A, [1, 2], _SHAPE)
    for mark in ([False, True], [0, 1], value.values > 1):
        assert dense(tf.sparse.retain(value, mark)).tolist() == [[0, 0, 0], [2, 0, 0]]
    with pytest.raises(ValueError, match="Dimensions 2 and 1 are not compatible"):
        tf.sparse.retain(value, [True])


def test_graphs_know_what_is_known_of_the_shape() -> None:
    with tf.Graph().as_default():
        known = tf.SparseTensor(_A, [1, 2], _SHAPE)
        partial = tf.SparseTensor(_A, [1, 2], tf.stack([tf.compat.v1.placeholder(tf.int64, []), 3]))
        assert tf.sparse.concat(0, [known, known]).shape == [4, 3]
        assert tf.sparse.concat(0, [known, partial]).shape.as_list() == [None, 3]
        assert tf.sparse.concat(1, [known, partial]).shape.as_list() == [2, 6]
        assert tf.sparse.retain(partial, [True, False]).shape.as_list() == [None, 3]


@pytest.mark.xla
def test_joins_compile() -> None:
    @tf.function(jit_compile=True)
    def joined(values: tf.Tensor) -> tf.Tensor:
        value = tf.SparseTensor(_A, values, _SHAPE)
        return tf.sparse.concat(1, [value, value]).values

    assert joined(tf.constant([1.0, 2.0])).numpy().tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize("axis", [1.0, "a", None])
def test_the_axis_must_be_an_integer(axis: object) -> None:
    value = tf.sparse.from_dense([[1, 2]])
    with pytest.raises(TypeError, match="Expected int for argument 'concat_dim' not"):
        tf.sparse.concat(axis, [value, value])
    assert tf.sparse.concat(tf.constant(1), [value, value]).shape == (1, 4)
