"""The Assert op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_REFUSED = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("value", "summarize", "expected"),
    [
        (np.arange(4), 3, "[0 1 2...]"),
        (np.arange(12).reshape(3, 4), 3, "[[0 1 2...]...]"),
        (np.arange(12).reshape(3, 4), 5, "[[0 1 2 3][4...]...]"),
        (np.arange(24).reshape(2, 3, 4), 5, "[[[0 1 2 3][4...]]...]"),
        (np.arange(12).reshape(3, 4), -1, "[[0 1 2 3][4 5 6 7][8 9 10 11]]"),
        (np.array([[1, 2], [3, 4]]), 3, "[[1 2][3...]...]"),
        (np.zeros([2, 0]), 3, "[]"),
        (5, 3, "[5]"),
        (5, 0, "[...]"),
        (["a", 'b"\n', "c", "d"], 3, '[a b\\"\\n c...]'),
        ([True, False], 3, "[1 0]"),
        ([0.1, 1 / 3], 3, "[0.1 0.333333343]"),
        ([1 + 2j], 3, "[?]"),
    ],
)
def test_the_op_summarizes_its_data(value: Any, summarize: int, expected: str) -> None:
    call = tf.raw_ops.Assert
    check_refusal(
        lambda: call(condition=False, data=[value], summarize=summarize), _REFUSED, f"assertion failed: {expected}"
    )


def test_the_op_takes_a_scalar_condition_and_some_data() -> None:
    call = tf.raw_ops.Assert
    assert call(condition=True, data=[1]) is None
    check_refusal(lambda: call(condition=[True, True], data=[1]), _REFUSED, "In[0] should be a scalar: [2]")
    check_refusal(
        lambda: call(condition=True, data=[]), _REFUSED, "Length for attr 'T' of 0 must be at least minimum 1"
    )
