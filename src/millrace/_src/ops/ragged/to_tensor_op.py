"""The op `RaggedTensorToTensor`: rows of different lengths in a dense tensor, filled up or cut off.

Problem: the partitions arrive in several forms, any dimension may be asked for in another size, and there are many more
values than a Python loop can visit.

Idea: the values fill the dense tensor in order, so it is enough to know which cells they fill. Dimension by dimension
the op computes a mask of the cells, and the numbers of the values only where some are cut off; then it writes all
values at once. The gradient asks the op itself where each value went: the op is run on the numbers of the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.errors import InvalidArgumentError, UnknownWhileCompilingError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.ragged.range_op import integer_ranges
from millrace._src.ops.type_sets import ANY, TypeSet

Dims = Sequence[int]

_INDEX = TypeSet((int64, int32))
_MAX_TABLED_LENGTH = 256
"""The most columns for which the rows of a mask are taken from a table of rows by length."""


def _dims_text(dims: Sequence[int | None]) -> str:
    return "[" + ",".join("?" if dim is None or dim < 0 else str(dim) for dim in dims) + "]"


def _wrong_rank(shape: str, rank: int, found_rank: int) -> str:
    return f"rt_input.shape and shape={shape} are incompatible: rt_input.rank = {rank} but shape.rank = {found_rank}"


def _wrong_dim(shape: str, axis: int, dim: int, found_dim: int) -> str:
    words = f"rt_input.shape[{axis}] = {dim} but shape[{axis}] = {found_dim}"
    return f"rt_input.shape and shape={shape} are incompatible: {words}"


def _to_tensor_shape(c: ShapeContext) -> TensorShape:
    values, wanted = c.shape("values"), c.value_as_shape("shape")
    types = [str(name) for name in c.attr("row_partition_types")]
    ragged_rank = len(types) - ("FIRST_DIM_SIZE" in types)
    if values.rank is None:
        return wanted
    _refuse_static_default(c.shape("default_value"), values)
    rank = ragged_rank + values.rank
    if wanted.rank is None:
        dims: list[int | None] = [None] * (ragged_rank + 1)
    elif wanted.rank != rank:
        raise ValueError(_wrong_rank(_dims_text(wanted.as_list()), rank, wanted.rank))
    else:
        dims = wanted.as_list()[: ragged_rank + 1]
        _refuse_other_inner_dims(wanted.as_list(), values.as_list()[1:], ragged_rank + 1)
    if dims[0] is None:
        dims[0] = _static_rows(c, types)
    return TensorShape([*dims, *values.as_list()[1:]])


def _refuse_static_default(default: TensorShape, values: TensorShape) -> None:
    if default.rank is not None and default.rank >= (values.rank or 0):
        raise ValueError(_wrong_default_rank(default.as_list(), values.as_list()))


def _wrong_default_rank(default: Sequence[int | None], values: Sequence[int | None]) -> str:
    return (
        f"default_value.shape={_dims_text(default)} and rt_input.flat_values.shape={_dims_text(values)} are "
        f"incompatible: default_value.rank = {len(default)}  must be less than rt_input.flat_values.rank = "
        f"{len(values)}"
    )


def _refuse_other_inner_dims(wanted: list[int | None], inner: list[int | None], first: int) -> None:
    for axis, dim in enumerate(inner, first):
        if None not in (dim, wanted[axis]) and dim != wanted[axis]:
            raise ValueError(_wrong_dim(_dims_text(wanted), axis, dim or 0, wanted[axis] or 0))


def _static_rows(c: ShapeContext, types: list[str]) -> int | None:
    if not types:
        return None
    first = c.tensors("row_partition_tensors")[0]
    if types[0] == "ROW_SPLITS":
        return first.shape[0] - 1 if first.shape.rank == 1 and first.shape[0] is not None else None
    rows = c.value("row_partition_tensors") if types[0] == "FIRST_DIM_SIZE" else None
    return None if rows is None else int(rows)


class _Padding(NamedTuple):
    """Where the values go: the outer dimensions, a mask of the cells with a value, the numbers of the values that fit.

    The mask is None where there is a value for every cell, the numbers are None where all values fit.
    """

    sizes: list[int]
    filled: Array | None
    kept: Array | None


@op(
    "RaggedTensorToTensor",
    "shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors * Tindex "
    "-> result: T",
    T=ANY,
    Tindex=_INDEX,
    Tshape=_INDEX,
    shape=_to_tensor_shape,
    constant_inputs=("shape",),
    not_batched="the rows of a batch have partitions of different sizes",
)
def ragged_tensor_to_tensor(
    xp: Xp,
    shape: Array,
    values: Array,
    default_value: Array,
    row_partition_tensors: list[Array],
    *,
    row_partition_types: list[str],
) -> Array:
    """Writes the values of a ragged tensor into a dense tensor, and `default_value` where there is none.

    >>> tf.raw_ops.RaggedTensorToTensor(
    ...     shape=[-1, -1], values=[1, 2, 3], default_value=0,
    ...     row_partition_tensors=[[0, 2, 3]], row_partition_types=["ROW_SPLITS"]).numpy().tolist()
    [[1, 2], [3, 0]]
    """
    _refuse_default(default_value, values)
    partitions = _row_splits(row_partition_tensors, [_name(t) for t in row_partition_types], values.shape[0])
    wanted = _wanted_dims(shape, len(partitions) + values.ndim, values.shape[1:])
    padding = _padding(partitions, wanted)
    fitting_values = values[: int(partitions[-1][-1])] if padding.kept is None else values[padding.kept]
    dims = (*padding.sizes, *values.shape[1:])
    if padding.filled is None:
        return fitting_values.reshape(dims)
    result = _fill(dims, values.dtype, default_value)
    result[padding.filled] = fitting_values
    return result


def _fill(dims: Dims, dtype: Any, value: Array) -> Array:
    """Returns an array full of a value; memory fresh from the system holds zero bytes already."""
    if dtype.kind != "O" and not any(value.tobytes()):
        return np.zeros(dims, dtype)
    result = np.empty(dims, dtype)
    result[...] = value
    return result


@ragged_tensor_to_tensor.kernel_for("xla")
def _to_tensor_of_known_shape(
    xp: Xp,
    shape: Array,
    values: Array,
    default_value: Array,
    row_partition_tensors: list[Array],
    *,
    row_partition_types: list[str],
) -> Array:
    """Writes the values into a dense tensor whose outer dimensions are given: XLA cannot find them from values."""
    _refuse_default(default_value, values)
    kinds = [_name(kind) for kind in row_partition_types]
    pairs = [pair for pair in zip(row_partition_tensors, kinds, strict=True) if pair[1] != "FIRST_DIM_SIZE"]
    sizes = _wanted_dims(np.asarray(shape), len(pairs) + values.ndim, values.shape[1:])[: len(pairs) + 1]
    if sizes[0] < 0 and pairs[0][1] == "ROW_SPLITS":
        sizes[0] = int(pairs[0][0].shape[0]) - 1
    if min(sizes) < 0:
        message = "XLA makes a dense tensor of a ragged one only where its shape is given; the rows decide it here."
        raise UnknownWhileCompilingError(message, tensors=[])
    counts = [_row_count(*pair) for pair in pairs[1:]] + [values.shape[0]]
    cells, fits = xp.arange(counts[0]), None
    for level, ((tensor, kind), count, size) in enumerate(zip(pairs, counts, sizes[1:], strict=True)):
        rowids, columns, is_value = _rows_and_columns(xp, tensor, kind, count)
        outer = rowids if level == 0 else xp.take(cells, rowids)
        fits = is_value & (columns < size) & (rowids < sizes[0] if level == 0 else xp.take(fits, rowids))
        cells = outer * size + columns
    total = int(np.prod(sizes))
    result = xp.broadcast_to(default_value, (total + 1, *values.shape[1:]))
    result = xp.scatter(result, xp.where(fits, cells, total), values, "set")  # what does not fit goes to a cell apart
    return xp.reshape(result[:total], (*sizes, *values.shape[1:]))


def _row_count(tensor: Array, kind: str) -> int:
    """Returns the number of rows of an inner partition, which is the number of values of the partition around it."""
    if kind != "ROW_SPLITS":
        raise UnknownWhileCompilingError("XLA takes inner partitions of a ragged tensor as row splits.", tensors=[])
    return int(tensor.shape[0]) - 1


def _rows_and_columns(xp: Xp, tensor: Array, kind: str, count: int) -> tuple[Array, Array, Array]:
    """Returns, for each value, the number of its row, its column in the row, and whether a row has the value."""
    numbers = xp.arange(count)
    if kind == "VALUE_ROWIDS":
        return tensor, numbers - xp.searchsorted(tensor, tensor, side="left"), numbers >= 0
    if kind != "ROW_SPLITS":
        raise _unknown_type(kind)
    rowids = xp.searchsorted(tensor, numbers, side="right") - 1
    return rowids, numbers - xp.take(tensor, rowids), numbers < tensor[-1]


def _name(partition_type: object) -> str:
    return partition_type.decode() if isinstance(partition_type, bytes) else str(partition_type)


def _refuse_default(default: Array, values: Array) -> None:
    if default.ndim >= values.ndim:
        raise invalid(_wrong_default_rank(default.shape, values.shape))
    for axis in range(-default.ndim, 0):
        if default.shape[axis] not in (1, values.shape[axis]):
            raise invalid(
                f"default_value.shape={_dims_text(default.shape)} and rt_input.flat_values.shape="
                f"{_dims_text(values.shape)} are incompatible: default_value.shape[{axis}] = {default.shape[axis]} but "
                f"rt_input.flat_values.shape[{axis}] = {values.shape[axis]}"
            )


def _row_splits(tensors: Sequence[Array], types: Sequence[str], nvals: int) -> list[Array]:
    """Returns the row splits of all partitions, outermost first."""
    if not types or len(types) != len(tensors):
        raise invalid("row_partition_tensors and row_partition_types must have the same size, which is not 0")
    nrows = None
    partitions: list[Array] = []
    for tensor, kind in zip(tensors, types, strict=True):
        if kind == "FIRST_DIM_SIZE" and not partitions and nrows is None:
            nrows = int(tensor)
            continue
        if kind == "ROW_SPLITS":
            splits = _validate_splits(tensor)
        elif kind == "VALUE_ROWIDS":
            splits = _splits_of_rowids(tensor, nrows)
        else:
            raise _unknown_type(kind)
        partitions.append(splits)
        nrows = int(splits[-1])
    if nrows is None or nrows > nvals:
        raise invalid("Invalid row split size.")
    return partitions


def _unknown_type(kind: str) -> InvalidArgumentError:
    known_kinds = ("ROW_LENGTHS", "ROW_LIMITS", "ROW_STARTS", "FIRST_DIM_SIZE")
    words = "Cannot handle type" if kind in known_kinds else "Unknown string for partition info type:"
    return invalid(f"{words} {kind}")


def _validate_splits(splits: Array) -> Array:
    if not splits.size or splits[0] != 0 or (splits[1:] < splits[:-1]).any():
        raise invalid("Invalid row split size.")
    return splits


def _splits_of_rowids(rowids: Array, nrows: int | None) -> Array:
    if nrows is None:
        raise invalid("Cannot handle VALUE_ROWIDS in first dimension.")
    outside = (rowids < 0) | (rowids >= nrows)
    if outside.any():
        raise invalid(f"Got next_value_rowid={rowids[outside][0]} which is not less than {nrows}")
    if (rowids[1:] < rowids[:-1]).any():
        raise invalid("value_rowids must not decrease")
    splits = np.zeros(nrows + 1, np.int64)
    np.cumsum(np.bincount(rowids, minlength=nrows), out=splits[1:])
    return splits


def _wanted_dims(shape: Array, rank: int, inner: Dims) -> list[int]:
    """Returns the wanted sizes of all dimensions, -1 for those that the values decide."""
    if not shape.ndim:
        if shape != -1:
            raise invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1.")
        return [-1] * rank
    if shape.ndim > 1:
        raise invalid(f"Shape must be at most rank 1 but is rank {shape.ndim}")
    dims: list[int] = shape.tolist()
    for dim in dims:
        if dim < -1:
            raise invalid(f"Dimension {dim} must be >= -1")
    if len(dims) != rank:
        raise invalid(_wrong_rank(_dims_text(dims), rank, len(dims)))
    first = rank - len(inner)
    for axis, dim in enumerate(inner, first):
        if dims[axis] not in (-1, dim):
            raise invalid(_wrong_dim(_dims_text(dims), axis, dim, dims[axis]))
    return dims


def _padding(partitions: Sequence[Array], wanted: Dims) -> _Padding:
    """Computes which cells the values fill, one dimension after the other."""
    nrows = partitions[0].size - 1
    sizes = [nrows if wanted[0] < 0 else wanted[0]]
    filled = None if sizes[0] <= nrows else np.arange(sizes[0]) < nrows
    kept = None if sizes[0] >= nrows else np.arange(sizes[0])
    for splits, wanted_size in zip(partitions, wanted[1:], strict=False):
        all_lengths = splits[1:] - splits[:-1]
        longest = int(all_lengths.max(initial=0))
        size = longest if wanted_size < 0 else wanted_size
        lengths = all_lengths if kept is None else all_lengths[kept]
        fitting = lengths if size >= longest else np.minimum(lengths, size)
        if kept is not None or fitting is not lengths:
            starts = splits[:-1] if kept is None else splits[kept]
            ends = np.concatenate([[0], np.cumsum(fitting)])
            kept = integer_ranges(starts.astype(np.int64), np.int64(1), fitting, ends)
        if filled is not None or (fitting != size).any():
            filled = _with_filled_columns(sizes, filled, fitting, size)
        sizes.append(size)
    return _Padding(sizes, filled, kept)


def _with_filled_columns(sizes: Dims, filled: Array | None, lengths: Array, size: int) -> Array:
    """Returns a mask with one dimension more: the first `lengths[i]` columns of the row in cell `i` are filled."""
    if filled is None:
        cell_lengths = lengths.reshape(sizes)
    else:
        cell_lengths = np.zeros(sizes, lengths.dtype)
        cell_lengths[filled] = lengths
    columns = np.arange(size)
    if size > min(cell_lengths.size, _MAX_TABLED_LENGTH):
        return columns < cell_lengths[..., None]
    rows_by_length = columns < np.arange(size + 1)[:, None]  # copying short rows takes a quarter of comparing them
    return np.take(rows_by_length, cell_lengths, axis=0)


@ragged_tensor_to_tensor.gradient
def ragged_tensor_to_tensor_gradient(
    dy: Tensor,
    values: Tensor,
    default_value: Tensor,
    row_partition_tensors: list[Tensor],
    row_partition_types: list[str],
) -> tuple[Any, ...]:
    """Sums the gradients of the cells of each value, and of all other cells for the default value.

    The op is run on the numbers of the values, from 1 on, which leaves 0 in cells without a value.
    """
    nvals = shape_tensor(values, out_type=int64)[0]
    outer_rank = len(row_partition_types) - (_name(row_partition_types[0]) == "FIRST_DIM_SIZE") + 1
    shape = shape_tensor(dy, out_type=int64)
    owners = raw.RaggedTensorToTensor(
        shape=shape[:outer_rank],
        values=raw.Range(start=1, limit=nvals + 1, delta=1),
        default_value=0,
        row_partition_tensors=row_partition_tensors,
        row_partition_types=row_partition_types,
    )
    sums = raw.UnsortedSegmentSum(data=dy, segment_ids=owners, num_segments=nvals + 1)
    d_values = raw.Reshape(tensor=sums[1:], shape=shape_tensor(values, out_type=int64))
    return None, d_values, _sum_to_shape(sums[0], default_value), [None] * len(row_partition_tensors)


def _sum_to_shape(gradient: object, default_value: object) -> Any:
    """Sums the gradient of a value that was broadcast, over the dimensions that broadcasting added or repeated."""
    default_shape, shape = shape_tensor(default_value), shape_tensor(gradient)
    axes, _ = raw.BroadcastGradientArgs(s0=default_shape, s1=shape)
    return raw.Reshape(tensor=raw.Sum(input=gradient, reduction_indices=axes), shape=default_shape)
