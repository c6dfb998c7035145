"""Sums, maxima and minima of sparse tensors, against NumPy on dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample

_A, _B, _SHAPE = np.int64([[0, 1], [1, 0]]), np.int64([[0, 1], [1, 1]]), np.int64([2, 3])
_DENSE = np.arange(6.0).reshape(2, 3)

SAMPLES = [
    Sample("SparseAdd", [_A, np.float64([1, 2]), _SHAPE, _B, np.float64([3, 4]), _SHAPE, np.float64(0)]),
    Sample("SparseAdd", [_A, np.int32([1, 2]), _SHAPE, _B, np.int32([-1, 4]), _SHAPE, np.int32(2)]),
    Sample("SparseAdd", [_A, np.complex64([1, 2j]), _SHAPE, _B[:0], np.complex64([]), _SHAPE, np.float32(0)]),
    Sample("SparseAddGrad", [np.float64([1, 2, 3]), _A, _B, np.int64([[0, 1], [1, 0], [1, 1]])]),
    Sample("SparseSparseMaximum", [_A, np.float64([-1, 2]), _SHAPE, _B, np.float64([-3, -4]), _SHAPE]),
    Sample("SparseSparseMaximum", [_A[:0], np.uint8([]), _SHAPE, _B, np.uint8([3, 4]), _SHAPE]),
    Sample("SparseSparseMinimum", [_A, np.int64([-1, 2]), _SHAPE, _B, np.int64([-3, -4]), _SHAPE]),
    Sample("SparseTensorDenseAdd", [_A, np.float64([1, 2]), _SHAPE, _DENSE], grad=True),
    Sample(
        "SparseTensorDenseAdd", [np.int32([[1], [1]]), np.complex64([1, 2]), np.int32([3]), np.complex64([1, 2, 3])]
    ),
]
GRADIENT_PROGRAMS = [
    GradientProgram(
        "SparseAdd",
        lambda a, b: tf.sparse.to_dense(tf.sparse.add(tf.SparseTensor(_A, a, _SHAPE), tf.SparseTensor(_B, b, _SHAPE))),
        [np.float64([1, 2]), np.float64([3, 4])],
        xla=False,  # the number of elements depends on the data
        second=False,  # SparseAddGrad is taken for constant, as TensorFlow does; the sum is linear
    )
]


def dense(value: tf.SparseTensor) -> np.ndarray:
    return tf.sparse.to_dense(value).numpy()


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    shape = draw(hnp.array_shapes(max_dims=3))
    elements = st.integers(-3, 3)
    return draw(hnp.arrays(np.int32, shape, elements=elements)), draw(hnp.arrays(np.int32, shape, elements=elements))


@given(pairs())
def test_results_are_those_of_dense_arrays(arrays) -> None:
    a, b = arrays
    sparse_a, sparse_b = tf.sparse.from_dense(a), tf.sparse.from_dense(b)
    for combine, expected in (
        (tf.sparse.add, a + b),
        (tf.sparse.maximum, np.maximum(a, b)),
        (tf.sparse.minimum, np.minimum(a, b)),
    ):
        result = combine(sparse_a, sparse_b)
        assert np.array_equal(dense(result), expected)
        assert result.indices.numpy().tolist() == np.argwhere((a != 0) | (b != 0)).tolist()
    assert np.array_equal(tf.sparse.add(sparse_a, b).numpy(), a + b)
    assert np.array_equal(tf.sparse.add(a, sparse_b).numpy(), a + b)


@given(pairs(), st.integers(1, 4))
def test_small_sums_are_left_out(arrays, threshold) -> None:
    a, b = arrays
    result = tf.sparse.add(tf.sparse.from_dense(a), tf.sparse.from_dense(b), threshold)
    is_left_out = (a != 0) & (b != 0) & (np.abs(a + b) < threshold)
    assert result.indices.numpy().tolist() == np.argwhere(((a != 0) | (b != 0)) & ~is_left_out).tolist()


def test_repeated_coordinates_meet_one_by_one() -> None:
    one = tf.SparseTensor([[0], [0]], [5, 6], [2])
    three = tf.SparseTensor([[0], [0], [0]], [1, 2, 3], [2])
    total = tf.sparse.add(one, three)
    assert total.indices.numpy().tolist() == [[0], [0], [0]] and total.values.numpy().tolist() == [6, 8, 3]


def test_coordinates_out_of_order_give_a_result_in_order() -> None:
    disorder = tf.SparseTensor([[1], [0]], [1, 2], [2])
    assert dense(tf.sparse.add(disorder, tf.SparseTensor([[0]], [5], [2]))).tolist() == [7, 1]


def test_coordinates_out_of_bounds_are_added_but_not_compared() -> None:
    outside, inside = tf.SparseTensor([[9]], [5], [2]), tf.SparseTensor([[0]], [1], [2])
    assert tf.sparse.add(outside, inside).indices.numpy().tolist() == [[0], [9]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0, :\] = \[9\] is out of bounds"):
        tf.sparse.maximum(outside, inside)


def test_coordinates_beyond_all_positions_are_merged() -> None:
    shape = [2**40, 2**40]
    total = tf.sparse.add(
        tf.SparseTensor([[2**39, 5]], [1], shape), tf.SparseTensor([[0, 1], [2**39, 5]], [1, 2], shape)
    )
    assert total.indices.numpy().tolist() == [[0, 1], [2**39, 5]] and total.values.numpy().tolist() == [1, 3]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (
            ([[0, 1]], [1.0], [2, 3]),
            ([[0, 1]], [1.0], [2, 4]),
            "Operands' shapes do not match: got 3 and 4 for dimension 1",
        ),
        (([[0, 1]], [1.0], [2, 3]), ([[0]], [1.0], [2]), "Input indices must have the same dimension, got 2 and 1"),
        (([[0]], [1.0], [2]), ([[0]], [1], [2]), "cannot compute SparseAdd as input #4"),
    ],
)
def test_operands_that_do_not_fit_are_refused(a, b, message) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.sparse.add(tf.SparseTensor(*a), tf.SparseTensor(*b))


def test_dense_operands_are_not_broadcast() -> None:
    value = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Two operands have different ranks; received: 2 and 1"):
        tf.sparse.add(value, tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension 0 does not equal"):
        tf.sparse.add(value, tf.ones([1, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"a_indices\(0,0\) = 5, dense tensor shape: 2"):
        tf.sparse.add(tf.SparseTensor([[5]], [1], [2]), [1, 2])
    with pytest.raises(TypeError, match=r"At least one input should be SparseTensor; do you mean to use tf.add\(\)"):
        tf.sparse.add(1.0, 2.0)


def test_the_older_name_of_the_threshold() -> None:
    value = tf.SparseTensor([[0], [1]], [1.0, 2.0], [2])
    assert tf.compat.v1.sparse_add(value, value, thresh=3.0).values.numpy().tolist() == [4]
    with pytest.raises(ValueError, match="Cannot specify both 'thresh' and 'threshold'"):
        tf.compat.v1.sparse_add(value, value, 1.0, 2.0)


def test_gradients_of_sums_pass_those_left_out() -> None:
    a, b = tf.constant([1.0, 2.0]), tf.constant([-1.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        total = tf.sparse.add(tf.SparseTensor(_A, a, _SHAPE), tf.SparseTensor(_B, b, _SHAPE), 0.5).values
    d_a, d_b = tape.gradient(total, [a, b])
    assert d_a.numpy().tolist() == [0, 1] and d_b.numpy().tolist() == [0, 1]


def test_tensors_with_the_same_coordinates_are_combined_element_by_element() -> None:
    coordinates = [[1], [0], [1]]
    a, b = tf.SparseTensor(coordinates, [1, 2, 3], [2]), tf.SparseTensor(coordinates, [-1, 5, 1], [2])
    total, highest = tf.sparse.add(a, b), tf.sparse.maximum(a, b)
    assert total.indices.numpy().tolist() == highest.indices.numpy().tolist() == coordinates
    assert total.values.numpy().tolist() == [0, 7, 4] and highest.values.numpy().tolist() == [1, 5, 3]
    assert tf.sparse.add(a, b, 1).values.numpy().tolist() == [7, 4]


def test_complex_numbers_have_no_minimum() -> None:
    value = tf.SparseTensor([[0]], [1j], [2])
    with pytest.raises(tf.errors.NotFoundError, match="no kernel for complex numbers"):
        tf.sparse.minimum(value, value)
