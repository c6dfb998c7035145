"""Quantization."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("QuantizeV2", [x([2, 3], np.float32), np.float32(-2), np.float32(3)], {"T": tf.quint8}),
    Sample("QuantizeV2", [x([2, 3], np.float32), np.float32(-2), np.float32(3)], {"T": tf.qint8, "mode": "MIN_FIRST"}),
    Sample(
        "QuantizeV2",
        [x([2, 3], np.float32), np.float32([-2, -1]), np.float32([3, 1])],
        {"T": tf.qint16, "mode": "SCALED", "axis": 0, "narrow_range": True},
    ),
    Sample("Dequantize", [tf.cast([1, 200], tf.quint8), np.float32(-1), np.float32(1)], {"dtype": tf.bfloat16}),
    Sample("Dequantize", [tf.cast([1, -100], tf.qint8), np.float32(-1), np.float32(1)], {"mode": "MIN_FIRST"}),
    Sample("Dequantize", [tf.cast([1, -100], tf.qint32), np.float32(-1), np.float32(1)], {"mode": "SCALED"}),
]


_VALUES = [0.5, -0.5, 2.0, -3.0]
_RECORDED = [
    ("MIN_COMBINED", tf.quint8, -1.0, 1.0),
    ("MIN_FIRST", tf.qint8, -1.0, 1.0),
    ("SCALED", tf.qint8, -2.0, 0.5),
]


@pytest.mark.parametrize(("mode", "dtype", "low", "high"), _RECORDED)
def test_what_is_quantized_comes_back_but_for_a_step(mode: str, dtype: Any, low: float, high: float) -> None:
    quantized, least, largest = tf.quantization.quantize(_VALUES, low, high, dtype, mode=mode)
    back = tf.quantization.dequantize(quantized, least, largest, mode=mode).numpy()
    step = (float(largest) - float(least)) / 255
    np.testing.assert_allclose(back, np.clip(_VALUES, float(least), float(largest)), atol=1.5 * step)


def test_reversed_ranges_and_unknown_modes_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="min_range"):
        tf.quantization.quantize([1.0], 1.0, -1.0, tf.qint8)
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode"):
        tf.quantization.quantize([1.0], -1.0, 1.0, tf.qint8, mode="OTHER")
