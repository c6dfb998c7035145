"""The `shape` argument that random ops share.

The argument is needed in three forms: as a tensor for an op, as a static shape in shape rules, and as integers in
kernels.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32
from millrace._src.core.errors import invalid
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.shape_checks import dims_text, with_rank


def shape_tensor(shape: Any) -> Tensor:
    """Converts a `shape` argument to an integer vector; int32 unless it is a tensor already."""
    empty = isinstance(shape, (list, tuple)) and not shape
    tensor: Tensor = convert_to_tensor(shape, dtype=int32 if empty else None, name="shape")
    return tensor


def requested_shape(shape: Array) -> tuple[int, ...]:
    """Returns the value of a `shape` input.

    Raises:
        InvalidArgumentError: the input is not a vector, or has a negative element.
    """
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {dims_text(shape.shape)}")
    sizes = tuple(shape.tolist())
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return sizes


def requested_shape_rule(c: ShapeContext) -> TensorShape:
    """Infers the static shape that a `shape` input asks for."""
    with_rank(c.shape("shape"), 1)
    return c.value_as_shape("shape")


def ends_with(shape: tuple[int, ...], suffix: tuple[int, ...]) -> bool:
    """Returns whether the last dimensions of `shape` are those of `suffix`."""
    return shape[len(shape) - len(suffix) :] == suffix if len(suffix) <= len(shape) else False
