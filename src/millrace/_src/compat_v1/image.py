"""Functions of `tf.compat.v1.image`: resizing by numbered methods, and older names and orders of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.image.crop_and_resize import crop_and_resize
from millrace._src.ops.image.cropping import resize_with_pad_by
from millrace._src.ops.image.distorted_box_ops import box_attributes, box_inputs
from millrace._src.ops.image.drawing import draw_bounding_boxes
from millrace._src.ops.image.glimpses import extract_glimpse_op
from millrace._src.ops.image.resizing import ResizeMethod, resize_by
from millrace._src.ops.image.resizing_ops import (
    resize_area_op,
    resize_bicubic_op,
    resize_bilinear_op,
    resize_nearest_neighbor_op,
)
from millrace._src.util.export import export


@export(v1=["image.ResizeMethod"])
class ResizeMethodV1:
    """Numbers the methods of resizing images, for TensorFlow 1's `tf.compat.v1.image.resize`.

    >>> tf.compat.v1.image.ResizeMethod.AREA
    3
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS_V1 = {
    0: resize_bilinear_op,
    1: resize_nearest_neighbor_op,
    2: resize_bicubic_op,
    3: resize_area_op,
    ResizeMethod.BILINEAR: resize_bilinear_op,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor_op,
    ResizeMethod.BICUBIC: resize_bicubic_op,
    ResizeMethod.AREA: resize_area_op,
}


@export(v1=["image.crop_and_resize"])
def crop_and_resize_v1(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Cuts boxes out of a batch of images, with TensorFlow 1's arguments.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.compat.v1.image.crop_and_resize(image, [[0.0, 0.5, 1.0, 1.0]], [0], [2, 2]).numpy().ravel()
    array([1., 2., 7., 8.], dtype=float32)

    Args: as of `tf.image.crop_and_resize`; `box_ind` is the older name of `box_indices`.
    Returns: as `tf.image.crop_and_resize`.
    Raises: as `tf.image.crop_and_resize`.
    """
    numbers = box_ind if box_indices is None else box_indices
    return crop_and_resize(image, boxes, numbers, crop_size, method, float(extrapolation_value), name)


@export(v1=["image.resize_image_with_pad"])
def resize_image_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: object = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Resizes images as TensorFlow 1 does without changing the proportions, and adds borders of zeros.

    >>> tf.compat.v1.image.resize_image_with_pad(tf.ones([2, 4, 1]), 4, 4).numpy()[:, 0, 0]
    array([0., 1., 1., 0.], dtype=float32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.
      target_height: the new height: an int or a scalar int32 Tensor.
      target_width: the new width.
      method: how to resize; see `tf.compat.v1.image.resize`.
      align_corners: whether the middles of the corner pixels are aligned.

    Returns: A Tensor of the same rank, of the dtype that `tf.compat.v1.image.resize` gives.
    Raises: as `tf.image.resize_with_pad`.
    """
    return resize_with_pad_by(
        image, target_height, target_width, lambda batch, size: resize_v1(batch, size, method, align_corners)
    )


@export(v1=["image.sample_distorted_bounding_box"])
def sample_distorted_bounding_box_v1(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of a picture that covers enough of one of its objects, with TensorFlow 1's two seeds.

    >>> box = tf.compat.v1.image.sample_distorted_bounding_box([9, 9, 3], [[[0.0, 0.0, 1.0, 1.0]]], seed=1)
    >>> box[2].shape
    TensorShape([1, 1, 4])

    Args:
      image_size: Height, width and channels: three integers.
      bounding_boxes: A float32 `Tensor` (batch, boxes, 4) of the objects' boxes.
      seed: The first seed of the op; None means 0.
      seed2: The second seed of the op. Both 0 mean numbers that cannot be predicted.
      min_object_covered: The share of an object that the crop must cover.
      aspect_ratio_range: The least and the greatest ratio of width to height.
      area_range: The least and the greatest area, as a part of the picture's.
      max_attempts: How many crops to draw.
      use_image_if_no_bounding_boxes: Whether the picture counts as an object if there is none.
      name: A name for the operation (optional).

    Returns: The three Tensors of `tf.image.sample_distorted_bounding_box`.
    Raises: InvalidArgumentError: if boxes, ranges or sizes make no sense.
    """
    attributes = box_attributes(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    inputs = box_inputs(image_size, bounding_boxes, min_object_covered)
    with name_scope(name, "sample_distorted_bounding_box"):
        return raw.SampleDistortedBoundingBoxV2(**inputs, seed=seed or 0, seed2=seed2 or 0, **attributes)


draw_bounding_boxes_v1 = export(v1=["image.draw_bounding_boxes"])(
    v1_wrapper(
        "image.draw_bounding_boxes",
        draw_bounding_boxes,
        "images, boxes, name=None, colors=None",
        """
    >>> tf.compat.v1.image.draw_bounding_boxes(tf.zeros([1, 2, 2, 1]), [[[0.0, 0.0, 1.0, 1.0]]]).numpy().sum()
    np.float32(4.0)
    """,
    )
)


@export(v1=["image.extract_glimpse"])
def extract_glimpse_v1(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """Cuts a window around an offset of each image of a batch, as TensorFlow 1 does.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.compat.v1.image.extract_glimpse(image, [1, 1], [[0, 0]]).numpy().ravel()
    array([4.], dtype=float32)

    Args: as of `tf.image.extract_glimpse`; the noise is uniform.
    Returns: as `tf.image.extract_glimpse`.
    Raises: as `tf.image.extract_glimpse`.
    """
    return extract_glimpse_op(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        name=name,
    )


@export(v1=["image.resize", "image.resize_images"])
def resize_v1(
    images: TensorLike,
    size: TensorLike,
    method: object = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images as TensorFlow 1 does: the corners of pixels are what is aligned.

    >>> tf.compat.v1.image.resize([[[0.0], [8.0]]], [1, 4]).numpy().ravel()
    array([0., 4., 8., 8.], dtype=float32)

    Args:
      images: a Tensor `[height, width, channels]` or `[batch, height, width, channels]` of real numbers.
      size: the new height and width, two int32.
      method: a member of `tf.compat.v1.image.ResizeMethod`, or "bilinear", "nearest", "bicubic" or "area".
      align_corners: whether the middles of the corner pixels are aligned instead.
      preserve_aspect_ratio: whether `size` is the largest size, and the proportions stay.
      name: name of the operations in a graph.

    Returns: A Tensor of the same rank, float32; images that have the size already, and those of "nearest", keep their
      dtype.
    Raises: ValueError: if `images` or `size` have another shape, or there is no such method.
    """

    def resize_batch(batch: Tensor, target: Any) -> Tensor:
        if method not in _METHODS_V1:
            raise ValueError(f"Resize method is not implemented: {method}")
        resized_batch: Tensor = _METHODS_V1[method](batch, target, align_corners=align_corners)
        return resized_batch

    return resize_by(images, size, resize_batch, preserve_aspect_ratio, name, keeps_equal=True)


@export(v1=["image.resize_bilinear"])
def resize_bilinear(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes a batch of images by lines between neighbours.

    >>> tf.compat.v1.image.resize_bilinear([[[[0.0], [8.0]]]], [1, 3], align_corners=True).numpy().ravel()
    array([0., 4., 8.], dtype=float32)

    Args:
      images: a Tensor `[batch, height, width, channels]` of real numbers.
      size: the new height and width, two int32.
      align_corners: whether the middles of the corner pixels are aligned.
      name: name of the operation in a graph.
      half_pixel_centers: whether the middles of all pixels are aligned.

    Returns: A float32 Tensor.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    return resize_bilinear_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


@export(v1=["image.resize_nearest_neighbor"])
def resize_nearest_neighbor(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes a batch of images; each new pixel is the nearest old one.

    >>> tf.compat.v1.image.resize_nearest_neighbor([[[[1], [2]]]], [1, 4]).numpy().ravel()
    array([1, 1, 2, 2], dtype=int32)

    Args:
      images: a Tensor `[batch, height, width, channels]` of real numbers.
      size: the new height and width, two int32.
      align_corners: whether the middles of the corner pixels are aligned.
      name: name of the operation in a graph.
      half_pixel_centers: whether the middles of all pixels are aligned.

    Returns: A Tensor of the dtype of `images`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    return resize_nearest_neighbor_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


@export(v1=["image.resize_bicubic"])
def resize_bicubic(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes a batch of images by cubic splines.

    >>> tf.compat.v1.image.resize_bicubic(tf.ones([1, 2, 2, 1]), [1, 3]).numpy().ravel().round(3)
    array([1., 1., 1.], dtype=float32)

    Args:
      images: a Tensor `[batch, height, width, channels]` of real numbers.
      size: the new height and width, two int32.
      align_corners: whether the middles of the corner pixels are aligned.
      name: name of the operation in a graph.
      half_pixel_centers: whether the middles of all pixels are aligned.

    Returns: A float32 Tensor.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    return resize_bicubic_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


@export(v1=["image.resize_area"])
def resize_area(images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None) -> Tensor:
    """Resizes a batch of images; each new pixel is the mean of the area that it covers.

    >>> tf.compat.v1.image.resize_area([[[[0.0], [8.0]]]], [1, 1]).numpy().ravel()
    array([4.], dtype=float32)

    Args:
      images: a Tensor `[batch, height, width, channels]` of real numbers.
      size: the new height and width, two int32.
      align_corners: whether the middles of the corner pixels are aligned.
      name: name of the operation in a graph.

    Returns: A float32 Tensor.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    return resize_area_op(images, size, align_corners=align_corners, name=name)
