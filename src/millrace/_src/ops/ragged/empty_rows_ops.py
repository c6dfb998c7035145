"""Rows without values get one default value; the gradient gives each value, and the default value, its part.

The rows that appear among the row ids are marked. A filled row takes one slot, any other row as many as it has values;
the values go to their slots in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import SCALAR, dims_text, merge_dim, require_scalar, vector, with_rank
from millrace._src.ops.ragged.row_positions import splits_of
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_NOT_BATCHED = "the number of values differs from row to row"


def _require_rank(array: Array, name: str, rank: int) -> None:
    if array.ndim != rank:
        raise invalid(f"{name} must be a {'vector' if rank else 'scalar'}, saw: {dims_text(array.shape)}")


def _filled_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    (ids,), (values,) = with_rank(c.shape("value_rowids"), 1), with_rank(c.shape("values"), 1)
    require_scalar(c.shape("nrows"))
    require_scalar(c.shape("default_value"))
    return vector(None), vector(None), vector(None), vector(merge_dim(ids, values))


@op(
    "RaggedFillEmptyRows",
    "value_rowids: int64, values: T, nrows: int64, default_value: T -> "
    "output_value_rowids: int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
    T=ANY,
    shape=_filled_shapes,
    host_only=True,
    not_batched=_NOT_BATCHED,
)
def ragged_fill_empty_rows_op(
    xp: Xp, value_rowids: Array, values: Array, nrows: Array, default_value: Array
) -> tuple[Array, Array, Array, Array]:
    """Gives each row without values the default value.

    >>> filled = tf.raw_ops.RaggedFillEmptyRows(value_rowids=[0, 2], values=[7, 8], nrows=3, default_value=-1)
    >>> filled.output_values.numpy(), filled.empty_row_indicator.numpy()
    (array([ 7, -1,  8], dtype=int32), array([False,  True, False]))
    """
    _check_rows(value_rowids, values, nrows, default_value)
    counts = np.bincount(value_rowids, minlength=int(nrows))
    splits = splits_of(np.maximum(counts, 1))
    order = np.argsort(value_rowids, kind="stable")
    slots = np.empty(values.shape, np.int64)
    slots[order] = np.arange(values.size) + (splits[:-1] - splits_of(counts)[:-1])[value_rowids[order]]
    filled_values = np.full(splits[-1], default_value, values.dtype)
    filled_values[slots] = values
    return np.repeat(np.arange(int(nrows)), np.diff(splits)), filled_values, counts == 0, slots


def _check_rows(value_rowids: Array, values: Array, nrows: Array, default_value: Array) -> None:
    _require_rank(nrows, "nrows", 0)
    _require_rank(value_rowids, "value_rowids", 1)
    _require_rank(values, "values", 1)
    if value_rowids.size != values.size:
        size = f"The length of `values` ({values.size}) must match"
        raise invalid(f"{size} the first dimension of `value_rowids` ({value_rowids.size}).")
    _require_rank(default_value, "default_value", 0)
    if nrows < 0:
        raise invalid(f"Expected shape dimensions to be non-negative, got {nrows}")
    if nrows == 0 and values.size:
        raise invalid(f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {values.size}")
    is_outside = (value_rowids < 0) | (value_rowids >= nrows)
    if is_outside.any():
        at = int(np.argmax(is_outside))
        raise invalid(f"indices({at}, 0) is invalid: {value_rowids[at]} >= {nrows}")


def _gradient_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    with_rank(c.shape("grad_values"), 1)
    return vector(*with_rank(c.shape("reverse_index_map"), 1)), SCALAR


@op(
    "RaggedFillEmptyRowsGrad",
    "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T",
    T=ANY,
    shape=_gradient_shapes,
    host_only=True,
    not_batched=_NOT_BATCHED,
)
def ragged_fill_empty_rows_grad_op(xp: Xp, reverse_index_map: Array, grad_values: Array) -> tuple[Array, Array]:
    """Takes the gradients of the given values, and adds up those of the default values.

    >>> parts = tf.raw_ops.RaggedFillEmptyRowsGrad(reverse_index_map=[0, 2], grad_values=[1.0, 2.0, 4.0])
    >>> parts.d_values.numpy(), parts.d_default_value.numpy()
    (array([1., 4.], dtype=float32), 2.0)
    """
    _require_rank(reverse_index_map, "reverse_index_map", 1)
    _require_rank(grad_values, "grad_values", 1)
    is_outside = (reverse_index_map < 0) | (reverse_index_map >= grad_values.size)
    if is_outside.any():
        found = int(reverse_index_map[np.argmax(is_outside)])
        raise invalid(f"Elements in reverse index must be in [0, {grad_values.size}) but got {found}")
    is_default = np.ones(grad_values.shape, np.bool_)
    is_default[reverse_index_map] = False
    total = grad_values[is_default].sum(dtype=grad_values.dtype)
    return grad_values[reverse_index_map], np.asarray(total, grad_values.dtype)


@ragged_fill_empty_rows_grad_op.gradient
def ragged_fill_empty_rows_grad_gradient(
    values_gradient: Tensor, default_gradient: Tensor, reverse_index_map: Tensor, grad_values: Tensor
) -> tuple[None, Tensor]:
    """Gives a slot with a value the gradient of the value, and each other slot that of the default value."""
    defaults = raw.Fill(dims=raw.Shape(input=grad_values), value=default_gradient)
    slots = raw.ExpandDims(input=reverse_index_map, dim=1)
    return None, raw.TensorScatterUpdate(tensor=defaults, indices=slots, updates=values_gradient)


@ragged_fill_empty_rows_op.gradient
def ragged_fill_empty_rows_gradient(
    rowids_gradient: object, dy: Tensor, indicator_gradient: object, map_gradient: object, reverse_index_map: Tensor
) -> tuple[None, Tensor, None, Tensor]:
    """Gives the values and the default value their parts of the gradient."""
    d_values, d_default = raw.RaggedFillEmptyRowsGrad(reverse_index_map=reverse_index_map, grad_values=dy)
    return None, d_values, None, d_default


# --- public names ----------------------------------------------------------------------------------------------------


@export("ragged_fill_empty_rows")
def ragged_fill_empty_rows(
    value_rowids: TensorLike, values: TensorLike, nrows: TensorLike, default_value: TensorLike, name: str | None = None
) -> Any:
    """Gives each row without values the default value.

    >>> filled = tf.ragged_fill_empty_rows([0, 2], [7, 8], nrows=3, default_value=-1)
    >>> filled.output_value_rowids.numpy(), filled.output_values.numpy()
    (array([0, 1, 2]), array([ 7, -1,  8], dtype=int32))

    Args:
      value_rowids: An int64 vector: the row of each value.
      values: A vector of any dtype.
      nrows: The number of rows, an int64 scalar.
      default_value: The value of rows that have none, a scalar of the dtype of `values`.
      name: A name for the operation (optional).

    Returns: A named tuple: `output_value_rowids`, `output_values`, the bool vector `empty_row_indicator [nrows]`, and
      the int64 vector `reverse_index_map`, the new index of each given value.
    Raises: tf.errors.InvalidArgumentError: if a row does not exist, or an argument has another shape.
    """
    return raw.RaggedFillEmptyRows(
        value_rowids=value_rowids, values=values, nrows=nrows, default_value=default_value, name=name
    )


@export("ragged_fill_empty_rows_grad")
def ragged_fill_empty_rows_grad(reverse_index_map: TensorLike, grad_values: TensorLike, name: str | None = None) -> Any:
    """Takes the gradients of the values given to `tf.ragged_fill_empty_rows`, and that of the default value.

    >>> parts = tf.ragged_fill_empty_rows_grad([0, 2], [1.0, 2.0, 4.0])
    >>> parts.d_values.numpy(), parts.d_default_value.numpy().item()
    (array([1., 4.], dtype=float32), 2.0)

    Args:
      reverse_index_map: What `tf.ragged_fill_empty_rows` returned, an int64 vector.
      grad_values: The gradients of the values that `tf.ragged_fill_empty_rows` returned, a vector.
      name: A name for the operation (optional).

    Returns: A named tuple: `d_values`, a vector, and `d_default_value`, a scalar.
    Raises: tf.errors.InvalidArgumentError: if an index does not exist, or an argument is not a vector.
    """
    return raw.RaggedFillEmptyRowsGrad(reverse_index_map=reverse_index_map, grad_values=grad_values, name=name)
