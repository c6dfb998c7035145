"""Adjustments by a random amount: of brightness, contrast, hue and saturation.

Each comes in two forms. The first continues a hidden stream, which follows from `tf.random.set_seed` and the `seed`
argument. The `stateless` form is a function of its `seed`, two integers. Both draw one number and adjust by it.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.ops.image.adjusting import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from millrace._src.ops.random.stateful import uniform
from millrace._src.ops.random.stateless import stateless_uniform
from millrace._src.util.export import export


def _require_delta(max_delta: Any) -> None:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")


def _require_hue_delta(max_delta: Any) -> None:
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    _require_delta(max_delta)


def _require_range(lower: Any, upper: Any) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


# --- brightness ------------------------------------------------------------------------------------------------------


@export("image.random_brightness", elementwise="unary")
def random_brightness(image: Any, max_delta: Any, seed: int | None = None) -> Any:
    """Adds a random number between `-max_delta` and `max_delta` to all values, where 1 is white.

    >>> tf.image.random_brightness(tf.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` of floating point or integers, of any shape.
      max_delta: A number that is not negative.
      seed: The op's own seed; see `tf.random.set_seed`.

    Returns: A `Tensor` of the same shape and dtype.
    Raises: ValueError: if `max_delta` is negative.
    """
    _require_delta(max_delta)
    return adjust_brightness(image, uniform([], -max_delta, max_delta, seed=seed))


@export("image.stateless_random_brightness", v1=[], elementwise="unary")
def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Any:
    """Adds a number between `-max_delta` and `max_delta`, a function of `seed`, to all values.

    >>> tf.image.stateless_random_brightness([0.0, 0.5], 0.2, seed=[1, 2]).numpy()
    array([0.13762416, 0.63762414], dtype=float32)

    Args:
      image: A `Tensor` of floating point or integers, of any shape.
      max_delta: A number that is not negative.
      seed: Two integers, int32 or int64.

    Returns: A `Tensor` of the same shape and dtype.
    Raises: ValueError: if `max_delta` is negative.
    """
    _require_delta(max_delta)
    return adjust_brightness(image, stateless_uniform([], seed, -max_delta, max_delta))


# --- contrast --------------------------------------------------------------------------------------------------------


@export("image.random_contrast")
def random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None) -> Any:
    """Adjusts the contrast by a random factor between `lower` and `upper`.

    >>> tf.image.random_contrast(tf.zeros([2, 2, 3]), 0.2, 1.8).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` of floating point or integers, (..., height, width, channels).
      lower: A number that is not negative.
      upper: A larger number.
      seed: The op's own seed; see `tf.random.set_seed`.

    Returns: A `Tensor` of the same shape and dtype; see `tf.image.adjust_contrast`.
    Raises: ValueError: if `lower` is negative or not less than `upper`.
    """
    _require_range(lower, upper)
    return adjust_contrast(image, uniform([], lower, upper, seed=seed))


@export("image.stateless_random_contrast", v1=[])
def stateless_random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike) -> Any:
    """Adjusts the contrast by a factor between `lower` and `upper` that is a function of `seed`.

    >>> tf.image.stateless_random_contrast([[[1.0], [3.0]]], 0.2, 1.8, seed=[1, 2]).numpy().ravel()
    array([0.4495033, 3.5504966], dtype=float32)

    Args:
      image: A `Tensor` of floating point or integers, (..., height, width, channels).
      lower: A number that is not negative.
      upper: A larger number.
      seed: Two integers, int32 or int64.

    Returns: A `Tensor` of the same shape and dtype; see `tf.image.adjust_contrast`.
    Raises: ValueError: if `lower` is negative or not less than `upper`.
    """
    _require_range(lower, upper)
    return adjust_contrast(image, stateless_uniform([], seed, lower, upper))


# --- hue -------------------------------------------------------------------------------------------------------------


@export("image.random_hue")
def random_hue(image: Any, max_delta: Any, seed: int | None = None) -> Any:
    """Turns the hue by a random part of a turn between `-max_delta` and `max_delta`.

    >>> tf.image.random_hue(tf.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` of floating point or integers, (..., height, width, 3).
      max_delta: A number in [0, 0.5].
      seed: The op's own seed; see `tf.random.set_seed`.

    Returns: A `Tensor` of the same shape and dtype; see `tf.image.adjust_hue`.
    Raises: ValueError: if `max_delta` is out of its range.
    """
    _require_hue_delta(max_delta)
    return adjust_hue(image, uniform([], -max_delta, max_delta, seed=seed))


@export("image.stateless_random_hue", v1=[])
def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Any:
    """Turns the hue by a part of a turn between `-max_delta` and `max_delta` that is a function of `seed`.

    >>> tf.image.stateless_random_hue([[[1.0, 0.5, 0.0]]], 0.2, seed=[1, 2]).numpy().ravel()
    array([0.674255, 1.      , 0.      ], dtype=float32)

    Args:
      image: A `Tensor` of floating point or integers, (..., height, width, 3).
      max_delta: A number in [0, 0.5].
      seed: Two integers, int32 or int64.

    Returns: A `Tensor` of the same shape and dtype; see `tf.image.adjust_hue`.
    Raises: ValueError: if `max_delta` is out of its range.
    """
    _require_hue_delta(max_delta)
    return adjust_hue(image, stateless_uniform([], seed, -max_delta, max_delta))


# --- saturation ------------------------------------------------------------------------------------------------------


@export("image.random_saturation")
def random_saturation(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None) -> Any:
    """Multiplies the saturation by a random factor between `lower` and `upper`.

    >>> tf.image.random_saturation(tf.zeros([2, 2, 3]), 0.5, 1.5).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` of floating point or integers, (..., height, width, 3).
      lower: A number that is not negative.
      upper: A larger number.
      seed: The op's own seed; see `tf.random.set_seed`.

    Returns: A `Tensor` of the same shape and dtype; see `tf.image.adjust_saturation`.
    Raises: ValueError: if `lower` is negative or not less than `upper`.
    """
    _require_range(lower, upper)
    return adjust_saturation(image, uniform([], lower, upper, seed=seed))


@export("image.stateless_random_saturation", v1=[])
def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Multiplies the saturation by a factor between `lower` and `upper` that is a function of `seed`.

    >>> tf.image.stateless_random_saturation([[[1.0, 0.5, 0.5]]], 0.5, 1.5, seed=[1, 2]).numpy().ravel()
    array([1.       , 0.3279698, 0.3279698], dtype=float32)

    Args:
      image: A `Tensor` of floating point or integers, (..., height, width, 3).
      lower: A number that is not negative.
      upper: A larger number.
      seed: Two integers, int32 or int64.

    Returns: A `Tensor` of the same shape and dtype; see `tf.image.adjust_saturation`.
    Raises: ValueError: if `lower` is negative or not less than `upper`, or there is no seed.
    """
    _require_range(lower, upper)
    return adjust_saturation(image, stateless_uniform([], seed, lower, upper))
