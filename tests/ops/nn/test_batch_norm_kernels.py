"""The implementations of batch normalization give the same results: elementary operations, NumPy in blocks, oneDNN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.nn import batch_norm_kernels as kernels
from millrace._src.util import thread_pool

FORWARD, BACKWARD = kernels._FORWARD, kernels._BACKWARD
SHAPES = [
    ((4, 32, 32, 16), "NHWC"),
    ((3, 17, 29, 23), "NHWC"),
    ((2, 211, 1, 97), "NHWC"),
    ((2, 3, 3, 1280), "NHWC"),
    ((200, 100, 1, 1), "NHWC"),
    ((4, 16, 33, 31), "NCHW"),
    ((2, 5, 16, 17, 8), "NDHWC"),
]


def vectors(x: Any, data_format: str) -> tuple[tuple[int, ...], Any]:
    """The axes of the elements of a channel, and what makes a vector of channels broadcast."""
    axis = 1 if data_format == "NCHW" else x.ndim - 1
    shape = [1] * x.ndim
    shape[axis] = -1
    return tuple(a for a in range(x.ndim) if a != axis), lambda v: np.reshape(v, shape)


def results(inputs: list[Any], data_format: str, is_training: bool) -> list[Any]:
    x, dy, scale, offset, mean, variance = inputs
    attrs = {"epsilon": 0.01, "data_format": data_format, "is_training": is_training}
    moments = {"mean": mean, "variance": variance}
    forward = tf.raw_ops.FusedBatchNormV3(x=x, scale=scale, offset=offset, **moments, **attrs)
    spaces = dict(zip(("reserve_space_1", "reserve_space_2", "reserve_space_3"), forward[3:], strict=True))
    backward = tf.raw_ops.FusedBatchNormGradV3(y_backprop=dy, x=x, scale=scale, **spaces, **attrs)
    return [t.numpy() for t in (*forward[:5], *backward[:3])]


def exact(inputs: list[Any], data_format: str, is_training: bool) -> list[Any]:
    """The same in float64, by the formulas of Ioffe and Szegedy."""
    x, dy, scale, offset, mean, variance = (a.astype(np.float64) for a in inputs)
    axes, wide = vectors(x, data_format)
    if is_training:
        mean, variance = x.mean(axes), x.var(axes)
    root = 1 / np.sqrt(variance + np.float32(0.01))
    normal = (x - wide(mean)) * wide(root)
    count = x.size / mean.size
    dscale, doffset = (dy * normal).sum(axes), dy.sum(axes)
    inner = dy - (wide(doffset) + normal * wide(dscale)) / count if is_training else dy
    unbiased = variance * count / max(count - 1, 1) if is_training else variance
    y = normal * wide(scale) + wide(offset)
    return [y, mean, unbiased, mean, variance, inner * wide(scale * root), dscale, doffset]


def make_inputs(shape: tuple[int, ...], data_format: str) -> list[Any]:
    random = np.random.RandomState(0)
    channels = shape[1 if data_format == "NCHW" else -1]
    x, dy = (random.normal(3.0, 2.0, shape).astype(np.float32) for _ in range(2))
    return [x, dy, *random.uniform(0.5, 2.0, (4, channels)).astype(np.float32)]


@pytest.mark.parametrize("name", ["numpy", "onednn"])
@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize(("shape", "data_format"), SHAPES)
def test_every_implementation_computes_the_formula(
    name: str, is_training: bool, shape: tuple[int, ...], data_format: str
) -> None:
    inputs = make_inputs(shape, data_format)
    with FORWARD.pin(name), BACKWARD.pin(name):
        found = results(inputs, data_format, is_training)
    axes, _ = vectors(inputs[0], data_format)
    largest_sum = np.abs(inputs[1]).sum(axes).max()
    for number, (array, wanted) in enumerate(zip(found, exact(inputs, data_format, is_training), strict=True)):
        assert array.dtype == np.float32
        scale = largest_sum if number >= 6 else max(np.abs(wanted).max(), 1)
        np.testing.assert_allclose(array, wanted, rtol=1e-4, atol=2e-5 * scale)


@pytest.mark.parametrize("name", ["numpy", "onednn"])
def test_nan_and_infinities_spoil_their_channel_alone(name: str) -> None:
    inputs = make_inputs((4, 32, 32, 16), "NHWC")
    inputs[0][1, 2, 3, 0], inputs[0][0, 0, 1, 5], inputs[1][2, 2, 2, 9] = np.nan, np.inf, np.nan
    with FORWARD.pin(name), BACKWARD.pin(name), np.errstate(all="ignore"):
        y, mean, *_, dx, dscale, doffset = results(inputs, "NHWC", True)
    assert np.flatnonzero(np.isnan(y).any((0, 1, 2))).tolist() == [0, 5]
    assert np.flatnonzero(np.isnan(y).all((0, 1, 2))).tolist() == [0, 5]
    assert np.flatnonzero(~np.isfinite(mean)).tolist() == [0, 5]
    assert np.flatnonzero(np.isnan(dx).any((0, 1, 2))).tolist() == [0, 5, 9]
    assert np.flatnonzero(np.isnan(dscale)).tolist() == [0, 5, 9]
    assert np.flatnonzero(np.isnan(doffset)).tolist() == [9]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_halves_are_computed_in_float32(dtype: Any) -> None:
    x, _, scale, offset, *_ = make_inputs((4, 32, 32, 16), "NHWC")
    halves = tf.cast(x, dtype)
    y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(x=halves, scale=scale, offset=offset, mean=[], variance=[])
    assert (y.dtype, mean.dtype, variance.dtype) == (dtype, tf.float32, tf.float32)
    whole = tf.raw_ops.FusedBatchNormV3(x=tf.cast(halves, tf.float32), scale=scale, offset=offset, mean=[], variance=[])
    np.testing.assert_allclose(tf.cast(y, tf.float32), whole[0], rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(mean, whole[1], rtol=1e-5)


def test_transposed_images() -> None:
    inputs = make_inputs((4, 32, 32, 16), "NHWC")
    x = np.ascontiguousarray(inputs[0].swapaxes(1, 2))
    other = [tf.transpose(x, [0, 2, 1, 3]), *inputs[1:]]
    for array, wanted in zip(results(other, "NHWC", True), results(inputs, "NHWC", True), strict=True):
        np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-5)


def test_blocks_give_the_same_bits_on_any_number_of_threads() -> None:
    inputs = make_inputs((8, 64, 64, 16), "NHWC")
    found = []
    with FORWARD.pin("numpy"), BACKWARD.pin("numpy"):
        for count in (1, 3):
            thread_pool.set_thread_count(count)
            try:
                found.append(results(inputs, "NHWC", True))
            finally:
                thread_pool.set_thread_count(0)
    for a, b in zip(*found, strict=True):
        assert a.tobytes() == b.tobytes()
