"""Shape rules that many ops share.

A shape rule is a function of a `ShapeContext`. The rule returns the static shape of each output and raises ValueError,
in TensorFlow's words, when the inputs cannot fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from millrace._src.core.op_def import Elementwise, of_elements
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape

SCALAR = TensorShape([])
UNKNOWN = TensorShape(None)


@of_elements(Elementwise.ALIKE, inputs=1)
def same_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of the first input."""
    shape: TensorShape = c.inputs[0].shape
    return shape


def scalar(c: ShapeContext) -> TensorShape:
    """Returns the shape of a scalar."""
    return SCALAR


def unknown(c: ShapeContext) -> TensorShape:
    """Returns the unknown shape."""
    return UNKNOWN


def no_outputs(c: ShapeContext) -> Sequence[TensorShape]:
    """Returns no shapes, for an op without outputs."""
    return ()


@of_elements(Elementwise.ALIKE)
def merged_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape that all inputs and the output have in common."""
    shape: TensorShape = c.inputs[0].shape
    for tensor in c.inputs[1:]:
        shape = shape.merge_with(tensor.shape)
    return shape


def broadcast_dims(a: TensorShape, b: TensorShape) -> TensorShape:
    """Returns the shape of two broadcast shapes, either of which may be partially unknown.

    Raises: ValueError: "Dimensions must be equal, but are 2 and 3".
    """
    x, y = a.dim_sizes, b.dim_sizes
    if x is None or y is None:
        return UNKNOWN
    if x == y and None not in x:
        return a
    if len(x) < len(y):
        x = (1,) * (len(y) - len(x)) + x
    elif len(y) < len(x):
        y = (1,) * (len(x) - len(y)) + y
    return TensorShape.of(tuple(_broadcast_dim(m, n) for m, n in zip(x, y, strict=True)))


def _broadcast_dim(m: int | None, n: int | None) -> int | None:
    if m == n:
        return m
    if m == 1:
        return n
    if n == 1:
        return m
    if m is None:
        return n
    if n is None:
        return m
    raise ValueError(f"Dimensions must be equal, but are {m} and {n}")


@of_elements(Elementwise.BROADCAST, inputs=2)
def broadcast_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of the first two inputs broadcast against each other."""
    return broadcast_dims(c.inputs[0].shape, c.inputs[1].shape)


def normalize_axis(axis: int, rank: int, name: str = "axis") -> int:
    """Brings an axis that may be negative into [0, rank).

    Raises: ValueError: if the axis is out of range.
    """
    if not -rank <= axis < rank:
        raise ValueError(f"{name} {axis} must be in the range [-{rank}, {rank})")
    return axis + rank if axis < 0 else axis


def reduction_shape(axes_input: str, keep_dims_attr: str = "keep_dims") -> Callable[[ShapeContext], TensorShape]:
    """Makes the rule of ops that remove the axes given by an input (or keep each with size 1)."""

    def rule(c: ShapeContext) -> TensorShape:
        shape = c.inputs[0].shape
        keep_dims = c.attr(keep_dims_attr)
        axes = c.value(axes_input)
        if shape.rank is None:
            return UNKNOWN
        if axes is None:
            return TensorShape([None] * shape.rank) if keep_dims else UNKNOWN
        reduced_axes = set()
        for axis in axes.reshape(-1).tolist():
            if not -shape.rank <= axis < shape.rank:
                raise ValueError(f"Invalid reduction dimension {axis} for input with {shape.rank} dimensions.")
            reduced_axes.add(axis % shape.rank)
        dims = shape.as_list()
        if keep_dims:
            return TensorShape([1 if i in reduced_axes else d for i, d in enumerate(dims)])
        return TensorShape([d for i, d in enumerate(dims) if i not in reduced_axes])

    return rule
