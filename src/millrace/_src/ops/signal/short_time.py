"""Short-time Fourier transforms: the spectra of overlapping frames, and signals from such spectra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import invalid
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.signal.framing import frame, overlap_and_add
from millrace._src.ops.signal.real_fourier import irfft, rfft
from millrace._src.ops.signal.sizes import (
    Size,
    append_padding,
    as_tensor,
    at_least,
    count_of,
    reshape,
    shape_from,
    size_from,
    sizes_of,
)
from millrace._src.ops.signal.windows import hann_window
from millrace._src.util.export import export

WindowFunction = Callable[..., Any]
"""A function from a length and a keyword argument `dtype` to a window."""


def _power_of_two(size: Size) -> Size:
    """Returns the least power of two that is not smaller."""
    if isinstance(size, int):
        return 1 << max(0, size - 1).bit_length()
    powers = 2 ** np.arange(31, dtype=np.int32)
    exponent = raw.Sum(input=raw.Cast(x=raw.Less(x=powers, y=size), DstT=size.dtype), reduction_indices=[0])
    return raw.LeftShift(x=np.int32(1), y=exponent)


def _transform_length(fft_length: object, frame_length: Size) -> Size:
    return _power_of_two(frame_length) if fft_length is None else size_from(fft_length, "fft_length")


@export("signal.stft", v1=["signal.stft"])
def stft(
    signals: Any,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: WindowFunction | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the spectra of overlapping frames of signals.

    >>> tf.signal.stft(tf.ones([8]), frame_length=4, frame_step=2).shape
    TensorShape([3, 3])

    Args:
      signals: A Tensor `[..., samples]` of float32 or float64.
      frame_length: integer scalar: how many samples a frame has.
      frame_step: integer scalar: how far a frame begins behind the one before.
      fft_length: integer scalar: how many samples of a frame are transformed, zeros appended; by default the least
        power of two that holds a frame.
      window_fn: a function from a length and a keyword argument `dtype` to the window that frames are multiplied with;
        None for none.
      pad_end: whether to append zeros for the last frames; else the samples that fill no frame are left out.
      name: name of the operation in a graph.

    Returns: A complex Tensor `[..., frames, fft_length // 2 + 1]`.
    Raises: ValueError: if `signals` is a scalar or of another dtype, or a length is not a scalar.
    """
    with name_scope(name, "stft"):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        length, step = size_from(frame_length, "frame_length"), size_from(frame_step, "frame_step")
        transform_length = _transform_length(fft_length, length)
        frames = frame(signals, length, step, pad_end=pad_end)
        if window_fn is not None:
            frames = frames * window_fn(as_tensor(length), dtype=frames.dtype)
        return rfft(frames, shape_from([transform_length]))


@export("signal.inverse_stft", v1=["signal.inverse_stft"])
def inverse_stft(
    stfts: Any,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: WindowFunction | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Computes signals from the spectra of their frames.

    The signal that `tf.signal.stft` took comes back, but for its ends, with the window of
    `tf.signal.inverse_stft_window_fn`.

    >>> spectra = tf.signal.stft(tf.ones([8]), frame_length=4, frame_step=2)
    >>> window = tf.signal.inverse_stft_window_fn(2)
    >>> tf.signal.inverse_stft(spectra, 4, 2, window_fn=window).numpy()[2:6]
    array([1., 1., 1., 1.], dtype=float32)

    Args:
      stfts: A complex Tensor `[..., frames, fft_length // 2 + 1]`.
      frame_length: integer scalar: how many samples a frame has.
      frame_step: integer scalar: how far a frame begins behind the one before.
      fft_length: integer scalar: how many samples of a frame were transformed; by default the least power of two that
        holds a frame.
      window_fn: a function from a length and a keyword argument `dtype` to the window that frames are multiplied with;
        None for none.
      name: name of the operation in a graph.

    Returns: A Tensor `[..., (frames - 1) * frame_step + frame_length]`.
    Raises: ValueError: if `stfts` has fewer than two dimensions or is not complex, or a length is not a scalar.
    """
    with name_scope(name, "inverse_stft"):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        length, step = size_from(frame_length, "frame_length"), size_from(frame_step, "frame_step")
        transform_length = _transform_length(fft_length, length)
        frames = _of_length(irfft(stfts, shape_from([transform_length])), transform_length, length)
        if window_fn is not None:
            frames = frames * window_fn(as_tensor(length), dtype=frames.dtype)
        return overlap_and_add(frames, step)


def _of_length(frames: Tensor, transform_length: Size, length: Size) -> Tensor:
    """Cuts frames, or appends zeros."""
    missing = at_least(length - transform_length, 0)
    frames = frames[..., :length]
    if isinstance(missing, int) and missing == 0:
        return frames
    outer = sizes_of(frames)[:-1]
    flat = reshape(frames, [count_of(outer), sizes_of(frames)[-1]])
    return reshape(append_padding(flat, 0, missing), outer, [length])


@export("signal.inverse_stft_window_fn", v1=["signal.inverse_stft_window_fn"])
def inverse_stft_window_fn(
    frame_step: TensorLike, forward_window_fn: WindowFunction = hann_window, name: str | None = None
) -> WindowFunction:
    """Makes the window with which `tf.signal.inverse_stft` undoes `tf.signal.stft`.

    >>> window = tf.signal.inverse_stft_window_fn(frame_step=2)
    >>> window(4, tf.float32).numpy().round(4)
    array([0., 1., 1., 1.], dtype=float32)

    Args:
      frame_step: integer scalar: how far a frame begins behind the one before.
      forward_window_fn: the function that made the window of `tf.signal.stft`.
      name: name of the operation in a graph.

    Returns: A function from a length and a dtype to a window.
    Raises: ValueError: by the function, if the length or `frame_step` is not a scalar.
    """

    def inverse_stft_window_fn_inner(frame_length: object, dtype: DTypeLike) -> Any:
        """Computes the window for frames of a length."""
        with name_scope(name, "inverse_stft_window_fn"):
            step, length = size_from(frame_step, "frame_step"), size_from(frame_length, "frame_length")
            if isinstance(step, int) and step == 0:
                raise invalid("Integer division by zero: frame_step must not be 0")
            window = forward_window_fn(as_tensor(length), dtype=dtype)
            parts = -(-length // step)
            squares = reshape(append_padding(raw.Square(x=window), parts * step - length), [parts, step])
            total = raw.Sum(input=squares, reduction_indices=[0], keep_dims=True)
            weights = reshape(raw.Tile(input=total, multiples=shape_from([parts, 1])), [parts * step])
            quotient: Tensor = raw.DivNoNan(x=window, y=weights[:length])
            return quotient

    return inverse_stft_window_fn_inner
