"""Layers on quantized numbers, against the same layers on floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
RNG = np.random.default_rng(1)
IMAGES = RNG.uniform(-1, 3, [1, 6, 6, 2]).astype(np.float32)
WINDOW = [1, 2, 2, 1]


def quantized(values: Any, low: float, high: float) -> Any:
    return tf.quantization.quantize(values, low, high, tf.quint8)


def floats(result: Any) -> Any:
    return tf.quantization.dequantize(*result).numpy()


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_layers_agree_with_floats_up_to_a_step(padding: str) -> None:
    images = quantized(IMAGES, -1.0, 3.0)
    step = 4 / 255
    largest = v1.nn.quantized_max_pool(*images, WINDOW, WINDOW, padding)
    np.testing.assert_allclose(floats(largest), tf.nn.max_pool2d(IMAGES, 2, 2, padding), atol=step)
    means = v1.nn.quantized_avg_pool(*images, WINDOW, WINDOW, padding)
    np.testing.assert_allclose(floats(means), tf.nn.avg_pool2d(IMAGES, 2, 2, padding), atol=step)


def test_a_convolution_counts_from_zero() -> None:
    filters = RNG.uniform(-1, 1, [3, 3, 2, 4]).astype(np.float32)
    a, b = quantized(IMAGES, -1.0, 3.0), quantized(filters, -1.0, 1.0)
    output, low, _ = v1.nn.quantized_conv2d(a[0], b[0], a[1], a[2], b[1], b[2], [1, 1, 1, 1], "SAME")
    unit = low.numpy() / np.iinfo(np.int32).min
    found = tf.bitcast(output, tf.int32).numpy() * unit
    np.testing.assert_allclose(found, tf.nn.conv2d(IMAGES, filters, 1, "SAME"), atol=0.3)


def test_joined_tensors_share_bounds() -> None:
    a, b = quantized([0.0, 1.0], 0.0, 1.0), quantized([-2.0, 2.0], -2.0, 2.0)
    joined = v1.quantized_concat(0, [a[0], b[0]], [a[1], b[1]], [a[2], b[2]])
    np.testing.assert_allclose(floats(joined), [0.0, 1.0, -2.0, 2.0], atol=4 / 255)


def test_what_has_no_kernel_says_so() -> None:
    with pytest.raises(tf.errors.NotFoundError, match="QuantizedReluX has no kernel"):
        v1.nn.quantized_relu_x(quantized([0.0], 0.0, 1.0)[0], 1.0, 0.0, 1.0)
