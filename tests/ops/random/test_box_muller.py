"""The arithmetic of normals: the C library's float32 functions, bit for bit, out of float64 polynomials."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform

import numpy as np
import pytest

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import box_muller

_LIBRARY = ctypes.util.find_library("m") if platform.system() == "Linux" else None


def _uniforms(count: int) -> np.ndarray:
    bits = np.random.default_rng(0).integers(0, 2**23, count, dtype=np.uint32)
    return (bits | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def test_the_logarithm_is_that_of_float64_to_one_unit() -> None:
    x = np.concatenate([_uniforms(20_000)[1:], np.array([1e-7, 1.0, 0.5, 2.0], np.float32)])
    x = x[x > 0]
    log = box_muller.log_float32(xp, x)
    assert log.dtype == np.float32
    np.testing.assert_array_max_ulp(log, np.log(x.astype(np.float64)).astype(np.float32), maxulp=1)


def test_sine_and_cosine_are_those_of_float64_to_one_unit() -> None:
    angle = _uniforms(20_000) * np.float32(2 * np.pi)
    sine, cosine = box_muller.sincos_float32(xp, angle)
    np.testing.assert_array_max_ulp(sine, np.sin(angle.astype(np.float64)).astype(np.float32), maxulp=1)
    np.testing.assert_array_max_ulp(cosine, np.cos(angle.astype(np.float64)).astype(np.float32), maxulp=1)


@pytest.mark.skipif(_LIBRARY is None or platform.libc_ver()[0] != "glibc", reason="compares with glibc's own functions")
def test_they_are_the_functions_of_the_c_library_bit_for_bit() -> None:
    library = ctypes.CDLL(_LIBRARY)
    for name in ("logf", "sinf", "cosf"):
        function = getattr(library, name)
        function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
    u = np.maximum(_uniforms(5_000), np.float32(1e-7))
    angle = u * np.float32(2 * np.pi)
    sine, cosine = box_muller.sincos_float32(xp, angle)
    assert (box_muller.log_float32(xp, u) == [library.logf(float(v)) for v in u]).all()
    assert (sine == [library.sinf(float(v)) for v in angle]).all()
    assert (cosine == [library.cosf(float(v)) for v in angle]).all()


def test_normals_have_mean_zero_and_variance_one() -> None:
    pairs = box_muller.box_muller_float64(xp, *np.random.default_rng(1).random((2, 100_000)))
    for normals in pairs:
        assert abs(normals.mean()) < 0.02
        assert abs(normals.var() - 1) < 0.02


def test_a_uniform_of_zero_gives_a_finite_normal() -> None:
    zero = np.zeros(1, np.float32)
    assert np.isfinite(box_muller.box_muller_float32(xp, zero, zero)).all()
    assert np.isfinite(box_muller.box_muller_float64(xp, zero.astype(np.float64), zero)).all()
