"""Complex numbers: building them, taking them apart, conjugation.

The public functions also accept real tensors, for which `real` and `conj` are the identity,
`imag` is zero and `angle` is 0 or pi; only complex tensors reach the ops.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, complex64, complex128, float32, float64, variant
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like, zeros_like
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.math.broadcasting import broadcast_shape, reduce_to_operands
from millrace._src.ops.math.element_types import COMPLEX, SINGLE_DOUBLE
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_COMPLEX = COMPLEX.with_default(complex64)
_PART = SINGLE_DOUBLE.with_default(float32)


@op("ComplexAbs", "x: T -> y: Tout", T=_COMPLEX, Tout=_PART, shape=same_shape)
def complex_abs(xp: Xp, x: Array, *, Tout: DType) -> Array:
    """Computes the modulus of complex numbers; the op behind `tf.abs`.

    >>> tf.raw_ops.ComplexAbs(x=tf.constant([3 + 4j], tf.complex64)).numpy()
    array([5.], dtype=float32)
    """
    return xp.astype(xp.abs(x), Tout.np_dtype)


@complex_abs.gradient
def complex_abs_gradient(dy: Tensor, x: Tensor) -> Any:
    return raw.Complex(real=dy, imag=raw.ZerosLike(x=dy), Tout=x.dtype) * raw.Sign(x=x)


@op("Complex", "real: T, imag: T -> out: Tout", T=_PART, Tout=_COMPLEX, shape=broadcast_shape)
def complex_from_parts(xp: Xp, real: Array, imag: Array, *, Tout: DType) -> Array:
    """Builds complex numbers from real and imaginary parts; the op behind `tf.complex`.

    >>> tf.raw_ops.Complex(real=[1.0], imag=[2.0]).numpy()
    array([1.+2.j], dtype=complex64)
    """
    out = np.empty(np.broadcast_shapes(real.shape, imag.shape), Tout.np_dtype)
    out.real, out.imag = real, imag
    return out


@complex_from_parts.kernel_for("xla")
def complex_from_parts_xla(xp: CompilingXp, real: Array, imag: Array, *, Tout: DType) -> Array:
    return xp.lax.complex(*xp.broadcast_arrays(real, imag))  # real + 1j * imag turns an infinite part into NaN


@complex_from_parts.gradient
def complex_gradient(dout: Tensor, real: Tensor, imag: Tensor) -> tuple[Tensor, Tensor]:
    part = real.dtype
    return reduce_to_operands(real, imag, raw.Real(input=dout, Tout=part), raw.Imag(input=dout, Tout=part))


@export("dtypes.complex", "complex", elementwise="binary")
def complex_(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Builds complex numbers from real and imaginary parts, which broadcast.

    >>> tf.complex([2.25, 3.25], [4.75, 5.75]).numpy()
    array([2.25+4.75j, 3.25+5.75j], dtype=complex64)

    Args:
      real: A `Tensor` of dtype float32 or float64.
      imag: A `Tensor` of the same dtype.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype complex64 or complex128.
    Raises: TypeError: if the parts have other or different dtypes.
    """
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with name_scope(name, "Complex") as scope:
        out = {(float32, float32): complex64, (float64, float64): complex128}.get((real.dtype, imag.dtype))
        if out is None:
            raise TypeError(
                f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. "
                f"They must be consistent, and one of {[float32, float64]}"
            )
        return complex_from_parts(real, imag, Tout=out, name=scope)


@op("Real", "input: T -> output: Tout", T=_COMPLEX, Tout=_PART, shape=same_shape)
def real_part(xp: Xp, input: Array, *, Tout: DType) -> Array:
    """Takes the real part of complex numbers; the op behind `tf.math.real`.

    >>> tf.raw_ops.Real(input=tf.constant([1 + 2j], tf.complex64)).numpy()
    array([1.], dtype=float32)
    """
    return xp.astype(xp.real(input), Tout.np_dtype)


@real_part.gradient
def real_gradient(dy: Tensor, input: Tensor) -> Any:
    return raw.Complex(real=dy, imag=raw.ZerosLike(x=dy), Tout=input.dtype)


@op("Imag", "input: T -> output: Tout", T=_COMPLEX, Tout=_PART, shape=same_shape)
def imaginary_part(xp: Xp, input: Array, *, Tout: DType) -> Array:
    """Takes the imaginary part of complex numbers; the op behind `tf.math.imag`.

    >>> tf.raw_ops.Imag(input=tf.constant([1 + 2j], tf.complex64)).numpy()
    array([2.], dtype=float32)
    """
    return xp.astype(xp.imag(input), Tout.np_dtype)


@imaginary_part.gradient
def imag_gradient(dy: Tensor, input: Tensor) -> Any:
    return raw.Complex(real=raw.ZerosLike(x=dy), imag=dy, Tout=input.dtype)


@op("Angle", "input: T -> output: Tout", T=_COMPLEX, Tout=_PART, shape=same_shape)
def complex_angle(xp: Xp, input: Array, *, Tout: DType) -> Array:
    """Computes the argument of complex numbers; the op behind `tf.math.angle`.

    >>> tf.raw_ops.Angle(input=tf.constant([1j], tf.complex64)).numpy()
    array([1.5707...], dtype=float32)
    """
    return xp.astype(xp.arctan2(xp.imag(input), xp.real(input)), Tout.np_dtype)


@complex_angle.gradient
def angle_gradient(dy: Tensor, input: Tensor) -> Any:
    # d angle = (x dy - y dx) / |z|^2, that is, -dy / (y + i x) in TensorFlow's convention of gradients.
    part = dy.dtype
    real, imag = raw.Real(input=input, Tout=part), raw.Imag(input=input, Tout=part)
    factor = raw.Reciprocal(x=raw.Complex(real=imag, imag=real, Tout=input.dtype))
    return -raw.Complex(real=dy, imag=raw.ZerosLike(x=dy), Tout=input.dtype) * factor


@op(
    "Conj",
    "input: T -> output: T",
    T=TypeSet([complex64, complex128, variant], default=complex64),
    shape=same_shape,
    is_involution=True,
)
def conjugate(xp: Xp, input: Array) -> Array:
    """Computes the complex conjugate; the op behind `tf.math.conj`. Variants are returned unchanged.

    >>> tf.raw_ops.Conj(input=tf.constant([1 + 2j], tf.complex64)).numpy()
    array([1.-2.j], dtype=complex64)
    """
    return xp.conj(input) if input.dtype.kind == "c" else input


@conjugate.gradient
def conj_gradient(dy: Tensor) -> Any:
    return raw.Conj(input=dy)


@export("math.real", v1=["real", "math.real"], elementwise="unary")
def real(input: Any, name: str | None = None) -> Tensor:
    """Takes the real part of each number; a real tensor is returned unchanged.

    >>> tf.math.real(tf.constant([-2.25 + 4.75j])).numpy()
    array([-2.25])

    Args:
      input: A `Tensor` of numbers.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype float32 for complex64, float64 for complex128, else of the dtype of `input`.
    Raises: TypeError: if `input` is not numeric.
    """
    with name_scope(name, "Real") as scope:
        input = _numeric(input)
        return real_part(input, Tout=input.dtype.real_dtype, name=scope) if input.dtype.is_complex else input


@export("math.imag", v1=["imag", "math.imag"], elementwise="unary")
def imag(input: Any, name: str | None = None) -> Tensor:
    """Takes the imaginary part of each number; zeros for a real tensor.

    >>> tf.math.imag(tf.constant([-2.25 + 4.75j])).numpy()
    array([4.75])

    Args:
      input: A `Tensor` of numbers.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype float32 for complex64, float64 for complex128, else of the dtype of `input`.
    """
    with name_scope(name, "Imag") as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return imaginary_part(input, Tout=input.dtype.real_dtype, name=scope)
        return zeros_like(input)


@export("math.angle", v1=["angle", "math.angle"], elementwise="unary")
def angle(input: Any, name: str | None = None) -> Tensor:
    """Computes the argument of each number: the angle in radians from the positive real axis, in (-pi, pi].

    >>> tf.math.angle(tf.constant([-2.25 + 4.75j, 3.25])).numpy()
    array([2.0131..., 0.        ])

    Args:
      input: A `Tensor`: complex or floating point (negative real numbers have the angle pi).
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype float32 for complex64, float64 for complex128, else of the dtype of `input`.
    """
    with name_scope(name, "Angle") as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return complex_angle(input, Tout=input.dtype.real_dtype, name=scope)
        return where_select(input < 0, math.pi * ones_like(input), zeros_like(input))


@export("math.conj", v1=["conj", "math.conj"], elementwise="unary")
def conj_(x: Any, name: str | None = None) -> Tensor:
    """Computes the complex conjugate of each number; a real tensor is returned unchanged.

    >>> tf.math.conj(tf.constant([-2.25 + 4.75j])).numpy()
    array([-2.25-4.75j])

    Args:
      x: A `Tensor` of numbers, or of dtype variant.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    Raises: TypeError: if `x` is neither numeric nor variant.
    """
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with name_scope(name, "Conj") as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex or x.dtype is variant:
            return conjugate(x, name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")


def _numeric(value: Any) -> Any:
    tensor = convert_to_tensor(value, name="input")
    if not tensor.dtype.is_numeric:
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {tensor.dtype}")
    return tensor
