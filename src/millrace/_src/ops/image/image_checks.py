"""Checks of images that many functions of `tf.image` share.

A shape that is known while tracing is refused at once, with ValueError. What is unknown is asserted when the graph
runs; the function then goes on with an image that is only available after the assertions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.debug.assertion import assert_in_context
from millrace._src.ops.grouping import with_dependencies

_INNER_DIMS = "inner 3 dims of 'image.shape' must be > 0"
_TOO_FLAT = "must be at least three-dimensional."


def image_or_batch(image: Tensor) -> Tensor:
    """Returns `image`, of which three inner dimensions are there and not empty.

    Raises:
      ValueError: if the static shape says that they are not.
      InvalidArgumentError: if the shape at run time says so.
    """
    shape = image.shape
    if shape.rank is not None and shape.rank < 3:
        raise ValueError(f"'image' (shape {shape}) {_TOO_FLAT}")
    if shape.rank is None or None in shape.as_list()[-3:]:
        return after(_inner_dims_assertions(image), image)
    if 0 in shape.as_list()[-3:]:
        raise ValueError(f"{_INNER_DIMS}: {shape}")
    return after([], image)


def _inner_dims_assertions(image: Tensor) -> list[Any]:
    inner_dims = shape_of(image)[-3:]
    positive = raw.All(input=inner_dims > 0, reduction_indices=[0])
    rank = raw.Rank(input=image)
    return [
        *assert_in_context(positive, [f"{_INNER_DIMS}."]),
        *assert_in_context(rank >= 3, rank_data(f"'image' {_TOO_FLAT}", rank, ">=", 3)),
    ]


def rank_data(message: str, x: Any, sign: str, y: int) -> list[Any]:
    """Returns what the assertion that compares `x` and `y` shows."""
    return [message, f"Condition x {sign} y did not hold element-wise:", f"x ({x.name}) = ", x, "y = ", np.int32(y)]


def grayscale(image: Tensor) -> Tensor:
    """Returns `image`, of which the last dimension is 1.

    Raises:
      ValueError: if the static shape has fewer than two dimensions, or the last is not 1.
      InvalidArgumentError: if the shape at run time says so.
    """
    shape = image.shape
    if shape.rank is not None and shape.rank < 2:
        raise ValueError(f"A grayscale image (shape {shape}) must be at least two-dimensional.")
    if not shape.is_fully_defined():
        return after(_grayscale_assertions(image), image)
    if shape[-1] != 1:
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    return after([], image)


def _grayscale_assertions(image: Tensor) -> list[Any]:
    depth, rank = shape_of(image)[-1], raw.Rank(input=image)
    depth_data = rank_data("Last dimension of a grayscale image should be size 1.", depth, "==", 1)
    rank_data_ = rank_data("A grayscale image must be at least two-dimensional.", rank, ">=", 2)
    return [
        *assert_in_context(raw.Equal(x=depth, y=1), depth_data),
        *assert_in_context(rank >= 2, rank_data_),
    ]


def assertions(*claims: tuple[Any, str]) -> list[Any]:
    """Refuses arguments: now if a claim is known to be false, else when the graph runs.

    Args:
      *claims: a truth value, or a scalar boolean Tensor, and the words of the refusal.

    Returns: The assertions of a graph, for `after`.
    Raises:
      ValueError: with the words of a claim that is known to be false.
      InvalidArgumentError: if a Tensor is false, in eager mode or when the graph runs.
    """
    made: list[Any] = []
    for claim, words in claims:
        if isinstance(claim, Tensor):
            made += assert_in_context(claim, [words])
        elif not claim:
            raise ValueError(words)
    return made


def after(assertions: list[Any], tensor: Tensor) -> Any:
    """Returns `tensor`, available only after the assertions of a graph."""
    return with_dependencies(assertions, tensor)
