"""What functions of images ask of shapes: one image or a batch, and sizes that are known or not while tracing.

Functions of images take one image `[height, width, channels]` or a batch of images. Functions that work on a batch make
one by `as_batch`; `like_before` undoes it. A size is a Python integer where it is known, else a scalar tensor: the
functions of sizes here take both, so that arithmetic on sizes needs no second text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.reshaping import expand_dims, squeeze


def as_batch(images: Tensor, words: str, unknown_is_single: bool = False) -> tuple[Tensor, bool]:
    """Returns images as a batch, and whether there was a batch before.

    Args:
      images: a Tensor.
      words: the refusal of another rank.
      unknown_is_single: whether images of unknown rank are taken for one image.

    Raises: ValueError: with `words`, if the rank is neither 3 nor 4.
    """
    rank = images.shape.rank
    if rank == 3 or (rank is None and unknown_is_single):
        return with_shape(expand_dims(images, 0), [None] * 4), False
    if rank == 4:
        return images, True
    raise ValueError(words)


def with_shape(tensor: Any, dims: Sequence[int | None]) -> Tensor:
    """Notes dimensions that are known of a tensor of a graph."""
    if not isinstance(tensor, EagerTensor):
        tensor.set_shape(dims)
    noted: Tensor = tensor
    return noted


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


def is_known(*sizes: object) -> bool:
    """Returns whether all sizes are Python integers."""
    return all(isinstance(n, (int, np.integer)) for n in sizes)


def known_sizes(sizes: Sequence[Any]) -> list[int | None]:
    """Returns sizes as dimensions of a static shape."""
    return [None if n is None else int(n) for n in (n if is_known(n) else _value_of(n) for n in sizes)]


def _value_of(size: object) -> Any:
    return static_value(size) if isinstance(size, Tensor) else None


def largest(a: Any, b: Any) -> Any:
    """Returns the larger of two sizes."""
    return max(a, b) if is_known(a, b) else raw.Maximum(x=_int32(a), y=_int32(b))


def smallest(a: Any, b: Any) -> Any:
    """Returns the smaller of two sizes."""
    return min(a, b) if is_known(a, b) else raw.Minimum(x=_int32(a), y=_int32(b))


def as_vector(sizes: Sequence[Any]) -> Any:
    """Returns sizes as a list of ints if all are known, else as an int32 vector."""
    return list(sizes) if is_known(*sizes) else raw.Pack(values=[_int32(n) for n in sizes], axis=0)


def _int32(size: Any) -> Any:
    return convert_to_tensor(size, dtype="int32")
