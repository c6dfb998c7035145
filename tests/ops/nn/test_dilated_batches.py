"""Dilation through the batch gives what dilated windows give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def _images(*shape: int) -> Any:
    return tf.constant(np.random.default_rng(0).normal(size=shape).astype("float32"))


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [1, 2], [2, 0], [0, 0]]])
@pytest.mark.parametrize("sizes", [(9, 8), (6, 7)])
def test_a_dilated_convolution_is_the_same_op_by_op_or_batched(padding: Any, sizes: tuple[int, int]) -> None:
    x, filters = _images(2, *sizes, 3), _images(3, 2, 3, 4)
    through = tf.nn.convolution(x, filters, padding=padding, dilations=[2, 3])
    direct = tf.nn.conv2d(x, filters, 1, padding, dilations=[2, 3])
    np.testing.assert_allclose(through.numpy(), direct.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("signature", [[None, None, None, 3], [2, None, 8, 3]])
def test_sizes_unknown_while_tracing_are_found_at_run_time(padding: str, signature: Any) -> None:
    x, filters = _images(2, 9, 8, 3), _images(3, 2, 3, 4)
    f = tf.function(lambda t: tf.nn.convolution(t, filters, padding=padding, dilations=2), [tf.TensorSpec(signature)])
    expected = tf.nn.conv2d(x, filters, 1, padding, dilations=2)
    np.testing.assert_allclose(f(x).numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)


def test_channels_first_stay_where_they_are() -> None:
    x, filters = _images(2, 3, 9, 8), _images(3, 2, 3, 4)
    through = tf.nn.convolution(x, filters, padding="SAME", dilations=2, data_format="NCHW")
    last = tf.nn.conv2d(tf.transpose(x, [0, 2, 3, 1]), filters, 1, "SAME", dilations=2)
    np.testing.assert_allclose(through.numpy(), tf.transpose(last, [0, 3, 1, 2]).numpy(), rtol=1e-4, atol=1e-5)


def test_an_unknown_padding_is_refused() -> None:
    with pytest.raises(ValueError, match="Invalid padding"):
        tf.nn.convolution(_images(1, 4, 4, 1), _images(2, 2, 1, 1), padding="FOO", dilations=2)
