"""Single elements of a list: reading, writing, pushing and popping; the list's length and the elements' shape.

Each op calls the method of the same name of the list that the handle refers to. The gradient of a list is a list of
gradients: what was pushed is popped, what was read is written.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int32
from millrace._src.core.handle_types import ListHandle, first_handle
from millrace._src.core.op_def import op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import merge
from millrace._src.ops.lists import list_batches
from millrace._src.ops.lists.element_shapes import (
    POPPED,
    changed_list,
    pushed_list_shape,
    shape_of_elements,
    size_and_shape,
    whole_shape,
)
from millrace._src.ops.shape_rules import SCALAR, scalar
from millrace._src.ops.type_sets import ANY, INDEX


@op(
    "TensorListGetItem",
    "input_handle: variant, index: int32, element_shape: Tshape -> item: element_dtype",
    element_dtype=ANY,
    Tshape=INDEX.with_default(int32),
    shape=shape_of_elements,
    batching=list_batches.get_item,
    refuses=("index",),
)
def tensor_list_get_item(
    xp: Xp, input_handle: Array, index: Array, element_shape: Array, *, element_dtype: DType
) -> Array:
    """Reads the tensor at an index; zeros if the tensor is unset and its shape is known."""
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    return tensors.get(index, element_shape)


@tensor_list_get_item.gradient
def tensor_list_get_item_gradient(ditem: Any, input_handle: object, index: object) -> tuple[Any, None, None]:
    """Makes a list of unset tensors but for the tensor that was read."""
    size, shape = size_and_shape(input_handle)
    empty = raw.TensorListReserve(element_shape=shape, num_elements=size, element_dtype=ditem.dtype)
    return raw.TensorListSetItem(input_handle=empty, index=index, item=ditem), None, None


def _set_item_shape(c: ShapeContext) -> TensorShape:
    item, handle = c.shape("item"), c.inputs[0].handle_type
    if isinstance(handle, ListHandle) and item != handle.element_shape:
        merge(item, handle.element_shape)
    return SCALAR


@op(
    "TensorListSetItem",
    "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant",
    element_dtype=ANY,
    shape=_set_item_shape,
    handles=changed_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    batching=list_batches.set_item,
    refuses=("index",),
    list_growth=lambda attrs: None if attrs.get("resize_if_index_out_of_bounds") else 0,
)
def tensor_list_set_item(
    xp: Xp,
    input_handle: Array,
    index: Array,
    item: Array,
    *,
    element_dtype: DType,
    resize_if_index_out_of_bounds: bool = False,
) -> Any:
    """Returns the list with `item` at an index; longer if the index is past the end and that is allowed."""
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    return tensors.set(index, item, resize=resize_if_index_out_of_bounds)


@tensor_list_set_item.in_place
def _put(attrs: dict[str, Any]) -> Any:
    dtype, resize = attrs["element_dtype"], attrs["resize_if_index_out_of_bounds"]

    def put(handle: Array, index: Array, item: Array) -> Array:
        found = handle[()]
        if found.dtype is not dtype:
            found.check_dtype(dtype)
        found.put(index, item, resize=resize)
        return handle

    return put


@tensor_list_set_item.gradient
def tensor_list_set_item_gradient(
    dlist: Any, input_handle: Any, index: Any, item: Any, resize_if_index_out_of_bounds: bool
) -> tuple[Any, None, Any]:
    """Gives the item its gradient; the overwritten element has no part in the result."""
    ditem = raw.TensorListGetItem(
        input_handle=dlist, index=index, element_shape=whole_shape(item), element_dtype=item.dtype
    )  # first: the list may then be changed in place
    zero = raw.ZerosLike(x=item if item.dtype.name == "variant" else ditem)  # only a list can make zeros of its kind
    rest = raw.TensorListSetItem(input_handle=dlist, index=index, item=zero)
    if resize_if_index_out_of_bounds:
        rest = raw.TensorListResize(input_handle=rest, size=size_and_shape(input_handle)[0])
    return rest, None, ditem


# --- at the end ------------------------------------------------------------------------------------------------------


@op(
    "TensorListPushBack",
    "input_handle: variant, tensor: element_dtype -> output_handle: variant",
    element_dtype=ANY,
    shape=pushed_list_shape,
    handles=changed_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    batching=list_batches.push_back,
    list_growth=1,
)
def tensor_list_push_back(xp: Xp, input_handle: Array, tensor: Array, *, element_dtype: DType) -> Any:
    """Returns the list with `tensor` at the end."""
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    return tensors.push(tensor)


@tensor_list_push_back.in_place
def _append(attrs: dict[str, Any]) -> Any:
    dtype = attrs["element_dtype"]

    def append(handle: Array, tensor: Array) -> Array:
        found = handle[()]
        if found.dtype is not dtype:
            found.check_dtype(dtype)
        found.append(tensor)
        return handle

    return append


@tensor_list_push_back.gradient
def tensor_list_push_back_gradient(dlist: object, tensor: object, element_dtype: DType) -> tuple[Any, Any]:
    """Pops the last element's gradient off the gradient list."""
    return tuple(
        raw.TensorListPopBack(input_handle=dlist, element_shape=whole_shape(tensor), element_dtype=element_dtype)
    )


def _popped_shapes(c: ShapeContext) -> list[TensorShape]:
    return [SCALAR, shape_of_elements(c, POPPED)]


@op(
    "TensorListPopBack",
    "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: element_dtype",
    element_dtype=ANY,
    shape=_popped_shapes,
    handles=lambda c: [changed_list(c), None],
    batching=list_batches.pop_back,
    refuses=("input_handle",),
    list_growth=-1,
)
def tensor_list_pop_back(
    xp: Xp, input_handle: Array, element_shape: Array, *, element_dtype: DType
) -> tuple[Any, Array]:
    """Returns the list without its last tensor, and that tensor."""
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    rest, item = tensors.pop(element_shape)
    return rest, item


@tensor_list_pop_back.in_place
def _take(attrs: dict[str, Any]) -> Any:
    dtype = attrs["element_dtype"]

    def take(handle: Array, element_shape: Array) -> tuple[Array, Array]:
        found = handle[()]
        if found.dtype is not dtype:
            found.check_dtype(dtype)
        return handle, found.take(element_shape)

    return take


@tensor_list_pop_back.gradient
def tensor_list_pop_back_gradient(dlist: Any, dtensor: object, output_handle: object, tensor: Any) -> tuple[Any, None]:
    """Pushes the gradient of the popped tensor on the gradient list."""
    if dlist is None:
        size, shape = size_and_shape(output_handle)
        dlist = raw.TensorListReserve(element_shape=shape, num_elements=size, element_dtype=tensor.dtype)
    dtensor = raw.ZerosLike(x=tensor) if dtensor is None else dtensor
    return raw.TensorListPushBack(input_handle=dlist, tensor=dtensor), None


@op(
    "TensorListPushBackBatch",
    "input_handles: variant, tensor: element_dtype -> output_handles: variant",
    element_dtype=ANY,
    shape=pushed_list_shape,
    handles=first_handle,
    full_type="ARRAY[TENSOR[element_dtype]]",
    host_only=True,
    not_differentiable="lists of lists are not differentiated",
)
def tensor_list_push_back_batch(xp: Xp, input_handles: Array, tensor: Array, *, element_dtype: DType) -> Any:
    """Returns a vector of lists, each with its row of `tensor` at the end."""
    result = xp.empty(input_handles.shape, dtype=object)
    for number, (found, row) in enumerate(zip(input_handles, tensor, strict=True)):
        found.check_dtype(element_dtype)
        result[number] = found.push(xp.asarray(row))
    return result


# --- size and shape --------------------------------------------------------------------------------------------------


@op(
    "TensorListLength",
    "input_handle: variant -> length: int32",
    shape=scalar,
    not_differentiable="a length is an integer",
    batching=list_batches.length,
)
def tensor_list_length(xp: Xp, input_handle: Array) -> Array:
    """Counts the tensors in a list."""
    return resource_of(input_handle).size()


@op(
    "TensorListElementShape",
    "input_handle: variant -> element_shape: shape_type",
    shape_type=INDEX,
    not_differentiable="a shape is made of integers",
    batching=list_batches.element_shape,
)
def tensor_list_element_shape(xp: Xp, input_handle: Array, *, shape_type: DType) -> Array:
    """Returns the declared shape of a list's tensors: -1 for unknown dimensions, a scalar -1 for unknown rank."""
    return resource_of(input_handle).shape_vector().astype(shape_type.np_dtype)


@op(
    "TensorListResize",
    "input_handle: variant, size: int32 -> output_handle: variant",
    shape=scalar,
    handles=first_handle,
    constant_inputs=("size",),
    batching=list_batches.resize,
)
def tensor_list_resize(xp: Xp, input_handle: Array, size: Array) -> Any:
    """Cuts the list off, or extends the list by unset tensors."""
    return resource_of(input_handle).resize(size)


@tensor_list_resize.in_place
def _cut(attrs: dict[str, Any]) -> Any:
    def cut(handle: Array, size: Array) -> Array:
        handle[()].cut(size)
        return handle

    return cut


@tensor_list_resize.gradient
def tensor_list_resize_gradient(dlist: object, input_handle: object) -> tuple[Any, None]:
    """Gives the list a gradient of its length; the gradient of elements cut off is zero."""
    return raw.TensorListResize(input_handle=dlist, size=size_and_shape(input_handle)[0]), None
