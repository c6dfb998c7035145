"""Sums, differences, products and extremes of two tensors.

The operands broadcast, so every gradient ends with the sum over the repeated axes (`reduce_to_operands`). There is no
type promotion: both operands have one dtype.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import executing_eagerly, name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import (
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from millrace._src.core.execute import execute_binary
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_algebra import EpilogueStep, NeutralOperand, neutral_on_both_sides
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.math.blockwise_functions import in_steps
from millrace._src.ops.math.broadcasting import broadcast_shape, conj, reduce_to_operands
from millrace._src.ops.math.element_types import ARITHMETIC, COMPLEX, FLOAT, FLOAT_COMPLEX, UNSIGNED
from millrace._src.ops.math.precision import ufunc
from millrace._src.util.export import export

_SIGNED_INTEGERS = TypeSet([int8, int16, int32, int64])
_ADD_TYPES = FLOAT | TypeSet([uint8]) | _SIGNED_INTEGERS | COMPLEX | TypeSet([string])
_ADD_V2_TYPES = FLOAT | UNSIGNED | _SIGNED_INTEGERS | COMPLEX
_SUB_TYPES = TypeSet(
    [
        *(bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64),
        *(complex64, complex128, uint32, uint64),
    ]
)
_EXTREME_TYPES = FLOAT | TypeSet([int8, uint8, int16, uint16, int32, uint32, int64, uint64])


@op(
    "AddV2",
    "x: T, y: T -> z: T",
    T=_ADD_V2_TYPES,
    shape=broadcast_shape,
    commutative=True,
    is_sum=True,
    # x + -0.0 -> x; -0.0 + x -> x; of integers, x + 0 -> x; 0 + x -> x
    neutral_operands=(*neutral_on_both_sides(-0.0, "f"), *neutral_on_both_sides(0, "iu")),
    summand_signs=(1, 1),
    flops=1,
    formula=operator.add,
    epilogue_step=EpilogueStep.ADD,
)
def add_v2(xp: Xp, x: Array, y: Array) -> Array:
    """Adds two tensors of numbers; the op behind `tf.add` and `+`.

    >>> tf.raw_ops.AddV2(x=[1, 2], y=[10]).numpy()
    array([11, 12], dtype=int32)
    """
    return xp.add(x, y)


add_v2.specialize(ufunc("add"))


@add_v2.gradient(accepts_slices=True)
@values_for(x=(), y=())
def add_v2_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return reduce_to_operands(x, y, dz, dz)


@op(
    "Add",
    "x: T, y: T -> z: T",
    T=_ADD_TYPES,
    shape=broadcast_shape,
    flops=1,
)
def add_v1(xp: Xp, x: Array, y: Array) -> Array:
    """Adds two tensors of numbers, or joins strings; the op behind `+` of strings.

    >>> tf.raw_ops.Add(x=["ab"], y="c").numpy()
    array([b'abc'], dtype=object)
    """
    return xp.add(x, y)


@add_v1.gradient(accepts_slices=True)
@values_for(x=(), y=())
def add_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return reduce_to_operands(x, y, dz, dz)


@export("math.add", "add", elementwise="binary")
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes `x + y` element-wise; `+` on tensors is the same.

    >>> tf.add([1, 2, 3], 1).numpy()
    array([2, 3, 4], dtype=int32)
    >>> tf.add("ab", "cd").numpy()
    b'abcd'

    Args:
      x: A `Tensor` of numbers or strings.
      y: A `Tensor` of the same dtype; the two broadcast. A Python value takes the dtype of `x`.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x` and the broadcast shape.
    Raises: InvalidArgumentError (TypeError in a graph): if the dtypes differ or the shapes do not broadcast.
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        operation = add_v1 if x.dtype is string else add_v2
        return operation(x, y, name=name or "Add")
    with name_scope(name, "Add") as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        operation = add_v1 if x.dtype is string else add_v2
        return operation(x, y, name=scope)


@export("math.subtract", "subtract", elementwise="binary")
@op(
    "Sub",
    "x: T, y: T -> z: T",
    T=_SUB_TYPES,
    shape=broadcast_shape,
    neutral_operands=(NeutralOperand(1, 0.0, "iuf"),),  # x - 0 -> x, also for x = -0.0
    summand_signs=(1, -1),
    flops=1,
    formula=operator.sub,
)
def subtract(xp: Xp, x: Array, y: Array) -> Array:
    """Computes `x - y` element-wise; `-` on tensors is the same.

    >>> tf.subtract([5, 4], 1).numpy()
    array([4, 3], dtype=int32)

    Args:
      x: A `Tensor` of numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`. Integers wrap around.
    """
    return xp.subtract(x, y)


subtract.specialize(ufunc("subtract"))


@subtract.gradient(accepts_slices=True)
@values_for(x=(), y=())
def sub_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    if executing_eagerly():
        dx, dy = reduce_to_operands(x, y, dz, dz)
        return dx, -dy  # fewer elements to negate
    return reduce_to_operands(x, y, dz, -dz)


@export("math.multiply", "multiply", elementwise="binary")
@op(
    "Mul",
    "x: T, y: T -> z: T",
    T=ARITHMETIC,
    shape=broadcast_shape,
    commutative=True,
    neutral_operands=neutral_on_both_sides(1, "iuf"),  # x * 1 -> x; 1 * x -> x
    flops=1,
    formula=operator.mul,
    epilogue_step=EpilogueStep.MULTIPLY,
)
def multiply(xp: Xp, x: Array, y: Array) -> Array:
    """Computes `x * y` element-wise; `*` on tensors is the same.

    >>> tf.multiply([1.0, 2.0], 3.0).numpy()
    array([3., 6.], dtype=float32)

    Args:
      x: A `Tensor` of numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`. Integers wrap around.
    """
    return xp.multiply(x, y)


multiply.specialize(ufunc("multiply"))


@multiply.gradient
@values_for(x=("y",), y=("x",))
def mul_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    times = multiply.op_def
    dx, dy = execute_binary(times, dz, conj(y), "Mul"), execute_binary(times, conj(x), dz, "Mul")
    return reduce_to_operands(x, y, dx, dy)


@export("math.maximum", "maximum", elementwise="binary")
@op(
    "Maximum",
    "x: T, y: T -> z: T",
    T=_EXTREME_TYPES,
    shape=broadcast_shape,
    flops=1,
)
def maximum(xp: Xp, x: Array, y: Array) -> Array:
    """Computes the larger of `x` and `y`, element-wise; NaN if either is NaN.

    >>> tf.math.maximum([-2., 0., 2.], 0.).numpy()
    array([0., 0., 2.], dtype=float32)

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`. Where `x` and `y` are equal the gradient goes to `x`.
    """
    return xp.maximum(x, y)


maximum.specialize(ufunc("maximum"))


@maximum.gradient
def maximum_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return _extreme_gradient(dz, x, y, x >= y)


@export("math.minimum", "minimum", elementwise="binary")
@op(
    "Minimum",
    "x: T, y: T -> z: T",
    T=_EXTREME_TYPES,
    shape=broadcast_shape,
    flops=1,
)
def minimum(xp: Xp, x: Array, y: Array) -> Array:
    """Computes the smaller of `x` and `y`, element-wise; NaN if either is NaN.

    >>> tf.math.minimum([-2., 0., 2.], 0.).numpy()
    array([-2.,  0.,  0.], dtype=float32)

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`. Where `x` and `y` are equal the gradient goes to `x`.
    """
    return xp.minimum(x, y)


minimum.specialize(ufunc("minimum"))


@minimum.gradient
def minimum_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return _extreme_gradient(dz, x, y, x <= y)


def _extreme_gradient(dz: Tensor, x: Tensor, y: Tensor, first_wins: Tensor) -> tuple[Tensor, Tensor]:
    zeros = raw.ZerosLike(x=dz)
    dx = raw.SelectV2(condition=first_wins, t=dz, e=zeros)
    dy = raw.SelectV2(condition=first_wins, t=zeros, e=dz)
    return reduce_to_operands(x, y, dx, dy)


@export("math.squared_difference", v1=["squared_difference", "math.squared_difference"], elementwise="binary")
@op(
    "SquaredDifference",
    "x: T, y: T -> z: T",
    T=FLOAT | TypeSet([int32, int64]) | COMPLEX,
    shape=broadcast_shape,
    commutative=True,
    flops=2,
    formula=lambda x, y: (x - y) * (x - y),
)
def squared_difference(xp: Xp, x: Array, y: Array) -> Array:
    """Computes `conj(x - y) * (x - y)` element-wise, which is `(x - y) ** 2` for real numbers.

    >>> tf.math.squared_difference([1.0, 5.0], 3.0).numpy()
    array([4., 4.], dtype=float32)

    Args:
      x: A `Tensor`: floating point, int32, int64 or complex.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    """
    difference = xp.subtract(x, y)
    return xp.conj(difference) * difference if difference.dtype.kind == "c" else xp.square(difference)


def _squared_difference_block(x: Array, y: Array, result: Array) -> None:
    np.subtract(x, y, out=result)
    np.square(result, out=result)


squared_difference.specialize(in_steps(_squared_difference_block, squared_difference.op_def.kernel))


@squared_difference.gradient
def squared_difference_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    twice = dz + conj(dz) if dz.dtype.is_complex else dz * 2  # a squared modulus has no imaginary part to move
    dx, dy = reduce_to_operands(x, y, *[twice * (x - y)] * 2)
    return dx, -dy


@op("MulNoNan", "x: T, y: T -> z: T", T=FLOAT_COMPLEX, shape=broadcast_shape)
def mul_no_nan(xp: Xp, x: Array, y: Array) -> Array:
    """Computes `x * y`, but 0 where `y` is 0, even if `x` is infinite; the op behind `tf.math.multiply_no_nan`.

    >>> tf.raw_ops.MulNoNan(x=[2.0, float("inf")], y=[3.0, 0.0]).numpy()
    array([6., 0.], dtype=float32)
    """
    product = xp.multiply(x, y)
    return xp.where(y == 0, xp.zeros_like(product), product)


@mul_no_nan.gradient
def mul_no_nan_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return reduce_to_operands(x, y, raw.MulNoNan(x=dz, y=conj(y)), raw.MulNoNan(x=conj(x), y=dz))


@export("math.multiply_no_nan", elementwise="binary")
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes `x * y`, but 0 where `y` is 0, even if `x` is infinite or NaN.

    >>> tf.math.multiply_no_nan([2.0, float("nan")], [3.0, 0.0]).numpy()
    array([6., 0.], dtype=float32)

    Args:
      x: A `Tensor`: floating point or complex.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x`.
    """
    with name_scope(name, "multiply_no_nan") as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        return mul_no_nan(x, y, name=scope)


@export("math.scalar_mul", "scalar_mul", elementwise="binary")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Multiplies the tensor `x` by a scalar.

    >>> tf.scalar_mul(10.0, tf.constant([1.0, 2.0])).numpy()
    array([10., 20.], dtype=float32)

    Args:
      scalar: A 0-d `Tensor` or a Python number, which takes the dtype of `x`.
      x: The `Tensor` (or `IndexedSlices`, of which the values are scaled) to multiply.
      name: A name for the operation (optional).

    Returns: `scalar * x`, of the type of `x`.
    Raises: ValueError: if `scalar` is not a scalar.
    """
    with name_scope(name, "scalar_mul") as scope:
        scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
        if not scalar.shape.is_compatible_with(()):
            raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
        if isinstance(x, IndexedSlices):
            return IndexedSlices(multiply(scalar, x.values, name=scope), x.indices, x.dense_shape)
        return multiply(scalar, x, name=scope)
