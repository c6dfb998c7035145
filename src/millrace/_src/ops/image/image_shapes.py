"""What image functions ask of shapes: one image or a batch, and sizes that are known or not while tracing.

Functions of images take one image `[height, width, channels]` or a batch of images. The functions work on a batch:
`as_batch` makes one, `like_before` undoes it. A size is a Python integer where it is known, else a scalar tensor, so
that arithmetic on sizes needs no second text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.reshaping import expand_dims, squeeze


def as_batch(images: Tensor, words: str) -> tuple[Tensor, bool]:
    """Returns images as a batch, and whether there was a batch before.

    Raises: ValueError: with `words`, if the rank is neither 3 nor 4.
    """
    rank = images.shape.rank
    if rank == 3:
        return expand_dims(images, 0), False
    if rank == 4:
        return images, True
    raise ValueError(words)


def like_before(images: Tensor, was_batch: bool) -> Tensor:
    """Takes a batch of one image apart again, if there was no batch before."""
    return images if was_batch else squeeze(images, axis=[0])


def sizes_of(images: Tensor) -> list[Any]:
    """Returns the dimensions of a tensor of known rank: ints, and scalar tensors where the dimension is not known."""
    static = images.shape.as_list()
    if None not in static:
        return static
    parts = raw.Unpack(value=raw.Shape(input=images), num=len(static), axis=0)
    return [part if n is None else n for n, part in zip(static, parts, strict=True)]


def number(value: Any) -> Any:
    """Returns a size as a Python integer if the size is known, else as a tensor."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    known = static_value(value) if isinstance(value, Tensor) else None
    if known is not None:
        return known.item()
    return convert_to_tensor(value)


def assert_that(condition: Any, words: str, refusal: type[Exception] = ValueError) -> None:
    """Refuses arguments: at once if the condition is known, else when the graph runs.

    Raises:
      ValueError: with `words`, if the condition is known to be false.
      InvalidArgumentError: when the graph runs, if the condition is false then.
    """
    if isinstance(condition, (bool, np.bool_)):
        if not condition:
            raise refusal(words)
        return
    raw.Assert(condition=condition, data=[words])


def assert_has_pixels(image: Tensor, least_rank: int = 3) -> None:
    """Refuses an image without height, width or channels.

    Raises: ValueError: if the rank is known and less than `least_rank`, or one of the inner three dimensions is 0.
    """
    dims = image.shape.as_list()[-3:]
    if 0 in dims:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    if None in dims:
        is_positive = raw.Less(x=0, y=raw.Shape(input=image)[-3:])
        are_positive = raw.All(input=is_positive, reduction_indices=[0])
        raw.Assert(condition=are_positive, data=["inner 3 dims of 'image.shape' must be > 0."])


def packed(sizes: Sequence[Any]) -> Any:
    """Returns sizes as a list of ints if all sizes are known, else as an int32 vector."""
    if all(isinstance(n, int) for n in sizes):
        return list(sizes)
    return raw.Pack(values=[convert_to_tensor(n, dtype="int32") for n in sizes], axis=0)
