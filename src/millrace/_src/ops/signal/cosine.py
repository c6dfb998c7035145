"""Cosine transforms, as Fourier transforms of twice the length.

    type 1    y[k] = x[0] + (-1)^k x[N-1] + 2 sum x[n] cos(pi n k / (N-1))
    type 2    y[k] = 2 sum x[n] cos(pi (2n+1) k / 2N)
    type 3    y[k] = x[0] + 2 sum x[n] cos(pi n (2k+1) / 2N)
    type 4    y[k] = 2 sum x[n] cos(pi (2n+1) (2k+1) / 4N)

The inverse of type 2 is type 3 and conversely; types 1 and 4 are their own inverses: all but for a factor,
which `norm="ortho"` makes 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.signal.fourier import fft
from millrace._src.ops.signal.real_fourier import COMPLEX_OF, irfft, rfft
from millrace._src.ops.signal.sizes import Size, append_padding, at_least, count_of, dimension, reshape, sizes_of
from millrace._src.util.export import export

_NORMS = (None, "ortho")
_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def check_norm(norm: str | None) -> None:
    """Raises ValueError if `norm` is not a known word."""
    if norm not in _NORMS:
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _check(type: object, axis: object, norm: str | None) -> None:
    if type not in _INVERSES:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    check_norm(norm)
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")


def _resize(x: Tensor, n: object) -> Tensor:
    """Cuts the last axis, or appends zeros."""
    if isinstance(n, (int, np.integer)) and n < 1:
        raise ValueError("n should be a positive integer or None")
    shorter = x[..., :n]
    missing = at_least(n - dimension(x, -1), 0)
    if isinstance(missing, int) and missing == 0:
        return shorter
    sizes = sizes_of(shorter)
    flat = reshape(shorter, [count_of(sizes[:-1]), sizes[-1]])
    return reshape(append_padding(flat, 0, missing), sizes[:-1], [n])


# --- the transforms --------------------------------------------------------------------------------------------------


@export("signal.dct", v1=["signal.dct", "spectral.dct"])
def dct(
    input: TensorLike,
    type: int = 2,
    n: TensorLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes a discrete cosine transform along the last axis.

    >>> tf.signal.dct([1.0, 2.0, 4.0]).numpy().round(4)
    array([14.    , -5.1962,  1.    ], dtype=float32)

    Args:
      input: A Tensor of float32 or float64 of at least one dimension.
      type: 1, 2, 3 or 4.
      n: how many elements are transformed: the others are cut off, or zeros appended. All if None.
      axis: -1.
      norm: None, or "ortho" for a transform that keeps lengths; not for type 1.
      name: name of the operation in a graph.

    Returns: A Tensor of the dtype of `input`, with `n` elements in the last dimension.
    Raises:
      ValueError: for another `type` or `norm`, an `n` that is not positive, or a scalar.
      NotImplementedError: for another axis.
      TypeError: if `input` is of another dtype.
    """
    _check(type, axis, norm)
    with name_scope(name, "dct"):
        x = convert_to_tensor(input, name="input")
        if x.dtype not in COMPLEX_OF:
            raise TypeError(f"tf.signal.dct: `input` must be one of [tf.float32, tf.float64]; received: {x!s}")
        x.shape.with_rank_at_least(1)
        return _TRANSFORMS[type](x if n is None else _resize(x, n), norm)


@export("signal.idct", v1=["signal.idct", "spectral.idct"])
def idct(
    input: TensorLike,
    type: int = 2,
    n: TensorLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the inverse of a discrete cosine transform along the last axis, but for a factor.

    Without `norm` the result is `2 N` times the inverse; for type 1, `2 (N - 1)` times.

    >>> tf.signal.idct(tf.signal.dct([1.0, 2.0, 3.0], norm="ortho"), norm="ortho").numpy().round(4)
    array([1., 2., 3.], dtype=float32)

    Args:
      input: A Tensor of float32 or float64 of at least one dimension.
      type: 1, 2, 3 or 4: the type of the transform that is undone.
      n: how many elements are transformed: the others are cut off, or zeros appended. All if None.
      axis: -1.
      norm: None, or "ortho" for a transform that keeps lengths; not for type 1.
      name: name of the operation in a graph.

    Returns: A Tensor of the dtype of `input`, with `n` elements in the last dimension.
    Raises:
      ValueError: for another `type` or `norm`, an `n` that is not positive, or a scalar.
      NotImplementedError: for another axis.
      TypeError: if `input` is of another dtype.
    """
    _check(type, axis, norm)
    with name_scope(name, "idct"):
        return dct(input, _INVERSES[type], n, axis, norm)


def _type_1(x: Tensor, norm: str | None) -> Tensor:
    mirrored = raw.ReverseV2(tensor=x[..., 1:-1], axis=[-1])
    whole = raw.ConcatV2(values=[x, mirrored], axis=-1)
    result: Tensor = raw.Real(input=rfft(whole), Tout=x.dtype)
    return result


def _type_2(x: Tensor, norm: str | None) -> Tensor:
    size = dimension(x, -1)
    spectrum = rfft(x, fft_length=_vector(2 * size))[..., :size]
    # 2 exp(-i pi k / 2N) X[k] is real
    result = 2 * _real_part(spectrum * _turns(size, 0, -0.5, x.dtype), x.dtype)
    return result * _factors(size, 0.25, 0.5, x.dtype) if norm == "ortho" else result


def _type_3(x: Tensor, norm: str | None) -> Tensor:
    size = dimension(x, -1)
    x = x * _factors(size, 1.0, 0.5, x.dtype) if norm == "ortho" else x
    spectrum = _as_complex(x) * _turns(size, 0, 0.5, x.dtype)
    return irfft(spectrum, fft_length=_vector(2 * size))[..., :size] * (2 * _float(size, x.dtype))


def _type_4(x: Tensor, norm: str | None) -> Tensor:
    size = dimension(x, -1)
    # (2n+1)(2k+1) / 4N = n/2N + 2nk/2N + (2k+1)/4N
    turned = _as_complex(x) * _turns(size, 0, -0.5, x.dtype)
    sizes = sizes_of(turned)
    flat = append_padding(reshape(turned, [count_of(sizes[:-1]), size]), 0, size)
    spectrum = reshape(fft(flat)[:, :size], sizes[:-1], [size])
    result = 2 * _real_part(spectrum * _turns(size, 0.5, -0.5, x.dtype), x.dtype)
    return result * _factors(size, 0.5, 0.5, x.dtype) if norm == "ortho" else result


_TRANSFORMS = {1: _type_1, 2: _type_2, 3: _type_3, 4: _type_4}

# --- factors ---------------------------------------------------------------------------------------------------------


def _vector(size: Size) -> Any:
    return raw.Pack(values=[size]) if isinstance(size, Tensor) else np.array([size], np.int32)


def _float(size: float | Size, dtype: DType) -> Any:
    """Returns a number as a number of a dtype."""
    return raw.Cast(x=size, DstT=dtype) if isinstance(size, Tensor) else convert_to_tensor(size, dtype=dtype)


def _as_complex(x: Tensor) -> Tensor:
    result: Tensor = raw.Cast(x=x, DstT=COMPLEX_OF[x.dtype])
    return result


def _real_part(x: Tensor, dtype: DType) -> Tensor:
    result: Tensor = raw.Real(input=x, Tout=dtype)
    return result


def _turns(size: Size, shift: float, turn: float, dtype: DType) -> Any:
    """Returns `exp(i pi turn (k + shift) / size)` for k below `size`."""
    complex_type = COMPLEX_OF[dtype]
    if isinstance(size, int):
        angle = np.arange(size) + shift
        return convert_to_tensor(np.exp(angle * (1j * math.pi * turn / max(size, 1))), dtype=complex_type)
    positions = raw.Cast(x=raw.Range(start=0, limit=size, delta=1), DstT=d.float64)
    angle = (positions + shift) * (math.pi * turn) / _float(size, d.float64)
    exact = raw.Complex(real=raw.Cos(x=angle), imag=raw.Sin(x=angle), Tout=d.complex128)
    return raw.Cast(x=exact, DstT=complex_type)


def _factors(size: Size, first: float, others: float, dtype: DType) -> Any:
    """Returns `sqrt(first / size)`, and `sqrt(others / size)` for all further elements."""
    if isinstance(size, int):
        squares = np.full(size, others)
        squares[:1] = first
        return convert_to_tensor(np.sqrt(squares / max(size, 1)), dtype=dtype)
    is_first = raw.Equal(x=raw.Range(start=0, limit=size, delta=1), y=0)
    squares = raw.SelectV2(condition=is_first, t=_float(first, dtype), e=_float(others, dtype))
    return raw.Sqrt(x=squares / _float(size, dtype))
