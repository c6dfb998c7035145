"""Comparisons, element-wise, and two tests of whole tensors for order.

Equality is defined for every dtype, order for real numbers only. `Equal` and `NotEqual` of shapes that cannot broadcast
are an error. With `incompatible_shape_error=False`, which `==` uses, the result is simply False or True.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.op_algebra import Comparison
from millrace._src.core.op_def import Elementwise, KnownValue, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import alike, elementwise
from millrace._src.ops.math.broadcasting import broadcast_shape, shape_text
from millrace._src.ops.math.element_types import NUMBER, REAL
from millrace._src.ops.math.precision import ufunc
from millrace._src.ops.shape_rules import UNKNOWN, broadcast_dims
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_NO_GRADIENT = "its result is boolean"


def equality_shape(c: ShapeContext) -> TensorShape:
    """Returns the broadcast shape; unknown or scalar where mismatched shapes are allowed."""
    if c.attr("incompatible_shape_error"):
        return broadcast_shape(c)
    x, y = c.inputs[0].shape, c.inputs[1].shape
    if x.rank is None or y.rank is None:
        return UNKNOWN
    try:
        shape = broadcast_dims(x, y)
    except ValueError:
        return TensorShape([])
    return (
        shape
        if x.is_fully_defined() and y.is_fully_defined() or x.dim_sizes == y.dim_sizes
        else _uncertain(x, y, shape)
    )


def _uncertain(x: TensorShape, y: TensorShape, shape: TensorShape) -> TensorShape:
    """Returns the broadcast shape if unknown dimensions cannot make the shapes clash, else the unknown shape."""
    shorter = min(len(x.dim_sizes or ()), len(y.dim_sizes or ()))
    pairs = zip(x.as_list()[-shorter:], y.as_list()[-shorter:], strict=True) if shorter else ()
    return shape if all(m == n and m is not None or 1 in (m, n) for m, n in pairs) else UNKNOWN


def _compare(xp: Xp, function: Any, x: Array, y: Array, strict: bool, otherwise: bool) -> Array:
    if not strict:
        try:
            np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            return np.array(otherwise)
    result = function(x, y)
    return result if result.dtype == bool else xp.astype(result, np.dtype(bool))


@op(
    "Equal",
    "x: T, y: T -> z: bool",
    T=ANY,
    shape=equality_shape,
    commutative=True,
    not_differentiable=_NO_GRADIENT,
    elementwise=Elementwise.BROADCAST,
    batching=elementwise,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
    comparison=Comparison.EQUAL,
    flops=1,
)
def equal_op(xp: Xp, x: Array, y: Array, *, incompatible_shape_error: bool = True) -> Array:
    """Returns whether `x == y`, element-wise; the op behind `tf.equal` and `==`.

    >>> tf.raw_ops.Equal(x=[1, 2], y=[1, 2, 3], incompatible_shape_error=False).numpy()
    np.False_
    """
    return _compare(xp, xp.equal, x, y, incompatible_shape_error, False)


@export("math.equal", "equal", elementwise="binary")
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x == y` element-wise.

    >>> tf.math.equal([2, 4], 2).numpy()
    array([ True, False])
    >>> tf.math.equal("a", ["a", "b"]).numpy()
    array([ True, False])

    Args:
      x: A `Tensor`.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype bool. NaN equals nothing.
    Raises: InvalidArgumentError: if the shapes do not broadcast.
    """
    return equal_op(x, y, name=name)


@op(
    "NotEqual",
    "x: T, y: T -> z: bool",
    T=ANY,
    shape=equality_shape,
    commutative=True,
    not_differentiable=_NO_GRADIENT,
    elementwise=Elementwise.BROADCAST,
    batching=elementwise,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
    comparison=Comparison.NOT_EQUAL,
    flops=1,
)
def not_equal_op(xp: Xp, x: Array, y: Array, *, incompatible_shape_error: bool = True) -> Array:
    """Returns whether `x != y`, element-wise; the op behind `tf.not_equal` and `!=`.

    >>> tf.raw_ops.NotEqual(x=[1, 2], y=[1, 2, 3], incompatible_shape_error=False).numpy()
    np.True_
    """
    return _compare(xp, xp.not_equal, x, y, incompatible_shape_error, True)


@export("math.not_equal", "not_equal", elementwise="binary")
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x != y` element-wise.

    >>> tf.math.not_equal([2, 4], 2).numpy()
    array([False,  True])

    Args:
      x: A `Tensor`.
      y: A `Tensor` of the same dtype; the two broadcast.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype bool. NaN differs from everything.
    Raises: InvalidArgumentError: if the shapes do not broadcast.
    """
    return not_equal_op(x, y, name=name)


def _specialize_equality(name: str) -> Any:
    def specialize(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
        is_plain = dtypes[0].is_numeric or dtypes[0].is_bool
        return ufunc(name)(xp, dtypes, attrs) if is_plain and attrs["incompatible_shape_error"] else None

    return specialize


equal_op.specialize(_specialize_equality("equal"))
not_equal_op.specialize(_specialize_equality("not_equal"))


@export("math.less", "less", elementwise="binary")
@op(
    "Less",
    "x: T, y: T -> z: bool",
    T=REAL,
    shape=broadcast_shape,
    not_differentiable=_NO_GRADIENT,
    comparison=Comparison.LESS,
    flops=1,
)
def less(xp: Xp, x: Array, y: Array) -> Array:
    """Returns whether `x < y`, element-wise.

    >>> tf.math.less([5, 4, 6], 5).numpy()
    array([False,  True, False])

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of dtype bool.
    """
    return xp.less(x, y)


less.specialize(ufunc("less"))


@export("math.less_equal", "less_equal", elementwise="binary")
@op(
    "LessEqual",
    "x: T, y: T -> z: bool",
    T=REAL,
    shape=broadcast_shape,
    not_differentiable=_NO_GRADIENT,
    comparison=Comparison.LESS_EQUAL,
    flops=1,
)
def less_equal(xp: Xp, x: Array, y: Array) -> Array:
    """Returns whether `x <= y`, element-wise.

    >>> tf.math.less_equal([5, 4, 6], 5).numpy()
    array([ True,  True, False])

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of dtype bool.
    """
    return xp.less_equal(x, y)


less_equal.specialize(ufunc("less_equal"))


@export("math.greater", "greater", elementwise="binary")
@op(
    "Greater",
    "x: T, y: T -> z: bool",
    T=REAL,
    shape=broadcast_shape,
    not_differentiable=_NO_GRADIENT,
    comparison=Comparison.GREATER,
    flops=1,
)
def greater(xp: Xp, x: Array, y: Array) -> Array:
    """Returns whether `x > y`, element-wise.

    >>> tf.math.greater([5, 4, 6], 5).numpy()
    array([False, False,  True])

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of dtype bool.
    """
    return xp.greater(x, y)


greater.specialize(ufunc("greater"))


@export("math.greater_equal", "greater_equal", elementwise="binary")
@op(
    "GreaterEqual",
    "x: T, y: T -> z: bool",
    T=REAL,
    shape=broadcast_shape,
    not_differentiable=_NO_GRADIENT,
    comparison=Comparison.GREATER_EQUAL,
    flops=1,
)
def greater_equal(xp: Xp, x: Array, y: Array) -> Array:
    """Returns whether `x >= y`, element-wise.

    >>> tf.math.greater_equal([5, 4, 6], 5).numpy()
    array([ True, False,  True])

    Args:
      x: A `Tensor` of real numbers.
      y: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of dtype bool.
    """
    return xp.greater_equal(x, y)


greater_equal.specialize(ufunc("greater_equal"))


def approximate_equal_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape that both inputs and the output have in common; nothing broadcasts."""
    x, y = c.shape("x"), c.shape("y")
    if not x.is_compatible_with(y):
        if x.rank != y.rank:
            raise ValueError(f"Shapes must be equal rank, but are {x.rank} and {y.rank}")
        axis = next(
            i for i, (m, n) in enumerate(zip(x.as_list(), y.as_list(), strict=True)) if m != n and None not in (m, n)
        )
        raise ValueError(
            f"Dimension {axis} in both shapes must be equal, but are {x[axis]} and {y[axis]}. "
            f"Shapes are {shape_text(x)} and {shape_text(y)}."
        )
    return x.merge_with(y)


@op(
    "ApproximateEqual",
    "x: T, y: T -> z: bool",
    T=NUMBER,
    shape=approximate_equal_shape,
    commutative=True,
    not_differentiable=_NO_GRADIENT,
    elementwise=Elementwise.ALIKE,
    batching=alike,
)
def approximate_equal(xp: Xp, x: Array, y: Array, *, tolerance: float = 1e-05) -> Array:
    """Returns whether `abs(x - y) < tolerance`, element-wise; the shapes must be equal.

    >>> tf.raw_ops.ApproximateEqual(x=[1.0], y=[1.000001]).numpy()
    array([ True])
    """
    if x.shape != y.shape:
        shapes = f"x shape: {shape_text(x.shape)}. y shape: {shape_text(y.shape)}"
        raise errors.InvalidArgumentError(None, None, f"x and y must be of the same shape. {shapes}")
    return xp.abs(xp.subtract(x, y)) < tolerance


def _is_ordered(x: Any, comparison: Any) -> Any:
    elements = raw.Reshape(tensor=convert_to_tensor(x, name="x"), shape=np.array([-1], np.int32))
    holds = comparison(elements[1:], elements[:-1])
    return raw.All(input=holds, reduction_indices=np.array([0], np.int32))


@export("math.is_non_decreasing", v1=["is_non_decreasing", "debugging.is_non_decreasing", "math.is_non_decreasing"])
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether the elements of `x`, in row-major order, never decrease; True for fewer than two elements.

    >>> tf.math.is_non_decreasing([1.0, 1.0, 3.0]).numpy()
    np.True_

    Args:
      x: A `Tensor` of real numbers.
      name: A name for the operation (optional).

    Returns: A scalar `Tensor` of dtype bool.
    """
    with name_scope(name, "is_non_decreasing"):
        return _is_ordered(x, greater_equal)


@export(
    "math.is_strictly_increasing",
    v1=["is_strictly_increasing", "debugging.is_strictly_increasing", "math.is_strictly_increasing"],
)
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether the elements of `x`, in row-major order, always increase; True for fewer than two elements.

    >>> tf.math.is_strictly_increasing([1.0, 1.0, 3.0]).numpy()
    np.False_

    Args:
      x: A `Tensor` of real numbers.
      name: A name for the operation (optional).

    Returns: A scalar `Tensor` of dtype bool.
    """
    with name_scope(name, "is_strictly_increasing"):
        return _is_ordered(x, greater)
