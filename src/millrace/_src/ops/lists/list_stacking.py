"""All elements of a list as one tensor: stacked, gathered, joined; and two lists as one.

The gradient of the tensor is taken apart again, into the elements of the list's gradient.

Tests: tests/ops/lists/test_making.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.handle_types import common_handle
from millrace._src.core.op_def import op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import merge
from millrace._src.ops.lists import list_batches
from millrace._src.ops.lists.element_shapes import (
    STACKED,
    declared_shape,
    inner_shape,
    joined_list_shape,
    shape_of_elements,
    size_and_shape,
)
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.text import shape_brackets


def _stack_shape(c: ShapeContext) -> TensorShape:
    count = c.attr("num_elements")
    return TensorShape([None if count < 0 else count]).concatenate(shape_of_elements(c, STACKED))


@op(
    "TensorListStack",
    "input_handle: variant, element_shape: int32 -> tensor: element_dtype",
    element_dtype=ANY,
    shape=_stack_shape,
    batching=list_batches.stack_rows,
)
def tensor_list_stack(
    xp: Xp, input_handle: Array, element_shape: Array, *, element_dtype: DType, num_elements: int = -1
) -> Array:
    """Stacks the tensors of a list along a new first axis."""
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    return tensors.stack(element_shape, num_elements)


@tensor_list_stack.gradient
def tensor_list_stack_gradient(dtensor: Any) -> tuple[Any, None]:
    """Makes the list's gradient of the rows of the gradient."""
    shape = dtensor.shape[1:] if dtensor.shape.rank else TensorShape(None)
    if shape.is_fully_defined():
        return raw.TensorListFromTensor(tensor=dtensor, element_shape=inner_shape(dtensor)), None
    known = -1 if shape.rank is None else [-1 if n is None else n for n in shape.as_list()]
    return raw.TensorListFromTensor(tensor=dtensor, element_shape=known), None


def _gather_shape(c: ShapeContext) -> TensorShape:
    count = c.shape("indices")
    return TensorShape([count[0] if count.rank else None]).concatenate(shape_of_elements(c))


@op(
    "TensorListGather",
    "input_handle: variant, indices: int32, element_shape: int32 -> values: element_dtype",
    element_dtype=ANY,
    shape=_gather_shape,
    batching=list_batches.gather,
    refuses=("indices",),
)
def tensor_list_gather(
    xp: Xp, input_handle: Array, indices: Array, element_shape: Array, *, element_dtype: DType
) -> Array:
    """Stacks the tensors at `indices` along a new first axis."""
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    return tensors.gather(indices, element_shape)


@tensor_list_gather.gradient
def tensor_list_gather_gradient(dvalues: Any, input_handle: object, indices: object) -> tuple[Any, None, None]:
    """Makes a list of unset tensors but for the gathered ones; a tensor gathered twice gets both gradients."""
    size, shape = size_and_shape(input_handle)
    totals = raw.UnsortedSegmentSum(data=dvalues, segment_ids=indices, num_segments=size)
    rows = raw.GatherV2(params=totals, indices=indices, axis=0)
    empty = raw.TensorListReserve(element_shape=shape, num_elements=size, element_dtype=dvalues.dtype)
    return raw.TensorListScatterIntoExistingList(input_handle=empty, tensor=rows, indices=indices), None, None


# --- concat ----------------------------------------------------------------------------------------------------------


def _concat_shapes(c: ShapeContext) -> list[TensorShape]:
    return [_join(shape_of_elements(c, STACKED)), TensorShape([None])]


def _join(element: TensorShape) -> TensorShape:
    if element.rank is None:
        return element
    return TensorShape([None]).concatenate(element[1:])


@op(
    "TensorListConcatV2",
    "input_handle: variant, element_shape: shape_type, leading_dims: int64 -> tensor: element_dtype, lengths: int64",
    element_dtype=ANY,
    shape_type=INDEX,
    shape=_concat_shapes,
    batching=list_batches.join_elements,
)
def tensor_list_concat_v2(
    xp: Xp, input_handle: Array, element_shape: Array, leading_dims: Array, *, element_dtype: DType
) -> tuple[Array, Array]:
    """Joins the tensors along their first axis, and returns the lengths; `leading_dims` are the lengths of unset
    tensors.
    """
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    tensor, lengths = tensors.concat(element_shape, leading_dims)
    return tensor, lengths


@op(
    "TensorListConcat",
    "input_handle: variant -> tensor: element_dtype, lengths: int64",
    element_dtype=ANY,
    shape=lambda c: [_join(merge(c.attr("element_shape"), declared_shape(c, STACKED))), TensorShape([None])],
    batching=list_batches.join_elements,
)
def tensor_list_concat(
    xp: Xp, input_handle: Array, *, element_dtype: DType, element_shape: TensorShape = UNKNOWN
) -> tuple[Array, Array]:
    """Joins the tensors along their first axis, and returns the length of each."""
    tensors = resource_of(input_handle)
    tensors.check_dtype(element_dtype)
    tensor, lengths = tensors.concat(element_shape, ())
    return tensor, lengths


@tensor_list_concat_v2.gradient
def tensor_list_concat_v2_gradient(
    dtensor: object, dlengths: object, input_handle: object, lengths: object
) -> tuple[Any, None, None]:
    """Cuts the gradient into pieces of the same lengths."""
    return _split(dtensor, input_handle, lengths), None, None


@tensor_list_concat.gradient
def tensor_list_concat_gradient(dtensor: object, dlengths: object, input_handle: object, lengths: object) -> Any:
    """Cuts the gradient into pieces of the same lengths."""
    return _split(dtensor, input_handle, lengths)


def _split(dtensor: object, input_handle: object, lengths: object) -> Any:
    return raw.TensorListSplit(tensor=dtensor, element_shape=size_and_shape(input_handle)[1], lengths=lengths)


# --- two lists -------------------------------------------------------------------------------------------------------


@op(
    "TensorListConcatLists",
    "input_a: variant, input_b: variant -> output: variant",
    shape=joined_list_shape,
    handles=common_handle,
    full_type="ARRAY[TENSOR[element_dtype]]",
    not_differentiable="lists of lists are not differentiated",
    batching=list_batches.two_lists,
)
def tensor_list_concat_lists(xp: Xp, input_a: Array, input_b: Array, *, element_dtype: DType) -> Any:
    """Joins two lists to one list."""
    a, b = resource_of(input_a), resource_of(input_b)
    for name, one in (("input_a", a), ("input_b", b)):
        if one.dtype is not element_dtype:
            shown = [runtime_name(d) for d in (one.dtype, element_dtype)]
            raise errors.InvalidArgumentError(
                None, None, f"{name}[0].dtype != element_dtype.  Saw: {shown[0]} vs. {shown[1]}"
            )
    if a.element != b.element:
        raise errors.InvalidArgumentError(
            None,
            None,
            "input_a and input_b TensorList element shapes are not identical at index 0.  Saw "
            f"{shape_brackets(a.element)} vs. {shape_brackets(b.element)}",
        )
    return a.extend(b.items())
