"""The ops that resize images `[batch, height, width, channels]`, and their gradients.

An op is a resampling of the rows and one of the columns (`resampling.py`), with the weights of its method
(`resize_weights.py`). Its gradient is the transposed resampling. Nearest neighbours are gathered, so that values of
every dtype stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.image import resize_weights as weights
from millrace._src.ops.image.resampling import Resampling, resample
from millrace._src.ops.type_sets import FLOAT, TypeSet
from millrace._src.util.text import shape_brackets

_PIXELS = (d.int8, d.uint8, d.int16, d.uint16, d.int32, d.int64)
LINEAR_TYPES = TypeSet((*_PIXELS, d.bfloat16, d.float16, d.float32, d.float64, d.bfloat16))
"""The dtypes of images, in the order of the messages of ResizeBilinear, which names bfloat16 twice."""
IMAGE_TYPES = TypeSet((*_PIXELS, d.float16, d.float32, d.float64, d.bfloat16))
_ONCE = "TensorFlow declares no second derivative of resizing"


def validate_size(images: Array, size: Array, name: str = "shape_t") -> tuple[int, int]:
    """Reads the new height and width.

    Raises: InvalidArgumentError: if images or size are of another rank, or nothing is left to resize.
    """
    if images.ndim != 4:
        raise invalid(f"input must be 4-dimensional{shape_brackets(images.shape)}")
    if size.ndim != 1:
        raise invalid(f"{name} must be 1-dimensional{shape_brackets(size.shape)}")
    if size.shape[0] != 2:
        raise invalid(f"{name} must have two elements{shape_brackets(size.shape)}")
    height, width = (int(n) for n in size)
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")
    if not images.shape[3]:
        raise invalid("image must have at least one channel")
    if not images.shape[1] or not images.shape[2]:
        raise invalid("input image must be of non-zero size")
    return height, width


def _check_centers(align_corners: bool, half_pixel_centers: bool) -> None:
    if align_corners and half_pixel_centers:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")


def resized_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of resized images: that of the images with the dimensions that `size` gives."""
    shape = c.inputs[0].shape
    if shape.rank not in (None, 4):
        raise ValueError(f"Shape must be rank 4 but is rank {shape.rank}")
    size = c.shape("size")
    if size.rank not in (None, 1):
        raise ValueError(f"Shape must be rank 1 but is rank {size.rank}")
    if size.rank == 1 and size.as_list()[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {size.as_list()[0]}")
    dims = shape.as_list() if shape.rank is not None else [None] * 4
    return TensorShape([dims[0], *(c.partial("size") or [None, None]), dims[3]])


def original_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of the gradient of images: the batch and channels of `grads`, the sizes of the images."""
    shape, original = c.shape("grads"), c.shape("original_image")
    dims = shape.as_list() if shape.rank == 4 else [None] * 4
    sizes = original.as_list() if original.rank == 4 else [None] * 4
    return TensorShape([dims[0], sizes[1], sizes[2], dims[3]])


def validate_gradient(grads: Array, original: Sequence[int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns the original and the new sizes.

    Raises: InvalidArgumentError: if the gradient or the image is of another rank, or the gradient is empty.
    """
    if grads.ndim != 4:
        raise invalid(f"input_grad must be 4-dimensional{shape_brackets(grads.shape)}")
    if len(original) != 4:
        raise invalid(f"original_image must be 4-dimensional{shape_brackets(original)}")
    if not grads.shape[1] or not grads.shape[2]:
        raise invalid("resized dimensions must be positive")
    return (original[1], original[2]), (grads.shape[1], grads.shape[2])


def _resize(xp: Xp, images: Array, size: Array, taps: Callable[..., Resampling], *options: bool) -> Array:
    height, width = validate_size(images, size)
    return resample(xp, images, taps(images.shape[1], height, *options), taps(images.shape[2], width, *options))


def _gradient(xp: Xp, grads: Array, original_image: Array, taps: Callable[..., Resampling], *options: bool) -> Array:
    old, new = validate_gradient(grads, original_image.shape)
    rows, columns = (taps(n, m, *options).transposed for n, m in zip(old, new))
    dtype = np.float64 if original_image.dtype == np.float64 else np.float32
    return xp.astype(resample(xp, grads, rows, columns, dtype), original_image.dtype)


# --- bilinear --------------------------------------------------------------------------------------------------------


@op(
    "ResizeBilinear",
    "images: T, size: int32 -> resized_images: float32",
    T=LINEAR_TYPES,
    shape=resized_shape,
    constant_inputs=("size",),
    batching=folding("images"),
)
def resize_bilinear_op(
    xp: Xp, images: Array, size: Array, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Resizes images; a new pixel lies on the lines between its four neighbours."""
    _check_centers(align_corners, half_pixel_centers)
    return _resize(xp, images, size, weights.linear, align_corners, half_pixel_centers)


@resize_bilinear_op.gradient
@values_for(images=())
def resize_bilinear_gradient(
    dy: Tensor, images: Tensor, align_corners: bool, half_pixel_centers: bool
) -> tuple[Tensor | None, None]:
    if not images.dtype.is_floating:
        return None, None
    return (
        raw.ResizeBilinearGrad(
            grads=dy, original_image=images, align_corners=align_corners, half_pixel_centers=half_pixel_centers
        ),
        None,
    )


@op(
    "ResizeBilinearGrad",
    "grads: float32, original_image: T -> output: T",
    T=FLOAT,
    shape=original_shape,
    batching=folding("grads", "original_image"),
)
def resize_bilinear_grad_op(
    xp: Xp, grads: Array, original_image: Array, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Computes the gradient of ResizeBilinear: each old pixel gets its share of the new pixels' gradients."""
    _check_centers(align_corners, half_pixel_centers)
    return _gradient(xp, grads, original_image, weights.linear, align_corners, half_pixel_centers)


@resize_bilinear_grad_op.gradient
@values_for(grads=())
def resize_bilinear_second_gradient(
    dy: Tensor, grads: Tensor, align_corners: bool, half_pixel_centers: bool
) -> tuple[Tensor, None]:
    return (
        raw.ResizeBilinear(
            images=dy,
            size=raw.Shape(input=grads)[1:3],
            align_corners=align_corners,
            half_pixel_centers=half_pixel_centers,
        ),
        None,
    )


# --- nearest neighbour -----------------------------------------------------------------------------------------------


@op(
    "ResizeNearestNeighbor",
    "images: T, size: int32 -> resized_images: T",
    T=IMAGE_TYPES,
    shape=resized_shape,
    constant_inputs=("size",),
    batching=folding("images"),
    exact_on_rows=True,
)
def resize_nearest_neighbor_op(
    xp: Xp, images: Array, size: Array, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Resizes images; a new pixel is the nearest old one."""
    _check_centers(align_corners, half_pixel_centers)
    sizes = validate_size(images, size)
    rows, columns = (
        weights.nearest_indices(old, new, align_corners, half_pixel_centers)
        for old, new in zip(images.shape[1:3], sizes)
    )
    return xp.take(xp.take(images, xp.asarray(rows), axis=1), xp.asarray(columns), axis=2)


@resize_nearest_neighbor_op.gradient
@values_for(images=())
def resize_nearest_neighbor_gradient(
    dy: Tensor, images: Tensor, align_corners: bool, half_pixel_centers: bool
) -> tuple[Tensor, None]:
    return (
        raw.ResizeNearestNeighborGrad(
            grads=dy,
            size=raw.Shape(input=images)[1:3],
            align_corners=align_corners,
            half_pixel_centers=half_pixel_centers,
        ),
        None,
    )


@op(
    "ResizeNearestNeighborGrad",
    "grads: T, size: int32 -> output: T",
    T=TypeSet((d.uint8, d.int8, d.int32, d.float16, d.float32, d.float64, d.bfloat16)),
    shape=resized_shape,
    constant_inputs=("size",),
    batching=folding("grads"),
    no_gradient=_ONCE,
)
def resize_nearest_neighbor_grad_op(
    xp: Xp, grads: Array, size: Array, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Computes the gradient of ResizeNearestNeighbor: each old pixel gets the sum over the new pixels that it is."""
    _check_centers(align_corners, half_pixel_centers)
    height, width = _validate_gradient_size(grads, size)
    count, channels = grads.shape[0], grads.shape[3]
    rows, columns = (
        weights.nearest_indices(old, new, align_corners, half_pixel_centers)
        for old, new in zip((height, width), grads.shape[1:3])
    )
    sources = xp.asarray((rows[:, None] * width + columns).reshape(-1))
    total = xp.zeros((count, height * width, channels), grads.dtype)
    if count:
        total = xp.scatter(total, (slice(None), sources), xp.reshape(grads, (count, -1, channels)), "add")
    return xp.reshape(total, (count, height, width, channels))


def _validate_gradient_size(grads: Array, size: Array) -> tuple[int, int]:
    if grads.ndim != 4:
        raise invalid(f"input must be 4-dimensional{shape_brackets(grads.shape)}")
    if size.ndim != 1:
        raise invalid(f"shape_t must be 1-dimensional{shape_brackets(size.shape)}")
    if size.shape[0] != 2:
        raise invalid(f"shape_t must have two elements{shape_brackets(size.shape)}")
    height, width = (int(n) for n in size)
    if height <= 0 or width <= 0:
        raise invalid("shape_t's elements must be positive")
    return height, width


# --- bicubic, area ---------------------------------------------------------------------------------------------------


@op(
    "ResizeBicubic",
    "images: T, size: int32 -> resized_images: float32",
    T=IMAGE_TYPES,
    shape=resized_shape,
    constant_inputs=("size",),
    batching=folding("images"),
)
def resize_bicubic_op(
    xp: Xp, images: Array, size: Array, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Resizes images; a new pixel lies on cubic splines through its sixteen neighbours."""
    _check_centers(align_corners, half_pixel_centers)
    return _resize(xp, images, size, weights.cubic, align_corners, half_pixel_centers)


@resize_bicubic_op.gradient
@values_for(images=())
def resize_bicubic_gradient(
    dy: Tensor, images: Tensor, align_corners: bool, half_pixel_centers: bool
) -> tuple[Tensor | None, None]:
    if images.dtype not in (d.float32, d.float64):
        return None, None
    return (
        raw.ResizeBicubicGrad(
            grads=dy, original_image=images, align_corners=align_corners, half_pixel_centers=half_pixel_centers
        ),
        None,
    )


@op(
    "ResizeBicubicGrad",
    "grads: float32, original_image: T -> output: T",
    T=TypeSet((d.float32, d.float64)),
    shape=original_shape,
    batching=folding("grads", "original_image"),
    no_gradient=_ONCE,
)
def resize_bicubic_grad_op(
    xp: Xp, grads: Array, original_image: Array, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Array:
    """Computes the gradient of ResizeBicubic: each old pixel gets its share of the new pixels' gradients."""
    _check_centers(align_corners, half_pixel_centers)
    return _gradient(xp, grads, original_image, weights.cubic, align_corners, half_pixel_centers)


@op(
    "ResizeArea",
    "images: T, size: int32 -> resized_images: float32",
    T=IMAGE_TYPES,
    shape=resized_shape,
    constant_inputs=("size",),
    batching=folding("images"),
    no_gradient="TensorFlow declares none; ScaleAndTranslate with antialias has one",
)
def resize_area_op(xp: Xp, images: Array, size: Array, *, align_corners: bool = False) -> Array:
    """Resizes images; a new pixel is the mean of the area that it covers."""
    return _resize(xp, images, size, weights.area, align_corners)


# --- any scale, any kernel -------------------------------------------------------------------------------------------


def _two(x: Array) -> list[float]:
    if x.ndim != 1 or x.shape[0] != 2:
        raise invalid(f"t must have two elements{shape_brackets(x.shape)}")
    return [float(v) for v in x]


def _kernel_taps(
    old: Sequence[int], new: Sequence[int], scale: Array, translation: Array, kernel_type: str, antialias: bool
) -> list[Resampling]:
    scales, translations = _two(scale), _two(translation)
    if min(scales) <= 0:
        raise invalid("Scale must be greater than zero.")
    if kernel_type not in weights.KERNELS:
        raise invalid(f"Unrecognized kernel type: {kernel_type}")
    return [weights.by_kernel(n, m, s, t, kernel_type, antialias) for n, m, s, t in zip(old, new, scales, translations)]


@op(
    "ScaleAndTranslate",
    "images: T, size: int32, scale: float32, translation: float32 -> resized_images: float32",
    T=TypeSet((*_PIXELS, d.bfloat16, d.float16, d.float32, d.float64)),
    shape=resized_shape,
    constant_inputs=("size", "scale", "translation"),
    batching=folding("images"),
)
def scale_and_translate_op(
    xp: Xp,
    images: Array,
    size: Array,
    scale: Array,
    translation: Array,
    *,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Array:
    """Stretches and moves images into a frame of another size; a new pixel is a kernel's mean over old pixels."""
    sizes = validate_size(images, size, "output_shape_t")
    rows, columns = _kernel_taps(images.shape[1:3], sizes, scale, translation, kernel_type, antialias)
    return resample(xp, images, rows, columns)


@scale_and_translate_op.gradient
@values_for(images=())
def scale_and_translate_gradient(
    dy: Tensor, images: Tensor, scale: Tensor, translation: Tensor, kernel_type: str, antialias: bool
) -> tuple[Tensor | None, None, None, None]:
    if not images.dtype.is_floating:
        return None, None, None, None
    gradient = raw.ScaleAndTranslateGrad(
        grads=dy,
        original_image=raw.Cast(x=images, DstT="float32"),
        scale=scale,
        translation=translation,
        kernel_type=kernel_type,
        antialias=antialias,
    )
    return raw.Cast(x=gradient, DstT=images.dtype), None, None, None


@op(
    "ScaleAndTranslateGrad",
    "grads: T, original_image: T, scale: float32, translation: float32 -> output: T",
    T=TypeSet((d.float32,)),
    shape=original_shape,
    constant_inputs=("scale", "translation"),
    batching=folding("grads", "original_image"),
    no_gradient=_ONCE,
)
def scale_and_translate_grad_op(
    xp: Xp,
    grads: Array,
    original_image: Array,
    scale: Array,
    translation: Array,
    *,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Array:
    """Computes the gradient of ScaleAndTranslate by the images."""
    old, new = validate_gradient(grads, original_image.shape)
    rows, columns = _kernel_taps(old, new, scale, translation, kernel_type, antialias)
    return resample(xp, grads, rows.transposed, columns.transposed)
