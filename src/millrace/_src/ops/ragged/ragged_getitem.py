"""`ragged[...]`: Python's index syntax on ragged tensors.

Problem: the first element of a key chooses rows, the second chooses columns of each row, and rows differ in length.

Idea: rows are chosen by choosing row starts and limits. Columns are chosen by moving the start and limit of each row;
the positions between the new bounds are one `RaggedRange`, and the values there are gathered. What remains of a key is
applied to the values, dense or ragged. Static sizes are kept where Python knows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bool_, int16, int32, int64
from millrace._src.core.op_registry import find_late_bound
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.gathering import gather
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.partition_checks import check, depend_on_checks
from millrace._src.ops.ragged.partition_math import is_eager, size_of
from millrace._src.ops.ragged.ragged_factories import RaggedFactories
from millrace._src.ops.ragged.range_op import ragged_range_op
from millrace._src.ops.ragged.row_partition import RowPartition

Key = Sequence[Any]

_ALL = slice(None)
_BAD_KEY = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid "
    "indices, got {!r}"
)


def ragged_getitem(ragged: object, key: object) -> Any:
    """Returns the part of a ragged tensor that `ragged[key]` means: a ragged tensor, or a dense one.

    Args:
      ragged: a RaggedTensor.
      key: ints, slices, `...`, `tf.newaxis`, scalar integer tensors, or a tuple or list of them; or a boolean mask.

    Raises:
      TypeError: for any other key.
      ValueError: for an integer for a ragged dimension, or of an unknown rank behind `...`.
      IndexError: in eager mode, for a row number that is too large.
      tf.errors.InvalidArgumentError: for other numbers out of range.
    """
    with name_scope(None, "RaggedGetItem"):
        if is_mask(key):
            return find_late_bound("ragged_boolean_mask")(ragged, key)
        keys = list(key) if isinstance(key, (list, tuple)) else [key]
        return _item(ragged, keys)


def is_mask(key: object) -> bool:
    """Returns whether a key is a mask: a boolean, or a dense or ragged tensor of booleans."""
    if isinstance(key, bool):
        return True
    if isinstance(key, (np.ndarray, np.bool_)):
        return key.dtype == np.bool_
    return isinstance(key, (Tensor, RaggedFactories)) and key.dtype is bool_


def _item(values: Any, keys: Key) -> Any:
    """Applies a key to all dimensions of a dense or ragged tensor."""
    if not keys:
        return values
    if not isinstance(values, RaggedFactories):
        return values[tuple(keys)]
    row_key, *inner_keys = keys
    if row_key is Ellipsis:
        return _item(values, _without_ellipsis(keys, values.shape.rank))
    if row_key is None:
        return _with_new_axis(values, _item(values, inner_keys))
    if isinstance(row_key, slice):
        return _columns(_slice_rows(values, row_key), inner_keys)
    return _item(_row(values, row_key), inner_keys)


def _without_ellipsis(keys: Key, rank: int | None) -> Key:
    """Replaces a leading `...` by full slices."""
    inner_keys = keys[1:]
    if not inner_keys:
        return []
    if rank is None:
        raise ValueError("Rank must be known to use ellipsis (`...`) in a RaggedTensor index.")
    inner_dims = sum(key is not None and key is not Ellipsis for key in inner_keys)
    return [_ALL] * max(rank - inner_dims, 0) + list(inner_keys)


def _with_new_axis(ragged: Any, inner: Any) -> Any:
    """Returns `inner`, an item of `ragged`, as the only row of a ragged tensor."""
    kind, dtype = type(ragged), ragged._row_partition.dtype
    nrows = inner._row_partition.nrows() if isinstance(inner, RaggedFactories) else size_of(inner, dtype)
    return kind.from_uniform_row_length(inner, nrows, nrows=convert_to_tensor(1, dtype=dtype), validate=False)


# --- rows ------------------------------------------------------------------------------------------------------------


def _row(ragged: Any, key: object) -> Any:
    """Returns one row: a ragged or dense tensor of one dimension less."""
    key = _index(key)
    partition = ragged._row_partition
    static_nrows = partition.static_nrows
    if state.graph is None and static_nrows is not None and isinstance(key, int) and key >= static_nrows:
        raise IndexError(f"Row key {key} out of bounds")
    start, limit = partition.row_starts()[key], partition.row_limits()[key]
    if is_eager(start, limit):
        start, limit = int(start._eager_array), int(limit._eager_array)
    return _item(ragged.values, [slice(start, limit)])


def _index(key: Any) -> Any:
    """Returns an index as an int, or as a scalar tensor where the value is unknown while tracing.

    Raises: TypeError: if the key is not an integer.
    """
    if isinstance(key, RaggedFactories):
        convert_to_tensor(key)  # raises in TensorFlow's words
    if isinstance(key, int):
        return key
    if isinstance(key, (np.integer, np.ndarray)) and key.dtype.kind in "iu" and key.ndim == 0:
        return int(key)
    if isinstance(key, Tensor) and key.dtype in (int16, int32, int64) and key.shape.rank in (0, None):
        return int(key._eager_array) if isinstance(key, EagerTensor) else key
    raise TypeError(_BAD_KEY.format(key))


def _slice_rows(ragged: Any, key: slice) -> Any:
    """Returns the rows that a slice chooses."""
    if key == _ALL and not any(isinstance(part, Tensor) for part in (key.start, key.stop, key.step)):
        return ragged
    partition: RowPartition = ragged._row_partition
    starts = partition.row_starts()[key]
    if isinstance(key.step, Tensor) or key.step not in (None, 1):
        rows = range_(partition.nrows(), dtype=partition.dtype)[key]
        return take_rows(ragged, rows)
    limits = partition.row_limits()[key]
    first = raw.Sum(input=starts[:1], reduction_indices=[0])  # 0 where no row is left
    splits = raw.ConcatV2(values=[raw.ZerosLike(x=partition.row_splits()[:1]), limits - first], axis=0)
    values = _item(ragged.values, [slice(first, first + splits[-1])])
    return ragged._of(values, RowPartition._of(splits, uniform_row_length=partition.uniform_row_length()))


def take_rows(values: Any, rows: Any) -> Any:
    """Returns rows of a dense or ragged tensor by their numbers, a vector; numbers must be in range.

    Numbers may repeat and need no order.
    """
    if not isinstance(values, RaggedFactories):
        return raw.GatherV2(params=values, indices=rows, axis=0) if isinstance(values, Tensor) else gather(values, rows)
    partition: RowPartition = values._row_partition
    starts = raw.GatherV2(params=partition.row_starts(), indices=rows, axis=0)
    limits = raw.GatherV2(params=partition.row_limits(), indices=rows, axis=0)
    return _between(values, starts, limits, 1, partition.uniform_row_length())


def _between(ragged: Any, starts: Any, limits: Any, step: Any, uniform_row_length: object) -> Any:
    """Returns the ragged tensor whose row `i` has the values from `starts[i]` in steps to before `limits[i]`."""
    dtype = ragged._row_partition.dtype
    splits, positions = ragged_range_op(starts, limits, convert_to_tensor(step, dtype=dtype), Tsplits=dtype)
    partition = RowPartition._of(splits, uniform_row_length=uniform_row_length)
    return ragged._of(take_rows(ragged.values, positions), partition)


# --- columns ---------------------------------------------------------------------------------------------------------


def _columns(ragged: Any, keys: Key) -> Any:
    """Applies a key to the dimensions after the first."""
    if not keys:
        return ragged
    column_key, *inner_keys = keys
    if column_key is Ellipsis:
        rank = ragged.shape.rank
        return _columns(ragged, _without_ellipsis(keys, None if rank is None else rank - 1))
    if column_key is None:
        inner = _columns(ragged, inner_keys)
        return _with_unit_columns(inner)
    if isinstance(column_key, slice):
        sliced = _slice_columns(ragged, column_key)
        return sliced.with_values(_inner(sliced.values, inner_keys)) if inner_keys else sliced
    return _inner(_column(ragged, column_key), inner_keys)


def _inner(values: Any, keys: Key) -> Any:
    """Applies a key to the dimensions after the first of a dense or ragged tensor."""
    if not keys:
        return values
    return _columns(values, keys) if isinstance(values, RaggedFactories) else values[(_ALL, *keys)]


def _with_unit_columns(inner: Any) -> Any:
    """Returns a ragged tensor with a new second dimension of size 1."""
    dtype = inner._row_partition.dtype
    one = convert_to_tensor(1, dtype=dtype)
    return type(inner).from_uniform_row_length(inner, one, nrows=inner.nrows(), validate=False)


def _column(ragged: Any, key: Any) -> Any:
    """Returns one column of rows of one length: the values at that position of each row."""
    partition: RowPartition = ragged._row_partition
    length = partition.uniform_row_length()
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    key = _index(key)
    offset = cast(convert_to_tensor(key), partition.dtype)
    known_offset = static_value(offset)
    if known_offset is None:
        offset = raw.SelectV2(condition=raw.Less(x=offset, y=raw.ZerosLike(x=offset)), t=offset + length, e=offset)
    elif known_offset < 0:
        offset = offset + length
    words = "Index out of bounds when indexing into a ragged tensor"
    checks = [check("<", offset, length, words), check("<=", raw.ZerosLike(x=offset), offset, words)]
    positions = partition.row_starts() + depend_on_checks(offset, *checks)
    return take_rows(ragged.values, positions)


def _slice_columns(ragged: Any, key: slice) -> Any:
    """Returns the ragged tensor with a slice of each row."""
    bounds = [_slice_bound(bound) for bound in (key.start, key.stop, key.step)]
    start, stop, step = bounds
    if start is None and stop is None and step is None:
        return ragged
    partition: RowPartition = ragged._row_partition
    dtype, lengths = partition.dtype, partition.row_lengths()
    step = 1 if step is None else step
    if isinstance(step, Tensor):
        step = cast(step, dtype)
        first, last = _bounds_by_sign(start, stop, step, lengths)
    else:
        first, last = _row_bounds(start, stop, step >= 0, lengths)
    starts = partition.row_starts()
    return _between(ragged, starts + first, starts + last, step, _uniform_part(partition, start, stop, step))


def _slice_bound(bound: object) -> Any:
    """Returns a bound of a slice as an int or a scalar tensor."""
    if bound is None or isinstance(bound, int):
        return bound
    if isinstance(bound, Tensor) and not bound.dtype.is_integer:
        raise TypeError("slice offsets must be integers or None")
    if not isinstance(bound, (Tensor, np.integer)):
        raise TypeError("slice offsets must be integers or None")
    known = static_value(convert_to_tensor(bound))
    return bound if known is None else int(known)


def _row_bounds(start: object, stop: object, forwards: bool, lengths: Any) -> tuple[Any, Any]:
    """Returns where the slice begins and ends in each row, counted from the row's start."""
    zeros = raw.ZerosLike(x=lengths)
    least, most = (zeros, lengths) if forwards else (zeros - 1, lengths - 1)
    begin, end = (least, most) if forwards else (most, least)
    return _clip(start, begin, least, most, lengths), _clip(stop, end, least, most, lengths)


def _clip(bound: Any, default: object, least: object, most: object, lengths: Any) -> Any:
    if bound is None:
        return default
    if isinstance(bound, int):
        bounds = lengths + bound if bound < 0 else raw.ZerosLike(x=lengths) + bound
    else:
        bound = cast(bound, lengths.dtype)
        is_negative = raw.Less(x=bound, y=raw.ZerosLike(x=bound))
        bounds = raw.SelectV2(condition=is_negative, t=lengths + bound, e=bound)
    return raw.Minimum(x=raw.Maximum(x=bounds, y=least), y=most)


def _bounds_by_sign(start: object, stop: object, step: object, lengths: object) -> tuple[Any, Any]:
    """Returns the bounds of a slice whose direction a tensor decides."""
    forwards, backwards = _row_bounds(start, stop, True, lengths), _row_bounds(start, stop, False, lengths)
    is_positive = raw.GreaterEqual(x=step, y=raw.ZerosLike(x=step))
    first, last = (raw.SelectV2(condition=is_positive, t=a, e=b) for a, b in zip(forwards, backwards, strict=True))
    return first, last


def _uniform_part(partition: RowPartition, start: Any, stop: Any, step: Any) -> Any:
    """Returns the length of a slice of rows of one length; None if the rows are not uniform or Python cannot tell."""
    length = partition.static_uniform_row_length
    if length is None or any(isinstance(bound, Tensor) for bound in (start, stop, step)) or step == 0:
        return None
    size = len(range(length)[slice(start, stop, step)])
    return convert_to_tensor(size, dtype=partition.dtype)
