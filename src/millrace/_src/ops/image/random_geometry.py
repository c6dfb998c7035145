"""Random crops and flips, from a hidden stream or as a function of a seed.

A flip is chosen for each picture of a batch. Both the picture and its mirror image are computed, and a mask chooses, so
that a flip needs no branch and a batch no loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.debug.assertion import assert_in_context
from millrace._src.ops.image.image_checks import after, image_or_batch
from millrace._src.ops.random.stateful import uniform
from millrace._src.ops.random.stateless import stateless_uniform
from millrace._src.util.export import export

_VERTICAL, _HORIZONTAL = -3, -2
"""The axes along which a picture is mirrored: rows, columns."""

# --- crops -----------------------------------------------------------------------------------------------------------


@export("image.random_crop", v1=["image.random_crop", "random_crop"])
def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """Cuts a piece of shape `size` out of a tensor, at a random position.

    >>> tf.image.random_crop(tf.zeros([5, 5, 3]), [2, 4, 3]).shape
    TensorShape([2, 4, 3])

    Args:
      value: A `Tensor` of any rank.
      size: The shape of the piece: a vector of integers, one for each dimension of `value`.
      seed: The op's own seed; see `tf.random.set_seed`.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `value` and shape `size`.
    Raises: InvalidArgumentError: if the piece is larger than `value`.
    """

    def draw(shape: Any, limit: Any) -> Any:
        return uniform(shape, 0, limit, dtype=int32, seed=seed)

    return _crop(value, size, draw, name)


@export("image.stateless_random_crop", v1=[])
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """Cuts a piece of shape `size` out of a tensor, at a position that is a function of `seed`.

    >>> tf.image.stateless_random_crop([[1, 2, 3], [4, 5, 6]], [2, 1], seed=[1, 2]).numpy()
    array([[3],
           [6]], dtype=int32)

    Args:
      value: A `Tensor` of any rank.
      size: The shape of the piece: a vector of integers, one for each dimension of `value`.
      seed: Two integers, int32 or int64.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `value` and shape `size`.
    Raises: InvalidArgumentError: if the piece is larger than `value`.
    """

    def draw(shape: Any, limit: Any) -> Any:
        return stateless_uniform(shape, seed, 0, limit, dtype=int32)

    return _crop(value, size, draw, name)


def _crop(value: Any, size: Any, draw: Callable[..., Any], name: str | None) -> Any:
    with name_scope(name, "random_crop") as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=int32, name="size")
        shape = shape_of(value)
        fits = raw.All(input=shape >= size, reduction_indices=[0])
        shape = after(assert_in_context(fits, ["Need value.shape >= size, got ", shape, size], 1000), shape)
        offset = draw(shape_of(shape), int32.max) % (shape - size + 1)
        return raw.Slice(input=value, begin=offset, size=size, name=scope)


# --- flips -----------------------------------------------------------------------------------------------------------


@export("image.random_flip_left_right")
def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """Mirrors each picture, with even odds, so that left is right.

    >>> tf.image.random_flip_left_right(tf.zeros([2, 2, 3])).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` (height, width, channels) or (batch, height, width, channels).
      seed: The op's own seed; see `tf.random.set_seed`.

    Returns: A `Tensor` of the same shape and dtype.
    Raises: ValueError: if `image` has not three or four dimensions, or is empty.
    """
    with name_scope(None, "random_flip_left_right"):
        return _flip(image, _HORIZONTAL, lambda shape: uniform(shape, 0, 1.0, seed=seed))


@export("image.random_flip_up_down")
def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """Mirrors each picture, with even odds, so that up is down.

    >>> tf.image.random_flip_up_down(tf.zeros([2, 2, 3])).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` (height, width, channels) or (batch, height, width, channels).
      seed: The op's own seed; see `tf.random.set_seed`.

    Returns: A `Tensor` of the same shape and dtype.
    Raises: ValueError: if `image` has not three or four dimensions, or is empty.
    """
    with name_scope(None, "random_flip_up_down"):
        return _flip(image, _VERTICAL, lambda shape: uniform(shape, 0, 1.0, seed=seed))


@export("image.stateless_random_flip_left_right", v1=[])
def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Mirrors each picture so that left is right, or does not, as a function of `seed`.

    >>> tf.image.stateless_random_flip_left_right([[[1], [2]]], seed=[4, 2]).numpy().ravel()
    array([2, 1], dtype=int32)

    Args:
      image: A `Tensor` (height, width, channels) or (batch, height, width, channels).
      seed: Two integers, int32 or int64.

    Returns: A `Tensor` of the same shape and dtype.
    Raises: ValueError: if `image` has not three or four dimensions, or is empty.
    """
    with name_scope(None, "stateless_random_flip_left_right"):
        return _flip(image, _HORIZONTAL, lambda shape: stateless_uniform(shape, seed))


@export("image.stateless_random_flip_up_down", v1=[])
def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Mirrors each picture so that up is down, or does not, as a function of `seed`.

    >>> tf.image.stateless_random_flip_up_down([[[1]], [[2]]], seed=[4, 2]).numpy().ravel()
    array([2, 1], dtype=int32)

    Args:
      image: A `Tensor` (height, width, channels) or (batch, height, width, channels).
      seed: Two integers, int32 or int64.

    Returns: A `Tensor` of the same shape and dtype.
    Raises: ValueError: if `image` has not three or four dimensions, or is empty.
    """
    with name_scope(None, "stateless_random_flip_up_down"):
        return _flip(image, _VERTICAL, lambda shape: stateless_uniform(shape, seed))


def _flip(image: Any, axis: int, draw: Callable[[Any], Any]) -> Any:
    image = image_or_batch(convert_to_tensor(image, name="image"))
    rank = image.shape.rank
    if rank is not None and rank > 4:
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    mirror_image = raw.ReverseV2(tensor=image, axis=[axis])
    return raw.SelectV2(condition=_choices(image, draw), t=mirror_image, e=image)


def _choices(image: Tensor, draw: Callable[[Any], Any]) -> Any:
    """Draws which pictures are mirrored; of shape () for one picture, (batch, 1, 1, 1) for a batch."""
    if image.shape.rank == 3:
        return draw([]) < 0.5
    batch_dims = shape_of(image)[:-3]
    numbers = draw(batch_dims)
    if image.shape.rank is None:  # one picture is mirrored by a small number, those of a batch by large ones
        numbers = raw.SelectV2(condition=raw.Equal(x=raw.Rank(input=image), y=3), t=1.0 - numbers, e=numbers)
    return raw.Reshape(tensor=numbers > 0.5, shape=raw.ConcatV2(values=[batch_dims, [1, 1, 1]], axis=0))
