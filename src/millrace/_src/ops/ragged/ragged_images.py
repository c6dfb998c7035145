"""The overload of `tf.image.resize` for images of different sizes: a ragged batch becomes a dense one.

The images have nothing in common but the size that they get, so each is resized on its own (`map_fn`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.dtypes import float32
from millrace._src.core.overloads import overload
from millrace._src.core.specs import TensorSpec
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.control_flow import map_fn
from millrace._src.ops.image.resizing import ResizeMethod, resize
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor


@overload("image.resize", RaggedTensor)
def ragged_resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Resizes images of different sizes to one size."""

    def resized(image: Any) -> Any:
        return resize(image, size, method, preserve_aspect_ratio, antialias, name)

    is_kept = method == ResizeMethod.NEAREST_NEIGHBOR
    return resize_each(resized, images, images.dtype if is_kept else float32)


def resize_each(resized: Callable[[Any], Any], images: RaggedTensor, dtype: Any) -> Any:
    """Applies a function to each image of a batch.

    Raises: ValueError: if `images` is not a batch of images.
    """
    if images.shape.rank != 4:
        raise ValueError("tf.image.resize: images.shape.rank must be 4 if images is ragged.")

    def resize_image(number: Any) -> Any:
        image = images[number]
        return resized(image.to_tensor() if isinstance(image, RaggedTensor) else image)

    numbers = range_(images.nrows(), dtype=images.row_splits.dtype)
    return map_fn(resize_image, numbers, fn_output_signature=TensorSpec(None, dtype))
