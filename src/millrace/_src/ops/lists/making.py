"""Making lists of tensors: empty, of unset elements, from the rows of a tensor.

A list is a scalar of dtype `variant`. A list never changes: an op that writes returns another list. The value of a list
belongs to the engine: `xp.reserve_list` and `xp.list_of_rows` make the value, and all list ops call its methods.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.dtypes import DType, int32
from millrace._src.core.op_def import op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import merge
from millrace._src.ops.lists import list_batches
from millrace._src.ops.lists.element_shapes import (
    changed_list,
    declared_list,
    inner_shape,
    rows_shape,
    scattered_list_shape,
    size_and_shape,
)
from millrace._src.ops.shape_rules import SCALAR, scalar
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.text import shape_brackets

_SHAPE_TYPE = INDEX.with_default(int32, in_files=False)


@op(
    "EmptyTensorList",
    "element_shape: shape_type, max_num_elements: int32 -> handle: variant",
    shape_type=_SHAPE_TYPE,
    shape=scalar,
    handles=declared_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    not_differentiable="an empty list depends on no values",
    not_batched="its shape is the same for all rows",
)
def empty_tensor_list(xp: Xp, element_shape: Array, max_num_elements: Array, *, element_dtype: DType) -> Any:
    """Makes a list without tensors."""
    return xp.reserve_list(element_dtype, element_shape, 0, max_num_elements)


@op(
    "TensorListReserve",
    "element_shape: shape_type, num_elements: int32 -> handle: variant",
    shape_type=_SHAPE_TYPE,
    shape=scalar,
    handles=declared_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    constant_inputs=("num_elements",),
    not_differentiable="unset elements depend on no values",
    not_batched="its shape is the same for all rows",
)
def tensor_list_reserve(xp: Xp, element_shape: Array, num_elements: Array, *, element_dtype: DType) -> Any:
    """Makes a list of `num_elements` unset tensors."""
    if num_elements < 0:
        raise errors.InvalidArgumentError(
            None, None, f"The num_elements to reserve must be a non negative number, but got {num_elements}"
        )
    return xp.reserve_list(element_dtype, element_shape, num_elements, -1)


def _from_tensor_shape(c: ShapeContext) -> TensorShape:
    rows = c.shape("tensor")
    if rows.rank:
        merge(rows[1:], c.value_as_shape("element_shape"))
    return SCALAR


@op(
    "TensorListFromTensor",
    "tensor: element_dtype, element_shape: shape_type -> output_handle: variant",
    element_dtype=ANY,
    shape_type=INDEX,
    shape=_from_tensor_shape,
    handles=declared_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    batching=list_batches.from_tensor,
)
def tensor_list_from_tensor(xp: Xp, tensor: Array, element_shape: Array, *, element_dtype: DType) -> Any:
    """Makes a list of the rows of `tensor`."""
    _at_least_a_vector(tensor)
    declared_shape = xp.declared_shape(element_shape)
    rows = TensorShape(tensor.shape[1:])
    if not declared_shape.is_compatible_with(rows):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Specified a list with shape {shape_brackets(declared_shape)} from a tensor with shape "
            f"{shape_brackets(rows)}",
        )
    return xp.list_of_rows(element_dtype, element_shape, tensor)


@tensor_list_from_tensor.kernel_for("xla")
def _from_whole_tensor(xp: CompilingXp, tensor: Array, element_shape: Array, *, element_dtype: DType) -> Any:
    if element_dtype.name == "variant":
        raise errors.UnknownWhileCompilingError("XLA does not take a stack of lists apart.")
    return tensor_list_from_tensor.op_def.kernel(xp, tensor, element_shape, element_dtype=element_dtype)


@tensor_list_from_tensor.gradient
def tensor_list_from_tensor_gradient(dlist: object, tensor: Any) -> tuple[Any, None]:
    """Makes the gradient's rows of the elements of the list's gradient."""
    rows = tensor.shape[0] if tensor.shape.rank else None
    stacked_rows = raw.TensorListStack(
        input_handle=dlist,
        element_shape=inner_shape(tensor),
        element_dtype=tensor.dtype,
        num_elements=-1 if rows is None else rows,
    )
    return stacked_rows, None


def _at_least_a_vector(tensor: Array) -> None:
    if not tensor.shape:
        raise errors.InvalidArgumentError(None, None, "Tensor must be at least a vector, but saw shape: []")


# --- scatter ---------------------------------------------------------------------------------------------------------


@op(
    "TensorListScatter",
    "tensor: element_dtype, indices: int32, element_shape: shape_type -> output_handle: variant",
    element_dtype=ANY,
    shape_type=INDEX,
    shape=scalar,
    handles=declared_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    constant_inputs=("indices",),
    batching=list_batches.scatter,
    refuses=("indices",),
)
def tensor_list_scatter(xp: Xp, tensor: Array, indices: Array, element_shape: Array, *, element_dtype: DType) -> Any:
    """Makes a list with the rows of `tensor` at `indices`, just long enough for these rows."""
    return tensor_list_scatter_v2.op_def.kernel(xp, tensor, indices, element_shape, -1, element_dtype=element_dtype)


@op(
    "TensorListScatterV2",
    "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32 -> output_handle: variant",
    element_dtype=ANY,
    shape_type=INDEX,
    shape=scalar,
    handles=declared_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    constant_inputs=("indices", "num_elements"),
    batching=list_batches.scatter,
    refuses=("indices",),
)
def tensor_list_scatter_v2(
    xp: Xp, tensor: Array, indices: Array, element_shape: Array, num_elements: Array, *, element_dtype: DType
) -> Any:
    """Makes a list of `num_elements` (-1: as few as possible) with the rows of `tensor` at `indices`."""
    longest = int(indices.max()) + 1 if indices.size else 0
    size = int(num_elements)
    if 0 <= size < longest:
        raise errors.InvalidArgumentError(
            None, None, f"TensorListScatter: Trying to scatter at index {longest - 1} in list with size {size}"
        )
    size = longest if size < 0 else size
    made: Any = xp.reserve_list(element_dtype, element_shape, size, -1)
    return made.scatter(tensor, indices)


@tensor_list_scatter.gradient
def tensor_list_scatter_gradient(dlist: object, tensor: object, indices: object) -> tuple[Any, None, None]:
    """Gives row i of the tensor the gradient of element indices[i]."""
    return _gather(dlist, tensor, indices), None, None


@tensor_list_scatter_v2.gradient
def tensor_list_scatter_v2_gradient(dlist: object, tensor: object, indices: object) -> tuple[Any, None, None, None]:
    """Gives row i of the tensor the gradient of element indices[i]."""
    return _gather(dlist, tensor, indices), None, None, None


def _gather(dlist: Any, tensor: Any, indices: Any) -> Any:
    """Returns, for each row of `tensor`, the gradient of the row's element; 0 if a later row was written to that
    element.
    """
    rows = raw.TensorListGather(
        input_handle=dlist, indices=indices, element_shape=inner_shape(tensor), element_dtype=tensor.dtype
    )
    known_indices = static_value(indices)
    if known_indices is not None and len(set(known_indices.tolist())) == known_indices.size:
        return rows
    numbers = raw.Range(start=0, limit=raw.Shape(input=indices)[0], delta=1)
    kept = raw.Reshape(
        tensor=raw.Equal(x=numbers, y=_last_writers(dlist, numbers, indices)),
        shape=raw.ConcatV2(values=[[-1], raw.OnesLike(x=rows_shape(tensor))], axis=0),
    )
    return raw.SelectV2(condition=kept, t=rows, e=raw.ZerosLike(x=rows))


def _last_writers(dlist: object, numbers: object, indices: object) -> Any:
    """Returns, for each row, the number of the last row written to the same element: a list of row numbers remembers
    it.
    """
    empty = raw.TensorListReserve(
        element_shape=np.zeros([0], np.int32), num_elements=size_and_shape(dlist)[0], element_dtype=int32
    )
    written_numbers = raw.TensorListScatterIntoExistingList(input_handle=empty, tensor=numbers, indices=indices)
    return raw.TensorListGather(
        input_handle=written_numbers, indices=indices, element_shape=np.zeros([0], np.int32), element_dtype=int32
    )


@op(
    "TensorListScatterIntoExistingList",
    "input_handle: variant, tensor: element_dtype, indices: int32 -> output_handle: variant",
    element_dtype=ANY,
    shape=scattered_list_shape,
    handles=changed_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    batching=list_batches.scatter,
    refuses=("indices",),
)
def tensor_list_scatter_into_existing_list(
    xp: Xp, input_handle: Array, tensor: Array, indices: Array, *, element_dtype: DType
) -> Any:
    """Returns the list with the rows of `tensor` at `indices`."""
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    return tensors.scatter(tensor, indices)


@tensor_list_scatter_into_existing_list.gradient
def tensor_list_scatter_into_existing_list_gradient(
    dlist: object, tensor: object, indices: object
) -> tuple[Any, Any, None]:
    """Gives the rows their gradients; the overwritten elements have no part in the result."""
    rows = _gather(dlist, tensor, indices)
    zeros = raw.ZerosLike(x=tensor)
    return raw.TensorListScatterIntoExistingList(input_handle=dlist, tensor=zeros, indices=indices), rows, None


# --- split -----------------------------------------------------------------------------------------------------------


def _split_shape(c: ShapeContext) -> TensorShape:
    rank, lengths = c.shape("tensor").rank, c.shape("lengths").rank
    if rank == 0:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if lengths not in (None, 1):
        raise ValueError(f"Shape must be rank 1 but is rank {lengths}")
    if rank is not None:
        merge(TensorShape([None]).concatenate(c.shape("tensor")[1:]), c.value_as_shape("element_shape"))
    return SCALAR


@op(
    "TensorListSplit",
    "tensor: element_dtype, element_shape: shape_type, lengths: int64 -> output_handle: variant",
    element_dtype=ANY,
    shape_type=INDEX,
    shape=_split_shape,
    handles=declared_list,
    full_type="ARRAY[TENSOR[element_dtype]]",
    constant_inputs=("lengths",),
    batching=list_batches.split_elements,
)
def tensor_list_split(xp: Xp, tensor: Array, element_shape: Array, lengths: Array, *, element_dtype: DType) -> Any:
    """Makes a list of consecutive pieces of `tensor` along the first axis."""
    _at_least_a_vector(tensor)
    if lengths.ndim != 1:
        raise errors.InvalidArgumentError(
            None, None, f"Expected lengths to be a vector, received shape: {shape_brackets(lengths.shape)}"
        )
    declared = xp.declared_shape(element_shape)
    if declared.rank is not None and not declared[1:].is_compatible_with(tensor.shape[1:]):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"tensor shape {shape_brackets(tensor.shape)} is not compatible with element_shape "
            f"{shape_brackets(declared)}",
        )
    return xp.list_of_pieces(element_dtype, element_shape, _pieces(tensor, [int(n) for n in lengths]))


def _pieces(tensor: Array, lengths: list[int]) -> list[Array]:
    pieces: list[Array] = []
    start, total = 0, tensor.shape[0]
    for size in lengths:
        if size < 0:
            raise errors.InvalidArgumentError(None, None, f"Invalid value in lengths: {size}")
        if start + size > total:
            raise errors.InvalidArgumentError(
                None, None, f"Attempting to slice [{start}, {start + size}] from tensor with length {total}"
            )
        pieces.append(tensor[start : start + size])
        start += size
    if start < total:
        raise errors.InvalidArgumentError(
            None, None, f"Unused values in tensor. Length of tensor: {total} Values used: {start}"
        )
    return pieces


@tensor_list_split.gradient
def tensor_list_split_gradient(dlist: Any, tensor: Any, lengths: Any) -> tuple[Any, None, None]:
    """Joins the elements of the list's gradient."""
    shape = raw.ConcatV2(values=[[-1], rows_shape(tensor)], axis=0)
    joined_pieces = raw.TensorListConcatV2(
        input_handle=dlist, element_shape=shape, leading_dims=lengths, element_dtype=tensor.dtype
    )
    return joined_pieces[0], None, None
