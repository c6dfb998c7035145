"""Where, select and boolean masks: choices of elements, or between two tensors.

`Where` lists positions, whose number depends on values: the op runs on the host. `SelectV2` chooses between two tensors
that broadcast; the older `Select` wants equal shapes or a vector that chooses rows. `boolean_mask` is a gather at the
positions of the mask, or NumPy's own masks in an eager call that nothing watches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bool as bool_dtype
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import common_handle
from millrace._src.core.op_def import Elementwise, op
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import index_batches
from millrace._src.ops.array.reshaping import reshape, squeeze_op
from millrace._src.ops.array.shape_checks import dims_text, merge, merge_dims, multiply, vector
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.batching_rules import elementwise
from millrace._src.ops.gradient_rules import unbroadcast, values_for
from millrace._src.ops.shape_rules import broadcast_dims
from millrace._src.ops.type_sets import ANY, BOOL, NUMERIC, QUANTIZED
from millrace._src.util.export import export

# --- where: the positions of true elements -----------------------------------------------------------------------


@op(
    "Where",
    "input: T -> index: int64",
    T=(NUMERIC | QUANTIZED | BOOL).with_default(bool_dtype),
    shape=lambda c: vector(None, c.shape("input").rank),
    host_only=True,
    not_differentiable="positions are integers",
    public_argument_names={"condition": "input"},
)
def where_op(xp: Xp, input: Array) -> Array:
    """Finds the positions of the non-zero elements, one in each row."""
    if not input.ndim:
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    if input.ndim != 2:
        return np.argwhere(input).astype(np.int64, copy=False)
    is_true = input if input.dtype == bool else input != 0  # one pass over all, then one over those that are found
    flat_positions = np.flatnonzero(is_true)
    positions = np.empty((flat_positions.size, 2), np.int64)
    positions[:, 0] = np.repeat(np.arange(len(input)), np.count_nonzero(is_true, axis=1))
    np.subtract(flat_positions, positions[:, 0] * input.shape[1], out=positions[:, 1])
    return positions


# --- select ------------------------------------------------------------------------------------------------------


def _select_v2_shape(c: ShapeContext) -> TensorShape:
    return broadcast_dims(broadcast_dims(c.shape("condition"), c.shape("t")), c.shape("e"))


@op(
    "SelectV2",
    "condition: bool, t: T, e: T -> output: T",
    T=ANY,
    shape=_select_v2_shape,
    handles=common_handle,
    elementwise=Elementwise.BROADCAST,
    batching=elementwise,
    exact_on_rows=True,
    selects_operand=True,
)
def select_v2(xp: Xp, condition: Array, t: Array, e: Array) -> Array:
    """Takes elements of `t` where `condition` is true, else of `e`; all three broadcast."""
    try:
        return xp.where(condition, t, e)
    except ValueError:
        shapes = f"condition {dims_text(condition.shape)}, then {dims_text(t.shape)}, and else {dims_text(e.shape)}"
        raise invalid(f"{shapes} must be broadcastable") from None


@select_v2.gradient
@values_for(t=(), e=())
def select_v2_gradient(dy: Tensor, condition: Tensor, t: Tensor, e: Tensor) -> tuple[None, Tensor, Tensor]:
    """Gives each element of the gradient to the input from which the element was taken."""
    zero = raw.ZerosLike(x=dy)
    return (
        None,
        unbroadcast(raw.SelectV2(condition=condition, t=dy, e=zero), t),
        unbroadcast(raw.SelectV2(condition=condition, t=zero, e=dy), e),
    )


def _select_shape(c: ShapeContext) -> TensorShape:
    merged_shape = merge(c.shape("t"), c.shape("e"))
    condition = c.shape("condition")
    if merged_shape.rank is None or condition.rank in (None, 0):
        return merged_shape
    if condition.rank == 1 and merged_shape.rank >= 1:
        first = merge_dims(condition.dim_sizes, (merged_shape.dim_sizes or ())[:1]) or ()
        return TensorShape.of((*first, *(merged_shape.dim_sizes or ())[1:]))
    return merge(merged_shape, condition)


@op(
    "Select",
    "condition: bool, t: T, e: T -> output: T",
    T=ANY,
    shape=_select_shape,
    handles=common_handle,
    batching=index_batches.select,
    exact_on_rows=True,
    selects_operand=True,
    public_argument_names={"x": "t", "y": "e"},
)
def select(xp: Xp, condition: Array, t: Array, e: Array) -> Array:
    """Takes elements (or, by a vector condition, rows) of `t` where `condition` is true, else of `e`."""
    if t.shape != e.shape:
        raise _unequal(t, condition.shape, "2", e.shape)
    if condition.shape == t.shape or not condition.ndim:
        return xp.where(condition, t, e)
    if condition.ndim != 1 or not t.ndim:
        raise _unequal(t, condition.shape, "1", t.shape)
    if condition.shape[0] != t.shape[0]:
        sizes = f"{t.shape[0]} vs. {condition.shape[0]}"
        raise invalid(f"Number of batches of 'then' must match size of 'cond', but saw: {sizes}")
    return xp.where(condition.reshape((-1,) + (1,) * (t.ndim - 1)), t, e)


def _unequal(t: Array, condition: object, which: str, other: object) -> Exception:
    return invalid(
        "Inputs to operation Select of type Select must have the same size and shape.  "
        f"Input 0: {dims_text(condition)} != input {which}: {dims_text(other)}"
    )


@select.gradient
def select_gradient(dy: Tensor, condition: Tensor) -> tuple[None, Tensor, Tensor]:
    """Gives each element of the gradient to the input from which the element was taken."""
    zero = raw.ZerosLike(x=dy)
    return None, raw.Select(condition=condition, t=dy, e=zero), raw.Select(condition=condition, t=zero, e=dy)


@export("where", v1=["where_v2"])
def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Any:
    """Finds the positions where `condition` holds; or, with `x` and `y`, chooses between their elements.

    >>> tf.where([True, False, True]).numpy()
    array([[0],
           [2]])
    >>> tf.where([True, False, True], [1, 2, 3], 0).numpy()
    array([1, 0, 3], dtype=int32)

    Args:
      condition: A boolean Tensor; without `x` and `y`, numbers that are not 0 count as true too.
      x: A Tensor whose elements are taken where `condition` is true.
      y: A Tensor of the same dtype whose elements are taken elsewhere. All three broadcast.
      name: name of the operation.

    Returns: Without `x` and `y`, an int64 matrix with one position a row; else a Tensor of the dtype of `x`.
    Raises: ValueError: if only one of `x` and `y` is given.
    """
    if x is None and y is None:
        return where_op(_preferring_bool(condition), name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select_v2(condition, x, y, name=name)


def _preferring_bool(condition: Any) -> Any:
    return (
        convert_to_tensor(condition, dtype_hint=bool_dtype, name="condition")
        if not isinstance(condition, Tensor)
        else condition
    )


def where_select(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Any:
    """Finds positions, or chooses between `x` and `y`, which must have one shape; a vector condition chooses rows.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy()
    array([[1, 2],
           [7, 8]], dtype=int32)

    Args:
      condition: A boolean Tensor: a scalar, a vector, or of the shape of `x`.
      x: A Tensor.
      y: A Tensor of the same dtype and shape.
      name: name of the operation.

    Returns: Positions, as of `tf.where`, or a Tensor of the dtype of `x`.
    Raises: ValueError: if only one of `x` and `y` is given.
    """
    if x is None and y is None:
        return where_op(_preferring_bool(condition), name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select(condition, x, y, name=name)


# --- boolean mask ------------------------------------------------------------------------------------------------


@export("boolean_mask", v1=[])
def boolean_mask(tensor: TensorLike, mask: Any, axis: TensorLike | None = None, name: str = "boolean_mask") -> Any:
    """Takes the elements of a tensor where a mask is true.

    >>> tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)

    Args:
      tensor: A Tensor of any dtype.
      mask: A boolean Tensor of known rank of at least 1; its shape matches `tensor`'s from dimension `axis` on.
      axis: where the mask begins; None means 0.
      name: name of the operation.

    Returns: A Tensor; the dimensions under the mask are replaced by one of the number of true elements.
    Raises: ValueError: if the mask is a scalar, of unknown rank, or does not match.
    """
    with name_scope(name, "boolean_mask"):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        if mask.dtype is not bool_dtype:
            mask = raw.Cast(x=mask, DstT=bool_dtype)
        at = _mask_axis(axis)
        mask_rank = _validate_mask(tensor, mask, at)
        if state.run is not None and type(tensor) is EagerTensor and type(mask) is EagerTensor and at >= 0:
            return EagerTensor(tensor._eager_array[(slice(None),) * at + (mask._eager_array,)], tensor.dtype)
        flat_tensor = _flatten_dims(tensor, at, mask_rank)
        positions = squeeze_op(where_op(reshape(mask, [-1])), squeeze_dims=(1,))
        return raw.GatherV2(params=flat_tensor, indices=positions, axis=at)


def _mask_axis(axis: Any) -> int:
    if axis is None:
        return 0
    value = static_value(axis) if isinstance(axis, Tensor) else axis
    if value is None:
        raise ValueError("tf.boolean_mask: `axis` must be known while tracing.")
    return int(value)


def _validate_mask(tensor: Any, mask: Any, axis: int) -> int:
    """Returns the rank of the mask. Raises ValueError if the mask does not fit the tensor."""
    rank = mask.shape.rank
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  "
            "E.g. shape=[None] is ok, but shape=None is not."
        )
    if tensor.shape.rank is not None:
        at = axis + tensor.shape.rank if axis < 0 else axis
        tensor.shape[at : at + rank].assert_is_compatible_with(mask.shape)
    return int(rank)


def _flatten_dims(tensor: Any, axis: int, count: int) -> Any:
    """Merges `count` dimensions of `tensor`, from `axis` on, into one."""
    if tensor.shape.rank is not None:
        axis = axis + tensor.shape.rank if axis < 0 else axis
    size = raw.Prod(input=shape_tensor(tensor)[axis : axis + count], reduction_indices=[0])
    parts = [shape_tensor(tensor)[:axis], [size], shape_tensor(tensor)[axis + count :]]
    flat_tensor = reshape(tensor, raw.ConcatV2(values=parts, axis=0, name="concat"))
    dims = tensor.shape.dim_sizes
    if dims is not None and None in dims:
        flat_tensor.set_shape((*dims[:axis], multiply(*dims[axis : axis + count]), *dims[axis + count :]))
    return flat_tensor
