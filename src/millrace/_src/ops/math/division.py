"""Division and remainder, in the three forms TensorFlow knows.

`truediv` (`/`) divides as in mathematics and gives floating point for integers; `floordiv` and
`floormod` (`//`, `%`) round towards minus infinity; `truncatediv` and `truncatemod` towards zero
like C. Division by an integer zero is an error, by a floating zero it is infinite or NaN; the
`_no_nan` forms give 0 instead. XLA cannot raise an error: with `jit_compile=True` the quotient of
an integer and zero has all bits set (-1), the remainder is the integer, as in TensorFlow.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import (
    DType,
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
    uint8,
    uint16,
    uint32,
    uint64,
)
from millrace._src.core.execute import execute
from millrace._src.core.op_algebra import NeutralOperand
from millrace._src.core.op_def import op
from millrace._src.core.op_registry import late_bound
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.math.broadcasting import broadcast_shape, conj, reduce_to_operands
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.element_types import ARITHMETIC, COMPLEX, FLOAT, INTEGER
from millrace._src.ops.math.precision import ufunc
from millrace._src.util.export import export

_SMALL = 256
_NO_NAN_TYPES = TypeSet([float16, float32, bfloat16, float64]) | COMPLEX
_MOD_TYPES = TypeSet([int32, int64, bfloat16, float16, float32, float64])
_TRUE_DIVISION: dict[DType, DType | None] = {
    **dict.fromkeys((uint8, int8, uint16, int16), float32),
    **dict.fromkeys((uint32, int32, uint64, int64), float64),
    **dict.fromkeys((bfloat16, float16, float32, float64, complex64, complex128)),
}
"""For integers, the floating type in which they are divided."""


def _refuse_integer_zero(x: Array, y: Array) -> None:
    if y.dtype.kind not in "iu" or np.count_nonzero(y) == y.size:  # `y.all()` costs five times as much
        return
    if x.size:  # or nothing is divided
        raise errors.InvalidArgumentError(None, None, "Integer division by zero")


def _refuse_truncation_by_zero(x: Array, y: Array) -> None:
    try:
        _refuse_integer_zero(x, y)
    except errors.InvalidArgumentError:
        message = "Unexpected error in binary operator (only integer div and mod should have errors)"
        raise errors.InternalError(None, None, message) from None


def truncated_quotient(xp: Xp, x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        quotient = xp.floor_divide(x, y)
        inexact = (quotient < 0) & (quotient * y != x)
        return xp.where(inexact, quotient + 1, quotient)
    return xp.true_divide(x, y) if x.dtype.kind == "c" else xp.trunc(xp.true_divide(x, y))


@export("realdiv", elementwise="binary")
@op(
    "RealDiv",
    "x: T, y: T -> z: T",
    T=ARITHMETIC,
    shape=broadcast_shape,
    checks=_refuse_integer_zero,
    refuses=("y",),
    refuses_integers_alone=True,
    neutral_operands=(NeutralOperand(1, 1, "f"),),  # x / 1 -> x
    flops=1,
    formula=operator.truediv,
)
def realdiv(xp: Xp, x: Array, y: Array) -> Array:
    """Divides floating point and complex numbers; the op behind `/`. Integers are divided towards zero.

    >>> tf.realdiv([3.0, 1.0], 2.0).numpy()
    array([1.5, 0.5], dtype=float32)

    Args:
      x: A `Tensor` of numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    """
    if x.dtype.kind in "iu":
        return div.op_def.kernel(xp, x, y)
    return xp.true_divide(x, y)


_divide = ufunc("true_divide")


@realdiv.specialize
def _specialize_realdiv(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    return None if dtypes[0].is_integer else _divide(xp, dtypes, attrs)


@realdiv.gradient
@values_for(x=("y",))
def real_div_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    x, y = conj(x), conj(y)
    return reduce_to_operands(x, y, raw.RealDiv(x=dz, y=y), dz * raw.RealDiv(x=raw.RealDiv(x=-x, y=y), y=y))


@op(
    "Div",
    "x: T, y: T -> z: T",
    T=ARITHMETIC,
    shape=broadcast_shape,
    checks=_refuse_integer_zero,
    refuses=("y",),
    refuses_integers_alone=True,
    neutral_operands=(NeutralOperand(1, 1, "iuf"),),  # x / 1 -> x
)
def div(xp: Xp, x: Array, y: Array) -> Array:
    """Divides numbers of any type; integers towards zero.

    >>> tf.raw_ops.Div(x=[-7, 7], y=[2, 2]).numpy()
    array([-3,  3], dtype=int32)
    """
    if x.dtype.kind not in "iu":
        return xp.true_divide(x, y)
    return truncated_quotient(xp, x, y)


@div.gradient
@values_for(x=("y",))
def div_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    x, y = conj(x), conj(y)
    return reduce_to_operands(x, y, raw.Div(x=dz, y=y), dz * raw.Div(x=raw.Div(x=-x, y=y), y=y))


@op(
    "FloorDiv",
    "x: T, y: T -> z: T",
    T=ARITHMETIC,
    shape=broadcast_shape,
    checks=_refuse_integer_zero,
    refuses=("y",),
    refuses_integers_alone=True,
    neutral_operands=(NeutralOperand(1, 1, "iu"),),  # x // 1 -> x
    formula=operator.floordiv,
)
def floor_div(xp: Xp, x: Array, y: Array) -> Array:
    """Divides and rounds towards minus infinity; the op behind `//`.

    >>> tf.raw_ops.FloorDiv(x=[-7, 7], y=[2, 2]).numpy()
    array([-4,  3], dtype=int32)
    """
    if x.dtype.kind in "iu":
        return xp.floor_divide(x, y)
    if x.dtype.kind == "c":
        raise errors.UnimplementedError(None, None, "FloorDiv is not defined for complex numbers")
    return xp.floor(xp.true_divide(x, y))


@floor_div.kernel_for("xla")
def _floor_div_in_xla(xp: Xp, x: Array, y: Array) -> Array:
    quotient = floor_div.op_def.kernel(xp, x, y)
    if x.dtype.kind != "i":
        return quotient
    return xp.where(y == 0, xp.where(x < 0, x.dtype.type(-2), x.dtype.type(-1)), quotient)


@floor_div.specialize
def _specialize_floor_div(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    if not dtypes[0].is_floating:
        return None
    floor, divide = xp.floor, xp.true_divide
    return lambda x, y: floor(divide(x, y))


@floor_div.gradient
def floor_div_gradient(dz: Tensor) -> tuple[None, None]:
    return None, None


@export("math.floordiv", v1=["floordiv", "math.floordiv"], elementwise="binary")
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x // y` element-wise, rounding towards minus infinity.

    >>> tf.math.floordiv([-7, 7], 2).numpy()
    array([-4,  3], dtype=int32)

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x`.
    Raises: InvalidArgumentError: for an integer division by zero; not with `jit_compile=True`.
    """
    with name_scope(name, "floordiv") as scope:
        return floor_div(x, y, name=scope)


@export("math.floormod", "math.mod", v1=["floormod", "mod", "math.floormod", "math.mod"], elementwise="binary")
@op(
    "FloorMod",
    "x: T, y: T -> z: T",
    T=INTEGER | FLOAT,
    shape=broadcast_shape,
    checks=_refuse_integer_zero,
    refuses=("y",),
    refuses_integers_alone=True,
)
def floormod(xp: Xp, x: Array, y: Array) -> Array:
    """Computes the remainder of `//`, which has the sign of `y`, as `%` in Python.

    >>> tf.math.floormod([-7, 7], 3).numpy()
    array([2, 1], dtype=int32)

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`, equal to `x - floordiv(x, y) * y`.
    Raises: InvalidArgumentError: for an integer division by zero; not with `jit_compile=True`.
    """
    if x.dtype.kind in "iu" and x.size > _SMALL:
        return x - xp.floor_divide(x, y) * y  # faster in NumPy than the remainder
    return xp.remainder(x, y)


@floormod.kernel_for("xla")
def _floormod_in_xla(xp: Xp, x: Array, y: Array) -> Array:
    return _dividend_over_zero(xp, x, y, xp.remainder(x, y))


def _dividend_over_zero(xp: Xp, x: Array, y: Array, remainder: Array) -> Array:
    """Replaces the remainder of integers that are divided by zero by the dividend."""
    return xp.where(y == 0, x, remainder) if x.dtype.kind in "iu" else remainder


@floormod.specialize
def _specialize_floormod(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    return None if dtypes[0].is_integer else xp.remainder


@floormod.gradient(accepts_slices=True)
def floor_mod_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return reduce_to_operands(x, y, dz, dz * -raw.FloorDiv(x=x, y=y))


@export("truncatediv", elementwise="binary")
@op(
    "TruncateDiv",
    "x: T, y: T -> z: T",
    T=ARITHMETIC,
    shape=broadcast_shape,
    checks=_refuse_truncation_by_zero,
    refuses=("y",),
    refuses_integers_alone=True,
)
def truncatediv(xp: Xp, x: Array, y: Array) -> Array:
    """Divides and rounds towards zero, as in C.

    >>> tf.truncatediv([-7, 7], 2).numpy()
    array([-3,  3], dtype=int32)

    Args:
      x: A `Tensor` of numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    Raises: InternalError: for an integer division by zero; not with `jit_compile=True`.
    """
    return truncated_quotient(xp, x, y)


@truncatediv.gradient
def truncate_div_gradient(dz: Tensor) -> tuple[None, None]:
    return None, None


@export("truncatemod", elementwise="binary")
@op(
    "TruncateMod",
    "x: T, y: T -> z: T",
    T=_MOD_TYPES,
    shape=broadcast_shape,
    checks=_refuse_truncation_by_zero,
    refuses=("y",),
    refuses_integers_alone=True,
)
def truncatemod(xp: Xp, x: Array, y: Array) -> Array:
    """Computes the remainder of `truncatediv`, which has the sign of `x`, as `%` in C.

    >>> tf.truncatemod([-7, 7], 3).numpy()
    array([-1,  1], dtype=int32)

    Args:
      x: A `Tensor`: int32, int64 or floating point.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`, equal to `x - truncatediv(x, y) * y`.
    Raises: InternalError: for an integer division by zero; not with `jit_compile=True`.
    """
    return xp.fmod(x, y)


@truncatemod.kernel_for("xla")
def _truncatemod_in_xla(xp: Xp, x: Array, y: Array) -> Array:
    return _dividend_over_zero(xp, x, y, xp.fmod(x, y))


@truncatemod.gradient(accepts_slices=True)
def truncate_mod_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return reduce_to_operands(x, y, dz, dz * -raw.TruncateDiv(x=x, y=y))


@op(
    "Mod",
    "x: T, y: T -> z: T",
    T=TypeSet([int32, int64, float16, bfloat16, float32, float64]),
    checks=_refuse_integer_zero,
    shape=broadcast_shape,
    no_gradient="TensorFlow declares no gradient for it; FloorMod and TruncateMod have one",
    refuses=("y",),
    refuses_integers_alone=True,
)
def c_mod(xp: Xp, x: Array, y: Array) -> Array:
    """Computes the remainder with the sign of `x`, as `%` in C; an older form of `TruncateMod`.

    >>> tf.raw_ops.Mod(x=[-7, 7], y=[3, 3]).numpy()
    array([-1,  1], dtype=int32)
    """
    return xp.fmod(x, y)


c_mod.kernel_for("xla")(_truncatemod_in_xla)


@op(
    "DivNoNan",
    "x: T, y: T -> z: T",
    T=_NO_NAN_TYPES,
    shape=broadcast_shape,
    neutral_operands=(NeutralOperand(1, 1, "f"),),  # x / 1 -> x
)
def div_no_nan(xp: Xp, x: Array, y: Array) -> Array:
    """Divides `x` by `y`; gives 0 where `y` is 0; the op behind `tf.math.divide_no_nan`.

    >>> tf.raw_ops.DivNoNan(x=[1.0, 3.0], y=[2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)
    """
    quotient = xp.true_divide(x, y)
    return xp.where(y == 0, xp.zeros_like(quotient), quotient)


@div_no_nan.gradient
def div_no_nan_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    x, y = conj(x), conj(y)
    dy = dz * raw.DivNoNan(x=raw.DivNoNan(x=-x, y=y), y=y)
    return reduce_to_operands(x, y, raw.DivNoNan(x=dz, y=y), dy)


_REAL_DIV = realdiv.op_def
_NO_ATTRS: dict[str, Any] = {}


@late_bound("truediv")
@export("math.truediv", "truediv", elementwise="binary")
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides `x / y` element-wise; integers are cast to floating point first. `/` on tensors is the same.

    >>> tf.truediv([3, 1], 2).numpy()
    array([1.5, 0.5])

    Args:
      x: A `Tensor` of numbers.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x`; float32 for 8 and 16 bit integers, float64 for larger ones.
    Raises: TypeError: if the dtypes differ or cannot be divided.
    """
    is_eager = state.graph is None and type(x) is EagerTensor and type(y) is EagerTensor
    if is_eager and x.dtype is y.dtype and x.dtype.is_floating:
        return execute(_REAL_DIV, (x, y), _NO_ATTRS, name)
    with name_scope(name, "truediv") as scope:
        return realdiv(*divisible(x, y, "__truediv__"), name=scope)


def divisible(x: Any, y: Any, function: str) -> tuple[Tensor, Tensor]:
    """Returns two tensors of one dtype, integers cast to floating point."""
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
    if x.dtype.base_dtype is not y.dtype.base_dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if x.dtype not in _TRUE_DIVISION:
        known_dtypes = ", ".join(repr(d) for d in _TRUE_DIVISION)
        raise TypeError(f"Invalid dtype {x.dtype!r} in {function}. Expected one of {{{known_dtypes}}}.")
    target = _TRUE_DIVISION[x.dtype]
    return (x, y) if target is None else (cast(x, target), cast(y, target))


@export("math.divide", "divide", elementwise="binary")
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x / y` as Python does: the same as `tf.truediv`.

    >>> tf.divide([16, 12, 11], [4, 6, 2]).numpy()
    array([4. , 2. , 5.5])

    Args:
      x: A `Tensor` of numbers.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor`; floating point for integers.
    """
    if not isinstance(x, Tensor) and name is None:
        x = convert_to_tensor(x, dtype=y.dtype.base_dtype if isinstance(y, Tensor) else None)
    return truediv(x, y, name=name)


@export("math.divide_no_nan", v1=["div_no_nan", "math.divide_no_nan"], elementwise="binary")
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x / y`, and 0 where `y` is 0, even if `x` is 0, infinite or NaN.

    >>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy()
    array([1.5, 0. ], dtype=float32)

    Args:
      x: A `Tensor` of numbers.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor`; floating point for integers.
    """
    with name_scope(name, "div_no_nan") as scope:
        if isinstance(y, Tensor):
            x = convert_to_tensor(x, dtype=None if isinstance(x, Tensor) else y.dtype.base_dtype, name="x")
        return div_no_nan(*divisible(x, y, "tf.math.divide_no_nan"), name=scope)


@export("math.reciprocal_no_nan", elementwise="unary")
def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """Computes `1 / x`, and 0 where `x` is 0.

    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)

    Args:
      x: A `Tensor`: floating point or complex.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "reciprocal_no_nan") as scope:
        x = convert_to_tensor(x, name="x")
        one = convert_to_tensor(1, dtype=x.dtype.base_dtype, name="one")
        return div_no_nan(one, x, name=scope)
