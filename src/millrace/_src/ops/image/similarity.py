"""How much two pictures are alike: PSNR, SSIM and SSIM at several scales.

SSIM compares means, variances and covariance in a window that slides over both pictures. A mean is a weighted sum with
weights of a bell curve. The bell in two dimensions is a product of two in one, so each mean is a filter of a column
after a filter of a row.

Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural similarity", 2004; Wang,
Simoncelli, Bovik, "Multiscale structural similarity for image quality assessment", 2003.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import float32
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.debug.assertion import assert_in_context
from millrace._src.ops.image.image_checks import after
from millrace._src.ops.image.image_dtypes import convert_image_dtype
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_mean, reduce_prod
from millrace._src.util.export import export

_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""The exponents of the five scales, found by the authors in an experiment with people."""

# --- shapes that fit -------------------------------------------------------------------------------------------------


def _check_static_shapes(a: TensorShape, b: TensorShape) -> None:
    a, b = a.with_rank_at_least(3), b.with_rank_at_least(3)
    a[-3:].assert_is_compatible_with(b[-3:])
    if a.rank is None or b.rank is None:
        return
    for m, n in zip(reversed(a.as_list()[:-3]), reversed(b.as_list()[:-3]), strict=False):
        if m != n and not {None, 1} & {m, n}:
            raise ValueError(f"Two images are not compatible: {a} and {b}")


def _shape_assertions(a: Tensor, b: Tensor) -> list[Any]:
    """Asserts that two pictures, or batches of pictures, have the same height, width and channels."""
    _check_static_shapes(a.shape, b.shape)
    a_shape, b_shape = raw.ShapeN(input=[a, b])
    same = raw.All(input=raw.Equal(x=a_shape[-3:], y=b_shape[-3:]), reduction_indices=[0])
    return [
        *assert_in_context(raw.Size(input=a_shape) >= 3, [a_shape, b_shape]),
        *assert_in_context(same, [a_shape, b_shape]),
    ]


def _as_floats(a: Any, b: Any, max_val: Any) -> tuple[Any, Any, Any]:
    """Converts two pictures and the largest value to float32."""
    largest = convert_image_dtype(cast(max_val, a.dtype), float32)
    return convert_image_dtype(a, float32), convert_image_dtype(b, float32), largest


# --- PSNR ------------------------------------------------------------------------------------------------------------


@export("image.psnr")
def psnr(a: Any, b: Any, max_val: object, name: str | None = None) -> Any:
    """Computes the peak signal-to-noise ratio in decibels: `10 log10(max_val^2 / mean((a - b)^2))`.

    >>> tf.image.psnr(tf.zeros([2, 2, 1]), tf.fill([2, 2, 1], 0.1), max_val=1.0).numpy().round(3)
    np.float32(20.0)

    Args:
      a: A `Tensor` of floating point or integers, (..., height, width, channels).
      b: A second one; the batch dimensions broadcast.
      max_val: The difference between the largest and the smallest value there could be.
      name: A name for the operation (optional).

    Returns: A float32 `Tensor` of the batch dimensions; infinite where the pictures are equal.
    Raises: ValueError: if heights, widths or channels differ (InvalidArgumentError where a graph knows only when the
      graph runs).
    """
    with name_scope(name, "PSNR"):
        a, b, largest = _as_floats(convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b"), max_val)
        error = reduce_mean(raw.SquaredDifference(x=a, y=b), [-3, -2, -1])
        peak = 20 * raw.Log(x=largest) / np.float32(np.log(10.0))
        ratio = raw.Sub(x=peak, y=np.float32(10 / np.log(10)) * raw.Log(x=error), name="psnr")
        return after(_shape_assertions(a, b), ratio)


# --- SSIM ------------------------------------------------------------------------------------------------------------


class _SimilarityWindow(NamedTuple):
    """The parameters of the comparison: size and width of the bell, and the constants against small divisors."""

    size: Any
    sigma: Any
    k1: Any
    k2: Any


def _bell(size: Tensor, sigma: Any) -> Tensor:
    """Computes the weights of a bell curve of `size` points; they sum to 1."""
    columns = cast(raw.Range(start=0, limit=size, delta=1), float32)
    distances = columns - cast(size - 1, float32) / 2.0
    exponents = raw.Square(x=distances) * (-0.5 / raw.Square(x=cast(sigma, float32)))
    weights: Tensor = raw.Softmax(logits=raw.Reshape(tensor=exponents, shape=[1, -1]))
    return weights


def _smoothing(a: Tensor, size: Any, sigma: Any) -> Callable[[Any], Any]:
    """Makes the function that computes, around each pixel, the weighted mean in a window."""
    depth = shape_of(a)[-1]
    weights = raw.Reshape(tensor=_bell(size, sigma), shape=[-1])
    row, column = (
        raw.Tile(input=raw.Reshape(tensor=weights, shape=shape), multiples=[1, 1, depth, 1])
        for shape in ([1, -1, 1, 1], [-1, 1, 1, 1])
    )

    def smooth(x: Any) -> Any:
        shape = shape_of(x)
        flat = raw.Reshape(tensor=x, shape=raw.ConcatV2(values=[[-1], shape[-3:]], axis=0))
        for weights in (row, column):
            flat = raw.DepthwiseConv2dNative(input=flat, filter=weights, strides=[1, 1, 1, 1], padding="VALID")
        return raw.Reshape(tensor=flat, shape=raw.ConcatV2(values=[shape[:-3], shape_of(flat)[1:]], axis=0))

    return smooth


def _ssim_maps(a: Tensor, b: Tensor, largest: object, window: _SimilarityWindow) -> tuple[Any, Any]:
    """Computes SSIM, and its part without the means, in the window around each pixel and for each channel."""
    size = convert_to_tensor(window.size)
    a_shape, b_shape = raw.ShapeN(input=[a, b])
    checks = [
        check
        for shape in (a_shape, b_shape)
        for check in assert_in_context(raw.All(input=shape[-3:-1] >= size, reduction_indices=[0]), [shape, size])
    ]
    a = after(checks, a)
    smooth = _smoothing(a, size, window.sigma)
    c1, c2 = (window.k1 * largest) ** 2, (window.k2 * largest) ** 2
    a_mean, b_mean = smooth(a), smooth(b)
    product, squares = a_mean * b_mean * 2.0, raw.Square(x=a_mean) + raw.Square(x=b_mean)
    luminance = (product + c1) / (squares + c1)
    covariance = smooth(a * b) * 2.0 - product
    variances = smooth(raw.Square(x=a) + raw.Square(x=b)) - squares
    structure = (covariance + c2) / (variances + c2)
    return luminance * structure, structure


@export("image.ssim")
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: TensorLike = 11,
    filter_sigma: TensorLike = 1.5,
    k1: TensorLike = 0.01,
    k2: TensorLike = 0.03,
    return_index_map: bool = False,
) -> Any:
    """Computes the structural similarity of two pictures: 1 for equal ones.

    >>> ramp = tf.reshape(tf.range(144.0) / 144.0, [12, 12, 1])
    >>> tf.image.ssim(ramp, ramp, max_val=1.0).numpy()
    np.float32(1.0)

    Args:
      img1: A `Tensor` of floating point or integers, (..., height, width, channels).
      img2: A second one of the same dtype; the batch dimensions broadcast.
      max_val: The difference between the largest and the smallest value there could be.
      filter_size: Height and width of the window.
      filter_sigma: Width of the bell curve in the window.
      k1: Weight of the constant for the means.
      k2: Weight of the constant for the variances.
      return_index_map: Whether to return the similarity around each pixel rather than its mean.

    Returns: A float32 `Tensor` of the batch dimensions; with `return_index_map` of the batch dimensions and the
      positions of the window.
    Raises:
      ValueError: if heights, widths or channels differ, or the batch dimensions do not broadcast
        (InvalidArgumentError where a graph knows only when the graph runs).
      InvalidArgumentError: if the window is larger than the pictures.
    """
    with name_scope(None, "SSIM"):
        a, b = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
        a = after(_shape_assertions(a, b), a)
        a, b, largest = _as_floats(a, b, max_val)
        similarity, _ = _ssim_maps(a, b, largest, _SimilarityWindow(filter_size, filter_sigma, k1, k2))
        if return_index_map:
            return reduce_mean(similarity, [-1])
        return reduce_mean(reduce_mean(similarity, [-3, -2]), [-1])


# --- several scales --------------------------------------------------------------------------------------------------


def _halve(x: Tensor) -> Any:
    """Averages squares of 2 by 2 pixels; a last row or column without a partner is repeated."""
    shape = shape_of(x)
    flat = raw.Reshape(tensor=x, shape=raw.ConcatV2(values=[[-1], shape[-3:]], axis=0))
    odd_rows, odd_columns = shape[-3] % 2, shape[-2] % 2
    paddings = [[0, 0], [0, odd_rows], [0, odd_columns], [0, 0]]
    even = raw.MirrorPad(input=flat, paddings=convert_to_tensor(paddings), mode="SYMMETRIC")
    half = raw.AvgPool(value=even, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    return raw.Reshape(tensor=half, shape=raw.ConcatV2(values=[shape[:-3], shape_of(half)[1:]], axis=0))


@export("image.ssim_multiscale")
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = _SCALES,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
) -> Any:
    """Computes the structural similarity of two pictures at several scales, each half as large as the one before.

    >>> ramp = tf.reshape(tf.range(144.0) / 144.0, [12, 12, 1])
    >>> tf.image.ssim_multiscale(ramp, ramp, max_val=1.0, power_factors=(0.5, 0.5), filter_size=3).numpy()
    np.float32(1.0)

    Args:
      img1: A `Tensor` of floating point or integers, (..., height, width, channels).
      img2: A second one of the same dtype; the batch dimensions broadcast.
      max_val: The difference between the largest and the smallest value there could be.
      power_factors: The exponent of each scale's similarity in the product of all.
      filter_size: Height and width of the window, at most those of the smallest scale.
      filter_sigma: Width of the bell curve in the window.
      k1: Weight of the constant for the means.
      k2: Weight of the constant for the variances.

    Returns: A float32 `Tensor` of the batch dimensions.
    Raises:
      ValueError: if heights, widths or channels differ, or the batch dimensions do not broadcast
        (InvalidArgumentError where a graph knows only when the graph runs).
      InvalidArgumentError: if the window is larger than the pictures of the smallest scale.
      IndexError: if there are no power factors.
    """
    with name_scope(None, "MS-SSIM"):
        a, b = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
        a = after(_shape_assertions(a, b), a)
        a, b, largest = _as_floats(a, b, max_val)
        factors = []
        window = _SimilarityWindow(filter_size, filter_sigma, k1, k2)
        for scale in range(len(power_factors)):
            with name_scope(f"Scale{scale}"):
                if scale:
                    a, b = _halve(a), _halve(b)
                maps = _ssim_maps(a, b, largest, window)
                factors.append([raw.Relu(features=reduce_mean(each, [-3, -2])) for each in maps])
        # the means count at the smallest scale only
        similarity, _ = factors.pop()
        parts = raw.Pack(values=[*(structure for _, structure in factors), similarity], axis=-1)
        powers = raw.Pow(x=parts, y=convert_to_tensor(power_factors, dtype=float32))
        return reduce_mean(reduce_prod(powers, [-1]), [-1])
