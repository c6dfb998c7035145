"""Ragged tensors from dense and sparse tensors, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, bool_, int64
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_, sequence_mask
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.debug.assertion import assert_in_context
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.partition_checks import depend_on_checks
from millrace._src.ops.ragged.ragged_dims import merge_dims
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.ops.ragged.to_sparse_op import ragged_tensor_to_sparse
from millrace._src.ops.ragged.to_tensor_op import ragged_tensor_to_tensor
from millrace._src.ops.ragged.variant_ops import ragged_tensor_from_variant, ragged_tensor_to_variant
from millrace._src.ops.sparse.sparse_tensor import SparseTensor


class RaggedConversions:
    """The methods of `tf.RaggedTensor` that take or give a dense or sparse tensor."""

    __slots__ = ()

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: object = None,
        padding: object = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = int64,
    ) -> Any:
        """Makes a ragged tensor from a dense one; the ends of rows may be cut off.

        >>> x = tf.constant([[5, 7, 0], [0, 3, 0], [6, 0, 0]])
        >>> tf.RaggedTensor.from_tensor(x, lengths=[1, 0, 3])
        <tf.RaggedTensor [[5], [], [6, 0, 0]]>
        >>> tf.RaggedTensor.from_tensor(x, padding=0)
        <tf.RaggedTensor [[5, 7], [0, 3], [6]]>

        Args:
          tensor: a Tensor of a rank greater than `ragged_rank`.
          lengths: how many elements of each row to keep: an integer vector; or, for several ragged dimensions, a tuple
            of vectors, outermost first. None keeps all.
          padding: the element that is left out at the ends of rows, in the shape of `tensor[0, 0]` for ragged rank 1.
          ragged_rank: the number of ragged dimensions of the result.
          name: name of the scope in a graph.
          row_splits_dtype: int32 or int64.

        Returns: A RaggedTensor.
        Raises:
          TypeError: if `ragged_rank` is not an int, or `lengths` are not integers.
          ValueError: if both `lengths` and `padding` are given, or ranks or shapes do not fit.
        """
        dtype = as_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify argument `lengths` or `padding`, but not both.")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if ragged_rank <= 0:
            raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
        with name_scope(name, "RaggedFromTensor"):
            tensor = convert_to_tensor(tensor, name="tensor")
            if tensor.shape.rank is not None and tensor.shape.rank < 2:
                raise ValueError(
                    "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged "
                    f"dimensions. Received argument `tensor` with rank {tensor.shape.rank}."
                )
            tensor.shape.with_rank_at_least(ragged_rank + 1)
            if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
                return _from_nested_lengths(cls, tensor, lengths, dtype)
            return _from_dense(cls, tensor, lengths, padding, ragged_rank, dtype)

    @classmethod
    def from_sparse(cls, st_input: object, name: str | None = None, row_splits_dtype: DTypeLike = int64) -> Any:
        """Makes a ragged tensor from a sparse matrix whose rows are filled from the left.

        >>> st = tf.SparseTensor(indices=[[0, 0], [0, 1], [2, 0]], values=[1, 2, 3], dense_shape=[4, 3])
        >>> tf.RaggedTensor.from_sparse(st).to_list()
        [[1, 2], [], [3], []]

        Args:
          st_input: a SparseTensor of rank 2, in order.
          name: name of the scope in a graph.
          row_splits_dtype: int32 or int64.

        Returns: A RaggedTensor of rank 2.
        Raises:
          TypeError: if `st_input` is not a SparseTensor.
          ValueError: if its rank is not 2.
          tf.errors.InvalidArgumentError: if a row has a gap.
        """
        if not isinstance(st_input, SparseTensor):
            found_type = type(st_input).__name__
            raise TypeError(f"Argument `st_input` must be of type SparseTensor, but is of type {found_type}.")
        with name_scope(name, "RaggedFromSparse"):
            return _from_sparse_matrix(cls, st_input, as_dtype(row_splits_dtype))

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: object = None) -> Any:
        """Returns a dense tensor, with `default_value` after the ends of rows.

        >>> tf.ragged.constant([[9, 8, 7], [], [6, 5]]).to_tensor(shape=[None, 2]).numpy().tolist()
        [[9, 8], [0, 0], [6, 5]]

        Args:
          default_value: a scalar of the dtype, or a tensor that broadcasts to one of the flat values; zero if None.
          name: name of the scope in a graph.
          shape: the shape of the result, in which None or -1 represent the least size that holds all elements. Longer
            rows are cut off.

        Returns: A Tensor.
        Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if a shape does not fit.
        """
        ragged: Any = self
        with name_scope(name, "RaggedToTensor"):
            dtype = ragged.dtype
            if default_value is not None:
                default_value = convert_to_tensor(default_value, dtype=dtype, name="default_value")
            else:
                default_value = _zero(dtype)
            kinds, tensors = _partition_tensors(ragged._nested_row_partitions)
            wanted = _wanted_shape(_uniform_shape(ragged) if shape is None else shape, ragged._row_partition.dtype)
            result = ragged_tensor_to_tensor(
                wanted,
                ragged.flat_values,
                default_value,
                tensors,
                row_partition_types=kinds,
            )
            return _with_known_dims(result, ragged.shape, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """Returns a sparse tensor with the same elements.

        >>> tf.ragged.constant([[1, 2], [], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [2, 0]]

        Returns: A SparseTensor.
        """
        ragged: Any = self
        with name_scope(name, "RaggedToSparse"):
            indices, values, shape = ragged_tensor_to_sparse(ragged.nested_row_splits, ragged.flat_values)
            return SparseTensor(indices, values, shape)

    # --- as variant tensors ------------------------------------------------------------------------------------------

    def _to_variant(self, batched_input: bool = False, name: str | None = None) -> Any:
        """Returns a scalar of dtype variant that holds the ragged tensor; a vector with its rows if `batched_input`."""
        ragged: Any = self
        with name_scope(name, "RaggedToVariant"):
            return ragged_tensor_to_variant(
                ragged.nested_row_splits, ragged.flat_values, batched_input=batched_input, name=name
            )

    @classmethod
    def _from_variant(
        cls,
        variant: Any,
        dtype: DTypeLike,
        output_ragged_rank: int,
        input_ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = int64,
        name: str | None = None,
    ) -> Any:
        """Makes the ragged tensor that a tensor of dtype variant holds; each of its dimensions becomes a ragged one.

        Args:
          variant: what `_to_variant` returned, or a tensor of such scalars.
          dtype: the dtype of the values.
          output_ragged_rank: the ragged rank of the result.
          input_ragged_rank: the ragged rank of each element of `variant`; None if it follows from the other ranks.
          row_splits_dtype: int32 or int64.
          name: name of the scope in a graph.

        Returns: A RaggedTensor; a Tensor if `output_ragged_rank` is 0.
        Raises: tf.errors.InvalidArgumentError: if the ranks or dtypes are others.
        """
        kind: Any = cls
        with name_scope(name, "RaggedFromVariant"):
            splits, values = ragged_tensor_from_variant(
                convert_to_tensor(variant, name="variant"),
                input_ragged_rank=-1 if input_ragged_rank is None else input_ragged_rank,
                output_ragged_rank=output_ragged_rank,
                Tvalues=as_dtype(dtype),
                Tsplits=as_dtype(row_splits_dtype),
            )
            return kind.from_nested_row_splits(values, splits, validate=False)


def _zero(dtype: DType) -> Any:
    return convert_to_tensor("" if dtype.name == "string" else 0 if dtype is not bool_ else False, dtype=dtype)


def _partition_tensors(partitions: Sequence[RowPartition]) -> tuple[list[str], list[Any]]:
    """Returns the partitions in the form at hand: row numbers where they are known, else row splits."""
    first = partitions[0]
    if first._value_rowids is not None:
        kinds, tensors = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"], [first.nrows(), first.value_rowids()]
    else:
        kinds, tensors = ["ROW_SPLITS"], [first.row_splits()]
    for partition in partitions[1:]:
        by_rowids = partition._value_rowids is not None
        kinds.append("VALUE_ROWIDS" if by_rowids else "ROW_SPLITS")
        tensors.append(partition.value_rowids() if by_rowids else partition.row_splits())
    return kinds, tensors


def _uniform_shape(ragged: Any) -> list[int | None] | None:
    """Returns the static sizes of uniform dimensions, which hold even if there is no row; None if there are none."""
    lengths = [partition.static_uniform_row_length for partition in ragged._nested_row_partitions]
    inner_rank = ragged.flat_values.shape.rank
    if inner_rank is None or set(lengths) == {None}:
        return None
    return [None, *lengths, *[None] * (inner_rank - 1)]


def _wanted_shape(shape: object, dtype: DType) -> Any:
    if shape is None:
        return convert_to_tensor(-1, dtype=dtype)
    if isinstance(shape, Tensor):
        return shape
    known = as_shape(shape)
    dims = -1 if known.rank is None else [-1 if dim is None else dim for dim in known.as_list()]
    return convert_to_tensor(dims, dtype=dtype)


def _with_known_dims(result: Any, ragged_shape: TensorShape, shape: object) -> Any:
    """Notes what the static shapes tell of the dimensions of a dense tensor."""
    if result.shape.is_fully_defined():
        return result
    if shape is None:
        result.set_shape(ragged_shape)
    elif not isinstance(shape, Tensor):
        wanted = as_shape(shape)
        if wanted.rank is not None and ragged_shape.rank == wanted.rank:
            pairs = zip(wanted.as_list(), ragged_shape.as_list(), strict=True)
            result.set_shape([known if dim is None else dim for dim, known in pairs])
    return result


# --- from dense tensors ----------------------------------------------------------------------------------------------


def _from_dense(kind: Any, tensor: Any, lengths: Any, padding: object, ragged_rank: int, dtype: DType) -> Any:
    """Makes a ragged tensor from a dense one, where the rows of the last ragged dimension may be cut off."""
    if ragged_rank > 1:
        # the outer dimensions keep their sizes: cut off the rows of a matrix of all inner rows
        merged = merge_dims(tensor, 0, ragged_rank - 1)
        result = _from_dense(kind, merged, lengths, padding, 1, dtype)
        shape = shape_tensor(tensor, out_type=dtype)
        for axis in range(ragged_rank - 1, 0, -1):
            nrows = raw.Prod(input=shape[:axis], reduction_indices=[0])
            result = kind.from_uniform_row_length(result, shape[axis], nrows=nrows, validate=False)
        return result
    if padding is not None:
        lengths = _lengths_without_padding(tensor, padding, dtype)
    shape = shape_tensor(tensor, out_type=dtype)
    nrows, ncols = shape[0], shape[1]
    if lengths is None:
        return kind.from_uniform_row_length(merge_dims(tensor, 0, 1), ncols, nrows=nrows, validate=False)
    given, lengths = lengths, convert_to_tensor(lengths, dtype_hint=dtype, name="lengths")
    if not lengths.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: lengths) must be of type integer. Received `tensor` = {given} of dtype: "
            f"{lengths.dtype!r}"
        )
    lengths.shape.assert_has_rank(1)
    tensor.shape[:1].concatenate(tensor.shape[1:]).assert_is_compatible_with(
        lengths.shape[:1].concatenate(tensor.shape[1:])
    )
    lengths = cast(lengths, dtype)
    zeros = raw.ZerosLike(x=lengths)
    lengths = raw.Minimum(x=raw.Maximum(x=lengths, y=zeros), y=zeros + ncols)
    values = boolean_mask(tensor, sequence_mask(lengths, ncols))
    return kind.from_row_lengths(values, lengths, validate=False)


def _lengths_without_padding(tensor: Any, padding: Any, dtype: DType) -> Any:
    """Returns the lengths of the rows of a dense tensor without the padding at their ends."""
    padding = convert_to_tensor(padding, dtype=tensor.dtype, name="padding")
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    is_value = raw.NotEqual(x=tensor, y=padding)
    if tensor.shape.rank != 2:
        inner_axes = raw.Range(start=2, limit=raw.Rank(input=tensor), delta=1)
        is_value = raw.Any(input=is_value, reduction_indices=inner_axes)
    columns = range_(1, shape_tensor(tensor, out_type=dtype)[1] + 1, dtype=dtype)
    lengths = raw.Max(input=cast(is_value, dtype) * columns, reduction_indices=[1])
    return raw.Maximum(x=lengths, y=raw.ZerosLike(x=lengths))


def _from_nested_lengths(kind: Any, tensor: Any, nested_lengths: Sequence[Any], dtype: DType) -> Any:
    """Makes a ragged tensor of as many ragged dimensions as there are vectors of lengths."""
    tensor.shape.with_rank_at_least(len(nested_lengths) + 1)
    lengths = [convert_to_tensor(part, dtype_hint=dtype, name="lengths") for part in nested_lengths]
    splits = []
    values = tensor
    for part in lengths:
        ragged = _from_dense(kind, values, part, None, 1, dtype)
        values = ragged.values
        splits.append(ragged.row_splits)
    return kind.from_nested_row_splits(values, splits, validate=False)


# --- from sparse tensors ---------------------------------------------------------------------------------------------


def _from_sparse_matrix(kind: Any, sparse: SparseTensor, dtype: DType) -> Any:
    indices, shape = sparse.indices, sparse.shape
    rank = shape.rank if shape.rank is not None or indices.shape.rank is None else indices.shape[1]
    if rank != 2:
        raise ValueError("rank(st_input) must be 2.")
    rows, columns = cast(indices[:, 0], dtype), cast(indices[:, 1], dtype)
    ragged: Any = kind.from_value_rowids(sparse.values, rows, cast(sparse.dense_shape[0], dtype), validate=False)
    # a row is filled from the left where each column number is the position of the value in its row
    partition: RowPartition = ragged._row_partition
    fits = raw.Equal(x=columns, y=partition.offsets_in_rows())
    condition = raw.All(input=fits, reduction_indices=[0])
    checks = assert_in_context(condition, ["SparseTensor is not right-ragged", "SparseTensor.indices =", indices])
    return kind._of(depend_on_checks(ragged.values, checks), partition) if checks else ragged
