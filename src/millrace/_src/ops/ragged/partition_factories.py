"""The factories of `RowPartition`: one for each encoding of where rows begin and end.

Each factory converts its argument to an integer vector, checks the vector where `validate` asks for that, and computes
the row splits. What else the argument told is kept beside the splits.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, int32, int64
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.partition_checks import (
    check,
    check_not_decreasing,
    check_not_negative,
    depend_on_checks,
    refuse_no_bool,
)
from millrace._src.ops.ragged.partition_math import splits_of_lengths, splits_of_rowids


class PartitionFactories:
    """The class methods that make a `RowPartition`."""

    __slots__ = ()

    @classmethod
    def _of(cls, row_splits: object, **encodings: object) -> Self:
        raise NotImplementedError

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: object = None, dtype_hint: object = None
    ) -> Self:
        """Makes the partition in which row `i` is `values[row_splits[i]:row_splits[i + 1]]`.

        >>> tf.experimental.RowPartition.from_row_splits([0, 2, 3]).row_lengths().numpy()
        array([2, 1])

        Args:
          row_splits: an int32 or int64 vector that is not empty, begins with 0 and never decreases.
          validate: whether to check the values of `row_splits`.
          dtype: int32 or int64; None to take the dtype of `row_splits`.
          dtype_hint: the dtype to prefer for a Python list; int64 if None.

        Raises:
          ValueError: if the dtype or the rank is wrong, or the vector empty.
          tf.errors.InvalidArgumentError: if the values do not form a partition.
        """
        refuse_no_bool(validate)
        with name_scope(None, "RowPartitionFromRowSplits"):
            splits = partition_vector(row_splits, "row_splits", dtype, dtype_hint)
            if splits.shape[0] == 0:
                raise ValueError("row_splits tensor may not be empty.")
            if validate:
                words = "Arguments to from_row_splits do not form a valid RaggedTensor"
                starts_at_zero = check("==", splits[0], _zero(splits), f"{words}:zero")
                splits = depend_on_checks(splits, starts_at_zero, check_not_decreasing(splits, f"{words}:monotonic"))
            return cls._of(splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: object = None, dtype_hint: object = None
    ) -> Self:
        """Makes the partition in which row `i` has `row_lengths[i]` values.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        tf.RowPartition(row_splits=[0 2 2 3])

        Args:
          row_lengths: an int32 or int64 vector without negative elements.
          validate: whether to check the values of `row_lengths`.
          dtype: int32 or int64; None to take the dtype of `row_lengths`.
          dtype_hint: the dtype to prefer for a Python list; int64 if None.

        Raises:
          ValueError: if the dtype or the rank is wrong.
          tf.errors.InvalidArgumentError: if a length is negative.
        """
        refuse_no_bool(validate)
        with name_scope(None, "RowPartitionFromRowLengths"):
            lengths = partition_vector(row_lengths, "row_lengths", dtype, dtype_hint)
            if validate:
                words = "Arguments to from_row_lengths do not form a valid RowPartition"
                lengths = depend_on_checks(lengths, check_not_negative(lengths, words))
            return cls._of(splits_of_lengths(lengths), row_lengths=lengths)

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: object = None, dtype_hint: object = None
    ) -> Self:
        """Makes the partition whose rows begin at `row_starts`; the last row ends at `nvals`.

        >>> tf.experimental.RowPartition.from_row_starts([0, 2, 2], nvals=3)
        tf.RowPartition(row_splits=[0 2 2 3])

        Args:
          row_starts: an int32 or int64 vector that begins with 0 and never decreases.
          nvals: the number of values, a scalar.
          validate: whether to check the values of `row_starts`.
          dtype: int32 or int64; None to take the dtype of `row_starts`.
          dtype_hint: the dtype to prefer for a Python list; int64 if None.

        Raises:
          ValueError: if the dtype or the rank is wrong.
          tf.errors.InvalidArgumentError: if the values do not form a partition.
        """
        refuse_no_bool(validate)
        with name_scope(None, "RowPartitionFromRowStarts"):
            starts = partition_vector(row_starts, "row_starts", dtype, dtype_hint)
            nvals = convert_to_tensor(nvals, dtype=starts.dtype, name="nvals")
            if validate:
                words = "Arguments to from_row_starts do not form a valid RaggedTensor"
                starts_at_zero = check("==", starts[:1], _zero(starts), words)
                ends_in_values = check("<=", starts[-1:], nvals, words)
                in_order = check_not_decreasing(starts, words)
                starts = depend_on_checks(starts, starts_at_zero, in_order, ends_in_values)
            return cls._of(raw.ConcatV2(values=[starts, _as_vector(nvals)], axis=0), nvals=nvals)

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: object = None, dtype_hint: object = None
    ) -> Self:
        """Makes the partition whose rows end at `row_limits`; the first row begins at 0.

        >>> tf.experimental.RowPartition.from_row_limits([2, 2, 3])
        tf.RowPartition(row_splits=[0 2 2 3])

        Args:
          row_limits: an int32 or int64 vector that is not negative and never decreases.
          validate: whether to check the values of `row_limits`.
          dtype: int32 or int64; None to take the dtype of `row_limits`.
          dtype_hint: the dtype to prefer for a Python list; int64 if None.

        Raises:
          ValueError: if the dtype or the rank is wrong.
          tf.errors.InvalidArgumentError: if the values do not form a partition.
        """
        refuse_no_bool(validate)
        with name_scope(None, "RowPartitionFromRowLimits"):
            limits = partition_vector(row_limits, "row_limits", dtype, dtype_hint)
            if validate:
                words = "Arguments to from_row_limits do not form a valid RaggedTensor"
                limits = depend_on_checks(
                    limits, check_not_negative(limits[:1], words), check_not_decreasing(limits, words)
                )
            return cls._of(raw.ConcatV2(values=[_as_vector(_zero(limits)), limits], axis=0))

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: Any,
        nrows: Any = None,
        validate: bool = True,
        dtype: object = None,
        dtype_hint: object = None,
    ) -> Self:
        """Makes the partition in which value `j` belongs to row `value_rowids[j]`.

        >>> tf.experimental.RowPartition.from_value_rowids([0, 0, 2], nrows=4)
        tf.RowPartition(row_splits=[0 2 2 3 3])

        Args:
          value_rowids: an int32 or int64 vector that is not negative and never decreases.
          nrows: the number of rows, a scalar; None for one more than the last row number.
          validate: whether to check the values of `value_rowids` and `nrows`.
          dtype: int32 or int64; None to take the dtype of `value_rowids`.
          dtype_hint: the dtype to prefer for a Python list; int64 if None.

        Raises:
          ValueError: if the dtype or a rank is wrong, or `nrows` is known to be too small.
          tf.errors.InvalidArgumentError: if the values do not form a partition.
        """
        refuse_no_bool(validate)
        with name_scope(None, "RowPartitionFromValueRowIds"):
            rowids = partition_vector(value_rowids, "value_rowids", dtype, dtype_hint)
            if nrows is None:
                nrows = raw.ConcatV2(values=[_as_vector(_zero(rowids)), rowids + 1], axis=0)[-1]
                known_nrows = None
            else:
                nrows = convert_to_tensor(nrows, dtype=rowids.dtype, name="nrows")
                nrows.shape.assert_has_rank(0)
                _refuse_few_rows(nrows, rowids)
                known_nrows = nrows
            if validate:
                words = "Arguments to from_value_rowids do not form a valid RowPartition"
                not_negative, in_order = check_not_negative(rowids[:1], words), check_not_decreasing(rowids, words)
                enough_rows = check("<", rowids[-1:], nrows, words)
                rowids = depend_on_checks(rowids, not_negative, in_order, enough_rows)
            splits = splits_of_rowids(rowids, nrows)
            return cls._of(splits, value_rowids=rowids, nrows=known_nrows)

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Self:
        """Makes the partition in which all rows have one length.

        >>> tf.experimental.RowPartition.from_uniform_row_length(2, nvals=6)
        tf.RowPartition(nrows=3, uniform_row_length=2)

        Args:
          uniform_row_length: the length, a scalar.
          nvals: the number of values, a scalar; None for `nrows * uniform_row_length`.
          nrows: the number of rows, a scalar; None for `nvals // uniform_row_length`.
          validate: whether to check that the sizes agree.
          dtype: int32 or int64; None to take the dtype of the arguments.
          dtype_hint: the dtype to prefer for Python numbers; int64 if None.

        Raises:
          ValueError: if `nvals` and `nrows` are both missing, or the sizes are known not to agree.
          tf.errors.InvalidArgumentError: if the sizes do not agree.
        """
        refuse_no_bool(validate)
        if nrows is None and nvals is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        with name_scope(None, "RowPartitionFromUniformRowLength"):
            dtype = _common_dtype((uniform_row_length, nvals, nrows), dtype, dtype_hint)
            length = _scalar(uniform_row_length, "UniformRowLength", dtype)
            nvals = None if nvals is None else _scalar(nvals, "nvals", dtype)
            nrows = None if nrows is None else _scalar(nrows, "nrows", dtype)
            if nrows is None:
                nrows = _rows_of(nvals, length)
            given_nvals, nvals = nvals, nrows * length if nvals is None else nvals
            checks = _uniform_checks(length, nvals, nrows, given_nvals, validate)
            splits = range_(nrows + 1, dtype=length.dtype) * length
            return cls._of(depend_on_checks(splits, checks), uniform_row_length=length, nvals=nvals, nrows=nrows)


# --- arguments -------------------------------------------------------------------------------------------------------


def partition_vector(value: Any, name: str, dtype: object, dtype_hint: object) -> Any:
    """Converts an argument of a factory to an int32 or int64 vector; lists become `dtype_hint`, int64 if None.

    Raises: ValueError: if the value has another dtype or rank.
    """
    dtype = None if dtype is None else as_dtype(dtype)
    if dtype is None and isinstance(value, np.ndarray) and value.dtype == np.int32 and dtype_hint is None:
        dtype = int32
    vector = convert_to_tensor(value, dtype=dtype, dtype_hint=as_dtype(dtype_hint or int64), name=name)
    if vector.dtype not in (int32, int64):
        raise ValueError(f"{name} must have dtype int32 or int64")
    vector.shape.assert_has_rank(1)
    return vector


def _scalar(value: Any, name: str, dtype: Any) -> Any:
    scalar = convert_to_tensor(value, dtype=dtype, name=name)
    scalar.shape.assert_has_rank(0)
    return scalar


def _common_dtype(values: Any, dtype: object, dtype_hint: DTypeLike) -> Any:
    """Returns the dtype that the sizes have in common: that of the first tensor, else the one preferred."""
    if dtype is not None:
        return as_dtype(dtype)
    tensor_dtypes = (v.dtype for v in values if isinstance(v, Tensor))
    return next(tensor_dtypes, as_dtype(dtype_hint or int64))


def _zero(like: Any) -> Any:
    return convert_to_tensor(0, dtype=like.dtype)


def _as_vector(scalar: object) -> Any:
    return raw.ExpandDims(input=scalar, axis=0)


def _refuse_few_rows(nrows: object, rowids: object) -> None:
    known_nrows, known_rowids = static_value(nrows), static_value(rowids)
    if known_nrows is None:
        return
    if known_nrows < 0:
        raise ValueError(f"Expected nrows >= 0; got {known_nrows}")
    if known_rowids is not None and known_rowids.size and known_rowids[-1] >= known_nrows:
        last = known_rowids[-1]
        if known_rowids.size == 1 or (known_rowids[1:] >= known_rowids[:-1]).all():
            raise ValueError(
                f"Expected nrows >= value_rowids[-1] + 1; got nrows={known_nrows}, value_rowids[-1]={last}"
            )


def _rows_of(nvals: object, length: Any) -> Any:
    """Returns how many rows of a length there are; rows of length 0 are none."""
    known_length = static_value(length)
    if known_length is not None:
        return _zero(length) if known_length == 0 else raw.FloorDiv(x=nvals, y=length)
    one = _zero(length) + 1
    rows = raw.FloorDiv(x=nvals, y=raw.Maximum(x=length, y=one))
    return rows * cast(raw.NotEqual(x=length, y=_zero(length)), length.dtype)


def _uniform_checks(length: Any, nvals: Any, nrows: Any, given_nvals: Any, validate: bool) -> list[Any]:
    known_length, known_nvals, known_nrows = (static_value(size) for size in (length, nvals, nrows))
    if known_length is not None and known_length < 0:
        raise ValueError("uniform_row_length must be >= 0.")
    if None not in (known_length, known_nvals, known_nrows) and known_length * known_nrows != known_nvals:
        sizes = f"uniform_row_length={known_length} times nrows={known_nrows}"
        raise ValueError(f"{sizes} must equal nvals={known_nvals}")
    if not validate:
        return []
    words = "Arguments to from_uniform_row_length do not form a valid RowPartition"
    agree = [] if given_nvals is None else check("==", length * nrows, nvals, words)
    return agree + check_not_negative(length, words)
