"""Logic on booleans: and, or, not, xor.

Each op takes and gives tensors of dtype bool only; numbers are not truth values here.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.op_algebra import neutral_on_both_sides
from millrace._src.core.op_def import op
from millrace._src.core.op_registry import late_bound
from millrace._src.core.tensor import Tensor
from millrace._src.ops.math.broadcasting import broadcast_shape
from millrace._src.ops.math.precision import ufunc
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_NO_GRADIENT = "its result is boolean"


@export("math.logical_and", "logical_and", elementwise="binary")
@op(
    "LogicalAnd",
    "x: bool, y: bool -> z: bool",
    shape=broadcast_shape,
    commutative=True,
    not_differentiable=_NO_GRADIENT,
    neutral_operands=neutral_on_both_sides(True, "b"),  # x and true -> x
    is_conjunction=True,
)
def logical_and(xp: Xp, x: Array, y: Array) -> Array:
    """Returns whether both `x` and `y` are True, element-wise.

    >>> tf.math.logical_and([True, True, False], [True, False, False]).numpy()
    array([ True, False, False])

    Args:
      x: A `Tensor` of dtype bool.
      y: A `Tensor` of dtype bool; the two broadcast.

    Returns: A `Tensor` of dtype bool.
    """
    return xp.logical_and(x, y)


logical_and.specialize(ufunc("logical_and"))


@export("math.logical_or", "logical_or", elementwise="binary")
@op(
    "LogicalOr",
    "x: bool, y: bool -> z: bool",
    shape=broadcast_shape,
    commutative=True,
    not_differentiable=_NO_GRADIENT,
    neutral_operands=neutral_on_both_sides(False, "b"),  # x or false -> x
)
def logical_or(xp: Xp, x: Array, y: Array) -> Array:
    """Returns whether `x`, `y` or both are True, element-wise.

    >>> tf.math.logical_or([True, True, False], [True, False, False]).numpy()
    array([ True,  True, False])

    Args:
      x: A `Tensor` of dtype bool.
      y: A `Tensor` of dtype bool; the two broadcast.

    Returns: A `Tensor` of dtype bool.
    """
    return xp.logical_or(x, y)


logical_or.specialize(ufunc("logical_or"))


@export("math.logical_not", "logical_not", elementwise="unary")
@op(
    "LogicalNot",
    "x: bool -> y: bool",
    shape=same_shape,
    not_differentiable=_NO_GRADIENT,
    is_involution=True,
)
def logical_not(xp: Xp, x: Array) -> Array:
    """Returns whether `x` is False, element-wise.

    >>> tf.math.logical_not([True, False]).numpy()
    array([False,  True])

    Args: x: A `Tensor` of dtype bool.
    Returns: A `Tensor` of dtype bool.
    """
    return xp.logical_not(x)


logical_not.specialize(ufunc("logical_not"))


@export("math.logical_xor", v1=["logical_xor", "math.logical_xor"], elementwise="binary")
def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """Returns whether exactly one of `x` and `y` is True, element-wise.

    >>> tf.math.logical_xor([True, True, False], [True, False, False]).numpy()
    array([False,  True, False])

    Args:
      x: A `Tensor` of dtype bool.
      y: A `Tensor` of dtype bool; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype bool.
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


@late_bound("xor")
def logical_xor_operator(x: Any, y: Any, name: str = "xor") -> Tensor:
    """Computes `x ^ y` on booleans, as `logical_xor` does, with the operator's names in a graph."""
    with name_scope(name) as scope:
        return logical_xor(x, y, name=scope)
