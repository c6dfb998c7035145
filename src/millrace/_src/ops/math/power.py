"""Powers, and products with logarithms that vanish where the first factor does.

`xlogy(x, y)` is `x * log(y)` and 0 where `x` is 0, the convention of entropies; `xlog1py` and
`xdivy` are built alike.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
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
)
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.broadcasting import broadcast_shape, conj, reduce_to_operands
from millrace._src.util.export import export

_POW_TYPES = TypeSet([bfloat16, float32, float16, float64, int8, int16, int32, int64, complex64, complex128])
_LOG_TYPES = TypeSet([float16, bfloat16, float32, float64, complex64, complex128])


def _refuse_negative_integers(x: Array, y: Array) -> None:
    if y.dtype.kind == "i" and np.count_nonzero(y < 0):
        raise errors.InvalidArgumentError(None, None, "Integers to negative integer powers are not allowed")


@op(
    "Pow",
    "x: T, y: T -> z: T",
    T=_POW_TYPES,
    shape=broadcast_shape,
    checks=_refuse_negative_integers,
    refuses=("y",),
    refuses_integers_alone=True,
    flops=1,
    formula=operator.pow,
)
def power(xp: Xp, x: Array, y: Array) -> Array:
    """Raises `x` to the power `y`; the op behind `tf.pow` and `**`.

    >>> tf.raw_ops.Pow(x=[2, 3], y=[3, 2]).numpy()
    array([8, 9], dtype=int32)
    """
    return xp.power(x, y)


@power.kernel_for("xla")
def _power_in_xla(xp: Xp, x: Array, y: Array) -> Array:
    """Computes powers; XLA cannot refuse negative ones of integers: what is between -1 and 1 is 0, as in TensorFlow."""
    if x.dtype.kind != "i":
        return xp.power(x, y)
    one = x.dtype.type(1)
    reciprocal = xp.where(x == 1, one, xp.where(x == -1, one - 2 * (y & one), xp.zeros((), x.dtype)))
    return xp.where(y < 0, reciprocal, xp.power(x, xp.maximum(y, xp.zeros((), x.dtype))))


@power.specialize
def _specialize_pow(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    return None if dtypes[0].is_integer else xp.power


@power.gradient
def pow_gradient(dz: Tensor, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    x, y, z = conj(x), conj(y), conj(z)
    has_logarithm = raw.NotEqual(x=x, y=raw.ZerosLike(x=x)) if x.dtype.is_complex else x > 0
    loggable_x = raw.SelectV2(condition=has_logarithm, t=x, e=raw.OnesLike(x=x))
    return reduce_to_operands(x, y, dz * y * raw.Pow(x=x, y=y - 1), dz * z * raw.Log(x=loggable_x))


@export("math.pow", "pow", elementwise="binary")
def pow_(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x ** y` element-wise; `**` on tensors is the same.

    >>> tf.pow([[2, 2], [3, 3]], [[8, 16], [2, 3]]).numpy()
    array([[  256, 65536],
           [    9,    27]], dtype=int32)

    Args:
      x: A `Tensor`: floating point, signed integer or complex.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x`. NaN for a negative real number to a fractional power.
    Raises: InvalidArgumentError: for an integer to a negative power; not with `jit_compile=True`.
    """
    return power(x, y, name=name)


def _zero_where_zero(xp: Xp, x: Array, product: Array) -> Array:
    return xp.where(x == 0, xp.zeros_like(product), product)


def _nonzero(x: Tensor) -> Any:
    """Returns 1 where `x` is not 0, else 0, in the dtype of `x`."""
    return raw.Cast(x=raw.NotEqual(x=x, y=raw.ZerosLike(x=x)), DstT=x.dtype)


@export("math.xlogy", elementwise="binary")
@op("Xlogy", "x: T, y: T -> z: T", T=_LOG_TYPES, shape=broadcast_shape)
def xlogy(xp: Xp, x: Array, y: Array) -> Array:
    """Computes `x * log(y)`, and 0 where `x` is 0.

    >>> tf.math.xlogy([0.0, 1.0], [0.0, 1.0]).numpy()
    array([0., 0.], dtype=float32)

    Args:
      x: A `Tensor`: floating point or complex.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`.
    """
    return _zero_where_zero(xp, x, x * xp.log(y))


@xlogy.gradient
def xlogy_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    by_x, by_y = raw.Xlogy(x=_nonzero(x), y=y), raw.Xdivy(x=x, y=y)
    return reduce_to_operands(x, y, conj(by_x) * dz, conj(by_y) * dz)


@op("Xlog1py", "x: T, y: T -> z: T", T=_LOG_TYPES, shape=broadcast_shape)
def x_log1p_y(xp: Xp, x: Array, y: Array) -> Array:
    """Computes `x * log1p(y)`, but 0 where `x` is 0; the op behind `tf.math.xlog1py`.

    >>> tf.raw_ops.Xlog1py(x=[0.0], y=[-1.0]).numpy()
    array([0.], dtype=float32)
    """
    return _zero_where_zero(xp, x, x * xp.log1p(y))


@x_log1p_y.gradient
def xlog1py_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    by_x, by_y = raw.Xlog1py(x=_nonzero(x), y=y), raw.Xdivy(x=x, y=y + 1)
    return reduce_to_operands(x, y, conj(by_x) * dz, conj(by_y) * dz)


@export("math.xlog1py", elementwise="binary")
def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x * log1p(y)`, and 0 where `x` is 0.

    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)

    Args:
      x: A `Tensor`: floating point or complex.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x`.
    """
    with name_scope(name, "xlog1py"):
        return x_log1p_y(x, y)


@op("Xdivy", "x: T, y: T -> z: T", T=_LOG_TYPES, shape=broadcast_shape)
def x_div_y(xp: Xp, x: Array, y: Array) -> Array:
    """Computes `x / y`, but 0 where `x` is 0; the op behind `tf.math.xdivy`.

    >>> tf.raw_ops.Xdivy(x=[0.0], y=[0.0]).numpy()
    array([0.], dtype=float32)
    """
    return _zero_where_zero(xp, x, xp.true_divide(x, y))


@x_div_y.gradient
def xdivy_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    by_x, by_y = raw.Xdivy(x=_nonzero(x), y=y), raw.Xdivy(x=-x, y=raw.Square(x=y))
    return reduce_to_operands(x, y, conj(by_x) * dz, conj(by_y) * dz)


@export("math.xdivy", elementwise="binary")
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x / y`, and 0 where `x` is 0 even if `y` is 0.

    >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)

    Args:
      x: A `Tensor`: floating point or complex.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `x`.
    """
    with name_scope(name, "xdivy"):
        return x_div_y(x, y)
