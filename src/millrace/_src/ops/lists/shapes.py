"""What is known while tracing of the elements of a list, and shapes as list ops take them.

A list is a scalar of dtype `variant`: its static shape says nothing of its elements. The
ops that make lists note the dtype and the shape of the elements on the list's tensor,
as a variable's handle notes those of the variable.
"""

from __future__ import annotations

import weakref
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw


def list_of(c: ShapeContext, name: str, element: TensorShape) -> None:
    """Checks the declared shape of the elements against those that input `name` is made of.

    Raises: ValueError: if they do not fit.
    """
    declared = c.value_as_shape("element_shape")
    if declared.is_compatible_with(element):
        return
    if declared.rank != element.rank:
        raise ValueError(f"Shapes must be equal rank, but are {element.rank} and {declared.rank}")
    pairs = list(zip(element.as_list(), declared.as_list(), strict=True))
    axis, (m, n) = next((i, p) for i, p in enumerate(pairs) if None not in p and p[0] != p[1])
    shown = [f"[{','.join('?' if d is None else str(d) for d in s.as_list())}]" for s in (element, declared)]
    raise ValueError(
        f"Dimension {axis} in both shapes must be equal, but are {m} and {n}. Shapes are {shown[0]} and {shown[1]}."
    )


def inner_shape(tensor: Any) -> Any:
    """The shape of the rows of a tensor, as a list op takes it: a constant where it is known."""
    shape = tensor.shape
    if shape.rank and shape[1:].is_fully_defined():
        return convert_to_tensor(shape[1:].as_list(), dtype="int32", name="Const")
    return rows_shape(tensor)


def rows_shape(tensor: Any) -> Any:
    """The shape of the rows of a tensor."""
    return raw.Slice(input=whole_shape(tensor), begin=[1], size=[-1])


def whole_shape(tensor: Any) -> Any:
    """The shape of a tensor as a vector."""
    if tensor.shape.is_fully_defined():
        return convert_to_tensor(tensor.shape.as_list(), dtype="int32", name="Shape")
    return raw.Shape(input=tensor)


def size_and_shape(handle: Any) -> tuple[Any, Any]:
    """The length of a list and the shape of its elements.

    A gradient that is built into another graph would keep the whole list of every iteration for this; the two small
    tensors are made in the graph of the list instead, once.
    """
    graph = getattr(handle, "graph", None) if state.graph is not None else None
    if graph is None or graph is state.graph:
        return _size_and_shape(handle)
    known = _KNOWN.setdefault(handle.op, {})
    if handle.value_index not in known:
        with graph.as_default():
            known[handle.value_index] = _size_and_shape(handle)
    return known[handle.value_index]


_KNOWN: weakref.WeakKeyDictionary[Any, dict[int, tuple[Any, Any]]] = weakref.WeakKeyDictionary()
"""By operation and output: the tensors that `size_and_shape` has made."""


def _size_and_shape(handle: Any) -> tuple[Any, Any]:
    size = raw.TensorListLength(input_handle=handle)
    return size, raw.TensorListElementShape(input_handle=handle, shape_type="int32")
