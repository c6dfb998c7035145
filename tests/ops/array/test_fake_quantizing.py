"""Fake quantization."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import sample_array as x


def _within(low: float, high: float) -> Any:
    """Straight through where a value is in range; the rest goes to the bounds, if they are inputs."""

    def gradient(dy: Any, x: Any, *bounds: Any) -> list[Any]:
        inside = (x >= low) & (x <= high)
        axes = tuple(range(x.ndim - bounds[0].ndim)) if bounds else ()
        sides = [np.sum(np.where(side, dy, 0.0), axis=axes) for side in (x < low, x > high)]
        return [np.where(inside, dy, 0.0), *sides[: len(bounds)]]

    return gradient


_ONCE = "TensorFlow has no second derivative of faked quantization"
_WIDE = np.float32([[-7.5, -1.3, 0.1], [1.2, 6.4, 7.1]])

SAMPLES = [
    Sample("FakeQuantWithMinMaxArgs", [_WIDE], grad=_within(-6, 6), no_second=_ONCE),
    Sample("FakeQuantWithMinMaxArgs", [_WIDE], {"min": -1.0, "max": 7.5}, grad=_within(-1, 7.52), no_second=_ONCE),
    Sample("FakeQuantWithMinMaxVars", [_WIDE, np.float32(-5), np.float32(5.2)], grad=_within(-5, 5.2), no_second=_ONCE),
    Sample(
        "FakeQuantWithMinMaxVarsPerChannel",
        [_WIDE, np.float32([-5, -1, -2]), np.float32([5.2, 1.04, 2.08])],
        grad=_within(np.array([-5, -1, -2]), np.array([5.2, 1.04, 2.08])),
        no_second=_ONCE,
    ),
    Sample("FakeQuantWithMinMaxArgs", [x([2, 3], np.float32)], {"num_bits": 4}),
    Sample("FakeQuantWithMinMaxArgsGradient", [x([2, 3], np.float32), x([2, 3], np.float32)]),
    Sample("FakeQuantWithMinMaxVars", [x([2, 3], np.float32), np.float32(-1.5), np.float32(2)]),
    Sample("FakeQuantWithMinMaxVarsGradient", [x([4], np.float32), x([4], np.float32), np.float32(-1), np.float32(1)]),
    Sample(
        "FakeQuantWithMinMaxVarsPerChannel", [x([2, 3], np.float32), -x([3], np.float32) - 3, x([3], np.float32) + 3]
    ),
    Sample(
        "FakeQuantWithMinMaxVarsPerChannelGradient",
        [x([2, 2], np.float32), x([2, 2], np.float32), np.float32([-1, -2]), np.float32([1, 2])],
        {"narrow_range": True},
    ),
]

# Ranges that are exactly so many steps wide are not moved: 15 steps of 4 bits, 14 of them in the narrow range.
GRADIENT_SAMPLES = [
    Sample(
        "FakeQuantWithMinMaxArgs",
        [_WIDE],
        {"min": -0.7, "max": 0.8, "num_bits": 4},
        grad=_within(-0.7, 0.8),
        no_second=_ONCE,
    ),
    Sample(
        "FakeQuantWithMinMaxVars",
        [_WIDE, np.float32(-7), np.float32(7)],
        {"num_bits": 4, "narrow_range": True},
        grad=_within(-7, 7),
        no_second=_ONCE,
    ),
    Sample(
        "FakeQuantWithMinMaxVarsPerChannel",
        [_WIDE, np.float32([-7, -0.7, -7]), np.float32([7, 0.7, 7])],
        {"num_bits": 4, "narrow_range": True},
        grad=_within(np.array([-7, -0.7, -7]), np.array([7, 0.7, 7])),
        no_second=_ONCE,
    ),
]


_RECORDED = [
    (
        lambda: _ARGS([-7.0, 0.3, 5.99, 8.0]),
        [-6.023529529571533, 0.2823529541492462, 5.976470470428467, 5.976470470428467],
    ),
    (
        lambda: _VARS([-7.0, 0.3, 0.99, 8.0], 0.1, 1.0),
        [0.0, 0.30000001192092896, 0.8999999761581421, 0.8999999761581421],
    ),
    (lambda: _PER_CHANNEL([[-7.0, 0.3]], [0.0, -1.0], [1.0, 2.0]), [[0.0, 0.29411765933036804]]),
]
_ARGS = tf.quantization.fake_quant_with_min_max_args
_VARS = tf.quantization.fake_quant_with_min_max_vars
_PER_CHANNEL = tf.quantization.fake_quant_with_min_max_vars_per_channel


@pytest.mark.parametrize(("call", "expected"), _RECORDED)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    assert call().numpy().tolist() == expected


def test_the_ends_of_the_range_get_the_gradients_of_what_was_beyond_them() -> None:
    x, low, high = tf.constant([-2.0, 0.5, 3.0, 4.0]), tf.constant(-1.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([x, low, high])
        y = _VARS(x, low, high)
    gradients = tape.gradient(y, [x, low, high])
    assert [g.numpy().tolist() for g in gradients] == [[0.0, 1.0, 0.0, 0.0], 1.0, 2.0]


def test_bad_ranges_and_widths_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="min has to be smaller than max, was: 1 >= 0"):
        _ARGS([1.0], min=1, max=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_bits must be between 2 and 16, inclusive"):
        _ARGS([1.0], num_bits=1)
