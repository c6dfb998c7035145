"""Random crops of a picture that show enough of its objects: `tf.image.sample_distorted_bounding_box`.

Problem: a crop for training should vary in size, shape and position, and still show an object. Idea: draw a crop with
an aspect ratio and an area in given ranges; keep it if it covers enough of one object's box, else draw again.

One attempt reads a few 32-bit words of a Philox stream, as TensorFlow's reads them: the aspect ratio, the height, the
row, the column. The arithmetic is float32, so that sizes are rounded as in TensorFlow.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.random.philox import Stream, blocks

_FLOAT = np.float32
_BLOCKS_AT_ONCE = 8
_MAX_SIZE = 2**31 - 1


class Box(NamedTuple):
    """A rectangle of pixels."""

    row: int
    column: int
    height: int
    width: int


class Limits(NamedTuple):
    """What a crop must fulfil: the attributes of the op."""

    min_object_covered: float
    aspect_ratio_range: Sequence[float]
    area_range: Sequence[float]
    max_attempts: int

    def check(self) -> None:
        """Raises InvalidArgumentError for ranges that no crop has."""
        for name, range_ in (("Aspect ratio range", self.aspect_ratio_range), ("Area range", self.area_range)):
            if len(range_) != 2:
                raise invalid(f"{name} field must specify 2 dimensions")
            if min(range_) <= 0:
                raise invalid(f"{name} must be non-negative: {_range_text(range_)}")
        if max(self.area_range) > 1:
            raise invalid(f"Area range must be less then or equal to 1.0: {_range_text(self.area_range)}")
        if self.max_attempts <= 0:
            raise invalid(f"Max attempts must be non-negative: {self.max_attempts}")
        if self.min_object_covered < 0:
            raise invalid(f"Min object covered must be non-negative: {self.min_object_covered:g}")


def _range_text(range_: Sequence[float]) -> str:
    return f"[{', '.join(f'{value:g}' for value in range_)}]"


class _Draws:
    """Numbers from the words of a stream."""

    def __init__(self, xp: Xp, stream: Stream) -> None:
        self._words = self._read(xp, stream)

    @staticmethod
    def _read(xp: Xp, stream: Stream) -> Iterator[int]:
        for start in itertools.count(0, _BLOCKS_AT_ONCE):
            yield from blocks(xp, stream.skip(xp, start), _BLOCKS_AT_ONCE).reshape(-1).tolist()

    def fraction(self) -> Any:
        """Draws a float32 in [0, 1)."""
        return _FLOAT((next(self._words) & 0x7FFFFF) * 2.0**-23)

    def below(self, limit: int) -> int:
        """Draws an integer in [0, limit), each with the same probability: the first few words are passed over."""
        surplus = 2**32 % limit
        word = next(word for word in self._words if word >= surplus)
        return word % limit


def sample_box(xp: Xp, stream: Stream, image: Box, objects: Sequence[Array], limits: Limits) -> Box:
    """Draws crops until one covers enough of an object.

    Args:
      xp: the array namespace.
      stream: where the numbers come from; an attempt reads at most four words, but for words passed over.
      image: the whole picture.
      objects: the objects' boxes, four float32 numbers each (top, left, bottom, right) as parts of the picture.
      limits: what the crop must fulfil.

    Returns: The crop; the whole picture if no attempt succeeds.
    """
    draws = _Draws(xp, stream)
    narrowest, widest = (_FLOAT(ratio) for ratio in limits.aspect_ratio_range)
    for _ in range(limits.max_attempts):
        ratio = draws.fraction() * (widest - narrowest) + narrowest
        crop = _draw_crop(draws, image, ratio, limits.area_range)
        if crop is not None and any(_covers(crop, part, image, limits.min_object_covered) for part in objects):
            return crop
    return image


def _draw_crop(draws: _Draws, image: Box, ratio: Any, area_range: Sequence[float]) -> Box | None:
    """Draws a crop with a given ratio of width to height; None if none fits, by the heights that were drawn."""
    smallest, largest = (_FLOAT(part) * _FLOAT(image.width) * _FLOAT(image.height) for part in area_range)
    if smallest > largest or ratio <= 0 or not image.width or not image.height:
        return None
    most = _greatest_height(image, ratio, largest)
    least = min(_round(np.sqrt(smallest / ratio)), most)
    height = least + draws.below(most - least + 1) if least < most else least
    if _width(height, ratio) * height < smallest:
        height += 1
    if _width(height, ratio) * height > largest:
        height -= 1
    width = _width(height, ratio)
    fits = 0 < width <= image.width and 0 < height <= image.height
    if not fits or not smallest <= width * height <= largest:
        return None
    row = draws.below(image.height - height) if height < image.height else 0
    column = draws.below(image.width - width) if width < image.width else 0
    return Box(row, column, height, width)


def _greatest_height(image: Box, ratio: Any, largest: Any) -> int:
    height = _round(np.sqrt(largest / ratio))
    if _width(height, ratio) > image.width:
        height = int(_FLOAT(image.width + 0.5 - 1e-7) / ratio)  # the greatest whose width rounds to the picture's
        if _width(height, ratio) > image.width:
            height -= 1
    return min(height, image.height)


def _round(value: Any) -> int:
    return int(np.rint(value))


def _width(height: int, ratio: Any) -> int:
    return _round(_FLOAT(height) * ratio)


def _covers(crop: Box, part: Array, image: Box, least: float) -> bool:
    """Returns whether a crop covers at least the share `least` of an object's box."""
    sizes = np.array([image.height, image.width] * 2, np.float32)
    top, left, bottom, right = (part * sizes).astype(np.int64).tolist()
    area = (bottom - top) * (right - left)
    rows = min(crop.row + crop.height, bottom) - max(crop.row, top)
    columns = min(crop.column + crop.width, right) - max(crop.column, left)
    if area <= 0:
        return False
    covered = rows * columns if rows > 0 and columns > 0 else 0
    return bool(_FLOAT(covered) / _FLOAT(area) >= _FLOAT(least))


def read_image(image_size: Array) -> Box:
    """Reads the size of a picture; raises InvalidArgumentError unless the size is three numbers."""
    if image_size.ndim != 1:
        raise invalid(f"image_size must be 1-dimensional{dims_text(image_size.shape)}")
    if image_size.shape[0] != 3:
        raise invalid(f"image_size must contain 3 elements{dims_text(image_size.shape)}")
    height, width = (int(size) for size in image_size[:2])
    for name, size in (("height", height), ("width", width)):
        if not 0 <= size < _MAX_SIZE:
            raise invalid(f"image {name} cannot be >= int32 max")
    return Box(0, 0, height, width)


def read_objects(bounding_boxes: Array, *, use_image_if_no_bounding_boxes: bool) -> Array:
    """Reads the objects' boxes of a picture, as rows; raises InvalidArgumentError for what is not a box."""
    if bounding_boxes.ndim != 3:
        raise invalid(
            f"input boxes must be 3-dimensional [batch, num_boxes, coords]: {dims_text(bounding_boxes.shape)}"
        )
    if bounding_boxes.shape[-1] != 4:
        raise invalid(f"bounding boxes must have shape [4] or [*, 4], got {dims_text(bounding_boxes.shape)}")
    rows = bounding_boxes.reshape(-1, 4)
    if not len(rows):
        if not use_image_if_no_bounding_boxes:
            raise invalid(
                "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to "
                "not provide any bounding boxes."
            )
        return np.array([[0, 0, 1, 1]], np.float32)
    for value in rows.reshape(-1).tolist():
        if not 0 <= value <= 1:
            raise invalid(f"All bounding box coordinates must be in [0.0, 1.0]: {value:g}")
    return rows
