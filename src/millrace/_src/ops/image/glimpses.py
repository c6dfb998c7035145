"""Windows at offsets, which may reach beyond the image: `tf.image.extract_glimpse`.

What lies beyond is noise: uniform between the smallest and the largest number of the image, normal with each channel's
mean and deviation (and within its limits), or zeros. The op has no seed: noise is another in every run, as TensorFlow's
is. The first op, ExtractGlimpse, always takes an offset for the middle of the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.random.distributions import normal, uniform
from millrace._src.ops.random.philox import WORDS_PER_BLOCK
from millrace._src.ops.random.seeds import KernelStream, stream_of
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_NOISES = ("uniform", "gaussian", "zero")
_NO_GRADIENT = "TensorFlow declares none; tf.image.crop_to_bounding_box has one"
_F = np.float32


def _check(image: Array, size: Array, offsets: Array, uniform_noise: bool, noise: str) -> None:
    if noise not in _NOISES:
        raise invalid(f"The noise could only be uniform, gaussian, or zero, got{noise}")
    if uniform_noise and noise != "uniform":
        raise invalid("The uniform_noise and noise could not be specified at the same time")
    if image.ndim != 4:
        raise invalid(f"input must be 4-dimensional (batch_size, height, width, depth){shape_brackets(image.shape)}")
    if size.ndim != 1 or len(size) != 2:
        raise invalid(f"input must be a vector of size 2 (height, width){shape_brackets(size.shape)}")
    if min(int(n) for n in size) <= 0:
        raise invalid("glimpse sizes must be positive")
    if offsets.ndim != 2:
        raise invalid(f"input must be a matrix{shape_brackets(offsets.shape)}")
    if offsets.shape[0] != image.shape[0]:
        raise invalid(f"first dimension should be batch{shape_brackets(offsets.shape)}")
    if offsets.shape[1] != 2:
        raise invalid(f"second dimension should be of size 2 (y,x){shape_brackets(offsets.shape)}")


def _starts(offsets: Array, sides: Array, window: Array, centered: bool, normalized: bool, is_first: bool) -> Array:
    """Returns the first row and column of each window, `[batch, 2]`."""
    half = window.astype(_F) / 2
    if centered and (normalized or is_first):
        at = offsets * (sides / 2 if normalized else _F(0.5)) + sides / 2 - half
    else:
        at = offsets * (sides if normalized else _F(1)) + (sides / 2 if centered else _F(0))
        at = at - half if is_first else at
    return np.trunc(at).astype(np.int64)


def _noise(xp: Xp, image: Array, shape: Sequence[int], kind: str, stream: KernelStream) -> Array:
    """Draws the pixels beyond one image."""
    if kind == "zero" or not image.size:
        return np.zeros(shape, _F)
    part = stream.take(-(-int(np.prod(shape)) // WORDS_PER_BLOCK))
    if kind == "uniform":
        low, high = image.min(), image.max()
        return low + uniform(xp, part, shape, np.dtype(_F)) * (high - low)
    drawn = image.mean(axis=(0, 1)) + normal(xp, part, shape, np.dtype(_F)) * image.std(axis=(0, 1))
    return np.clip(drawn, image.min(axis=(0, 1)), image.max(axis=(0, 1)))


def _glimpses(
    xp: Xp, images: Array, size: Array, offsets: Array, attrs: dict[str, Any], stream: KernelStream, is_first: bool
) -> Array:
    noise = attrs["noise"]
    _check(images, size, offsets, attrs["uniform_noise"], noise)
    window = np.array([int(n) for n in size])
    sides = np.array(images.shape[1:3], _F)
    starts = _starts(offsets, sides, window, attrs["centered"], attrs["normalized"], is_first)
    result = np.empty((len(images), *window, images.shape[3]), _F)
    for glimpse, image, (top, left) in zip(result, images, starts.tolist()):
        rows, columns = (
            slice(min(max(-first, 0), count), max(min(side - first, count), 0))
            for first, side, count in zip((top, left), image.shape, window.tolist())
        )
        glimpse[:] = _noise(xp, image, glimpse.shape, noise, stream)
        part = image[top + rows.start : top + rows.stop, left + columns.start : left + columns.stop]
        if part.size:
            glimpse[rows, columns] = part
    return result


def _draws_from_stream(function: OpFunction, is_first: bool) -> None:
    """Binds an op to the stream of noise, once for each call site."""

    def bind(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        stream = stream_of(attrs)
        return lambda input, size, offsets: _glimpses(xp, input, size, offsets, attrs, stream, is_first)

    function.specialize(bind)


def _shape(c: ShapeContext) -> TensorShape:
    shape = c.shape("input")
    if shape.rank not in (None, 4):
        raise ValueError(f"Shape must be rank 4 but is rank {shape.rank}")
    dims = shape.as_list() if shape.rank is not None else [None] * 4
    return TensorShape([dims[0], *(c.partial("size") or [None, None]), dims[3]])


@op(
    "ExtractGlimpse",
    "input: float32, size: int32, offsets: float32 -> glimpse: float32",
    shape=_shape,
    effects=Effects.RANDOM,
    host_only=True,
    no_gradient=_NO_GRADIENT,
)
def extract_glimpse_op(
    xp: Xp,
    input: Array,
    size: Array,
    offsets: Array,
    *,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Array:
    """Cuts a window around each offset."""
    attrs = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise, "noise": noise}
    return _glimpses(xp, input, size, offsets, attrs, KernelStream(0, 0), True)


@op(
    "ExtractGlimpseV2",
    "input: float32, size: int32, offsets: float32 -> glimpse: float32",
    shape=_shape,
    effects=Effects.RANDOM,
    host_only=True,
    no_gradient=_NO_GRADIENT,
)
def extract_glimpse_v2_op(
    xp: Xp,
    input: Array,
    size: Array,
    offsets: Array,
    *,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Array:
    """Cuts a window at each offset; only normalized offsets from the middle are for the middle of the window."""
    attrs = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise, "noise": noise}
    return _glimpses(xp, input, size, offsets, attrs, KernelStream(0, 0), False)


_draws_from_stream(extract_glimpse_op, True)
_draws_from_stream(extract_glimpse_v2_op, False)


@export("image.extract_glimpse", v1=[])
def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Cuts a window out of each image of a batch; the window may reach beyond the image.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(image, [2, 2], [[1, 1]], centered=False, normalized=False).numpy().ravel()
    array([4., 5., 7., 8.], dtype=float32)

    Args:
      input: a float32 Tensor `[batch, height, width, channels]`.
      size: the height and width of the windows, two int32.
      offsets: a float32 Tensor `[batch, 2]`: y and x of each window.
      centered: whether offsets count from the middle of the image, else from the upper left corner.
      normalized: whether offsets are shares of the image: -1 to 1 from the middle, 0 to 1 from the corner.
      noise: what lies beyond the image: "uniform", "gaussian" or "zero".
      name: name of the operation in a graph.

    Returns: A float32 Tensor `[batch, *size, channels]`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit, or there is no such noise.
    """
    return extract_glimpse_v2_op(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=False,
        noise=noise,
        name=name,
    )
