"""Cross products."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import matrix

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REALS = (*INTEGERS, "float16", "float32", "float64", ml_dtypes.bfloat16)
SAMPLES = [
    *(Sample("Cross", (np.array([[1, 2, 3]], t), np.array([[3, 2, 5]], t))) for t in REALS),
    Sample("Cross", (matrix("float32", 0, 3), matrix("float32", 0, 3))),
    Sample("Cross", (matrix("float64", 2, 2, 3), matrix("float64", 2, 2, 3, seed=1)), grad=True),
]


def test_the_product_stands_on_both_vectors() -> None:
    a, b = matrix("float64", 5, 3), matrix("float64", 5, 3, seed=1)
    np.testing.assert_allclose(tf.linalg.cross(a, b), np.cross(a, b))


def test_bad_shapes_raise() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="are only defined for 3-element vectors"):
        tf.linalg.cross(tf.ones([2, 4]), tf.ones([2, 4]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Both inputs must be of same shape: \[2,3\] vs. \[3\]"):
        tf.linalg.cross(tf.ones([2, 3]), tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input must be at least 1D"):
        tf.linalg.cross(1.0, 1.0)
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Dimension must be 3 but is 4"):
            tf.linalg.cross(tf.ones([2, 4]), tf.ones([2, 4]))
        with pytest.raises(ValueError, match="Shapes must be equal rank, but are 2 and 1"):
            tf.linalg.cross(tf.ones([2, 3]), tf.ones([3]))
        with pytest.raises(ValueError, match="Shape must be at least rank 1 but is rank 0"):
            tf.linalg.cross(1.0, 1.0)
