"""Sizes that are Python integers where a trace knows them, and scalar tensors where it does not.

Frames, overlaps and transforms calculate with sizes. The arithmetic is the same text for both kinds; what a trace knows
stays known, and costs no operation.

Tests: tests/ops/signal/test_framing.py
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw

Size: TypeAlias = Any
"""An int, or a scalar int32 tensor."""
Sizes: TypeAlias = "list[Size] | Tensor"
"""The dimensions of a shape: a list, or an int32 vector where not even their number is known."""


def size_from(value: Any, name: str) -> Size:
    """Reads an integer argument.

    Raises: ValueError: if the argument is not a scalar or no integer.
    """
    tensor = convert_to_tensor(value, name=name)
    if tensor.shape.rank not in (None, 0):
        raise ValueError(f"Shape {tensor.shape} must have rank 0")
    if not tensor.dtype.is_integer:
        raise ValueError(f"{name} must be an integer. Got {tensor.dtype!s}")
    known = static_value(tensor)
    return int(known) if known is not None else raw.Cast(x=tensor, DstT=d.int32)


def as_tensor(size: Size) -> Tensor:
    """Returns a size as a scalar int32 tensor."""
    return convert_to_tensor(size, dtype=d.int32)


def at_least(size: Size, least: int) -> Size:
    """Returns the larger of a size and a number."""
    return raw.Maximum(x=size, y=least) if isinstance(size, Tensor) else max(size, least)


def dimension(x: Tensor, axis: int) -> Size:
    """Returns the size of an axis of a tensor."""
    known = None if x.shape.rank is None else x.shape[axis]
    return raw.Shape(input=x)[axis] if known is None else known


def sizes_of(x: Tensor) -> Sizes:
    """Returns the dimensions of a tensor."""
    if x.shape.rank is None:
        vector: Tensor = raw.Shape(input=x)
        return vector
    dims = x.shape.as_list()
    if None in dims:
        shape = raw.Shape(input=x)
        return [shape[i] if dim is None else dim for i, dim in enumerate(dims)]
    return list(dims)


def count_of(sizes: Sizes) -> Size:
    """Returns the number of elements that dimensions make."""
    if isinstance(sizes, Tensor):
        return raw.Prod(input=sizes, axis=[0])
    known = math.prod(size for size in sizes if not isinstance(size, Tensor))
    product: Size = known
    for size in sizes:
        product = product * size if isinstance(size, Tensor) else product
    return product


def shape_from(*parts: Sizes) -> Any:
    """Joins dimensions to one shape: an array if a trace knows all, else a tensor."""
    lists = [part for part in parts if not isinstance(part, Tensor)]
    if len(lists) < len(parts):
        return raw.ConcatV2(values=[_vector(part) for part in parts], axis=0)
    return _vector([size for part in lists for size in part])


def _vector(sizes: Sizes) -> Any:
    if isinstance(sizes, Tensor):
        return sizes
    if any(isinstance(size, Tensor) for size in sizes):
        return raw.Pack(values=sizes)
    return np.array(sizes, np.int32)


def reshape(x: Tensor, *parts: Sizes) -> Tensor:
    """Reshapes a tensor to the dimensions of all parts, and notes those that a trace knows."""
    result: Any = raw.Reshape(tensor=x, shape=shape_from(*parts))
    known = _known_shape(parts)
    if known is not None:
        result.set_shape(known)
    return cast(Tensor, result)


def _known_shape(parts: Sequence[Sizes]) -> TensorShape | None:
    lists = [part for part in parts if not isinstance(part, Tensor)]
    if len(lists) < len(parts):
        return None
    return TensorShape([None if isinstance(size, Tensor) else size for part in lists for size in part])


def append_padding(x: Tensor, *counts: Size, value: object = None) -> Tensor:
    """Appends elements at the end of each axis: zeros, or a scalar's value.

    Args:
      x: A tensor of known rank.
      counts: how many elements to append along each axis.
      value: the scalar; None for zeros.
    """
    if all(isinstance(count, int) and count == 0 for count in counts):
        return x
    paddings = shape_from([part for count in counts for part in (0, count)])
    rows = raw.Reshape(tensor=paddings, shape=np.array([len(counts), 2], np.int32))
    result: Tensor = raw.Pad(input=x, paddings=rows) if value is None else _pad_with(x, rows, value)
    return result


def _pad_with(x: Tensor, paddings: object, value: object) -> Any:
    return raw.PadV2(input=x, paddings=paddings, constant_values=value)
