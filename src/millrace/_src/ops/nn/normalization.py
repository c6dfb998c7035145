"""`tf.nn.l2_normalize` and `tf.nn.zero_fraction`.

Both are written with elementary ops, in TensorFlow's structure, so that graphs and gradients are TensorFlow's.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.identity import identity
from millrace._src.ops.array.shape_ops import size as size_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.complex_numbers import imag, real
from millrace._src.ops.math.reduce import count_nonzero, reduce_sum
from millrace._src.util.export import export
from millrace._src.util.old_arguments import one_of


@export("math.l2_normalize", "linalg.l2_normalize", "nn.l2_normalize")
def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: TensorLike | None = None
) -> Tensor:
    """Scales `x` to Euclidean length 1 along `axis`: `x / sqrt(max(sum(|x| ** 2), epsilon))`.

    >>> tf.nn.l2_normalize([3., 4.], axis=0).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
      x: A floating point or complex Tensor.
      axis: the axis or axes over which the length is taken; None takes all.
      epsilon: the least squared length; keeps 0 at 0.
      name: A name for the operation (optional).
      dim: an old name of `axis`.

    Returns: A Tensor with the shape and dtype of `x`.
    Raises: ValueError: if both `axis` and `dim` are given.
    """
    axis = one_of("dim", dim, "axis", axis)
    with name_scope(name, "l2_normalize") as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return _complex_normalize(x, axis, epsilon, scope)
        total = reduce_sum(raw.Square(x=x), axis, keepdims=True)
        factor = raw.Rsqrt(x=raw.Maximum(x=total, y=epsilon))
        return raw.Mul(x=x, y=factor, name=scope)


def _complex_normalize(x: Tensor, axis: Any, epsilon: float, scope: str) -> Tensor:
    squares = raw.Square(x=real(x)) + raw.Square(x=imag(x))
    total = real(reduce_sum(squares, axis, keepdims=True))
    factor = raw.Rsqrt(x=raw.Maximum(x=total, y=epsilon))
    parts = raw.Mul(x=real(x), y=factor), raw.Mul(x=imag(x), y=factor)
    return raw.Complex(real=parts[0], imag=parts[1], Tout=x.dtype, name=scope)


@export("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """Computes the fraction of the elements of `value` that are 0; NaN for an empty tensor.

    >>> tf.nn.zero_fraction([0., 1., 0., 3.]).numpy()
    np.float32(0.5)

    Args:
      value: A Tensor of numbers.
      name: A name for the operation (optional).

    Returns: A float32 scalar.
    """
    with name_scope(name, "zero_fraction"):
        value = convert_to_tensor(value, name="value")
        size = size_of(value, out_type=d.int64)
        nonzero = count_nonzero(value, dtype=d.int64)
        with name_scope("counts_to_fraction", "counts_to_fraction"):
            zeros = size - nonzero
            fraction = cast(zeros, d.float32) / cast(size, d.float32)
        return identity(fraction, "fraction")
