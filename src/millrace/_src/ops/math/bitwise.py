"""Bitwise logic and shifts on integers (`tf.bitwise`).

A shift by less than 0 or by more than the width has no meaning in C. As in TensorFlow, the amount of a shift is clamped
to [0, width - 1], so that a shift never fails.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_algebra import NeutralOperand, neutral_on_both_sides
from millrace._src.core.op_def import op
from millrace._src.ops.math.broadcasting import broadcast_shape
from millrace._src.ops.math.element_types import INTEGER
from millrace._src.ops.math.precision import ufunc
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_INTEGERS = "integers have no gradient"


@export("bitwise.bitwise_and", elementwise="binary")
@op(
    "BitwiseAnd",
    "x: T, y: T -> z: T",
    T=INTEGER,
    shape=broadcast_shape,
    commutative=True,
    not_differentiable=_INTEGERS,
)
def bitwise_and(xp: Xp, x: Array, y: Array) -> Array:
    """Computes the bits set in both `x` and `y`.

    >>> tf.bitwise.bitwise_and([6, 5], 3).numpy()
    array([2, 1], dtype=int32)

    Args:
      x: A `Tensor` of integers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    """
    return xp.bitwise_and(x, y)


bitwise_and.specialize(ufunc("bitwise_and"))


@export("bitwise.bitwise_or", elementwise="binary")
@op(
    "BitwiseOr",
    "x: T, y: T -> z: T",
    T=INTEGER,
    shape=broadcast_shape,
    commutative=True,
    not_differentiable=_INTEGERS,
    neutral_operands=neutral_on_both_sides(0, "iu"),  # x | 0 -> x
)
def bitwise_or(xp: Xp, x: Array, y: Array) -> Array:
    """Computes the bits set in `x`, `y` or both.

    >>> tf.bitwise.bitwise_or([6, 5], 3).numpy()
    array([7, 7], dtype=int32)

    Args:
      x: A `Tensor` of integers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    """
    return xp.bitwise_or(x, y)


bitwise_or.specialize(ufunc("bitwise_or"))


@export("bitwise.bitwise_xor", elementwise="binary")
@op(
    "BitwiseXor",
    "x: T, y: T -> z: T",
    T=INTEGER,
    shape=broadcast_shape,
    commutative=True,
    not_differentiable=_INTEGERS,
    neutral_operands=neutral_on_both_sides(0, "iu"),  # x ^ 0 -> x
)
def bitwise_xor(xp: Xp, x: Array, y: Array) -> Array:
    """Computes the bits set in exactly one of `x` and `y`.

    >>> tf.bitwise.bitwise_xor([6, 5], 3).numpy()
    array([5, 6], dtype=int32)

    Args:
      x: A `Tensor` of integers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    """
    return xp.bitwise_xor(x, y)


bitwise_xor.specialize(ufunc("bitwise_xor"))


@export("bitwise.invert", elementwise="unary")
@op(
    "Invert",
    "x: T -> y: T",
    T=INTEGER,
    shape=same_shape,
    not_differentiable=_INTEGERS,
    is_involution=True,
)
def invert(xp: Xp, x: Array) -> Array:
    """Flips every bit of `x`; `-x - 1` for signed integers.

    >>> tf.bitwise.invert([0, 5]).numpy()
    array([-1, -6], dtype=int32)

    Args: x: A `Tensor` of integers.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.invert(x)


invert.specialize(ufunc("invert"))


def _amount(xp: Xp, y: Array) -> Array:
    return xp.clip(y, 0, 8 * y.dtype.itemsize - 1)


@export("bitwise.left_shift", elementwise="binary")
@op(
    "LeftShift",
    "x: T, y: T -> z: T",
    T=INTEGER,
    shape=broadcast_shape,
    not_differentiable=_INTEGERS,
    neutral_operands=(NeutralOperand(1, 0, "iu"),),  # x << 0 -> x
)
def left_shift(xp: Xp, x: Array, y: Array) -> Array:
    """Shifts the bits of `x` left by `y`, filling with zeros.

    >>> tf.bitwise.left_shift([1, 3], [4, 1]).numpy()
    array([16,  6], dtype=int32)

    Args:
      x: A `Tensor` of integers.
      y: A `Tensor` of the same dtype: how far, clamped to [0, width - 1]. The two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    """
    return xp.left_shift(x, _amount(xp, y))


@export("bitwise.right_shift", elementwise="binary")
@op(
    "RightShift",
    "x: T, y: T -> z: T",
    T=INTEGER,
    shape=broadcast_shape,
    not_differentiable=_INTEGERS,
    neutral_operands=(NeutralOperand(1, 0, "iu"),),  # x >> 0 -> x
)
def right_shift(xp: Xp, x: Array, y: Array) -> Array:
    """Shifts the bits of `x` right by `y`, keeping the sign.

    >>> tf.bitwise.right_shift([16, -5], [4, 1]).numpy()
    array([ 1, -3], dtype=int32)

    Args:
      x: A `Tensor` of integers.
      y: A `Tensor` of the same dtype: how far, clamped to [0, width - 1]. The two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    """
    return xp.right_shift(x, _amount(xp, y))


@op("PopulationCount", "x: T -> y: uint8", T=INTEGER, shape=same_shape, not_differentiable=_INTEGERS)
def population_count(xp: Xp, x: Array) -> Array:
    """Counts the bits that are set in each integer (in the two's complement of a negative integer).

    >>> tf.raw_ops.PopulationCount(x=[7, -1, 0]).numpy()
    array([ 3, 32,  0], dtype=uint8)
    """
    unsigned_dtype = np.dtype(f"u{x.dtype.itemsize}")
    return xp.astype(xp.bitwise_count(x.view(unsigned_dtype)), np.dtype(np.uint8))
