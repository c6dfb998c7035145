"""Many products of sparse and dense matrices in one."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

_INDICES, _SHAPE = np.int64([[0, 0], [0, 2], [1, 1]]), [3, 4]
_VALUES = np.array([[1, -2, -3], [4, 5, 6j]])
_DENSE = np.arange(24).reshape(2, 4, 3) * (1 - 1j)


def product(values: tf.Tensor, b: tf.Tensor, adjoint_a: bool, adjoint_b: bool) -> tf.Tensor:
    return tf.sparse.sparse_dense_matmul(tf.SparseTensor(_INDICES, values, _SHAPE), b, adjoint_a, adjoint_b)


@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
@pytest.mark.parametrize("batched", ["values", "dense", "both"])
def test_rows_are_multiplied_as_each_alone(adjoint_a, adjoint_b, batched) -> None:
    dense = _DENSE[:, :3] if adjoint_a else _DENSE
    dense = np.swapaxes(dense, 1, 2) if adjoint_b else dense
    values = _VALUES if batched != "dense" else np.stack([_VALUES[0]] * 2)
    dense = dense if batched != "values" else np.stack([dense[0]] * 2)

    def row(one: tuple[tf.Tensor, tf.Tensor]) -> tf.Tensor:
        first = tf.constant(values[0]) if batched == "dense" else one[0]
        return product(first, tf.constant(dense[0]) if batched == "values" else one[1], adjoint_a, adjoint_b)

    together = tf.vectorized_map(row, (tf.constant(values), tf.constant(dense)), fallback_to_while_loop=False)
    alone = [product(tf.constant(v), tf.constant(d), adjoint_a, adjoint_b).numpy() for v, d in zip(values, dense)]
    np.testing.assert_allclose(together.numpy(), alone, rtol=1e-12)


def test_jacobians_use_the_rule() -> None:
    dense = tf.constant(np.arange(8.0).reshape(4, 2))
    values = tf.constant([1.0, -2.0, -3.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([values, dense])
        result = tf.sparse.sparse_dense_matmul(tf.SparseTensor(_INDICES, values, _SHAPE), dense)
    by_values, by_dense = tape.jacobian(result, [values, dense])
    assert by_values.shape == [3, 2, 3] and by_values.numpy()[0, 1].tolist() == [1, 5, 0]
    matrix = tf.sparse.to_dense(tf.SparseTensor(_INDICES, values, _SHAPE)).numpy()
    assert np.array_equal(by_dense.numpy()[:, 0, :, 0], matrix)
