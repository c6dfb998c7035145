"""The factories of `tf.RaggedTensor` that take values and a row partition.

Each factory makes a `RowPartition` by the factory of the same name, and checks that the partition ends where the values
end. The `from_nested_...` forms do so for one partition after another, innermost first. Dense and sparse tensors become
ragged in `ragged_conversions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.partition_checks import check, refuse_no_bool
from millrace._src.ops.ragged.partition_factories import partition_vector
from millrace._src.ops.ragged.partition_math import size_of
from millrace._src.ops.ragged.row_partition import RowPartition


class RaggedFactories:
    """The class methods that make a `tf.RaggedTensor` from values and partitions."""

    __slots__ = ()
    _row_partition: RowPartition
    values: Any

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """The static shape; ragged dimensions are None."""
        raise NotImplementedError

    @classmethod
    def _of(cls, values: object, row_partition: RowPartition) -> Any:
        """Makes the ragged tensor of values and a partition that fit."""
        raise NotImplementedError

    @classmethod
    def _values_of(cls, values: object, name: str = "values") -> Any:
        """Converts values to a dense or ragged tensor."""
        raise NotImplementedError

    # --- one partition -----------------------------------------------------------------------------------------------

    @classmethod
    def _from_row_partition(cls, values: Any, row_partition: RowPartition, validate: bool = True) -> Any:
        """Makes the ragged tensor with these values in these rows.

        Raises:
          TypeError: if `row_partition` is not a RowPartition.
          ValueError: if the dtypes of the partitions differ.
          tf.errors.InvalidArgumentError: if `validate` and the partition does not end where the values end.
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError(f"Argument `row_partition` must be a RowPartition. Received {row_partition}.")
        refuse_no_bool(validate)
        values, row_partition = _with_common_splits(cls._values_of(values), row_partition)
        if row_partition._value_rowids is not None:
            values.shape[:1].assert_is_compatible_with(row_partition._value_rowids.shape)
        if validate:
            words = "Arguments to _from_row_partition do not form a valid RaggedTensor"
            nvals = _rows(values, row_partition.dtype)
            row_partition = row_partition._with_dependencies(check("==", row_partition.nvals(), nvals, words))
        return cls._of(values, row_partition)

    @classmethod
    def _from_part(cls, scope: str, name: str | None, values: Any, validate: Any, make: Callable[[Any], Any]) -> Any:
        """Makes the ragged tensor whose partition `make` makes of the values; their dtypes agree where they can."""
        refuse_no_bool(validate)
        with name_scope(name, scope):
            values = cls._values_of(values)
            return cls._from_row_partition(values, make(values), validate=validate)

    @classmethod
    def from_row_splits(cls, values: object, row_splits: object, name: str | None = None, validate: bool = True) -> Any:
        """Makes a ragged tensor whose row `i` is `values[row_splits[i]:row_splits[i + 1]]`.

        >>> tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5], [0, 2, 2, 5])
        <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>

        Args:
          values: a Tensor of rank one or more, or a RaggedTensor.
          row_splits: an int32 or int64 vector that begins with 0, never decreases and ends with the number of values.
          name: name of the scope in a graph.
          validate: whether to check `row_splits`.

        Returns: A RaggedTensor with one dimension more than `values`; `values` itself if no partition is given.
        Raises:
          ValueError: if `row_splits` is of a wrong dtype or rank, or empty.
          tf.errors.InvalidArgumentError: if `row_splits` does not fit.
        """
        return cls._from_part(
            "RaggedFromRowSplits",
            name,
            values,
            validate,
            lambda v: RowPartition.from_row_splits(row_splits, validate, dtype_hint=splits_dtype(v)),
        )

    @classmethod
    def from_row_lengths(
        cls, values: object, row_lengths: object, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor whose row `i` has the next `row_lengths[i]` values.

        >>> tf.RaggedTensor.from_row_lengths([3, 1, 4, 1, 5], [2, 0, 3])
        <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>

        Args:
          values: a Tensor of rank one or more, or a RaggedTensor.
          row_lengths: an int32 or int64 vector whose elements sum up to the number of values.
          name: name of the scope in a graph.
          validate: whether to check `row_lengths`.

        Returns: A RaggedTensor with one dimension more than `values`.
        Raises:
          ValueError: if `row_lengths` is of a wrong dtype or rank.
          tf.errors.InvalidArgumentError: if `row_lengths` does not fit.
        """
        return cls._from_part(
            "RaggedFromRowLengths",
            name,
            values,
            validate,
            lambda v: RowPartition.from_row_lengths(row_lengths, validate, dtype_hint=splits_dtype(v)),
        )

    @classmethod
    def from_row_starts(cls, values: object, row_starts: object, name: str | None = None, validate: bool = True) -> Any:
        """Makes a ragged tensor whose rows begin at `row_starts`.

        >>> tf.RaggedTensor.from_row_starts([3, 1, 4, 1, 5], [0, 2, 2])
        <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>

        Args:
          values: a Tensor of rank one or more, or a RaggedTensor.
          row_starts: an int32 or int64 vector that begins with 0 and never decreases.
          name: name of the scope in a graph.
          validate: whether to check `row_starts`.

        Returns: A RaggedTensor with one dimension more than `values`.
        Raises:
          ValueError: if `row_starts` is of a wrong dtype or rank.
          tf.errors.InvalidArgumentError: if `row_starts` does not fit.
        """

        def partition(values: Any) -> RowPartition:
            hint = splits_dtype(values)
            starts = partition_vector(row_starts, "row_starts", None, hint)
            nvals = _rows(values, starts.dtype)
            return RowPartition.from_row_starts(starts, nvals, validate, dtype_hint=hint)

        return cls._from_part("RaggedFromRowStarts", name, values, validate, partition)

    @classmethod
    def from_row_limits(cls, values: object, row_limits: object, name: str | None = None, validate: bool = True) -> Any:
        """Makes a ragged tensor whose rows end at `row_limits`.

        >>> tf.RaggedTensor.from_row_limits([3, 1, 4, 1, 5], [2, 2, 5])
        <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>

        Args:
          values: a Tensor of rank one or more, or a RaggedTensor.
          row_limits: an int32 or int64 vector that never decreases and ends with the number of values.
          name: name of the scope in a graph.
          validate: whether to check `row_limits`.

        Returns: A RaggedTensor with one dimension more than `values`.
        Raises:
          ValueError: if `row_limits` is of a wrong dtype or rank.
          tf.errors.InvalidArgumentError: if `row_limits` does not fit.
        """
        return cls._from_part(
            "RaggedFromRowLimits",
            name,
            values,
            validate,
            lambda v: RowPartition.from_row_limits(row_limits, validate, dtype_hint=splits_dtype(v)),
        )

    @classmethod
    def from_value_rowids(
        cls, values: object, value_rowids: object, nrows: object = None, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor in which `values[j]` belongs to row `value_rowids[j]`.

        >>> tf.RaggedTensor.from_value_rowids([3, 1, 4, 1, 5], [0, 0, 2, 2, 2], nrows=4)
        <tf.RaggedTensor [[3, 1], [], [4, 1, 5], []]>

        Args:
          values: a Tensor of rank one or more, or a RaggedTensor.
          value_rowids: an int32 or int64 vector that never decreases, one element a value.
          nrows: the number of rows; None for one more than the last row number.
          name: name of the scope in a graph.
          validate: whether to check `value_rowids`.

        Returns: A RaggedTensor with one dimension more than `values`.
        Raises:
          ValueError: if an argument is of a wrong dtype or rank, or `nrows` is known to be too small.
          tf.errors.InvalidArgumentError: if `value_rowids` does not fit.
        """
        return cls._from_part(
            "RaggedFromValueRowIds",
            name,
            values,
            validate,
            lambda v: RowPartition.from_value_rowids(value_rowids, nrows, validate, dtype_hint=splits_dtype(v)),
        )

    @classmethod
    def from_uniform_row_length(
        cls,
        values: object,
        uniform_row_length: object,
        nrows: object = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Makes a ragged tensor whose rows all have one length.

        The dimension is kept as a uniform one, so that the values may be ragged further in.

        >>> values = tf.ragged.constant([[1, 2], [3], [4], []])
        >>> tf.RaggedTensor.from_uniform_row_length(values, 2).shape
        TensorShape([2, 2, None])

        Args:
          values: a Tensor of rank one or more, or a RaggedTensor.
          uniform_row_length: the length, a scalar.
          nrows: the number of rows, a scalar; needed only where the length is 0.
          validate: whether to check that the sizes agree.
          name: name of the scope in a graph.

        Returns: A RaggedTensor with one dimension more than `values`.
        Raises:
          ValueError: if the sizes are known not to agree.
          tf.errors.InvalidArgumentError: if the sizes do not agree.
        """

        def partition(values: object) -> RowPartition:
            dtype = splits_dtype(values)
            if dtype is None:
                sizes = (uniform_row_length, nrows)
                dtype = next((size.dtype for size in sizes if isinstance(size, Tensor)), int64)
            nvals = _rows(values, dtype)
            return RowPartition.from_uniform_row_length(uniform_row_length, nvals, nrows, validate, dtype_hint=dtype)

        return cls._from_part("RaggedFromUniformRowLength", name, values, validate, partition)

    # --- several partitions ------------------------------------------------------------------------------------------

    @classmethod
    def _from_nested_row_partitions(
        cls, flat_values: object, nested_row_partitions: object, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor from its values and partitions, outermost first."""
        if not isinstance(nested_row_partitions, (list, tuple)):
            raise TypeError(
                f"Argument `nested_row_partitions` must be a list of RowPartitions. Received {nested_row_partitions}."
            )
        with name_scope(name, "RaggedFromNestedRowPartitions"):
            result = flat_values
            for partition in reversed(nested_row_partitions):
                result = cls._from_row_partition(result, partition, validate=validate)
            return result

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor from its values and a list of row splits, outermost first.

        >>> tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>

        Args:
          flat_values: a Tensor of rank one or more.
          nested_row_splits: a list of int32 or int64 vectors.
          name: name of the scope in a graph.
          validate: whether to check the row splits.

        Returns: A RaggedTensor, or `flat_values` if the list is empty.
        Raises:
          TypeError: if `nested_row_splits` is a tensor.
          tf.errors.InvalidArgumentError: if row splits do not fit.
        """
        _refuse_tensor(nested_row_splits, "nested_row_splits")
        with name_scope(name, "RaggedFromNestedRowSplits"):
            return _nest(flat_values, nested_row_splits, cls.from_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Makes a ragged tensor from its values and a list of row lengths, outermost first.

        >>> tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>

        Args:
          flat_values: a Tensor of rank one or more.
          nested_row_lengths: a list of int32 or int64 vectors.
          name: name of the scope in a graph.
          validate: whether to check the row lengths.

        Returns: A RaggedTensor, or `flat_values` if the list is empty.
        Raises:
          TypeError: if `nested_row_lengths` is a tensor.
          tf.errors.InvalidArgumentError: if row lengths do not fit.
        """
        _refuse_tensor(nested_row_lengths, "nested_row_lengths")
        with name_scope(name, "RaggedFromNestedRowlengths"):
            return _nest(flat_values, nested_row_lengths, cls.from_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: object,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor from its values and a list of row numbers, outermost first.

        >>> tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>

        Args:
          flat_values: a Tensor of rank one or more.
          nested_value_rowids: a list of int32 or int64 vectors.
          nested_nrows: a list of the numbers of rows, None for one more than the last row number.
          name: name of the scope in a graph.
          validate: whether to check the row numbers.

        Returns: A RaggedTensor, or `flat_values` if the list is empty.
        Raises:
          TypeError: if a list is a tensor.
          ValueError: if the lists are not of one length.
          tf.errors.InvalidArgumentError: if row numbers do not fit.
        """
        _refuse_tensor(nested_value_rowids, "nested_value_rowids")
        _refuse_tensor(nested_nrows, "nested_nrows")
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        elif len(nested_nrows) != len(nested_value_rowids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. "
                f"len(nested_nrows) = {len(nested_nrows)} vs. len(nested_values_rowids) = {len(nested_value_rowids)}."
            )
        with name_scope(name, "RaggedFromNestedValueRowIds"):
            result = flat_values
            for rowids, nrows in zip(reversed(nested_value_rowids), reversed(nested_nrows), strict=True):
                result = cls.from_value_rowids(result, rowids, nrows, validate=validate)
            return result


def _nest(flat_values: object, parts: Sequence[Any], factory: Callable[..., Any], validate: bool) -> Any:
    result = flat_values
    for part in reversed(list(parts)):
        result = factory(result, part, validate=validate)
    return result


def splits_dtype(values: object) -> DType | None:
    """Returns the dtype of the partitions of ragged values, None for values without partitions."""
    return values._row_partition.dtype if isinstance(values, RaggedFactories) else None


def _rows(values: object, dtype: DTypeLike) -> Any:
    """Returns the number of rows of a dense or ragged tensor."""
    if isinstance(values, RaggedFactories):
        return cast(values._row_partition.nrows(), dtype)
    return size_of(values, dtype)


def _with_common_splits(values: object, partition: RowPartition) -> tuple[Any, RowPartition]:
    """Returns values and partition with one dtype of row splits.

    Raises: ValueError: if the dtypes differ.
    """
    dtype = splits_dtype(values)
    if dtype is None or dtype is partition.dtype:
        return values, partition
    raise ValueError(
        "Argument `row_partition` of RaggedTensor with name: partition must have same dtype as Argument `values`. "
        f"({partition.dtype!r} vs. {dtype!r})."
    )


def _refuse_tensor(parts: object, name: str) -> None:
    if isinstance(parts, Tensor):
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {parts}.")
