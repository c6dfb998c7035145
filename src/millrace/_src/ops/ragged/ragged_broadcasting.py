"""Two tensors brought to one shape, where at least one of them is ragged.

Problem: `x + y` of a ragged and a dense tensor repeats parts of one or both. A uniform dimension of size 1 is repeated,
also along rows of different lengths; ragged dimensions must agree.

Idea: both operands become a list of dimensions and a table of flat values. A walk from the outermost dimension inwards
decides the rows of the result, and keeps for each operand the number of the source row behind each row of the result.
An operand that was repeated nowhere so far needs no such numbers. At the end each operand gathers its flat values once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.shape_context import static_value
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.partition_checks import check, checked
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition


def broadcast_pair(x: Any, y: Any) -> tuple[RaggedTensor, RaggedTensor]:
    """Returns two tensors as ragged tensors with the same partitions.

    Dimensions behind the ragged ones are as many in both, but dense functions broadcast them.

    Args:
      x: a Tensor or RaggedTensor of known rank.
      y: a Tensor or RaggedTensor of known rank; at least one of the two is ragged.

    Raises:
      ValueError: if a rank is unknown, or the dtypes of the row splits differ.
      tf.errors.InvalidArgumentError: if the shapes do not broadcast; in a graph, when it runs.
    """
    dtype = _splits_dtype(x, y)
    rank = max(_known_rank(x), _known_rank(y))
    added = [rank - _known_rank(value) for value in (x, y)]
    depth = max(value.ragged_rank + more for value, more in zip((x, y), added, strict=True) if _is_ragged(value))
    pair = [_Operand.of(value, more, depth, dtype) for value, more in zip((x, y), added, strict=True)]
    partitions: list[RowPartition] = []
    for axis in range(depth + 1):
        rows = 1 if axis == 0 else partitions[-1].nvals()
        partitions.append(_merged_axis(pair[0], pair[1], axis, rows, dtype))
    first, second = (_ragged(operand.broadcast_values(rank - depth), partitions[1:]) for operand in pair)
    return first, second


def _is_ragged(value: Any) -> bool:
    return isinstance(value, RaggedTensor)


def _splits_dtype(x: Any, y: Any) -> DType:
    dtypes = {value._row_partition.dtype for value in (x, y) if _is_ragged(value)}
    if len(dtypes) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
            "convert them to compatible dtypes."
        )
    return dtypes.pop()


def _known_rank(value: Any) -> int:
    rank: int | None = value.shape.rank
    if rank is None:
        raise ValueError(f"Ragged broadcasting needs operands of known rank; received {value!r}")
    return rank


def _ragged(flat_values: Any, partitions: list[RowPartition]) -> RaggedTensor:
    result = flat_values
    for partition in reversed(partitions):
        result = RaggedTensor._of(result, partition)
    return result


@dataclass
class _Operand:
    """A tensor on its way to the shape of the result.

    Attributes:
      dims: the sizes of the outer dimensions: a scalar for a uniform one, a RowPartition for a ragged one.
      flat_values: the values, one row for each element of these dimensions.
      sources: the number of the source row behind each row of the result so far; None where they are the same.
    """

    dims: list[Any]
    flat_values: Any
    sources: Any = field(default=None)

    @classmethod
    def of(cls, value: Any, added: int, depth: int, dtype: DType) -> _Operand:
        """Takes a tensor apart: `added` new dimensions of size 1, then its own, `depth + 1` of them."""
        one = convert_to_tensor(1, dtype=dtype)
        dims: list[Any] = [one] * added
        values = value
        if _is_ragged(value):
            partitions = value._nested_row_partitions
            lengths = [partition.uniform_row_length() for partition in partitions]
            dims.append(value._row_partition.nrows())
            dims += [p if length is None else length for p, length in zip(partitions, lengths, strict=True)]
            values = value.flat_values
        wanted = depth + 1 - len(dims)
        if wanted > 0:
            values = _with_merged_dims(values, wanted, has_rows=_is_ragged(value), dims=dims, dtype=dtype)
        return cls(dims, values)

    def is_one(self, axis: int) -> Any:
        """Tells whether a dimension is of size 1: a bool, or a scalar tensor where the size is unknown."""
        size = self.dims[axis]
        if isinstance(size, RowPartition):
            return False
        known_size = static_value(size)
        return raw.Equal(x=size, y=raw.OnesLike(x=size)) if known_size is None else int(known_size) == 1

    def lengths(self, axis: int, rows: Any, dtype: DType) -> Any:
        """Returns the sizes of a dimension in all rows of the result."""
        size = self.dims[axis]
        if isinstance(size, RowPartition):
            lengths = size.row_lengths()
            return lengths if self.sources is None else raw.GatherV2(params=lengths, indices=self.sources, axis=0)
        return raw.Fill(dims=[rows] if isinstance(rows, int) else raw.ExpandDims(input=rows, axis=0), value=size)

    def partition(self, axis: int, rows: Any, dtype: DType) -> RowPartition:
        """Returns a dimension in all rows of the result, as a partition."""
        size = self.dims[axis]
        if not isinstance(size, RowPartition):
            nrows = convert_to_tensor(rows, dtype=dtype)
            return RowPartition.from_uniform_row_length(size, nrows=nrows, validate=False)
        if self.sources is None:
            return size
        return RowPartition.from_row_lengths(self.lengths(axis, rows, dtype), validate=False)

    def step_into(self, axis: int, result: RowPartition, is_one: Any) -> None:
        """Finds the sources of the rows of the next dimension, after the result has decided on this one."""
        if self.sources is None and is_one is False:
            return
        rowids = result.value_rowids()
        sources = rowids if self.sources is None else raw.GatherV2(params=self.sources, indices=rowids, axis=0)
        size = self.dims[axis]
        if isinstance(size, RowPartition):
            starts = raw.GatherV2(params=size.row_starts(), indices=sources, axis=0)
        else:
            starts = sources * size
        if is_one is True:
            self.sources = starts
        elif is_one is False:
            self.sources = starts + result.offsets_in_rows()
        else:
            self.sources = starts + result.offsets_in_rows() * cast(raw.LogicalNot(x=is_one), starts.dtype)

    def broadcast_values(self, rank: int) -> Any:
        """Returns the values of a rank, one row for each element of the result."""
        values = self.flat_values
        for _ in range(rank - values.shape.rank):
            values = raw.ExpandDims(input=values, axis=0)
        return values if self.sources is None else raw.GatherV2(params=values, indices=self.sources, axis=0)


def _with_merged_dims(values: Any, count: int, *, has_rows: bool, dims: list[Any], dtype: DType) -> Any:
    """Appends `count` dimensions of dense values to `dims`, and merges them in the values.

    The first dimension of values that belong to a ragged tensor (`has_rows`) is in `dims` already, in another form.
    """
    shape = shape_tensor(values, out_type=dtype)
    first = 1 if has_rows else 0
    dims += [shape[axis] for axis in range(first, first + count)]
    inner = shape[first + count :]
    rows = raw.Prod(input=shape[: first + count], reduction_indices=[0], keep_dims=True)
    return raw.Reshape(tensor=values, shape=raw.ConcatV2(values=[rows, inner], axis=0))


def _merged_axis(x: _Operand, y: _Operand, axis: int, rows: Any, dtype: DType) -> RowPartition:
    """Decides on one dimension of the result, and moves both operands past the dimension."""
    x_is_one, y_is_one = x.is_one(axis), y.is_one(axis)
    if x_is_one is True and y_is_one is True:
        x_is_one = y_is_one = False
    if x_is_one is True:
        result = y.partition(axis, rows, dtype)
    elif y_is_one is True:
        result = x.partition(axis, rows, dtype)
    elif x_is_one is False and y_is_one is False:
        result = _agreed(x, y, axis, rows, dtype)
    else:
        lengths = x.lengths(axis, rows, dtype), y.lengths(axis, rows, dtype)
        result = _agreed_at_run_time(*lengths, x_is_one, y_is_one)
    x.step_into(axis, result, x_is_one)
    y.step_into(axis, result, y_is_one)
    return result


def _agreed(x: _Operand, y: _Operand, axis: int, rows: Any, dtype: DType) -> RowPartition:
    """Returns the partition of a dimension that is to be the same in both operands."""
    first, second = x.partition(axis, rows, dtype), y.partition(axis, rows, dtype)
    if first.is_uniform() and second.is_uniform():
        return first._with_dependencies(check("==", x.dims[axis], y.dims[axis], ""))
    if first.row_splits() is second.row_splits():
        return first
    if second.is_uniform():
        first, second = second, first
    return first._with_dependencies(check("==", first.row_splits(), second.row_splits(), ""))


def _agreed_at_run_time(x_lengths: Any, y_lengths: Any, x_is_one: Any, y_is_one: Any) -> RowPartition:
    """Returns the partition where sizes become known only when the graph runs."""
    lengths = raw.SelectV2(condition=x_is_one, t=y_lengths, e=x_lengths)
    fits = raw.LogicalOr(x=y_is_one, y=raw.Equal(x=lengths, y=y_lengths))
    fit_numbers = cast(fits, lengths.dtype)
    checks = check("==", fit_numbers, raw.OnesLike(x=fit_numbers), "Operands could not be broadcast together.")
    return RowPartition.from_row_lengths(checked(lengths, checks), validate=False)
