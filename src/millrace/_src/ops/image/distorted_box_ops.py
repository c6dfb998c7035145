"""`tf.image.sample_distorted_bounding_box`, from a hidden stream or as a function of a seed, and its ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import int8, int16, int32, int64, uint8
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, require_scalar, with_rank
from millrace._src.ops.image.distorted_boxes import Limits, read_image, read_objects, sample_box
from millrace._src.ops.random.algorithms import check_seed_shape, validate_seed_stream
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.seeds import KernelStream, op_seeds
from millrace._src.ops.random.stateful_ops import draws_from
from millrace._src.ops.type_sets import INDEX, TypeSet
from millrace._src.util.export import export

_OUTPUTS = "begin: T, size: T, bboxes: float32"
_RATIOS, _AREAS = (0.75, 1.33), (0.05, 1.0)


def _shapes(c: ShapeContext) -> Sequence[TensorShape]:
    for name, rank, last in (("image_size", 1, 3), ("bounding_boxes", 3, 4)):
        dim = with_rank(c.shape(name), rank)[-1]
        if dim not in (last, None):
            raise ValueError(f"Dimension must be {last} but is {dim}")
    return TensorShape([3]), TensorShape([3]), TensorShape([1, 1, 4])


def _shapes_of_v2(c: ShapeContext) -> Sequence[TensorShape]:
    require_scalar(c.shape("min_object_covered"))
    return _shapes(c)


def _shapes_by_seed(c: ShapeContext) -> Sequence[TensorShape]:
    check_seed_shape(c.shape("seed"))
    return _shapes_of_v2(c)


_FACTS: dict[str, Any] = {
    "T": TypeSet((uint8, int8, int16, int32, int64)),
    "host_only": True,
    "not_differentiable": "boxes are integers",
    "not_batched": "a box is drawn for one picture",
}


def _sample(
    xp: Xp, stream: Stream, image_size: Array, bounding_boxes: Array, limits: Limits, use_image: bool
) -> tuple[Array, Array, Array]:
    image = read_image(image_size)
    objects = read_objects(bounding_boxes, use_image_if_no_bounding_boxes=use_image)
    row, column, height, width = sample_box(xp, stream, image, objects, limits)
    corners = np.array([row, column, row + height, column + width], np.float32)
    with np.errstate(all="ignore"):
        box = corners / np.array([image.height, image.width] * 2, np.float32)
    begin, size = np.array([row, column, 0]), np.array([height, width, -1])
    return begin.astype(image_size.dtype), size.astype(image_size.dtype), box.reshape(1, 1, 4)


def _validate_covered(min_object_covered: Array) -> float:
    if min_object_covered.ndim:
        raise invalid(f"min_object_covered must be 0-D, got shape {dims_text(min_object_covered.shape)}")
    return float(min_object_covered)


# --- from a stream ---------------------------------------------------------------------------------------------------


def _draw(
    xp: Xp,
    take: Any,
    image_size: Array,
    bounding_boxes: Array,
    *,
    min_object_covered: float,
    aspect_ratio_range: Sequence[float],
    area_range: Sequence[float],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> tuple[Array, Array, Array]:
    limits = Limits(min_object_covered, aspect_ratio_range, area_range, max_attempts)
    limits.check()
    return _sample(xp, take(max_attempts), image_size, bounding_boxes, limits, use_image_if_no_bounding_boxes)


@op(
    "SampleDistortedBoundingBox",
    f"image_size: T, bounding_boxes: float32 -> {_OUTPUTS}",
    shape=_shapes,
    effects=Effects.RANDOM,
    **_FACTS,
)
def sample_distorted_bounding_box_op(
    xp: Xp,
    image_size: Array,
    bounding_boxes: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Sequence[float] = _RATIOS,
    area_range: Sequence[float] = _AREAS,
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple[Array, Array, Array]:
    """Draws a crop that covers enough of an object; the older form of `SampleDistortedBoundingBoxV2`."""
    return _draw(
        xp,
        KernelStream(seed, seed2).take,
        image_size,
        bounding_boxes,
        min_object_covered=min_object_covered,
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )


def _draw_v2(
    xp: Xp,
    take: Any,
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: Array,
    *,
    aspect_ratio_range: Sequence[float],
    area_range: Sequence[float],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> tuple[Array, Array, Array]:
    return _draw(
        xp,
        take,
        image_size,
        bounding_boxes,
        min_object_covered=_validate_covered(min_object_covered),
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )


@op(
    "SampleDistortedBoundingBoxV2",
    f"image_size: T, bounding_boxes: float32, min_object_covered: float32 -> {_OUTPUTS}",
    shape=_shapes_of_v2,
    effects=Effects.RANDOM,
    **_FACTS,
)
def sample_distorted_bounding_box_v2_op(
    xp: Xp,
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
    aspect_ratio_range: Sequence[float] = _RATIOS,
    area_range: Sequence[float] = _AREAS,
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple[Array, Array, Array]:
    """Draws a crop that covers enough of an object."""
    return _draw_v2(
        xp,
        KernelStream(seed, seed2).take,
        image_size,
        bounding_boxes,
        min_object_covered,
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )


draws_from(sample_distorted_bounding_box_op, _draw)
draws_from(sample_distorted_bounding_box_v2_op, _draw_v2)

# --- from a seed -----------------------------------------------------------------------------------------------------


@op(
    "StatelessSampleDistortedBoundingBox",
    f"image_size: T, bounding_boxes: float32, min_object_covered: float32, seed: Tseed -> {_OUTPUTS}",
    Tseed=INDEX,
    shape=_shapes_by_seed,
    **_FACTS,
)
def stateless_sample_distorted_bounding_box_op(
    xp: Xp,
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: Array,
    seed: Array,
    *,
    aspect_ratio_range: Sequence[float] = _RATIOS,
    area_range: Sequence[float] = _AREAS,
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple[Array, Array, Array]:
    """Draws a crop that covers enough of an object, as a function of `seed`."""
    limits = Limits(_validate_covered(min_object_covered), aspect_ratio_range, area_range, max_attempts)
    limits.check()
    stream = validate_seed_stream(xp, seed)
    return _sample(xp, stream, image_size, bounding_boxes, limits, use_image_if_no_bounding_boxes)


# --- public functions ------------------------------------------------------------------------------------------------


def box_attributes(
    aspect_ratio_range: object, area_range: object, max_attempts: object, use_image_if_no_bounding_boxes: object
) -> dict[str, Any]:
    """Returns the attributes of the op; None means the default."""
    given = {
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    return {name: value for name, value in given.items() if value is not None}


def box_inputs(image_size: object, bounding_boxes: object, min_object_covered: object) -> dict[str, Any]:
    return {"image_size": image_size, "bounding_boxes": bounding_boxes, "min_object_covered": min_object_covered}


@export("image.sample_distorted_bounding_box", v1=[])
def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of a picture that covers enough of one of its objects.

    >>> begin, size, _ = tf.image.sample_distorted_bounding_box([9, 9, 3], [[[0.0, 0.0, 1.0, 1.0]]])
    >>> tf.slice(tf.zeros([9, 9, 3]), begin, size).shape.rank
    3

    Args:
      image_size: Height, width and channels: three integers (uint8, int8, int16, int32 or int64).
      bounding_boxes: A float32 `Tensor` (batch, boxes, 4) of the objects' boxes: top, left, bottom and right, as parts
        of the picture in [0, 1].
      seed: The op's own seed; see `tf.random.set_seed`. 0 means numbers that cannot be predicted.
      min_object_covered: The share of an object that the crop must cover.
      aspect_ratio_range: The least and the greatest ratio of width to height; by default 0.75 and 1.33.
      area_range: The least and the greatest area, as a part of the picture's; by default 0.05 and 1.
      max_attempts: How many crops to draw; after so many failures the whole picture is returned. By default 100.
      use_image_if_no_bounding_boxes: Whether the picture counts as an object if there is none.
      name: A name for the operation (optional).

    Returns: A named tuple of three Tensors, for `tf.slice` and `tf.image.draw_bounding_boxes`: `begin`
      `[row, column, 0]`, `size` `[height, width, -1]`, and the crop as a box of shape [1, 1, 4].
    Raises: InvalidArgumentError: if boxes, ranges or sizes make no sense.
    """
    seeds = op_seeds(seed) if seed else {}
    attributes = box_attributes(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    inputs = box_inputs(image_size, bounding_boxes, min_object_covered)
    with name_scope(name, "sample_distorted_bounding_box"):
        return raw.SampleDistortedBoundingBoxV2(**inputs, **seeds, **attributes)


@export("image.stateless_sample_distorted_bounding_box", v1=[])
def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of a picture that covers enough of one of its objects, as a function of `seed`.

    >>> boxes = [[[0.0, 0.0, 1.0, 1.0]]]
    >>> begin, size, _ = tf.image.stateless_sample_distorted_bounding_box([10, 10, 3], boxes, seed=[1, 2])
    >>> begin.numpy(), size.numpy()
    (array([5, 3, 0], dtype=int32), array([ 3,  4, -1], dtype=int32))

    Args:
      image_size: Height, width and channels: three integers (uint8, int8, int16, int32 or int64).
      bounding_boxes: A float32 `Tensor` (batch, boxes, 4) of the objects' boxes: top, left, bottom and right, as parts
        of the picture in [0, 1].
      seed: Two integers, int32 or int64.
      min_object_covered: The share of an object that the crop must cover.
      aspect_ratio_range: The least and the greatest ratio of width to height; by default 0.75 and 1.33.
      area_range: The least and the greatest area, as a part of the picture's; by default 0.05 and 1.
      max_attempts: How many crops to draw; after so many failures the whole picture is returned. By default 100.
      use_image_if_no_bounding_boxes: Whether the picture counts as an object if there is none.
      name: A name for the operation (optional).

    Returns: The three Tensors of `tf.image.sample_distorted_bounding_box`.
    Raises: InvalidArgumentError: if boxes, ranges or sizes make no sense.
    """
    attributes = box_attributes(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    inputs = box_inputs(image_size, bounding_boxes, min_object_covered)
    with name_scope(name, "stateless_sample_distorted_bounding_box"):
        return raw.StatelessSampleDistortedBoundingBox(**inputs, seed=seed, **attributes)
