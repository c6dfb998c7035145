"""The discrete Fourier transform of arrays, along any axes: what the kernels of all Fourier ops share.

SciPy's transforms keep single precision, and run many rows at once. XLA's take the last three axes at most, so
other axes go to the end first, one by one. A transform back to real numbers reads half of a spectrum; only along its
last axis, so the other axes are transformed before. No engine transforms an axis without elements: such a transform is
all zeros.

Tests: tests/ops/signal/test_fourier.py, tests/ops/signal/test_fourier_axes.py
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part

Axes = tuple[int, ...]


def last_axes(x: Array, count: int) -> Axes:
    """Returns the last `count` axes of an array.

    Raises: InvalidArgumentError: if the array has fewer.
    """
    if x.ndim < count:
        shape = ",".join(map(str, x.shape))
        raise invalid(f"Input must have rank of at least {count} but got: [{shape}]")
    return tuple(range(x.ndim - count, x.ndim))


def crop(x: Array, lengths: Sequence[int], axes: Axes) -> Array:
    """Returns the first `lengths` elements along axes.

    Raises: InvalidArgumentError: if there are fewer.
    """
    window = [slice(None)] * x.ndim
    for axis, length in zip(axes, lengths, strict=True):
        if x.shape[axis] < length:
            raise invalid(f"Input dimension {axis} must have length of at least {length} but got: {x.shape[axis]}")
        window[axis] = slice(length)
    return x[tuple(window)]


def validate_lengths(fft_length: Array, count: int) -> list[int]:
    """Reads the operand `fft_length`.

    Raises: InvalidArgumentError: if `fft_length` is not a vector of `count` elements, or one of them is negative.
    """
    if fft_length.shape != (count,):
        raise invalid(f"fft_length must have shape [{count}]")
    lengths: list[int] = fft_length.tolist()
    for i, length in enumerate(lengths):
        if length < 0:
            raise invalid(f"fft_length[{i}] must >= 0, but got: {length}")
    return lengths


def half(length: int) -> int:
    """Returns the number of elements of a spectrum that determine the transform of `length` real numbers."""
    return length // 2 + 1 if length else 0


def complex_transform(xp: Xp, x: Array, axes: Axes, *, is_inverse: bool) -> Array:
    """Transforms complex numbers along axes."""
    return _complex_transform(xp, x, axes, is_inverse) if x.size and axes else x


def real_transform(xp: Xp, x: Array, axes: Axes, dtype: Any) -> Array:
    """Transforms real numbers along axes into the first half, along the last of the axes, of their spectrum."""
    if x.size:
        return xp.astype(_real_transform(xp, x, axes), dtype)
    return xp.zeros(_replace(x.shape, axes[-1], half(x.shape[axes[-1]])), dtype)


def real_inverse(xp: Xp, x: Array, length: int, axes: Axes, dtype: Any) -> Array:
    """Transforms the first half of a spectrum back into real numbers; `length` of them along the last of the axes."""
    if x.size and length:
        return xp.astype(_real_inverse(xp, x, axes, length), dtype)
    return xp.zeros(_replace(x.shape, axes[-1], length), dtype)


def _replace(shape: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    return (*shape[:axis], length, *shape[axis + 1 :])


# --- NumPy -----------------------------------------------------------------------------------------------------------


def _scipy_fft() -> Any:
    return importlib.import_module("scipy.fft")  # heavy, and few programs need it


@kernel_part
def _complex_transform(xp: Xp, x: Array, axes: Axes, is_inverse: bool) -> Array:
    fft = _scipy_fft()
    if len(axes) == 1:
        return (fft.ifft if is_inverse else fft.fft)(x, axis=axes[0])
    return (fft.ifftn if is_inverse else fft.fftn)(x, axes=axes)


@kernel_part
def _real_transform(xp: Xp, x: Array, axes: Axes) -> Array:
    fft = _scipy_fft()
    return fft.rfft(x, axis=axes[0]) if len(axes) == 1 else fft.rfftn(x, axes=axes)


@kernel_part
def _real_inverse(xp: Xp, x: Array, axes: Axes, length: int) -> Array:
    fft = _scipy_fft()
    if len(axes) > 1:
        x = fft.ifftn(x, axes=axes[:-1])
    return fft.irfft(x, length, axis=axes[-1])


# --- XLA -------------------------------------------------------------------------------------------------------------

_MAX_AXES = 3
"""XLA transforms one, two or three axes at once."""


@_complex_transform.kernel_for("xla")
def _xla_complex_transform(xp: CompilingXp, x: Array, axes: Axes, is_inverse: bool) -> Array:
    kind = "IFFT" if is_inverse else "FFT"
    if len(axes) <= _MAX_AXES and axes == tuple(range(x.ndim - len(axes), x.ndim)):
        return xp.lax.fft(x, kind, x.shape[-len(axes) :])
    for axis in axes:
        last = xp.moveaxis(x, axis, -1)
        x = xp.moveaxis(xp.lax.fft(last, kind, last.shape[-1:]), -1, axis)
    return x


@_real_transform.kernel_for("xla")
def _xla_real_transform(xp: CompilingXp, x: Array, axes: Axes) -> Array:
    last = xp.moveaxis(x, axes[-1], -1)
    spectrum = xp.moveaxis(xp.lax.fft(last, "RFFT", last.shape[-1:]), -1, axes[-1])
    return _xla_complex_transform(xp, spectrum, axes[:-1], False) if len(axes) > 1 else spectrum


@_real_inverse.kernel_for("xla")
def _xla_real_inverse(xp: CompilingXp, x: Array, axes: Axes, length: int) -> Array:
    # XLA's own transform of several axes leaves open what the parts of a spectrum mean that no real numbers have.
    if len(axes) > 1:
        x = _xla_complex_transform(xp, x, axes[:-1], True)
    last = xp.moveaxis(x, axes[-1], -1)
    return xp.moveaxis(xp.lax.fft(last, "IRFFT", (length,)), -1, axes[-1])
