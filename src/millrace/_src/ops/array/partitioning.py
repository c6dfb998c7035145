"""Dynamic partition and stitch: rows dealt out to several tensors, and put back.

`dynamic_partition` picks the rows of each number, so the sizes depend on values and the op runs on the host.
`dynamic_stitch` writes rows to given positions; of several rows for one position the last wins. A stitch is the
gradient of a partition, a gather the gradient of a stitch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import index_batches
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, first_bad, merge_dim, merge_dims
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.batching_rules import trailing
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

# --- partition ---------------------------------------------------------------------------------------------------


def _partition_shape(c: ShapeContext) -> list[TensorShape]:
    count, data, partitions = c.attr("num_partitions"), c.shape("data").dim_sizes, c.shape("partitions").dim_sizes
    if data is None or partitions is None:
        return [UNKNOWN] * count
    if len(partitions) > len(data):
        raise ValueError(f"Shape must be at least rank {len(partitions)} but is rank {len(data)}")
    for d, p in zip(data, partitions, strict=False):
        merge_dim(d, p)
    return [TensorShape.of((None, *data[len(partitions) :]))] * count


@op(
    "DynamicPartition",
    "data: T, partitions: int32 -> outputs: num_partitions * T",
    T=ANY,
    shape=_partition_shape,
    host_only=True,
    batching=trailing("data"),
)
def dynamic_partition_op(xp: Xp, data: Array, partitions: Array, *, num_partitions: int) -> list[Array]:
    """Deals out the slices of `data` to tensors by number."""
    if num_partitions < 1:
        raise invalid(f"Value for attr 'num_partitions' of {num_partitions} must be at least minimum 1")
    if data.shape[: partitions.ndim] != partitions.shape:
        shapes = f"data.shape = {dims_text(data.shape)}, partitions.shape = {dims_text(partitions.shape)}"
        raise invalid(f"data.shape must start with partitions.shape, got {shapes}")
    at = first_bad((partitions < 0) | (partitions >= num_partitions))
    if at is not None:
        where = f"[{','.join(str(i) for i in at)}]" if at else ""
        raise invalid(f"partitions{where} = {int(partitions[at])} is not in [0, {num_partitions})")
    rows = data.reshape((partitions.size, *data.shape[partitions.ndim :]))
    numbers = partitions.reshape(-1)
    return [rows.take(np.flatnonzero(numbers == k), axis=0) for k in range(num_partitions)]


@dynamic_partition_op.gradient
def dynamic_partition_gradient(dys: list[Tensor], data: Tensor, partitions: Tensor) -> tuple[Tensor, None]:
    """Deals out row numbers as the op deals out rows, and stitches the gradients by the row numbers."""
    shape = shape_tensor(partitions)
    count = raw.Prod(input=shape, reduction_indices=[0])
    positions = raw.Reshape(tensor=raw.Range(start=0, limit=count, delta=1), shape=shape)
    indices = raw.DynamicPartition(data=positions, partitions=partitions, num_partitions=len(dys))
    d_data = raw.ParallelDynamicStitch(indices=indices, data=dys)
    return raw.Reshape(tensor=d_data, shape=shape_tensor(data)), None


@export("dynamic_partition")
def dynamic_partition(data: Tensor, partitions: Tensor, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """Deals the slices of `data` out to `num_partitions` tensors.

    >>> a, b = tf.dynamic_partition([10, 20, 30], [0, 1, 0], 2)
    >>> a.numpy(), b.numpy()
    (array([10, 30], dtype=int32), array([20], dtype=int32))

    Args:
      data: A Tensor of any dtype.
      partitions: an int32 Tensor whose shape begins the shape of `data`; each element in [0, num_partitions).
      num_partitions: an int of at least 1.
      name: name of the operation.

    Returns: A list of Tensors.
    Raises: tf.errors.InvalidArgumentError: if an element of `partitions` is out of range.
    """
    return dynamic_partition_op(data, partitions, num_partitions=num_partitions, name=name)


# --- stitch ------------------------------------------------------------------------------------------------------


def _stitch_shape(c: ShapeContext) -> TensorShape:
    slice_dims = None
    for indices, data in zip(c.shapes("indices"), c.shapes("data"), strict=True):
        if indices.dim_sizes is None or data.dim_sizes is None:
            continue
        for i, d in zip(indices.dim_sizes, data.dim_sizes, strict=False):
            merge_dim(d, i)
        slice_dims = merge_dims(slice_dims, data.dim_sizes[len(indices.dim_sizes) :])
    if slice_dims is None:
        return UNKNOWN
    return TensorShape.of((_stitch_rows(c), *slice_dims))


def _stitch_rows(c: ShapeContext) -> int | None:
    """Returns one more than the largest index, if all indices are known."""
    values = [static_value(t) for t in c.tensors("indices")]
    if any(v is None for v in values):
        return None
    return max((int(v.max()) + 1 for v in values if v.size), default=0)


def _stitch(xp: Xp, indices: Sequence[Array], data: Sequence[Array]) -> Array:
    slice_shape = data[0].shape[indices[0].ndim :]
    for k, (index, part) in enumerate(zip(indices, data, strict=True)):
        if part.shape[: index.ndim] != index.shape:
            shapes = f"data[{k}].shape = {dims_text(part.shape)} does not start with indices[{k}].shape"
            raise invalid(f"{shapes} = {dims_text(index.shape)}")
        if part.shape[index.ndim :] != slice_shape:
            raise invalid(
                f"Need data[0].shape[{indices[0].ndim}:] = data[{k}].shape[{index.ndim}:], "
                f"got data[0].shape = {dims_text(data[0].shape)}, data[{k}].shape = {dims_text(part.shape)}, "
                f"indices[0].shape = {dims_text(indices[0].shape)}, indices[{k}].shape = {dims_text(index.shape)}"
            )
        at = first_bad(np.asarray(index) < 0)
        if at is not None:
            raise invalid(f"indices[{','.join(str(i) for i in at)}] is out of range")
    flat_indices = np.concatenate([np.asarray(i).reshape(-1) for i in indices])
    rows = xp.concatenate([part.reshape((index.size, *slice_shape)) for index, part in zip(indices, data, strict=True)])
    size = int(flat_indices.max()) + 1 if flat_indices.size else 0
    return _write(xp, size, flat_indices, rows)


@kernel_part
def _write(xp: Xp, size: int, numbers: Array, rows: Array) -> Array:
    """Writes rows at their indices, in order: of several rows for one index the last holds."""
    result = np.full((size, *rows.shape[1:]), b"" if rows.dtype.kind == "O" else 0, dtype=rows.dtype)
    result[numbers] = rows
    return result


@_write.kernel_for("xla")
def _write_xla(xp: Xp, size: int, numbers: Array, rows: Array) -> Array:
    last_rows = np.full(size, -1)
    last_rows[numbers] = np.arange(numbers.size)  # XLA does not write in order: only the last rows are written
    found_numbers = np.flatnonzero(last_rows >= 0)
    if not found_numbers.size:
        return xp.zeros((size, *rows.shape[1:]), rows.dtype)
    chosen_rows = xp.take(rows, last_rows[found_numbers], axis=0)
    if found_numbers.size == size:
        return chosen_rows
    return xp.scatter(xp.zeros((size, *rows.shape[1:]), rows.dtype), (found_numbers,), chosen_rows, "set")


@export("dynamic_stitch")
@op(
    "DynamicStitch",
    "indices: N * int32, data: N * T -> merged: T",
    T=ANY,
    shape=_stitch_shape,
    constant_inputs=("indices",),
    batching=index_batches.stitch,
    exact_on_rows=True,
)
def dynamic_stitch(xp: Xp, indices: list[Array], data: list[Array]) -> Array:
    """Puts the slices of several tensors at given indices of one.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy()
    array([10, 20, 30], dtype=int32)

    Args:
      indices: a list of int32 Tensors, the row numbers.
      data: a list of Tensors; each shape begins with the shape of the indices, and the rest is the same for all.

    Returns: A Tensor with one row more than the largest index; of several slices for one index the last holds.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit or an index is negative.
    """
    return _stitch(xp, indices, data)


@op(
    "ParallelDynamicStitch",
    "indices: N * int32, data: N * T -> merged: T",
    T=ANY,
    shape=_stitch_shape,
    constant_inputs=("indices",),
    batching=index_batches.stitch,
)
def parallel_dynamic_stitch(xp: Xp, indices: list[Array], data: list[Array]) -> Array:
    """Stitches slices like DynamicStitch, but without a promise which of several slices at one position wins."""
    return _stitch(xp, indices, data)


@dynamic_stitch.gradient
@parallel_dynamic_stitch.gradient
def dynamic_stitch_gradient(dy: Tensor, indices: list[Tensor]) -> tuple[list[None], list[Tensor]]:
    """Gives each tensor the slices at its positions."""
    return [None] * len(indices), [raw.GatherV2(params=dy, indices=i, axis=0) for i in indices]
