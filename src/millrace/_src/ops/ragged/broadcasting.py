"""Broadcasting of ragged shapes: dimensions of size 1 are repeated, ragged dimensions must agree row by row.

Problem: a dense `[batch, 1]` meets a ragged `[batch, (words)]`: each number is repeated as often as its row is long. It
may happen at any depth, with several operands, and with sizes that are unknown until a graph runs.

Idea: one walk from the outermost axis inwards. For each operand the walk knows which of the operand's rows each row of
the result shows: all rows in order, one row for all, or an index vector. An axis gives the result's row partition and
turns the row numbers into those one level deeper: `row * length + offset`, or `row` where the operand's length is 1. At
the end the row numbers pick from the operand's values; the dimensions further in are dense, and broadcast as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.errors import invalid
from millrace._src.core.shape_context import static_value
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.flat_values import flat_values_of
from millrace._src.ops.ragged.partition_checks import check, depend_on_checks
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition

_MISMATCHED_SPLITS = (
    "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to convert them "
    "to compatible dtypes: "
)


def static_size(size: object) -> int | None:
    """Returns a size as an int: an int itself, or the value of a scalar that is known while tracing; else None."""
    if isinstance(size, int):
        return size
    value = static_value(size)
    return None if value is None else int(value)


def common_splits_dtype(*values: object) -> DType | None:
    """Returns the dtype of the row splits of those among the values that are ragged; None if none is.

    Raises: ValueError: if the dtypes differ.
    """
    dtypes = [value._row_partition.dtype for value in values if isinstance(value, RaggedTensor)]
    if len(set(dtypes)) > 1:
        raise ValueError(f"{_MISMATCHED_SPLITS}{set(dtypes)}")
    return dtypes[0] if dtypes else None


@dataclass(frozen=True)
class ShapeParts:
    """A ragged or dense shape: row partitions, and the sizes of the uniform dimensions around them.

    Args:
      partitions: the row partitions, outermost first; none for a dense shape.
      sizes: the sizes of the other dimensions, ints or scalars: the number of rows, then the dimensions within the
        innermost partition.
    """

    partitions: tuple[RowPartition, ...]
    sizes: tuple[Any, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.partitions) + len(self.sizes)

    def dim(self, axis: int) -> Any:
        """Returns the size of a dimension, or the partition that cuts the dimension into rows; 1 before the first."""
        if axis < 0 or not self.sizes:
            return 1
        if 0 < axis <= len(self.partitions):
            partition = self.partitions[axis - 1]
            length = partition.uniform_row_length()
            return partition if length is None else as_size(length)
        return self.sizes[max(axis - len(self.partitions), 0)]


def as_size(size: object) -> Any:
    """Returns a size as an int if it is known while tracing, else as it is."""
    known = static_size(size)
    return size if known is None else known


def shape_parts(value: Any, dtype: DType) -> ShapeParts:
    """Returns the shape of a dense or ragged tensor; unknown sizes are scalars of `dtype`."""
    partitions = value._nested_row_partitions if isinstance(value, RaggedTensor) else ()
    flat_values = value.flat_values if partitions else value
    dims = flat_values.shape.dim_sizes
    if dims is None:
        raise ValueError(f"Ragged broadcasting needs operands of known rank; received {value!r}")
    shape: Any = shape_tensor(flat_values, out_type=dtype) if None in dims else None
    sizes = [shape[i] if dim is None else dim for i, dim in enumerate(dims)]
    if partitions:
        sizes[0] = as_size(partitions[0].nrows())
    return ShapeParts(partitions, tuple(sizes))


class OneRow:
    """Says that an operand has one row so far, which all rows of the result show."""


ONE_ROW: Final = OneRow()

Rows = Any
"""Which row of an operand each row of the result shows: None for the same one, ONE_ROW, or an index vector."""


@dataclass(frozen=True)
class Broadcast:
    """Shapes that were broadcast against each other, down to the innermost ragged dimension.

    Args:
      partitions: the row partitions of the result, outermost first.
      sizes: the sizes of the result around the partitions, as in `ShapeParts`.
      rows: for each shape, which of its rows at that depth each row of the result shows.
      checks: the operations of a graph that check that the shapes fit.
    """

    partitions: tuple[RowPartition, ...]
    sizes: tuple[Any, ...]
    rows: tuple[Rows, ...]
    checks: tuple[Any, ...]

    @property
    def depth(self) -> int:
        """The number of dimensions that have been merged into the rows, less one."""
        return len(self.partitions)


def broadcast(all_parts: Sequence[ShapeParts], dtype: DType, words: str = "") -> Broadcast:
    """Broadcasts shapes against each other.

    Args:
      all_parts: the shapes.
      dtype: the dtype of row splits and of sizes that are unknown while tracing.
      words: the first words of the error about shapes that do not fit.

    Raises: InvalidArgumentError: if the shapes do not fit; in a graph, when it runs.
    """
    rank = max(parts.rank for parts in all_parts)
    leads = [rank - parts.rank for parts in all_parts]
    depth = max(
        lead + len(at.partitions) for lead, at in zip(leads, all_parts, strict=True) if at.partitions or not lead
    )
    walk = _BroadcastWalk(dtype, words, [parts.dim(-lead) for lead, parts in zip(leads, all_parts, strict=True)])
    for axis in range(1, depth + 1):
        pairs = zip(leads, all_parts, strict=True)
        walk.step([parts.dim(axis - lead) for lead, parts in pairs], _given_partitions(axis, leads, all_parts))
    inner_dims = [
        walk.merge([parts.dim(axis - lead) for lead, parts in zip(leads, all_parts, strict=True)])
        for axis in range(depth + 1, rank)
    ]
    sizes = (walk.first_size, *inner_dims) if rank else ()
    return Broadcast(tuple(walk.partitions), sizes, tuple(walk.rows), tuple(walk.checks))


def _given_partitions(axis: int, leads: Sequence[int], all_parts: Sequence[ShapeParts]) -> list[RowPartition | None]:
    """Returns the partitions of an axis of the shapes, also uniform ones."""
    depths = [axis - lead - 1 for lead in leads]
    return [
        parts.partitions[depth] if 0 <= depth < len(parts.partitions) else None
        for depth, parts in zip(depths, all_parts, strict=True)
    ]


class _BroadcastWalk:
    """The state of a broadcast between two axes.

    Args:
      dtype: the dtype of row splits.
      words: the first words of errors.
      sizes: the sizes of the outermost dimension.
    """

    def __init__(self, dtype: DType, words: str, sizes: Sequence[Any]) -> None:
        self.dtype, self.words = dtype, words
        self.checks: list[Any] = []
        self.partitions: list[RowPartition] = []
        self.first_size = self.nrows = self.merge(sizes)
        self.rows = [self._first_rows(size) for size in sizes]

    def _first_rows(self, size: object) -> Rows:
        known, whole = static_size(size), static_size(self.first_size)
        if known == 1:
            return ONE_ROW
        if known is not None or size is self.first_size and whole is None:
            return None
        return range_(self._tensor(self.first_size), dtype=self.dtype) * self._unless_one(size)

    def merge(self, sizes: Sequence[Any]) -> Any:
        """Returns the size that sizes broadcast to, and checks that they do."""
        known_sizes = {size for size in map(static_size, sizes) if size is not None}
        unknown_sizes = list({id(size): size for size in sizes if static_size(size) is None}.values())
        if len(known_sizes - {1}) > 1:
            first, second = sorted(known_sizes - {1})[:2]
            check("==", self._tensor(first), self._tensor(second), self.words)
        if known_sizes - {1} or not unknown_sizes:
            (size,) = known_sizes - {1} or known_sizes
            self._check_sizes(unknown_sizes, size)
            return size
        size = unknown_sizes[0]
        for other in unknown_sizes[1:]:
            size = raw.SelectV2(condition=raw.Equal(x=size, y=self._tensor(1)), t=other, e=size)
        self._check_sizes(unknown_sizes[1:] and unknown_sizes, size)
        return size

    def _check_sizes(self, sizes: Sequence[Any], expected: object) -> None:
        for size in sizes:
            is_one = raw.Equal(x=size, y=self._tensor(1))
            seen = raw.SelectV2(condition=is_one, t=self._tensor(expected), e=size)
            self.checks += check("==", seen, self._tensor(expected), self.words)

    def step(self, dims: Sequence[Any], given: Sequence[RowPartition | None]) -> None:
        """Goes one axis further in.

        Args:
          dims: for each shape the size of the axis, or its partition if the rows may differ in length.
          given: for each shape its partition of the axis, if there is one, also a uniform partition.
        """
        ragged = [i for i, dim in enumerate(dims) if isinstance(dim, RowPartition)]
        if ragged:
            main = next((i for i in ragged if self.rows[i] is None), ragged[0])
            partition = self._partition_of_result(dims[main], self.rows[main])
        else:
            main, partition = None, self._uniform(self.merge(dims), given)
        inner = _ValueOffsets(partition)
        next_rows = [
            self._deeper(rows, dim, inner, is_main=i == main)
            for i, (rows, dim) in enumerate(zip(self.rows, dims, strict=True))
        ]
        self.rows, self.nrows = next_rows, as_size(partition.nvals())
        self.partitions.append(partition)

    def _partition_of_result(self, partition: RowPartition, rows: Rows) -> RowPartition:
        """Returns the partition of the rows that the result shows."""
        if rows is None:
            return partition
        lengths = raw.GatherV2(params=partition.row_lengths(), indices=self._index(rows), axis=0)
        return RowPartition.from_row_lengths(lengths, validate=False)

    def _index(self, rows: Rows) -> Any:
        """Returns row numbers as an index vector."""
        return raw.Fill(dims=[self._tensor(self.nrows)], value=self._tensor(0)) if rows is ONE_ROW else rows

    def _uniform(self, size: object, given: Sequence[RowPartition | None]) -> RowPartition:
        """Returns the partition into rows of one length; a shape's own one if the shape is not repeated."""
        for partition, rows in zip(given, self.rows, strict=True):
            if partition is not None and rows is None:
                length = as_size(partition.uniform_row_length())
                if length is size or length == size is not None and isinstance(size, int):
                    return partition
        nrows = self._tensor(self.nrows)
        return RowPartition.from_uniform_row_length(
            self._tensor(size), nrows * self._tensor(size), nrows, validate=False, dtype_hint=self.dtype
        )

    def _deeper(self, rows: Rows, dim: object, inner: _ValueOffsets, is_main: bool) -> Rows:
        """Returns which of an operand's rows one axis further in each row of the result shows."""
        if isinstance(dim, RowPartition):
            if not is_main:
                self._check_partition(self._partition_of_result(dim, rows), inner.partition)
            if rows is None:
                return None
            starts = raw.GatherV2(params=dim.row_starts(), indices=self._index(rows), axis=0)
            return raw.GatherV2(params=starts, indices=inner.rowids, axis=0) + inner.offsets
        return self._deeper_uniform(rows, dim, inner)

    def _deeper_uniform(self, rows: Rows, size: object, inner: _ValueOffsets) -> Rows:
        known = static_size(size)
        if known == 1 and rows is ONE_ROW:
            return ONE_ROW
        shown_length = inner.partition.uniform_row_length()
        if shown_length is None and known != 1:
            self._check_lengths(inner.partition, size)
        if rows is None and known is not None and (known != 1 or static_size(shown_length) == 1):
            return None
        if rows is ONE_ROW:
            row_starts = self._tensor(0)
        else:
            row_starts = inner.rowids if rows is None else raw.GatherV2(params=rows, indices=inner.rowids, axis=0)
        if known == 1:
            return row_starts
        offsets = inner.offsets if known is not None else inner.offsets * self._unless_one(size)
        return row_starts * self._tensor(size) + offsets

    def _check_lengths(self, partition: RowPartition, size: object) -> None:
        """Checks that all rows are of a length, unless the length turns out to be 1."""
        splits = partition.row_splits()
        expected = range_(shape_tensor(splits, out_type=self.dtype)[0], dtype=self.dtype) * self._tensor(size)
        if static_size(size) is None:
            expected = raw.SelectV2(condition=raw.Equal(x=size, y=self._tensor(1)), t=splits, e=expected)
        self.checks += check("==", splits, expected, self.words)

    def _check_partition(self, partition: RowPartition, expected: RowPartition) -> None:
        if partition is expected:
            return
        sizes = partition.static_nrows, expected.static_nrows
        if None not in sizes and sizes[0] != sizes[1]:
            raise invalid(f"{self.words} Condition x == y did not hold: {sizes[0]} and {sizes[1]} rows.")
        if partition.row_splits() is not expected.row_splits():
            self.checks += check("==", expected.row_splits(), partition.row_splits(), self.words)

    def _tensor(self, size: object) -> Any:
        return convert_to_tensor(size, dtype=self.dtype)

    def _unless_one(self, size: object) -> Any:
        """Returns 0 for a size of 1, which is repeated, else 1."""
        return cast(raw.NotEqual(x=size, y=self._tensor(1)), self.dtype)


class _ValueOffsets:
    """The row number and the offset in its row of each value of a partition, computed if asked for."""

    def __init__(self, partition: RowPartition) -> None:
        self.partition = partition

    @cached_property
    def rowids(self) -> Any:
        """The row number of each value."""
        return self.partition.value_rowids()

    @cached_property
    def offsets(self) -> Any:
        """The offset of each value in its row."""
        return self.partition.offsets_in_rows()


# --- values ----------------------------------------------------------------------------------------------------------


class BroadcastValues:
    """Values broadcast against each other, so that an element-wise op applies to their flat values.

    Args:
      values: Tensors and RaggedTensors.
      words: the first words of the error about shapes that do not fit.

    Attributes:
      flat_values: a Tensor for each value; they broadcast against each other as dense tensors do.
    """

    def __init__(self, values: Sequence[Any], words: str = "") -> None:
        dtype = common_splits_dtype(*values) or int64
        all_parts = [shape_parts(value, dtype) for value in values]
        self._broadcast = broadcast(all_parts, dtype, words)
        rank = max(parts.rank for parts in all_parts)
        self.flat_values = [
            flat_rows(value, parts, self._broadcast.depth - rank + parts.rank, rows)
            for value, parts, rows in zip(values, all_parts, self._broadcast.rows, strict=True)
        ]

    def with_flat_values(self, flat_values: object) -> Any:
        """Returns the tensor of the broadcast shape with these flat values: a RaggedTensor, a Tensor if none is."""
        return nest_partitions(depend_on_checks(flat_values, self._broadcast.checks), self._broadcast.partitions)


def nest_partitions(flat_values: object, partitions: Sequence[RowPartition]) -> Any:
    """Returns the ragged tensor of flat values and partitions that fit, outermost first."""
    result = flat_values
    for partition in reversed(partitions):
        result = RaggedTensor._of(result, partition)
    return result


def flat_rows(value: object, parts: ShapeParts, depth: int, rows: Rows) -> Any:
    """Returns the values of a dense or ragged tensor below `depth` partitions, picked by row numbers.

    Args:
      value: a Tensor or RaggedTensor.
      parts: its shape.
      depth: how many dimensions to merge with the first one; negative for a tensor that lies within each row.
      rows: which rows to pick, as in `Broadcast`.
    """
    flat_values = flat_values_of(value)
    merged = depth - len(parts.partitions)
    if depth < 0:
        return flat_values
    if merged > 0:
        inner_dims = flat_values.shape.dim_sizes[merged + 1 :]
        if None in inner_dims:
            inner_shape = shape_tensor(flat_values)[merged + 1 :]
            flat_values = raw.Reshape(tensor=flat_values, shape=raw.ConcatV2(values=[[-1], inner_shape], axis=0))
        else:
            count = (
                -1
                if 0 not in inner_dims
                else raw.Prod(input=shape_tensor(flat_values)[: merged + 1], reduction_indices=[0])
            )
            flat_values = raw.Reshape(tensor=flat_values, shape=[count, *inner_dims])
    if rows is None or rows is ONE_ROW:
        return flat_values
    return raw.GatherV2(params=flat_values, indices=rows, axis=0)
