"""The element types of the math ops."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.ops.math.element_types import NUMBER, REAL


def test_the_order_is_that_of_tensorflows_messages() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="bfloat16, half, float, double, complex64, complex128"):
        tf.sqrt(1)


def test_sets_have_no_repetitions() -> None:
    assert len(set(NUMBER)) == len(NUMBER) == 19
    assert len(REAL) == 12
