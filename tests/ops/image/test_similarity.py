"""PSNR and SSIM."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.nn.samples import array


def _pictures(*shape: int) -> tuple[Any, Any]:
    a = array(*shape) / 4 + 0.5
    return a, np.clip(a * 0.8 + 0.15, 0, 1).astype(np.float32)


def test_psnr_is_its_definition() -> None:
    a, b = _pictures(2, 5, 6, 3)
    expected = 10 * np.log10(4.0 / ((a - b) ** 2).mean((1, 2, 3)))
    np.testing.assert_allclose(tf.image.psnr(a, b, 2.0), expected, rtol=1e-5)


def test_psnr_takes_lists() -> None:
    assert tf.image.psnr([[[0.0]]], [[[0.1]]], 1.0).numpy() == pytest.approx(20.0, rel=1e-5)


def test_ssim_is_its_definition() -> None:
    a, b = (x.astype(np.float64)[0, :, :, 0] for x in _pictures(1, 4, 5, 1))
    columns = np.arange(3) - 1.0
    bell = np.exp(-(columns**2) / (2 * 1.5**2))
    weights = np.outer(bell, bell) / bell.sum() ** 2
    values = []
    for i, j in np.ndindex(2, 3):
        p, q = a[i : i + 3, j : j + 3], b[i : i + 3, j : j + 3]
        mean_p, mean_q = (weights * p).sum(), (weights * q).sum()
        var_p, var_q = (weights * p * p).sum() - mean_p**2, (weights * q * q).sum() - mean_q**2
        covariance = (weights * p * q).sum() - mean_p * mean_q
        luminance = (2 * mean_p * mean_q + 1e-4) / (mean_p**2 + mean_q**2 + 1e-4)
        values.append(luminance * (2 * covariance + 9e-4) / (var_p + var_q + 9e-4))
    pictures = [tf.constant(x[:, :, None], tf.float32) for x in (a, b)]
    np.testing.assert_allclose(tf.image.ssim(*pictures, 1.0, filter_size=3).numpy(), np.mean(values), rtol=1e-4)
    index_map = tf.image.ssim(*pictures, 1.0, filter_size=3, return_index_map=True)
    np.testing.assert_allclose(index_map.numpy().ravel(), values, rtol=1e-3, atol=1e-5)


def test_one_scale_is_the_positive_part_of_ssim() -> None:
    a, b = _pictures(2, 9, 9, 2)
    one = tf.image.ssim_multiscale(a, b, 1.0, (1.0,), filter_size=9, filter_sigma=30.0)[..., None]
    assert one.shape == (2, 1)
    np.testing.assert_allclose(one[:, 0], tf.image.ssim(a, b, 1.0, filter_size=9, filter_sigma=30.0), rtol=1e-5)


def test_equal_pictures_are_alike_at_all_scales() -> None:
    a, _ = _pictures(33, 34, 1)
    assert tf.image.ssim_multiscale(a, a, 1.0, filter_size=2).numpy() == pytest.approx(1.0)


@pytest.mark.xla
def test_compiled_is_the_same() -> None:
    a, b = map(tf.constant, _pictures(2, 15, 13, 2))

    def similarities(x: Any, y: Any) -> list[Any]:
        scales = tf.image.ssim_multiscale(x, y, 1.0, (0.4, 0.6), filter_size=3)
        return [tf.image.psnr(x, y, 1.0), tf.image.ssim(x, y, 1.0), scales]

    for found, expected in zip(tf.function(similarities, jit_compile=True)(a, b), similarities(a, b), strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-4)


def test_batches_must_fit() -> None:
    with pytest.raises(ValueError, match=r"Two images are not compatible: \(3, 4, 5, 1\) and \(2, 4, 5, 1\)"):
        tf.image.ssim(tf.zeros([3, 4, 5, 1]), tf.zeros([2, 4, 5, 1]), 1.0, filter_size=2)


def test_a_window_must_fit() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"to be true. Summarized data: 4, 5, 1\n6"):
        tf.image.ssim(tf.zeros([4, 5, 1]), tf.zeros([4, 5, 1]), 1.0, filter_size=6)


def test_ssim_has_a_gradient() -> None:
    a, b = map(tf.constant, _pictures(5, 5, 1))
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = tf.image.ssim(a, b, 1.0, filter_size=3)
    step = np.zeros((5, 5, 1), np.float32)
    step[2, 2] = 1e-2
    slope = (tf.image.ssim(a + step, b, 1.0, filter_size=3) - tf.image.ssim(a - step, b, 1.0, filter_size=3)) / 2e-2
    assert tape.gradient(y, a)[2, 2, 0].numpy() == pytest.approx(slope.numpy(), rel=2e-2, abs=1e-4)
