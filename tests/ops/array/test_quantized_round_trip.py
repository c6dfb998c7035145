"""Quantization there and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import sample_array as x


def _straight(dy: Any, x: Any, *bounds: Any) -> list[Any]:
    return [dy, *[None for _ in bounds]]


def _within(dy: Any, x: Any, low: Any, high: Any) -> list[Any]:
    return [np.where((x >= low) & (x <= high), dy, 0.0), np.zeros(low.shape), np.zeros(high.shape)]


_WIDE = np.array([[-7.5, -1.3, 0.1], [1.2, 6.4, 7.1]])
_LOW, _HIGH = np.float64(-5), np.float64(5)

SAMPLES = [
    Sample("QuantizeAndDequantize", [_WIDE], grad=_straight),
    Sample("QuantizeAndDequantizeV2", [_WIDE, _LOW, _HIGH], {"range_given": True}, grad=_straight),
    Sample("QuantizeAndDequantizeV3", [_WIDE, _LOW, _HIGH, np.int32(5)], {"range_given": True}, grad=_straight),
    Sample("QuantizeAndDequantizeV4", [_WIDE, _LOW, _HIGH], {"range_given": True}, grad=_within),
    Sample(
        "QuantizeAndDequantizeV4",
        [_WIDE, np.float64([-5, -1, -9]), np.float64([5, 1, 9])],
        {"range_given": True, "axis": 1},
        grad=_within,
    ),
    Sample("QuantizeAndDequantizeV4Grad", [x([2, 3]), _WIDE, _LOW, _HIGH], grad=True, held=("input_min", "input_max")),
    Sample("QuantizeAndDequantize", [x([2, 3])], {"num_bits": 4}),
    Sample("QuantizeAndDequantizeV2", [x([2, 3]), np.float64(-1), np.float64(2)], {"range_given": True}),
    Sample("QuantizeAndDequantizeV3", [x([2, 3]), np.float64(-1), np.float64(2), np.int32(5)], {"narrow_range": True}),
    Sample("QuantizeAndDequantizeV4", [x([2, 3]), np.float64(0), np.float64(0)], {"axis": 1, "round_mode": "HALF_UP"}),
    Sample("QuantizeAndDequantizeV4Grad", [x([4]), x([4]), np.float64(-1), np.float64(1)]),
]

GRADIENT_SAMPLES = [
    Sample("QuantizeAndDequantize", [_WIDE], {"signed_input": False, "num_bits": 4}, grad=_straight),
    *(
        Sample("QuantizeAndDequantizeV2", [_WIDE, low, high], attrs, grad=_straight)
        for low, high, attrs in (
            (_LOW, _HIGH, {"range_given": True, "round_mode": "HALF_UP", "narrow_range": True, "num_bits": 3}),
            (np.float64([-5, -1, -9]), np.float64([5, 1, 9]), {"range_given": True, "axis": 1}),
            (_LOW, _HIGH, {"signed_input": False}),
        )
    ),
    Sample("QuantizeAndDequantizeV3", [_WIDE, _LOW, _HIGH, np.int32(3)], {"signed_input": False}, grad=_straight),
    Sample(
        "QuantizeAndDequantizeV4",
        [_WIDE, _LOW, _HIGH],
        {"range_given": True, "round_mode": "HALF_UP", "narrow_range": True, "num_bits": 3},
        grad=_within,
    ),
]


def test_the_round_trip_has_tensorflows_values() -> None:
    trip = tf.quantization.quantize_and_dequantize_v2
    assert trip([0.1, 0.9, 3.0], -1.0, 1.0, num_bits=3, range_given=True).numpy().tolist() == [0.0, 1.0, 1.0]


def test_gradients_pass_in_range_or_everywhere() -> None:
    x = tf.constant([0.5, 3.0])
    gradients = []
    for trip in (tf.quantization.quantize_and_dequantize_v2, tf.quantization.quantize_and_dequantize):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = trip(x, -1.0, 1.0, range_given=True)
        gradients.append(tape.gradient(y, x).numpy().tolist())
    assert gradients == [[1.0, 0.0], [1.0, 1.0]]
