"""Overloads about dimensions: `tf.expand_dims`, `squeeze`, `size`, `rank`, `reverse`, `tile` and `split`.

A dimension of a ragged tensor is a row partition, or a dimension of the flat values. Each function here goes down to
the dimension it is about, one partition at a time, and leaves the partitions above it as they are.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32
from millrace._src.core.overloads import overload
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import size as size_of
from millrace._src.ops.array.splitting import split
from millrace._src.ops.debug.assertion import assert_in_context
from millrace._src.ops.ragged.broadcasting import static_size
from millrace._src.ops.ragged.partition_checks import check, check_not_negative, depend_on_checks
from millrace._src.ops.ragged.ragged_dims import known_axis
from millrace._src.ops.ragged.ragged_rows import gather, validate_values
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition

# --- size and rank ---------------------------------------------------------------------------------------------------


@overload("size", RaggedTensor)
def ragged_size(input: Any, out_type: object = None, name: str | None = None) -> Any:
    """Counts the values of a ragged tensor."""
    return size_of(input.flat_values, out_type=out_type or int32, name=name)


@overload("rank", RaggedTensor)
def ragged_rank_of(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions of a ragged tensor."""
    with name_scope(name, "RaggedRank"):
        if input.shape.rank is not None:
            return convert_to_tensor(input.shape.rank, dtype=int32)
        return rank_of(input.flat_values) + input.ragged_rank


# --- expand_dims and squeeze -----------------------------------------------------------------------------------------


@overload("expand_dims", RaggedTensor)
def ragged_expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """Returns a ragged tensor with one more dimension, of size 1."""
    with name_scope(name, "RaggedExpandDims"):
        rank = input.shape.rank
        return expand_dims(input, known_axis(axis, None if rank is None else rank + 1))


def expand_dims(value: object, axis: int) -> Any:
    """Returns a dense or ragged tensor with a dimension of size 1 at `axis`, which is not negative."""
    if not isinstance(value, RaggedTensor):
        return raw.ExpandDims(input=value, axis=axis)
    if axis > 1:
        return value.with_values(expand_dims(value.values, axis - 1))
    nrows = value._row_partition.nrows()
    length, rows = (nrows, 1) if axis == 0 else (1, nrows)
    return RaggedTensor.from_uniform_row_length(value, length, nrows=rows, validate=False)


@overload("squeeze", RaggedTensor)
def ragged_squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Returns a ragged tensor without dimensions of size 1."""
    with name_scope(name, "RaggedSqueeze"):
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        if isinstance(axis, int):
            axis = [axis]
        elif not isinstance(axis, (list, tuple)) or any(not isinstance(a, int) for a in axis):
            raise TypeError("Axis must be a list or tuple of integers.")
        axes = {known_axis(a, input.shape.rank, f"axis[{i}]") for i, a in enumerate(axis)}
        result = input
        for a in sorted(axes, reverse=True):
            result = _squeeze(result, a, a)
        return result


def _squeeze(value: object, axis: int, named_axis: int) -> Any:
    """Removes one dimension; `named_axis` is its number as the user counts."""
    if not isinstance(value, RaggedTensor):
        return raw.Squeeze(input=value, axis=[axis])
    if axis > 1:
        return value.with_values(_squeeze(value.values, axis - 1, named_axis))
    sizes = value.nrows() if axis == 0 else value.row_lengths()
    words = f"the given axis (axis = {named_axis}) is not squeezable!"
    axes = [] if axis == 0 else [0]
    is_one = raw.All(input=raw.Equal(x=sizes, y=convert_to_tensor(1, dtype=sizes.dtype)), reduction_indices=axes)
    return validate_values(value.values, assert_in_context(is_one, [words]))


# --- reverse ---------------------------------------------------------------------------------------------------------


@overload("reverse", RaggedTensor)
def ragged_reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Reverses the order of the slices along dimensions of a ragged tensor."""
    with name_scope(name, "Reverse"):
        axes = static_value(axis).tolist() if isinstance(axis, Tensor) and static_value(axis) is not None else axis
        if not isinstance(axes, (list, tuple)) or any(not isinstance(a, int) for a in axes):
            raise TypeError("`axis` must be a list of int or a constant tensor when reversing axes in a ragged tensor")
        for a in {known_axis(a, tensor.shape.rank, f"axis[{i}]") for i, a in enumerate(axes)}:
            tensor = _reverse(tensor, a)
        return tensor


def _reverse(value: object, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return raw.ReverseV2(tensor=value, axis=[axis])
    partition: RowPartition = value._row_partition
    if axis > 1:
        return value.with_values(_reverse(value.values, axis - 1))
    if axis == 0:
        return gather(value, raw.ReverseV2(tensor=range_(partition.nrows(), dtype=partition.dtype), axis=[0]))
    ends = raw.GatherV2(
        params=partition.row_starts() + partition.row_limits() - 1, indices=partition.value_rowids(), axis=0
    )
    return value.with_values(gather(value.values, ends - range_(partition.nvals(), dtype=partition.dtype)))


# --- tile ------------------------------------------------------------------------------------------------------------


@overload("tile", RaggedTensor)
def ragged_tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeats a ragged tensor along each of its dimensions."""
    with name_scope(name, "RaggedTile"):
        dtype = input._row_partition.dtype
        multiples = convert_to_tensor(multiples, name="multiples", dtype_hint=dtype)
        if not multiples.dtype.is_integer:
            raise TypeError(
                f"Argument `tensor` (name: multiples) must be of type integer. Received `tensor` = {multiples} of "
                f"dtype: {multiples.dtype!r}"
            )
        multiples = raw.Cast(x=multiples, DstT=dtype)
        multiples.shape.assert_has_rank(1)
        rank = input.shape.rank
        if rank is None:
            raise ValueError("tf.tile: the rank of a ragged `input` must be known while tracing.")
        multiples.shape.assert_is_compatible_with([rank])
        known = static_value(multiples)
        for axis in reversed(range(input.ragged_rank + 1)):
            if known is None or known[axis] != 1:
                input = _tile(input, axis, multiples[axis])
        inner = range(input.ragged_rank + 1, rank)
        if inner and (known is None or (known[inner.start :] != 1).any()):
            flat_multiples = raw.ConcatV2(
                values=[convert_to_tensor([1], dtype=dtype), multiples[inner.start :]], axis=0
            )
            input = input.with_flat_values(raw.Tile(input=input.flat_values, multiples=flat_multiples))
        return input


def _tile(value: RaggedTensor, axis: int, multiple: object) -> Any:
    """Repeats a ragged tensor along the first axis, or along that of a partition."""
    partition = value._row_partition
    if axis > 1:
        return value.with_values(_tile(value.values, axis - 1, multiple))
    rows = range_(partition.nrows(), dtype=partition.dtype)
    if axis == 0:
        return gather(value, raw.Tile(input=rows, multiples=raw.ExpandDims(input=multiple, axis=0)))
    sizes = raw.Pack(values=[partition.nrows(), multiple])
    order = raw.Reshape(tensor=raw.BroadcastTo(input=raw.ExpandDims(input=rows, axis=1), shape=sizes), shape=[-1])
    lengths = partition.row_lengths() * multiple
    return RaggedTensor._of(gather(value, order).values, RowPartition.from_row_lengths(lengths, validate=False))


# --- split -----------------------------------------------------------------------------------------------------------

_KIND = "`num_or_size_splits` must be an `int` or 1-D list or `Tensor`"
_WHOLE = "Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`."


@overload("split", RaggedTensor)
def ragged_split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split") -> list[Any]:
    """Splits a ragged tensor along a dimension into a list of ragged tensors."""
    with name_scope(name, "RaggedSplit"):
        axis = known_axis(axis, value.shape.rank)
        if isinstance(num_or_size_splits, int) and num_or_size_splits == 1:
            return [value]
        pieces = _pieces(value, num_or_size_splits, axis, num)
        return _split(value, pieces, axis)


def _pieces(value: RaggedTensor, num_or_size_splits: Any, axis: int, num: object) -> int | Any:
    """Returns the number of equal pieces, or a vector of their sizes whose own size is known.

    Raises:
      TypeError: if `num_or_size_splits` is of another kind.
      ValueError: if the number of pieces is not positive or unknown, or the dimension is ragged.
    """
    if isinstance(num_or_size_splits, int):
        if num_or_size_splits < 1:
            raise ValueError(f"`num_or_size_splits` must be >=1 if it is an `int`.Received {num_or_size_splits}.")
        pieces: Any = num_or_size_splits
    else:
        pieces = convert_to_tensor(num_or_size_splits)
        if not pieces.dtype.is_integer:
            raise TypeError(f"{_KIND} of integers. Received a tensor of dtype {pieces.dtype.name}.")
        if pieces.shape.rank != 1:
            raise TypeError(f"{_KIND}. Received {num_or_size_splits}.")
        count = pieces.shape[0]
        if num is not None and count is not None and count != num:
            raise ValueError(
                "`num` does not match the size of `num_or_size_split`. "
                f"Received `num`: {num} and size of `num_or_size_split`: {count}."
            )
        if count is None:
            if num is None:
                raise ValueError("`num` must be specified as an `int` when the size of `num_or_size_split` is unknown.")
            pieces = raw.EnsureShape(input=pieces, shape=[num])
    if 0 < axis <= value.ragged_rank and value._nested_row_partitions[axis - 1].uniform_row_length() is None:
        raise ValueError(f"Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` {axis}.")
    return pieces


def _split(value: Any, pieces: Any, axis: int) -> list[Any]:
    if not isinstance(value, RaggedTensor):
        return list(split(value, pieces, axis=axis))
    if axis > 1:
        return [value.with_values(part) for part in _split(value.values, pieces, axis - 1)]
    partition: RowPartition = value._row_partition
    size = partition.nrows() if axis == 0 else partition.uniform_row_length()
    bounds = _bounds(pieces, size)
    if axis == 0:
        return [value[start:stop] for start, stop in bounds]
    starts = raw.ExpandDims(input=partition.row_starts(), axis=1)
    return [_columns(value, starts, start, stop) for start, stop in bounds]


def _columns(value: RaggedTensor, starts: Any, start: Any, stop: Any) -> RaggedTensor:
    """Returns the values from `start` to `stop` of rows of one length, which begin at `starts`."""
    partition = value._row_partition
    numbers = raw.Reshape(tensor=starts + range_(start, stop, dtype=partition.dtype), shape=[-1])
    length = convert_to_tensor(stop - start, dtype=partition.dtype)
    made: RaggedTensor = RaggedTensor.from_uniform_row_length(
        gather(value.values, numbers), length, nrows=partition.nrows(), validate=False
    )
    return made


def _bounds(pieces: Any, size: Any) -> list[tuple[Any, Any]]:
    """Returns where each piece of a dimension begins and ends.

    Raises: InvalidArgumentError: if the pieces do not fill the dimension; in a graph, when it runs.
    """
    if isinstance(pieces, int):
        each = raw.FloorDiv(x=size, y=convert_to_tensor(pieces, dtype=size.dtype))
        checks = check("==", each * pieces, size, _WHOLE)
        length = static_size(depend_on_checks(each, checks))
        each = depend_on_checks(each, checks) if length is None else length
        return [(each * i, each * (i + 1)) for i in range(pieces)]
    sizes = raw.Cast(x=pieces, DstT=size.dtype)
    checks = check_not_negative(sizes, "`num_or_size_splits` must be non-negative.")
    checks += check("==", raw.Sum(input=sizes, reduction_indices=[0]), size, _WHOLE)
    ends = depend_on_checks(raw.Cumsum(x=sizes, axis=0), checks)
    known = static_value(ends)
    limits = raw.Unpack(value=ends, num=pieces.shape[0]) if known is None else known.tolist()
    return list(zip([0, *limits[:-1]], limits, strict=True))
