"""Sparse tensors in another shape, against NumPy on dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import Sample

_INDICES, _SHAPE = np.int64([[0, 0], [0, 2], [1, 1]]), np.int64([3, 4])

SAMPLES = [
    Sample("SparseReshape", [_INDICES, _SHAPE, np.int64([2, -1, 3])]),
    Sample("SparseReshape", [_INDICES, _SHAPE, np.int64([12])]),
    Sample("SparseReshape", [_INDICES[:0], np.int64([0, 3]), np.int64([-1, 7])]),
    Sample("SparseReshape", [np.int64([[0]]), np.int64([1]), np.int64([])]),
]


def example() -> tf.SparseTensor:
    return tf.SparseTensor(_INDICES, [1.0, -2.0, -3.0], _SHAPE)


def dense(value: tf.SparseTensor) -> np.ndarray:
    return tf.sparse.to_dense(value).numpy()


arrays = hnp.arrays(np.int32, hnp.array_shapes(max_dims=4), elements=st.integers(-1, 1))


@given(arrays, st.data())
def test_results_are_those_of_dense_arrays(array, data) -> None:
    value = tf.sparse.from_dense(array)
    assert np.array_equal(dense(tf.sparse.reshape(value, [-1])), array.reshape(-1))
    assert np.array_equal(dense(tf.sparse.reshape(value, array.shape[::-1])), array.reshape(array.shape[::-1]))
    axes = data.draw(st.permutations(range(array.ndim)))
    assert np.array_equal(dense(tf.sparse.transpose(value, axes)), array.transpose(axes))
    assert np.array_equal(dense(tf.sparse.transpose(value)), array.T)
    axis = data.draw(st.integers(-array.ndim - 1, array.ndim))
    assert np.array_equal(dense(tf.sparse.expand_dims(value, axis)), np.expand_dims(array, axis))
    larger = tf.sparse.reset_shape(value, [size + 1 for size in array.shape])
    assert np.array_equal(dense(larger), np.pad(array, [(0, 1)] * array.ndim))
    sizes = np.argwhere(array).max(axis=0) + 1 if array.any() else np.zeros(array.ndim, int)
    assert np.array_equal(dense(tf.sparse.reset_shape(value)), array[tuple(slice(size) for size in sizes)])


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([5, 2], "Input to reshape is a tensor with 12 dense values, but the requested shape has 10"),
        ([5, -1], "Input to reshape is a SparseTensor with 12 dense values, but the requested shape requires a mult"),
        ([-1, -1], "only one output dimension may be -1, not both 0 and 1"),
        ([-2, 6], "size 0 must be non-negative, not -2"),
        ([[4, 3]], r"Target shape should be a vector but received shape \[1,2\]"),
    ],
)
def test_shapes_of_another_size_are_refused(shape, message) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.sparse.reshape(example(), shape)


def test_a_size_that_cannot_be_inferred_is_refused() -> None:
    empty = tf.SparseTensor(np.zeros([0, 2], np.int64), [], [0, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="reshape cannot infer the missing input size"):
        tf.sparse.reshape(empty, [-1, 0])
    large = tf.SparseTensor([[0, 0]], [1], [2**40, 2**40])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Encountered overflow when multiplying"):
        tf.sparse.reshape(large, [2**40, 2**40])


def test_graphs_refuse_sizes_that_are_known_to_differ() -> None:
    with tf.Graph().as_default():
        value = example()
        assert tf.sparse.reshape(value, [2, -1]).shape == [2, 6]
        assert tf.sparse.transpose(value).shape == [4, 3]
        assert tf.sparse.expand_dims(value, 0).shape == [1, 3, 4]
        with pytest.raises(ValueError, match=r"Cannot reshape a tensor with 12 elements to shape \[5, 2\] \(10 elemen"):
            tf.sparse.reshape(value, [5, 2])


def test_axes_out_of_range_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected size\[1\] in \[0, 2\], but got 3"):
        tf.sparse.expand_dims(example(), 3)
    with pytest.raises(ValueError, match="Dimensions 1 and 2 are not compatible"):
        tf.sparse.transpose(example(), [0])


def test_ranks_may_be_known_only_when_a_function_runs() -> None:
    @tf.function(input_signature=[tf.SparseTensorSpec(None), tf.TensorSpec([], tf.int32)])
    def changed(value: tf.SparseTensor, axis: tf.Tensor) -> tuple[tf.SparseTensor, tf.SparseTensor]:
        return tf.sparse.transpose(value), tf.sparse.expand_dims(value, axis)

    transposed, expanded = changed(example(), tf.constant(-1))
    assert np.array_equal(dense(transposed), dense(example()).T)
    assert np.array_equal(dense(expanded), dense(example())[..., np.newaxis])


def test_reset_shape_does_not_shrink() -> None:
    with pytest.raises(ValueError, match="Requested new_shape should have dimension sizes"):
        tf.sparse.reset_shape(example(), [3, 3])
    for shape in ([5], [5, 5, 5]):
        with pytest.raises(ValueError, match="are not compatible"):
            tf.sparse.reset_shape(example(), shape)
    with pytest.raises(TypeError, match="Input must be a SparseTensor"):
        tf.sparse.reset_shape([1], [2])

    reset = tf.function(lambda shape: tf.sparse.reset_shape(example(), shape).dense_shape)
    assert reset(tf.constant([5, 6])).numpy().tolist() == [5, 6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requested new_shape should have dimension sizes"):
        reset(tf.constant([3, 3]))


def test_gradients_follow_the_elements() -> None:
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        value = tf.SparseTensor(_INDICES, values, _SHAPE)
        reshaped = tf.sparse.reshape(value, [4, 3]).values * [1.0, 2.0, 3.0]
        transposed = tf.sparse.transpose(value).values * [1.0, 2.0, 3.0]
    assert tape.gradient(reshaped, values).numpy().tolist() == [1, 2, 3]
    assert tape.gradient(transposed, values).numpy().tolist() == [1, 3, 2]


@pytest.mark.parametrize("axis", [0.5, "a"])
def test_a_new_axis_must_be_an_integer(axis: object) -> None:
    with pytest.raises(TypeError, match="axis must be an integer value in range"):
        tf.sparse.expand_dims(tf.sparse.from_dense([[1, 2]]), axis)
