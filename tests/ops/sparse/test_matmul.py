"""Sparse times dense matrices, against NumPy on dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample

_INDICES, _SHAPE = np.int64([[0, 0], [0, 2], [1, 1]]), np.int64([3, 4])
_VALUES = np.float64([1, -2, -3])
_RIGHT, _LEFT = np.arange(8.0).reshape(4, 2), np.arange(6.0).reshape(3, 2)

SAMPLES = [
    Sample("SparseTensorDenseMatMul", [_INDICES, _VALUES, _SHAPE, _RIGHT], grad=True),
    Sample("SparseTensorDenseMatMul", [_INDICES, _VALUES, _SHAPE, _LEFT], {"adjoint_a": True}, grad=True),
    Sample("SparseTensorDenseMatMul", [_INDICES, _VALUES, _SHAPE, _RIGHT.T.copy()], {"adjoint_b": True}, grad=True),
    Sample(
        "SparseTensorDenseMatMul",
        [_INDICES[::-1].copy(), _VALUES * (1 + 2j), _SHAPE, _LEFT.T * (2 - 1j)],
        {"adjoint_a": True, "adjoint_b": True},
        grad=True,
    ),
    Sample(
        "SparseTensorDenseMatMul", [_INDICES.astype(np.int32), np.int32([1, 2, 3]), _SHAPE, _RIGHT.astype(np.int32)]
    ),
    Sample("SparseTensorDenseMatMul", [_INDICES, np.float16([1, 2, 3]), _SHAPE, _RIGHT.astype(np.float16)]),
    Sample("SparseTensorDenseMatMul", [_INDICES[:0], np.float32([]), _SHAPE, _RIGHT.astype(np.float32)]),
    Sample("SparseTensorDenseMatMul", [_INDICES[:0], np.float32([]), np.int64([0, 4]), _RIGHT.astype(np.float32)]),
]


def matrix(values=_VALUES) -> tf.SparseTensor:
    return tf.SparseTensor(_INDICES, values, _SHAPE)


@st.composite
def factors(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, bool, bool]:
    rows, inner, columns = (draw(st.integers(1, 4)) for _ in range(3))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    a = random.integers(-2, 3, (rows, inner)).astype(np.float64)
    b = random.integers(-3, 4, (inner, columns)).astype(np.float64)
    adjoint_a, adjoint_b = draw(st.booleans()), draw(st.booleans())
    return a.T if adjoint_a else a, b.T if adjoint_b else b, adjoint_a, adjoint_b


@given(factors())
def test_products_are_those_of_dense_matrices(case) -> None:
    a, b, adjoint_a, adjoint_b = case
    expected = (a.T if adjoint_a else a) @ (b.T if adjoint_b else b)
    sparse_a, sparse_b = tf.sparse.from_dense(a), tf.sparse.from_dense(b)
    for left, right in ((sparse_a, b), (a, sparse_b)):
        product = tf.sparse.sparse_dense_matmul(left, right, adjoint_a=adjoint_a, adjoint_b=adjoint_b)
        assert np.array_equal(product.numpy(), expected)


def test_complex_matrices_are_conjugated_on_either_side() -> None:
    a, b = np.array([[1j, 2]]), np.array([[1, 1j], [2, 0]])
    for left, right in ((tf.sparse.from_dense(a), b), (a, tf.sparse.from_dense(b))):
        product = tf.sparse.sparse_dense_matmul(left, right)
        assert product.numpy().tolist() == (a @ b).tolist()
    product = tf.sparse.sparse_dense_matmul(b, tf.sparse.from_dense(a), adjoint_b=True)
    assert product.numpy().tolist() == (b @ a.conj().T).tolist()


def test_repeated_coordinates_count_repeatedly_in_any_order() -> None:
    repeated = tf.SparseTensor([[1, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    assert tf.sparse.sparse_dense_matmul(repeated, tf.ones([2, 1])).numpy().tolist() == [[2], [4]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a_indices": [0]}, "Tensor 'a_indices' is not a matrix"),
        ({"a_values": [1.0, 2.0]}, "Number of rows of a_indices does not match number of entries in a_values"),
        ({"a_values": [[1.0]]}, "Tensor 'a_values' is not a vector"),
        ({"a_shape": [2]}, "Tensor 'a_shape' must have 2 elements"),
        ({"a_shape": [[2, 2]]}, "Tensor 'a_shape' is not a vector"),
        ({"b": [1.0]}, "Tensor 'b' is not a matrix"),
        ({"b": [[1.0]]}, "Cannot multiply A and B because inner dimension does not match: 2 vs. 1.  Did you forget"),
        ({"a_indices": [[0]]}, "Number of columns of a_indices does not match number of entries in a_shape"),
        ({"a_indices": [[5, 0]]}, r"m \(5\) from index\[0,0\] out of bounds \(>=2\)"),
        ({"a_indices": [[0, -1]]}, r"k \(-1\) from index\[0,1\] out of bounds \(>=2\)"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(change, message) -> None:
    arguments = {"a_indices": [[0, 1]], "a_values": [1.0], "a_shape": [2, 2], "b": [[1.0], [2.0]], **change}
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.SparseTensorDenseMatMul(**arguments)


def test_one_matrix_must_be_sparse_and_the_other_dense() -> None:
    with pytest.raises(TypeError, match="Input must be a SparseTensor"):
        tf.sparse.sparse_dense_matmul(tf.ones([2, 2]), tf.ones([2, 2]))
    with pytest.raises(TypeError, match="one of the matrices must be dense"):
        tf.sparse.sparse_dense_matmul(matrix(), matrix())
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.matmul(matrix(), tf.ones([4, 2], tf.float64))


def test_gradients_are_those_of_dense_matrices() -> None:
    values, right = tf.constant(_VALUES), tf.constant(_RIGHT)
    weights = np.arange(6.0).reshape(3, 2)
    with tf.GradientTape() as tape:
        tape.watch([values, right])
        total = tf.reduce_sum(tf.sparse.sparse_dense_matmul(matrix(values), right) * weights)
    d_values, d_right = tape.gradient(total, [values, right])
    assert d_values.numpy().tolist() == (weights @ _RIGHT.T)[tuple(_INDICES.T)].tolist()
    assert d_right.numpy().tolist() == (tf.sparse.to_dense(matrix()).numpy().T @ weights).tolist()


def test_graphs_know_the_shape() -> None:
    with tf.Graph().as_default():
        product = tf.sparse.sparse_dense_matmul(matrix(), _RIGHT)
        assert product.shape == [3, 2] and product.op.name == "SparseTensorDenseMatMul/SparseTensorDenseMatMul"
        with pytest.raises(ValueError, match="Dimensions must be equal, but are 4 and 5"):
            tf.sparse.sparse_dense_matmul(matrix(), tf.ones([5, 2], tf.float64))


@pytest.mark.xla
def test_products_compile() -> None:
    multiply = tf.function(lambda v, b: tf.sparse.sparse_dense_matmul(matrix(v), b), jit_compile=True)
    product = multiply(tf.constant(_VALUES), tf.constant(_RIGHT))
    assert product.numpy().tolist() == tf.sparse.sparse_dense_matmul(matrix(), _RIGHT).numpy().tolist()


@pytest.mark.parametrize("is_in_order", [False, True])
@pytest.mark.parametrize("height", [30, 5000])
def test_many_elements_are_multiplied_by_scipy(is_in_order, height) -> None:
    random = np.random.default_rng(0)
    array = random.integers(0, 2, (30, 20)) * random.random((30, 20))
    coordinates = np.argwhere(array)
    coordinates = coordinates if is_in_order else random.permutation(coordinates)
    value = tf.SparseTensor(coordinates, array[tuple(coordinates.T)], [height, 20])
    padded = np.pad(array, [(0, height - 30), (0, 0)])
    for dense, adjoint in ((random.random((20, 3)), False), (random.random((height, 3)), True)):
        expected = (padded.T if adjoint else padded) @ dense
        product = tf.sparse.sparse_dense_matmul(value, dense, adjoint_a=adjoint)
        np.testing.assert_allclose(product.numpy(), expected, rtol=1e-12)
