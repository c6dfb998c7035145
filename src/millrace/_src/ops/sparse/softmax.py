"""`tf.sparse.softmax`: a softmax over the stored elements of each row; elements that are not stored stay zero.

The rows are the elements that agree in all indices but the last. In order they are runs of neighbours, which the host
reduces run by run and XLA by scattering.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import float16, float32, float64
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, vector
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.sparse.coordinates import OWN_COORDINATES, order_of_coordinates, take
from millrace._src.ops.sparse.part_checks import traced_parts
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, sparse_result
from millrace._src.util.export import export


def _values_shape(c: ShapeContext) -> TensorShape:
    count, _, _ = traced_parts(c, "sp_indices", "sp_values", "sp_shape")
    return vector(count)


def _check_parts(indices: Array, values: Array, shape: Array) -> None:
    if indices.ndim != 2:
        raise invalid(f"Input sp_indices should be a matrix but received shape: {dims_text(indices.shape)}")
    if values.ndim != 1 or shape.ndim != 1:
        found = f"{dims_text(values.shape)} and {dims_text(shape.shape)}"
        raise invalid(f"Inputs sp_values and sp_shape should be vectors but received shapes: {found}")
    if len(shape) < 2:
        raise invalid(f"Input should have rank >= 2, but received shape: {' '.join(str(dim) for dim in shape)}")
    if len(indices) != len(values):
        raise invalid(
            "indices and values rows (indexing dimension) must match. "
            f"(indices = {len(indices)}, values = {len(values)})"
        )
    if len(shape) != indices.shape[1]:
        raise invalid("Order length must be SparseTensor rank.")


@kernel_part
def _softmax_of_runs(xp: Xp, values: Array, run_of: Array) -> Array:
    """Computes the softmax of each run of values, whose numbers rise by one from run to run."""
    if not len(values):
        return values
    starts = np.flatnonzero(np.append(True, run_of[1:] != run_of[:-1]))
    powers = np.exp(values - np.maximum.reduceat(values, starts)[run_of])
    quotients: Array = powers / np.add.reduceat(powers, starts)[run_of]
    return quotients


@_softmax_of_runs.kernel_for("xla")
def _softmax_by_scatter(xp: Xp, values: Array, run_of: Array) -> Array:
    lowest = xp.full(values.shape, -np.inf, values.dtype)
    powers = xp.exp(values - xp.take(xp.scatter(lowest, run_of, values, "max"), run_of))
    return powers / xp.take(xp.scatter(xp.zeros(values.shape, values.dtype), run_of, powers, "add"), run_of)


@op(
    "SparseSoftmax",
    "sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T",
    T=TypeSet([float16, float32, float64]),
    shape=_values_shape,
    not_batched=OWN_COORDINATES,
)
def sparse_softmax_op(xp: Xp, sp_indices: Array, sp_values: Array, sp_shape: Array) -> Array:
    """Computes the softmax of the stored elements of each row of a sparse tensor of rank 2 or more."""
    _check_parts(sp_indices, sp_values, sp_shape)
    rows = sp_indices[:, :-1]
    order = order_of_coordinates(xp, rows, sp_shape[:-1])
    run_of = _numbers_of_runs(xp, take(xp, rows, order))
    softmax = in_single(xp, lambda values: _softmax_of_runs(xp, take(xp, values, order), run_of), sp_values)
    if order is None:
        return softmax
    return xp.scatter(xp.zeros(sp_values.shape, sp_values.dtype), order, softmax, "set")


def _numbers_of_runs(xp: Xp, rows: Array) -> Array:
    """Returns for each row the number of rows before that differ from the row before them."""
    changes = xp.zeros(max(rows.shape[0] - 1, 0), np.bool_)
    for axis in range(rows.shape[1]):
        changes = changes | (rows[1:, axis] != rows[:-1, axis])
    return xp.cumsum(xp.concatenate([xp.zeros(min(rows.shape[0], 1), np.int64), xp.astype(changes, np.int64)]))


@sparse_softmax_op.gradient
def sparse_softmax_gradient(
    dy: Tensor, sp_indices: Tensor, sp_shape: Tensor, output: Tensor
) -> tuple[None, Tensor, None]:
    """Computes `(dy - sum(dy * y)) * y`, with sums over rows."""
    row_sums = raw.SparseReduceSum(
        input_indices=sp_indices, input_values=dy * output, input_shape=sp_shape, reduction_axes=[-1], keep_dims=True
    )
    scaled = raw.SparseDenseCwiseMul(sp_indices=sp_indices, sp_values=output, sp_shape=sp_shape, dense=row_sums)
    return None, dy * output - scaled, None


@export("sparse.softmax", v1=["sparse.softmax", "sparse_softmax"])
def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Computes the softmax of the stored elements of each row; elements that are not stored stay zero.

    >>> st = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 1.0, 5.0], [2, 3])
    >>> tf.sparse.to_dense(tf.sparse.softmax(st)).numpy()
    array([[0.5, 0. , 0.5],
           [0. , 1. , 0. ]], dtype=float32)

    Args:
      sp_input: a SparseTensor of floating numbers, of rank 2 or more.
      name: name of the scope in a graph.

    Returns: A SparseTensor with the same coordinates.
    Raises: tf.errors.InvalidArgumentError: if the rank is less than 2.
    """
    with name_scope(name, "SparseSoftmax"):
        values = sparse_softmax_op(sp_input.indices, sp_input.values, sp_input.dense_shape)
        return sparse_result(sp_input.indices, values, sp_input.dense_shape, sp_input.shape)
