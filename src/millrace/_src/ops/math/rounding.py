"""Rounding to whole numbers, and questions about a float's value.

`round` and `rint` round halves to the even neighbour (0.5 and 2.5 give 0 and 2), as IEEE 754 and Python do.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, float32, float64
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.broadcasting import broadcast_shape, reduce_to_operands
from millrace._src.ops.math.element_types import FLOAT, SIGNED
from millrace._src.ops.math.precision import ufunc
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_BOOLEAN = "its result is boolean"


@export("math.ceil", v1=["ceil", "math.ceil"], elementwise="unary")
@op("Ceil", "x: T -> y: T", T=FLOAT, shape=same_shape)
def ceil(xp: Xp, x: Array) -> Array:
    """Rounds up to the smallest whole number that is not less than `x`.

    >>> tf.math.ceil([-1.7, -0.2, 0.2, 2.0]).numpy()
    array([-1., -0.,  1.,  2.], dtype=float32)

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.ceil(x)


ceil.specialize(ufunc("ceil"))


@ceil.gradient
def ceil_gradient(dy: Tensor) -> None:
    return None


@export("math.floor", "floor", elementwise="unary")
@op("Floor", "x: T -> y: T", T=FLOAT, shape=same_shape)
def floor(xp: Xp, x: Array) -> Array:
    """Rounds down to the largest whole number that is not greater than `x`.

    >>> tf.math.floor([-1.7, -0.2, 0.2, 2.0]).numpy()
    array([-2., -1.,  0.,  2.], dtype=float32)

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.floor(x)


floor.specialize(ufunc("floor"))


@floor.gradient
def floor_gradient(dy: Tensor) -> None:
    return None


@op("Round", "x: T -> y: T", T=SIGNED, shape=same_shape)
def round_op(xp: Xp, x: Array) -> Array:
    """Rounds to the nearest whole number, halves to even; the op behind `tf.round`.

    >>> tf.raw_ops.Round(x=[0.5, 1.5]).numpy()
    array([0., 2.], dtype=float32)
    """
    return x if x.dtype.kind == "i" else xp.rint(x)


@round_op.specialize
def _specialize_round(xp: Xp, dtypes: tuple[DType, ...], attrs: Any) -> Any:
    return ufunc("rint")(xp, dtypes, attrs) if dtypes[0].is_floating else None


@round_op.gradient
def round_gradient(dy: Tensor) -> None:
    return None


@export("math.round", "round", elementwise="unary")
def round_(x: Any, name: str | None = None) -> Tensor:
    """Rounds to the nearest whole number, halves to the even one.

    >>> tf.round([0.9, 2.5, 2.3, 1.5, -4.5]).numpy()
    array([ 1.,  2.,  2.,  2., -4.], dtype=float32)

    Args:
      x: A `Tensor`: floating point, complex or integer (integers are returned unchanged).
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else round_op(x, name=name)


@export("math.rint", v1=["rint", "math.rint"], elementwise="unary")
@op("Rint", "x: T -> y: T", T=FLOAT, shape=same_shape)
def rint(xp: Xp, x: Array) -> Array:
    """Rounds to the nearest whole number, halves to the even number.

    >>> tf.math.rint([-1.7, 0.5, 1.5, 2.5]).numpy()
    array([-2.,  0.,  2.,  2.], dtype=float32)

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.rint(x)


rint.specialize(ufunc("rint"))


@rint.gradient
def rint_gradient(dy: Tensor) -> None:
    return None


@export("math.is_nan", v1=["is_nan", "debugging.is_nan", "math.is_nan"], elementwise="unary")
@op("IsNan", "x: T -> y: bool", T=FLOAT, shape=same_shape, not_differentiable=_BOOLEAN)
def is_nan(xp: Xp, x: Array) -> Array:
    """Tells which elements are NaN.

    >>> tf.math.is_nan([5.0, np.nan, np.inf]).numpy()
    array([False,  True, False])

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` of dtype bool.
    """
    return xp.isnan(x)


is_nan.specialize(ufunc("isnan"))


@export("math.is_inf", v1=["is_inf", "debugging.is_inf", "math.is_inf"], elementwise="unary")
@op("IsInf", "x: T -> y: bool", T=FLOAT, shape=same_shape, not_differentiable=_BOOLEAN)
def is_inf(xp: Xp, x: Array) -> Array:
    """Tells which elements are infinite.

    >>> tf.math.is_inf([5.0, np.nan, -np.inf]).numpy()
    array([False, False,  True])

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` of dtype bool.
    """
    return xp.isinf(x)


is_inf.specialize(ufunc("isinf"))


@export("math.is_finite", v1=["is_finite", "debugging.is_finite", "math.is_finite"], elementwise="unary")
@op("IsFinite", "x: T -> y: bool", T=FLOAT, shape=same_shape, not_differentiable=_BOOLEAN)
def is_finite(xp: Xp, x: Array) -> Array:
    """Tells which elements are neither infinite nor NaN.

    >>> tf.math.is_finite([5.0, np.nan, np.inf]).numpy()
    array([ True, False, False])

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` of dtype bool.
    """
    return xp.isfinite(x)


is_finite.specialize(ufunc("isfinite"))


@export("math.nextafter", elementwise="unary")
@op("NextAfter", "x1: T, x2: T -> output: T", T=TypeSet([float64, float32], default=float32), shape=broadcast_shape)
def nextafter(xp: Xp, x1: Array, x2: Array) -> Array:
    """Finds the next float after `x1` in the direction of `x2`.

    >>> tf.math.nextafter(tf.constant(1.0), tf.constant(2.0)).numpy()
    np.float32(1.0000...)

    Args:
      x1: A `Tensor` of dtype float32 or float64.
      x2: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x1`.
    """
    return xp.nextafter(x1, x2)


nextafter.specialize(ufunc("nextafter"))


@nextafter.gradient(accepts_slices=True)
def next_after_gradient(doutput: Tensor, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    # A step to the neighbour moves along with x1 and does not depend on x2.
    return reduce_to_operands(x1, x2, doutput, raw.ZerosLike(x=doutput))
