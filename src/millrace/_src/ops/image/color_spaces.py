"""Color spaces: RGB, gray, HSV, YUV and YIQ.

Gray, YUV and YIQ are linear in RGB: a product with a matrix. HSV is the geometry of a cone: value is the largest
channel, saturation the distance from gray, hue the angle, in turns, that begins at red.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bfloat16, float16, float32, float64
from millrace._src.core.errors import FailedPreconditionError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, with_rank_at_least
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.image.image_checks import grayscale
from millrace._src.ops.image.image_dtypes import convert_image_dtype
from millrace._src.ops.image.pixel_planes import Planes, extremes, hue_fraction, hue_weights, on_planes, or_one
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.tensordot import tensordot
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

_PIXEL = TypeSet((float16, bfloat16, float32, float64), default=float32)

# --- HSV -------------------------------------------------------------------------------------------------------------


def _pixels_shape(c: ShapeContext) -> TensorShape:
    dims = with_rank_at_least(c.shape("images"), 1)
    if dims is None:
        return TensorShape(None)
    if dims[-1] not in (3, None):
        raise ValueError(f"Dimension must be 3 but is {dims[-1]}")
    return TensorShape.of((*dims[:-1], 3))


def _require_pixels(images: Array) -> None:
    if not images.ndim:
        raise invalid(f"input must be at least 1D{dims_text(images.shape)}")
    if images.shape[-1] != 3:
        message = f"input must have 3 channels but input only has {images.shape[-1]} channels."
        raise FailedPreconditionError(None, None, message)


@export("image.rgb_to_hsv")
@op(
    "RGBToHSV",
    "images: T -> output: T",
    T=_PIXEL,
    shape=_pixels_shape,
    batching=leading("images"),
    exact_on_rows=True,
)
def rgb_to_hsv(xp: Xp, images: Array) -> Array:
    """Converts pixels from RGB to HSV.

    >>> tf.image.rgb_to_hsv([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]).numpy()
    array([[0. , 1. , 1. ],
           [0.5, 1. , 0.5]], dtype=float32)

    Args:
      images: A float16, bfloat16, float32 or float64 `Tensor` of which the last dimension, 3, is the channels; the
        values are meant to be in [0, 1].

    Returns: A `Tensor` of the same shape and dtype: hue in [0, 1), saturation and value.
    Raises:
      InvalidArgumentError: if `images` is a scalar (ValueError while tracing).
      FailedPreconditionError: if the last dimension is not 3 (ValueError while tracing).
    """
    _require_pixels(images)
    number = images.dtype.type

    def compute(red: Array, green: Array, blue: Array) -> Planes:
        high, low = extremes(xp, red, green, blue)
        spread = high - low
        scale = number(1) / or_one(xp, spread) * number(1 / 6)
        numerator, offset = hue_fraction(xp, (red, green, blue), high, (number(2 / 6), number(4 / 6)))
        hue = scale * numerator + offset
        return hue + xp.astype(hue < 0, hue.dtype), spread / xp.where(high > 0, high, number(np.inf)), high

    return on_planes(xp, compute, images)


@rgb_to_hsv.gradient
def rgb_to_hsv_gradient(dy: Tensor, images: Tensor) -> Any:
    # With i the largest channel, j the smallest: value = x_i; saturation = 1 - x_j / x_i;
    # hue = (x_i+1 - x_i+2) / 6 (x_i - x_j) + i / 3. As in TensorFlow, hue and saturation stop at black, and
    # saturation at a smallest channel that is not positive.
    x = raw.Unpack(value=images, num=3, axis=-1)
    dhue, dsaturation, dvalue = raw.Unpack(value=dy, num=3, axis=-1)
    is_high, is_low = _extreme_channels(x)
    high = raw.Maximum(x=raw.Maximum(x=x[0], y=x[1]), y=x[2])
    low = raw.Minimum(x=raw.Minimum(x=x[0], y=x[1]), y=x[2])
    spread, is_lit = high - low, cast(high > 0, high.dtype)
    angle = raw.DivNoNan(x=sum(is_high[i] * (x[i - 2] - x[i - 1]) for i in range(3)), y=spread)
    per_angle = raw.DivNoNan(x=dhue * is_lit, y=6 * spread)
    per_saturation = raw.DivNoNan(x=dsaturation * is_lit, y=high)
    share, has_share = raw.DivNoNan(x=low, y=high), cast(low > 0, high.dtype)
    parts = [
        per_angle * (is_high[i - 1] - is_high[i - 2] + angle * (is_low[i] - is_high[i]))
        + per_saturation * (is_high[i] * share - is_low[i] * has_share)
        + dvalue * is_high[i]
        for i in range(3)
    ]
    return raw.Pack(values=parts, axis=-1)


def _extreme_channels(x: Any) -> tuple[list[Any], list[Any]]:
    """Marks the largest and the smallest channel with 1; of equal ones the first is largest and the last smallest."""
    red, green, blue = x
    high = [(red >= green) & (red >= blue), (green > red) & (green >= blue), (blue > red) & (blue > green)]
    low = [(red < green) & (red < blue), (green <= red) & (green < blue), (blue <= red) & (blue <= green)]
    return [cast(mark, red.dtype) for mark in high], [cast(mark, red.dtype) for mark in low]


@export("image.hsv_to_rgb")
@op(
    "HSVToRGB",
    "images: T -> output: T",
    T=_PIXEL,
    shape=_pixels_shape,
    batching=leading("images"),
    exact_on_rows=True,
    not_differentiable="TensorFlow lets nothing through it",
)
def hsv_to_rgb(xp: Xp, images: Array) -> Array:
    """Converts pixels from HSV to RGB.

    >>> tf.image.hsv_to_rgb([[0.0, 1.0, 1.0], [0.5, 1.0, 0.5]]).numpy()
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0.5]], dtype=float32)

    Args:
      images: A float16, bfloat16, float32 or float64 `Tensor` of which the last dimension, 3, is hue, saturation and
        value, each in [0, 1].

    Returns: A `Tensor` of the same shape and dtype.
    Raises:
      InvalidArgumentError: if `images` is a scalar (ValueError while tracing).
      FailedPreconditionError: if the last dimension is not 3 (ValueError while tracing).
    """
    _require_pixels(images)
    number = images.dtype.type

    def compute(hue: Array, saturation: Array, value: Array) -> Planes:
        gray = number(1) - saturation
        red, green, blue = ((gray + saturation * weight) * value for weight in hue_weights(xp, hue * number(6)))
        return red, green, blue

    return on_planes(xp, compute, images)


# --- gray ------------------------------------------------------------------------------------------------------------


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """Converts pictures from RGB to shades of gray: 0.2989 red + 0.587 green + 0.114 blue.

    >>> tf.image.rgb_to_grayscale([[1.0, 2.0, 3.0]]).numpy()
    array([[1.8149]], dtype=float32)

    Args:
      images: A `Tensor` of floating point or integers of which the last dimension, 3, is the channels.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the same dtype, with a last dimension of 1.
    Raises: InvalidArgumentError: if the last dimension is not 3 (ValueError while tracing).
    """
    with name_scope(name, "rgb_to_grayscale") as scope:
        images = convert_to_tensor(images, name="images")
        floats = convert_image_dtype(images, float32)
        gray = tensordot(floats, [0.2989, 0.5870, 0.1140], [-1, -1])
        return convert_image_dtype(raw.ExpandDims(input=gray, axis=-1), images.dtype, name=scope)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Any:
    """Converts pictures in shades of gray to RGB: three equal channels.

    >>> tf.image.grayscale_to_rgb([[1.0], [2.0]]).numpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)

    Args:
      images: A `Tensor` of at least two dimensions, the last of which is 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the same dtype, with a last dimension of 3.
    Raises: ValueError: if the last dimension is not 1, or the only one (InvalidArgumentError where a graph knows
      only when the graph runs).
    """
    with name_scope(name, "grayscale_to_rgb") as scope:
        images = grayscale(convert_to_tensor(images, name="images"))
        ones = raw.Fill(dims=raw.ExpandDims(input=raw.Rank(input=images) - 1, axis=0), value=np.int32(1), name="ones")
        multiples = raw.ConcatV2(values=[ones, np.array([3], np.int32)], axis=0)
        rgb = raw.Tile(input=images, multiples=multiples, name=scope)
        if images.shape.rank is not None:
            rgb.set_shape([*images.shape[:-1], 3])
        return rgb


# --- YUV and YIQ -----------------------------------------------------------------------------------------------------

_RGB_TO_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_YIQ_TO_RGB = [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_RGB_TO_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
_YUV_TO_RGB = [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]]


def _product(images: Any, matrix: list[list[float]]) -> Tensor:
    images = convert_to_tensor(images, name="images")
    kernel = convert_to_tensor(matrix, dtype=images.dtype, name="kernel")
    return tensordot(images, kernel, [[-1], [0]])


@export("image.rgb_to_yiq")
def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Converts pixels from RGB to YIQ.

    >>> tf.image.rgb_to_yiq([[1.0, 1.0, 1.0]]).shape
    TensorShape([1, 3])

    Args: images: A `Tensor` of floating point of which the last dimension, 3, is the channels, in [0, 1].
    Returns: A `Tensor` of the same shape and dtype.
    Raises: TypeError: for integers.
    """
    return _product(images, _RGB_TO_YIQ)


@export("image.yiq_to_rgb")
def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Converts pixels from YIQ to RGB.

    >>> tf.image.yiq_to_rgb([[1.0, 0.0, 0.0]]).numpy()
    array([[1., 1., 1.]], dtype=float32)

    Args: images: A `Tensor` of floating point of which the last dimension, 3, is Y, I and Q.
    Returns: A `Tensor` of the same shape and dtype.
    Raises: TypeError: for integers.
    """
    return _product(images, _YIQ_TO_RGB)


@export("image.rgb_to_yuv")
def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Converts pixels from RGB to YUV: luma in [0, 1], chroma in [-0.5, 0.5].

    >>> tf.image.rgb_to_yuv([[1.0, 1.0, 1.0]]).shape
    TensorShape([1, 3])

    Args: images: A `Tensor` of floating point of which the last dimension, 3, is the channels, in [0, 1].
    Returns: A `Tensor` of the same shape and dtype.
    Raises: TypeError: for integers.
    """
    return _product(images, _RGB_TO_YUV)


@export("image.yuv_to_rgb")
def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Converts pixels from YUV to RGB.

    >>> tf.image.yuv_to_rgb([[1.0, 0.0, 0.0]]).numpy()
    array([[1., 1., 1.]], dtype=float32)

    Args: images: A `Tensor` of floating point of which the last dimension, 3, is Y, U and V.
    Returns: A `Tensor` of the same shape and dtype.
    Raises: TypeError: for integers.
    """
    return _product(images, _YUV_TO_RGB)
