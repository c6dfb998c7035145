"""Broadcasting, forwards (static shapes) and backwards (gradients).

A binary op repeats the smaller operand over the axes that it lacks. The gradient with respect to that operand is
therefore the sum over the repeated axes. Which axes are repeated usually follows from the static shapes; only where an
unknown dimension could be 1 does the graph ask at run time, with the op `BroadcastGradientArgs`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.context import executing_eagerly
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import Elementwise, of_elements
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.shape_rules import broadcast_dims

Axes = tuple[int, ...]


@of_elements(Elementwise.BROADCAST, inputs=2)
def broadcast_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of two operands broadcast.

    Raises: ValueError: in TensorFlow's words, while tracing "Dimensions must be equal, but are 2 and 3", while running
      "Incompatible shapes: [2] vs. [3]".
    """
    x, y = c.inputs[0].shape, c.inputs[1].shape
    try:
        return broadcast_dims(x, y)
    except ValueError as complaint:
        running = f"Incompatible shapes: {shape_text(x)} vs. {shape_text(y)}"
        raise ShapeComplaint(str(complaint), running=running) from None


def shape_text(shape: TensorShape | tuple[int, ...]) -> str:
    """Writes a shape as TensorFlow's runtime does: `[2,3]`."""
    dims = shape if isinstance(shape, tuple) else shape.dim_sizes
    return "<unknown>" if dims is None else f"[{','.join('?' if d is None else str(d) for d in dims)}]"


@functools.lru_cache(maxsize=4096)
def _keep_integers(values: object) -> Any:
    return convert_to_tensor(np.array(values, np.int32))


def int_vector(values: object) -> Any:
    """Returns an integer, or a tuple of integers, as an int32 input of an op; a tensor made once in eager mode."""
    return _keep_integers(values) if executing_eagerly() else np.array(values, np.int32)


def conj(x: Tensor) -> Tensor:
    """Returns the complex conjugate of `x`; `x` itself when it is real."""
    return raw.Conj(input=x) if x.dtype.is_complex else x


def reduce_to_operands(x: Tensor, y: Tensor, dx: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """Sums the gradients `dx` and `dy` of a broadcasting op's result down to the shapes of `x` and `y`."""
    x_dims, y_dims = x.shape.dim_sizes, y.shape.dim_sizes
    if x_dims is not None and x_dims == y_dims and None not in x_dims:
        return dx, dy
    axes = static_reduced_axes(x_dims, y_dims)
    if axes is not None and executing_eagerly():
        return _sum_now(dx, x, axes[0]), _sum_now(dy, y, axes[1])
    x_shape, y_shape = shape_tensor(x), shape_tensor(y)
    x_axes, y_axes = raw.BroadcastGradientArgs(s0=x_shape, s1=y_shape) if axes is None else axes
    return _sum_to(dx, x_axes, x_shape), _sum_to(dy, y_axes, y_shape)


def _sum_now(gradient: Tensor, operand: Tensor, axes: Axes) -> Any:
    if not axes:
        return gradient
    total = raw.Sum(input=gradient, reduction_indices=int_vector(axes))
    dims = operand.shape.dim_sizes
    return total if total.shape.dim_sizes == dims else raw.Reshape(tensor=total, shape=int_vector(dims))


def _sum_to(gradient: Tensor, axes: object, shape: ShapeLike) -> Any:
    if isinstance(axes, tuple):
        if not axes:
            return gradient
        axes = int_vector(axes)
    return raw.Reshape(tensor=raw.Sum(input=gradient, reduction_indices=axes, keep_dims=True), shape=shape)


def static_reduced_axes(
    first: tuple[int | None, ...] | None, second: tuple[int | None, ...] | None
) -> tuple[Axes, Axes] | None:
    """Returns the axes to sum over for each operand, or None where the static shapes do not tell.

    >>> static_reduced_axes((None, 3), (3,))
    ((), (0,))
    """
    if first is None or second is None:
        return None
    rank = max(len(first), len(second))
    first_lead, second_lead = rank - len(first), rank - len(second)
    padded_first = (1,) * first_lead + first
    padded_second = (1,) * second_lead + second
    first_axes, second_axes = list(range(first_lead)), list(range(second_lead))
    for axis, (a, b) in enumerate(zip(padded_first, padded_second, strict=True)):
        if a is not None and a == b or axis < first_lead or axis < second_lead:
            continue
        if a == 1:
            first_axes.append(axis)
        elif b == 1:
            second_axes.append(axis)
        elif a is None or b is None:
            return None
    return tuple(first_axes), tuple(second_axes)
