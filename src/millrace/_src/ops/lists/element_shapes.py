"""What is known while tracing of the elements of a list, and shapes as list ops take shapes.

A list is a scalar of dtype `variant`: the static shape says nothing of the elements. The list's handle type does. The
ops that make lists state the dtype and shape of the elements, the ops that change lists pass the handle type on, and
the ops that read elements take their result's shape from the handle type.
"""

from __future__ import annotations

import weakref
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import runtime_name
from millrace._src.core.handle_types import ListHandle
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import UNKNOWN, TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import merge
from millrace._src.ops.shape_rules import SCALAR


def declared_list(c: ShapeContext) -> ListHandle:
    """Returns the handle type of a list that an op makes: the dtype and shape of elements that the op is told."""
    return ListHandle(c.attr("element_dtype"), c.value_as_shape("element_shape"))


def changed_list(c: ShapeContext) -> ListHandle:
    """Returns the handle type of the first input, for an op that returns that list with other elements of
    `element_dtype`.
    """
    handle = c.inputs[0].handle_type
    return handle if isinstance(handle, ListHandle) else ListHandle(c.attr("element_dtype"), UNKNOWN)


EXPECTED = "Expected list with element dtype {wanted} but got list with element dtype {found}"
PUSHED = (
    "Trying to push to list with wrong element dtype. List has type {found} but trying to push element with type "
    "{wanted}"
)
POPPED = (
    "Trying to read from list with wrong element dtype. List has type {found} but trying to push element with type "
    "{wanted}"
)
STACKED = "Trying to read from list with wrong element dtype. List has type {found} but expected type {wanted}"
JOINED = "input_a.type != element_dtype: {found} vs. {wanted}"
"""TensorFlow's words, in each op its own, for a list of another dtype than the op's `element_dtype`."""


def declared_shape(c: ShapeContext, complaint: str = EXPECTED) -> TensorShape:
    """Returns the shape that the list of the first input declares for its elements.

    Raises: ValueError: in the words of `complaint`, if the elements are of another dtype than the op's `element_dtype`.
    """
    handle = c.inputs[0].handle_type
    if not isinstance(handle, ListHandle):
        return UNKNOWN
    expected = c.attr("element_dtype")
    if handle.element_dtype is not expected:
        raise ValueError(complaint.format(found=runtime_name(handle.element_dtype), wanted=runtime_name(expected)))
    return handle.element_shape


def shape_of_elements(c: ShapeContext, complaint: str = EXPECTED) -> TensorShape:
    """Returns the shape of the elements, as the list and the input `element_shape` of an op that reads elements tell.

    Raises: ValueError: if the two contradict each other, or the elements are of another dtype.
    """
    return merge(declared_shape(c, complaint), c.value_as_shape("element_shape"))


def pushed_list_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of a list, or of a vector of lists, that an op pushes elements to."""
    declared_shape(c, PUSHED)
    return c.inputs[0].shape


def scattered_list_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of a list that an op scatters elements to."""
    declared_shape(c)
    return SCALAR


def joined_list_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of a list that an op joins two lists to."""
    declared_shape(c, JOINED)
    return SCALAR


def inner_shape(tensor: Any) -> Any:
    """Returns the shape of the rows of a tensor, as list ops take shapes: a constant where the shape is known."""
    shape = tensor.shape
    if shape.rank and shape[1:].is_fully_defined():
        return convert_to_tensor(shape[1:].as_list(), dtype="int32", name="Const")
    return rows_shape(tensor)


def rows_shape(tensor: object) -> Any:
    """Returns the shape of the rows of a tensor."""
    return raw.Slice(input=whole_shape(tensor), begin=[1], size=[-1])


def whole_shape(tensor: Any) -> Any:
    """Returns the shape of a tensor as a vector."""
    if tensor.shape.is_fully_defined():
        return convert_to_tensor(tensor.shape.as_list(), dtype="int32", name="Shape")
    return raw.Shape(input=tensor)


def size_and_shape(handle: Any) -> tuple[Any, Any]:
    """Returns the length of a list and the shape of its elements.

    A gradient that is built into another graph would keep the whole list of every iteration for two small tensors;
    instead the tensors are made once, in the graph of the list.
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


def _size_and_shape(handle: object) -> tuple[Any, Any]:
    size = raw.TensorListLength(input_handle=handle)
    return size, raw.TensorListElementShape(input_handle=handle, shape_type="int32")
