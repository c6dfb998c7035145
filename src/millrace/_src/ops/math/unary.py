"""Sign and power of one number: abs, negative, sign, reciprocal, square, sqrt, rsqrt.

Each op is one NumPy function, declared once. The gradients of reciprocal, sqrt and rsqrt are functions of the *output*,
written as ops of their own (`SqrtGrad`, ...) like TensorFlow's, so that the input can be freed.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import Elementwise, op
from millrace._src.core.op_registry import late_bound
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import alike
from millrace._src.ops.math.blockwise_functions import in_single_floats, in_steps, singles
from millrace._src.ops.math.broadcasting import conj
from millrace._src.ops.math.complex_numbers import complex_abs
from millrace._src.ops.math.element_types import FLOAT_COMPLEX, INTEGER, SIGNED, SIGNED_REAL, UNSIGNED
from millrace._src.ops.math.precision import smooth_ufunc, ufunc
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

(_ONE,) = singles([1])


@op("Abs", "x: T -> y: T", T=SIGNED_REAL, shape=same_shape)
def real_abs(xp: Xp, x: Array) -> Array:
    """Computes the absolute value of real numbers; the op behind `tf.abs`.

    >>> tf.raw_ops.Abs(x=[-2.0, 3.0]).numpy()
    array([2., 3.], dtype=float32)
    """
    return xp.abs(x)


real_abs.specialize(ufunc("absolute"))


@real_abs.gradient
def abs_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Sign(x=x)


@late_bound("abs")
@export("math.abs", "abs", elementwise="unary")
def abs_(x: Any, name: str | None = None) -> Tensor:
    """Computes the absolute value of `x` element-wise.

    >>> tf.abs([-2.25, 3.0]).numpy()
    array([2.25, 3.  ], dtype=float32)
    >>> tf.abs(3 + 4j).numpy()
    np.float64(5.0)

    Args:
      x: A `Tensor`: floating point, signed integer or complex. The smallest integer has no positive and stays.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape of `x`; for complex64 and complex128 of dtype float32 and float64.
    """
    if not isinstance(x, Tensor):
        x = convert_to_tensor(x, name="x")
    if x.dtype.is_complex:
        return complex_abs(x, Tout=x.dtype.real_dtype, name=name or "Abs")
    return real_abs(x, name=name)


@export("math.negative", "negative", elementwise="unary")
@op(
    "Neg",
    "x: T -> y: T",
    T=SIGNED,
    shape=same_shape,
    is_involution=True,
    flops=1,
    formula=operator.neg,
)
def negative(xp: Xp, x: Array) -> Array:
    """Computes `-x` element-wise.

    >>> tf.negative([1.0, -2.0]).numpy()
    array([-1.,  2.], dtype=float32)

    Args: x: A `Tensor`: floating point, signed integer or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.negative(x)


negative.specialize(ufunc("negative"))


@negative.gradient(accepts_slices=True)
def neg_gradient(dy: Tensor) -> Any:
    return -dy


@export("math.sign", "sign", elementwise="unary")
@op("Sign", "x: T -> y: T", T=SIGNED, shape=same_shape)
def sign(xp: Xp, x: Array) -> Array:
    """Computes the sign of each number: -1, 0 or 1; for complex numbers `x / abs(x)`, and 0 for 0. NaN stays NaN.

    >>> tf.math.sign([-3.0, 0.0, 5.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)

    Args: x: A `Tensor`: floating point, signed integer or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.sign(x)


sign.specialize(ufunc("sign"))


@sign.kernel_for("xla")
def _sign_in_xla(xp: Xp, x: Array) -> Array:
    """Computes the sign; that of -0.0 is 0.0, not XLA's -0.0."""
    signs = xp.sign(x)
    return xp.where(x == 0, xp.zeros_like(signs), signs)


@sign.gradient
def sign_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    if not x.dtype.is_complex:
        return raw.ZerosLike(x=x)
    # y = x / abs(x) moves along the unit circle: the part of dy along y is lost.
    part = x.dtype.real_dtype
    along = raw.Cast(x=raw.Real(input=conj(y) * dy, Tout=part), DstT=x.dtype)
    return raw.DivNoNan(x=dy - y * along, y=raw.Cast(x=raw.ComplexAbs(x=x, Tout=part), DstT=x.dtype))


@export("math.reciprocal", v1=["reciprocal", "math.reciprocal"], elementwise="unary")
@op(
    "Reciprocal",
    "x: T -> y: T",
    T=SIGNED,
    shape=same_shape,
    flops=1,
    formula=lambda x: 1 / x,
)
def reciprocal(xp: Xp, x: Array) -> Array:
    """Computes `1 / x` element-wise; rounds towards zero for integers, for which `1 / 0` is 0.

    >>> tf.math.reciprocal([2.0, 0.5, 0.0]).numpy()
    array([0.5, 2. , inf], dtype=float32)

    Args: x: A `Tensor`: floating point, signed integer or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    if x.dtype.kind == "i":
        return xp.where(xp.abs(x) == 1, x, xp.zeros_like(x))
    return xp.reciprocal(x)


@reciprocal.gradient
def reciprocal_gradient(dy: Tensor, y: Tensor) -> Any:
    return raw.ReciprocalGrad(y=y, dy=dy)


@op("Inv", "x: T -> y: T", T=SIGNED, shape=same_shape)
def inv(xp: Xp, x: Array) -> Array:
    """Computes `1 / x` element-wise; the old name of `Reciprocal`.

    >>> tf.raw_ops.Inv(x=[2.0]).numpy()
    array([0.5], dtype=float32)
    """
    return reciprocal.op_def.kernel(xp, x)


@inv.gradient
def inv_gradient(dy: Tensor, y: Tensor) -> Any:
    return raw.InvGrad(y=y, dy=dy)


@op(
    "ReciprocalGrad",
    "y: T, dy: T -> z: T",
    T=FLOAT_COMPLEX,
    shape=same_shape,
    elementwise=Elementwise.ALIKE,
    batching=alike,
)
def reciprocal_grad(xp: Xp, y: Array, dy: Array) -> Array:
    """Computes the gradient of `y = 1 / x`: `-dy * y * y`, and 0 where `dy` is 0 (even if `y` is infinite).

    >>> tf.raw_ops.ReciprocalGrad(y=[0.5], dy=[1.0]).numpy()
    array([-0.25], dtype=float32)
    """
    return xp.where(dy == 0, xp.zeros_like(dy), -dy * xp.square(xp.conj(y)))


@reciprocal_grad.gradient
def reciprocal_grad_gradient(dz: Tensor, y: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    return dy * conj(dz) * (conj(y) * -2), raw.ReciprocalGrad(y=conj(y), dy=dz)


@op("InvGrad", "y: T, dy: T -> z: T", T=FLOAT_COMPLEX, shape=same_shape, elementwise=Elementwise.ALIKE, batching=alike)
def inv_grad(xp: Xp, y: Array, dy: Array) -> Array:
    """Computes the gradient of `Inv`; the old name of `ReciprocalGrad`.

    >>> tf.raw_ops.InvGrad(y=[0.5], dy=[1.0]).numpy()
    array([-0.25], dtype=float32)
    """
    return reciprocal_grad.op_def.kernel(xp, y, dy)


@inv_grad.gradient
def inv_grad_gradient(dz: Tensor, y: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    return dy * conj(dz) * (conj(y) * -2), raw.InvGrad(y=conj(y), dy=dz)


@export("math.square", "square", elementwise="unary")
@op(
    "Square",
    "x: T -> y: T",
    T=SIGNED | INTEGER | UNSIGNED,
    shape=same_shape,
    flops=1,
    formula=lambda x: x * x,
)
def square(xp: Xp, x: Array) -> Array:
    """Computes `x * x` element-wise.

    >>> tf.math.square([-2., 0., 3.]).numpy()
    array([4., 0., 9.], dtype=float32)

    Args: x: A `Tensor` of numbers.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.square(x)


square.specialize(ufunc("square"))


@square.gradient
def square_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * (conj(x) * 2)


@export("math.sqrt", "sqrt", elementwise="unary")
@op("Sqrt", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape, formula=lambda x: x**0.5)
def sqrt(xp: Xp, x: Array) -> Array:
    """Computes the square root element-wise; NaN for negative real numbers.

    >>> tf.sqrt([4.0, 2.25]).numpy()
    array([2. , 1.5], dtype=float32)

    Args: x: A `Tensor`: floating point or complex (cast integers first).
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.sqrt(x)


sqrt.specialize(in_single_floats("sqrt", sqrt.op_def.kernel, smooth_ufunc("sqrt")))


@sqrt.gradient
def sqrt_gradient(dy: Tensor, y: Tensor) -> Any:
    return raw.SqrtGrad(y=y, dy=dy)


@op(
    "SqrtGrad",
    "y: T, dy: T -> z: T",
    T=FLOAT_COMPLEX,
    shape=same_shape,
    elementwise=Elementwise.ALIKE,
    batching=alike,
    formula=lambda y, dy: dy * 0.5 / y,
)
def sqrt_grad(xp: Xp, y: Array, dy: Array) -> Array:
    """Computes the gradient of `y = sqrt(x)`: `dy / (2 * y)`, and 0 where `dy` is 0 (even if `y` is 0).

    >>> tf.raw_ops.SqrtGrad(y=[2.0], dy=[1.0]).numpy()
    array([0.25], dtype=float32)
    """
    return xp.where(dy == 0, xp.zeros_like(dy), dy * 0.5 / xp.conj(y))


@sqrt_grad.gradient
def sqrt_grad_gradient(dz: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    ratio = dz / y
    return -conj(ratio) * z, ratio * 0.5


@export("math.rsqrt", v1=["rsqrt", "math.rsqrt"], elementwise="unary")
@op(
    "Rsqrt",
    "x: T -> y: T",
    T=FLOAT_COMPLEX,
    shape=same_shape,
    flops=2,
    formula=lambda x: x**-0.5,
)
def rsqrt(xp: Xp, x: Array) -> Array:
    """Computes the reciprocal of the square root, `1 / sqrt(x)`, element-wise.

    >>> tf.math.rsqrt([4.0, 0.0, -1.0]).numpy()
    array([0.5, inf, nan], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.reciprocal(xp.sqrt(x))


def _rsqrt_block(x: Array, result: Array) -> None:
    np.sqrt(x, out=result)
    np.divide(_ONE, result, out=result)  # as exact as `reciprocal`, and quicker


rsqrt.specialize(in_single_floats("rsqrt", rsqrt.op_def.kernel, in_steps(_rsqrt_block, rsqrt.op_def.kernel)))


@rsqrt.gradient
def rsqrt_gradient(dy: Tensor, y: Tensor) -> Any:
    return raw.RsqrtGrad(y=y, dy=dy)


@op(
    "RsqrtGrad",
    "y: T, dy: T -> z: T",
    T=FLOAT_COMPLEX,
    shape=same_shape,
    elementwise=Elementwise.ALIKE,
    batching=alike,
    flops=4,
    formula=lambda y, dy: dy * y * y * y * -0.5,
)
def rsqrt_grad(xp: Xp, y: Array, dy: Array) -> Array:
    """Computes the gradient of `y = 1 / sqrt(x)`: `dy * -0.5 * y ** 3`, and 0 where `dy` is 0.

    >>> tf.raw_ops.RsqrtGrad(y=[0.5], dy=[1.0]).numpy()
    array([-0.0625], dtype=float32)
    """
    conjugate = xp.conj(y)
    return xp.where(dy == 0, xp.zeros_like(dy), dy * -0.5 * (conjugate * conjugate * conjugate))


@rsqrt_grad.gradient
def rsqrt_grad_gradient(dz: Tensor, y: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    return conj(dz) * dy * -1.5 * raw.Square(x=conj(y)), raw.RsqrtGrad(y=conj(y), dy=dz)
