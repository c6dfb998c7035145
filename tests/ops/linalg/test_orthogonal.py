"""QR decompositions."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, matrix

SAMPLES = [
    *(Sample("Qr", (matrix(dtype, 2, 4, 3),)) for dtype in FLOATS),
    Sample("Qr", (matrix("float16", 2, 3),), rtol=2e-2),
    *(
        Sample(
            "Qr",
            (matrix("float32", *shape),),
            {"full_matrices": full},
            grad=NotImplementedError if full and shape[-2] > shape[-1] else False,
        )
        for shape in ((3, 2), (2, 3), (0, 3), (3, 0), (0, 0), (0, 2, 2), (2, 3, 0))
        for full in (False, True)
    ),
    *(
        Sample("Qr", (matrix("float64", *shape),), grad=True, needs_shapes=True)
        for shape in ((3, 3), (4, 2), (2, 2, 4))
    ),
    *(
        Sample("Qr", (matrix("complex128", *shape),), grad=True, needs_shapes=True)
        for shape in ((3, 3), (4, 2), (2, 2, 4))
    ),
    Sample("Qr", (matrix("float64", 3, 3),), {"full_matrices": True}, grad=True, needs_shapes=True),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("full", [False, True])
def test_the_factors_multiply_back(dtype: str, full: bool) -> None:
    for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 2)):
        x = matrix(dtype, *shape)
        q, r = result = tf.linalg.qr(x, full)
        assert type(result).__name__ == "Qr"
        np.testing.assert_allclose(q @ r, x, atol=1e-5)
        products = tf.matmul(q, q, adjoint_a=True)
        np.testing.assert_allclose(products, np.broadcast_to(np.eye(q.shape[-1]), products.shape), atol=1e-5)
        np.testing.assert_allclose(np.tril(r, -1), 0, atol=1e-6)


def test_the_gradient_of_a_basis_that_is_not_fixed_raises() -> None:
    x = tf.constant(matrix("float64", 3, 2))
    with tf.GradientTape() as tape:
        tape.watch(x)
        q, _ = tf.linalg.qr(x, full_matrices=True)
    with pytest.raises(NotImplementedError, match="not implemented when nrows > ncols and full_matrices is true"):
        tape.gradient(q, x)


def test_shapes_of_unknown_size() -> None:
    with tf.Graph().as_default():
        x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[None, 3])
        assert [t.shape.as_list() for t in tf.linalg.qr(x)] == [[None, None], [None, 3]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input tensor 0 must have rank >= 2, got 1"):
        tf.linalg.qr(tf.ones([2]))
