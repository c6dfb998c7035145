"""Windows: weights that let the ends of a frame fade out.

The formulas are evaluated in the dtype of the window, for a length that may be a tensor.
"""

from __future__ import annotations

import math
from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, float32
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.util.export import export


def _length(window_length: Any, dtype: DType) -> Tensor:
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype!s}")
    length = convert_to_tensor(window_length, dtype=d.int32, name="window_length")
    length.shape.assert_has_rank(0)
    return length


def _positions(length: Tensor, dtype: DType) -> Tensor:
    """Returns 0, 1, ... `length` - 1 in a dtype."""
    positions: Tensor = raw.Cast(x=raw.Range(start=0, limit=length, delta=1), DstT=dtype)
    return positions


def _or_one(window: Tensor, length: Tensor) -> Any:
    """Returns the window, but 1 for a window of one element, for which the formulas have no value."""
    return raw.SelectV2(condition=raw.Equal(x=length, y=1), t=raw.OnesLike(x=window), e=window)


def _raised_cosine(window_length: object, periodic: Any, dtype: DType, a: float, b: float) -> Any:
    length = _length(window_length, dtype)
    is_periodic = raw.Cast(x=convert_to_tensor(periodic, dtype=d.bool, name="periodic"), DstT=d.int32)
    is_even = 1 - raw.FloorMod(x=length, y=2)
    period = raw.Maximum(x=length + is_periodic * is_even - 1, y=1)
    angle = convert_to_tensor(2 * math.pi, dtype=dtype) * _positions(length, dtype) / raw.Cast(x=period, DstT=dtype)
    return _or_one(convert_to_tensor(a, dtype=dtype) - b * raw.Cos(x=angle), length)


@export("signal.hann_window", v1=["signal.hann_window"])
def hann_window(
    window_length: TensorLike, periodic: object = True, dtype: DType = float32, name: str | None = None
) -> Any:
    """Computes a Hann window: `0.5 - 0.5 cos(2 pi n / N)`.

    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)

    Args:
      window_length: integer scalar: how many elements the window has.
      periodic: whether N is the length, if the length is even; else N is the length - 1, which makes it symmetric.
      dtype: a floating point dtype.
      name: name of the operation in a graph.

    Returns: A Tensor `[window_length]`.
    Raises: ValueError: if `dtype` is not floating point, or `window_length` is not a scalar.
    """
    with name_scope(name, "hann_window"):
        return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@export("signal.hamming_window", v1=["signal.hamming_window"])
def hamming_window(
    window_length: TensorLike, periodic: object = True, dtype: DType = float32, name: str | None = None
) -> Any:
    """Computes a Hamming window: `0.54 - 0.46 cos(2 pi n / N)`.

    >>> tf.signal.hamming_window(4).numpy().round(2)
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)

    Args:
      window_length: integer scalar: how many elements the window has.
      periodic: whether N is the length, if the length is even; else N is the length - 1, which makes it symmetric.
      dtype: a floating point dtype.
      name: name of the operation in a graph.

    Returns: A Tensor `[window_length]`.
    Raises: ValueError: if `dtype` is not floating point, or `window_length` is not a scalar.
    """
    with name_scope(name, "hamming_window"):
        return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@export("signal.vorbis_window", v1=["signal.vorbis_window"])
def vorbis_window(window_length: TensorLike, dtype: DType = float32, name: str | None = None) -> Any:
    """Computes the window of the Vorbis codec: `sin(pi/2 sin^2(pi (n + 0.5) / N))`.

    >>> tf.signal.vorbis_window(2).numpy().round(4)
    array([0.7071, 0.7071], dtype=float32)

    Args:
      window_length: integer scalar: how many elements the window has.
      dtype: a floating point dtype.
      name: name of the operation in a graph.

    Returns: A Tensor `[window_length]`.
    Raises: ValueError: if `dtype` is not floating point, or `window_length` is not a scalar.
    """
    with name_scope(name, "vorbis_window"):
        length = _length(window_length, dtype)
        middle = _positions(length, dtype) + 0.5
        sine = raw.Sin(x=convert_to_tensor(math.pi, dtype=dtype) / raw.Cast(x=length, DstT=dtype) * middle)
        return raw.Sin(x=convert_to_tensor(math.pi / 2, dtype=dtype) * sine * sine)


@export("signal.kaiser_window", v1=["signal.kaiser_window"])
def kaiser_window(
    window_length: TensorLike, beta: TensorLike = 12.0, dtype: DType = float32, name: str | None = None
) -> Any:
    """Computes a Kaiser window: `I0(beta sqrt(1 - t^2)) / I0(beta)` for t from -1 to 1.

    >>> tf.signal.kaiser_window(3, beta=0.0).numpy()
    array([1., 1., 1.], dtype=float32)

    Args:
      window_length: integer scalar: how many elements the window has.
      beta: scalar: the larger it is, the more the ends fade.
      dtype: a floating point dtype.
      name: name of the operation in a graph.

    Returns: A Tensor `[window_length]`.
    Raises: ValueError: if `dtype` is not floating point, or `window_length` is not a scalar.
    """
    with name_scope(name, "kaiser_window"):
        length = _length(window_length, dtype)
        half_length = raw.Cast(x=raw.Maximum(x=length - 1, y=1), DstT=dtype) / 2
        t = (_positions(length, dtype) - half_length) / half_length
        scale = raw.Cast(x=convert_to_tensor(beta), DstT=dtype)
        argument = scale * raw.Sqrt(x=raw.Maximum(x=1 - t * t, y=raw.ZerosLike(x=t)))
        # I0(x) = exp(|x|) I0e(x) would overflow; its quotient does not.
        quotient = raw.BesselI0e(x=argument) / raw.BesselI0e(x=scale)
        return _or_one(raw.Exp(x=raw.Abs(x=argument) - raw.Abs(x=scale)) * quotient, length)


@export("signal.kaiser_bessel_derived_window", v1=["signal.kaiser_bessel_derived_window"])
def kaiser_bessel_derived_window(
    window_length: TensorLike, beta: TensorLike = 12.0, dtype: DType = float32, name: str | None = None
) -> Any:
    """Computes a Kaiser-Bessel derived window, whose halves complement each other: for `tf.signal.mdct`.

    >>> tf.signal.kaiser_bessel_derived_window(2).numpy().round(4)
    array([0.7071, 0.7071], dtype=float32)

    Args:
      window_length: integer scalar: how many elements the window has; an odd length gives one less.
      beta: scalar: the larger it is, the more the ends fade.
      dtype: a floating point dtype.
      name: name of the operation in a graph.

    Returns: A Tensor `[window_length]`.
    Raises: ValueError: if `dtype` is not floating point, or `window_length` is not a scalar.
    """
    with name_scope(name, "kaiser_bessel_derived_window"):
        half_length = raw.FloorDiv(x=_length(window_length, dtype), y=2)
        sums = raw.Cumsum(x=kaiser_window(half_length + 1, beta, dtype), axis=0)
        rising = raw.Sqrt(x=sums[:-1] / sums[-1])
        return raw.ConcatV2(values=[rising, raw.ReverseV2(tensor=rising, axis=[0])], axis=0)
