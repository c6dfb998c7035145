"""The overload of `tf.matmul`: stacks of matrices that differ in their numbers of rows and columns.

The matrices are padded with zeros to one size, multiplied as one stack, and the padding is cut off the products. The
inner dimensions agree matrix by matrix, so padding meets padding only, and changes no sum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.math.matmul import matmul
from millrace._src.ops.ragged.broadcasting import common_splits_dtype, nest_partitions
from millrace._src.ops.ragged.partition_checks import check, depend_on_checks
from millrace._src.ops.ragged.ragged_dims import merge_dims
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from millrace._src.ops.ragged.row_partition import RowPartition

_INNERMOST = "The matrices in `a` and `b` may not be ragged in their innermost dimension."


@overload("linalg.matmul", RaggedTensor)
def ragged_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies matrices, or stacks of matrices of different sizes."""
    for side, transposed, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transposed and adjoint:
            raise ValueError(f"Only one of transpose_{side} and adjoint_{side} can be True.")
    with name_scope(name, "RaggedMatMul"):
        a = convert_to_tensor_or_ragged_tensor(a, name="a")
        b = convert_to_tensor_or_ragged_tensor(b, name="b")
        _refuse_mismatch(a, b)
        dtype = common_splits_dtype(a, b)
        options = {
            "transpose_a": transpose_a,
            "transpose_b": transpose_b,
            "adjoint_a": adjoint_a,
            "adjoint_b": adjoint_b,
            "a_is_sparse": a_is_sparse,
            "b_is_sparse": b_is_sparse,
            "output_type": output_type,
        }
        if a.shape.rank == 2:
            return matmul(_as_matrix(a), _as_matrix(b), **options)
        return _products(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b, options, dtype)


def _refuse_mismatch(a: Any, b: Any) -> None:
    if a.dtype is not b.dtype:
        raise ValueError("`a` and `b` must have the same dtype.")
    if a.shape.rank is None or b.shape.rank is None:
        raise ValueError("`a` and `b` must have statically known rank.")
    if a.shape.rank != b.shape.rank:
        raise ValueError("`a` and `b` must have the same rank.")
    if a.shape.rank < 2:
        raise ValueError("`a` and `b` must have rank at least 2.")


def _as_matrix(value: object) -> Any:
    """Returns a ragged matrix, whose rows must be of one length, as a tensor."""
    if not isinstance(value, RaggedTensor):
        return value
    lengths = value.row_lengths()
    longest = value.bounding_shape(axis=1)
    checks = check("==", lengths, longest, _INNERMOST)
    flat_values = depend_on_checks(value.flat_values, checks)
    return raw.Reshape(tensor=flat_values, shape=raw.Pack(values=[value.nrows(), longest]))


class _Stack(NamedTuple):
    """A stack of matrices, padded to one size.

    Args:
      matrices: a Tensor of rank 3.
      rows: the number of rows of each matrix, a vector; a scalar if it is the same for all.
      columns: the number of columns, likewise.
    """

    matrices: Any
    rows: Any
    columns: Any

    def transpose(self, is_transposed: bool) -> _Stack:
        """Returns the sizes of the transposed matrices if they are to be transposed."""
        return _Stack(self.matrices, self.columns, self.rows) if is_transposed else self


def _stack(value: Any, dtype: Any) -> tuple[_Stack, list[Any]]:
    """Pads a stack of matrices, and checks that each matrix has rows of one length."""
    if not isinstance(value, RaggedTensor):
        sizes = shape_tensor(value, out_type=dtype)
        return _Stack(value, sizes[1], sizes[2]), []
    partition = value._row_partition
    length = partition.uniform_row_length()
    rows = partition.row_lengths() if length is None else length
    if not isinstance(value.values, RaggedTensor):
        return _Stack(value.to_tensor(), rows, shape_tensor(value.values, out_type=dtype)[1]), []
    lengths, rowids = value.values.row_lengths(), partition.value_rowids()
    longest = raw.UnsortedSegmentMax(data=lengths, segment_ids=rowids, num_segments=partition.nrows())
    columns = raw.Maximum(x=longest, y=convert_to_tensor(0, dtype=dtype))
    checks = check("==", lengths, raw.GatherV2(params=columns, indices=rowids, axis=0), _INNERMOST)
    return _Stack(value.to_tensor(), rows, columns), checks


def _products(a: Any, b: Any, is_a_transposed: bool, is_b_transposed: bool, options: Any, dtype: object) -> Any:
    outer = a if isinstance(a, RaggedTensor) else b
    rank: Any = outer.shape.rank
    batch_rank = rank - 2
    if batch_rank > 1:
        outer_partitions = outer._nested_row_partitions[: batch_rank - 1]
        a, b = (merge_dims(value, 0, batch_rank - 1) for value in (a, b))
    (stack_a, checks_a), (stack_b, checks_b) = _stack(a, dtype), _stack(b, dtype)
    left, right = stack_a.transpose(is_a_transposed), stack_b.transpose(is_b_transposed)
    words = "The inner dimensions of the matrices in `a` and `b` must agree."
    checks = [*checks_a, *checks_b, *check("==", left.columns, right.rows, words)]
    products = matmul(depend_on_checks(stack_a.matrices, checks), stack_b.matrices, **options)
    result = _cut(products, left.rows, right.columns, dtype)
    return nest_partitions(result, outer_partitions) if batch_rank > 1 else result


def _cut(products: Any, rows: Any, columns: Any, dtype: Any) -> RaggedTensor:
    """Cuts each matrix of a stack to its own size."""
    count, height, width = (shape_tensor(products, out_type=dtype)[i] for i in range(3))
    if rows.shape.rank == 0:
        partition = RowPartition.from_uniform_row_length(rows, count * rows, count, validate=False)
    else:
        partition = RowPartition.from_row_lengths(rows, validate=False)
    if rows.shape.rank == 0 and columns.shape.rank == 0:
        static_width = products.shape[2]
        flat = raw.Reshape(tensor=products, shape=[-1, width if static_width is None else static_width])
        return RaggedTensor._of(flat, partition)
    mask = range_(height, dtype=dtype) < raw.Reshape(tensor=rows, shape=[-1, 1])
    mask = raw.BroadcastTo(input=mask, shape=raw.Pack(values=[count, height]))
    if columns.shape.rank == 0:
        return RaggedTensor._of(boolean_mask(products, mask), partition)
    in_columns = range_(width, dtype=dtype) < raw.Reshape(tensor=columns, shape=[-1, 1])
    whole_mask = raw.LogicalAnd(x=raw.ExpandDims(input=mask, axis=2), y=raw.ExpandDims(input=in_columns, axis=1))
    lengths = raw.GatherV2(params=columns, indices=partition.value_rowids(), axis=0)
    made: RaggedTensor = nest_partitions(
        boolean_mask(products, whole_mask), [partition, RowPartition.from_row_lengths(lengths, validate=False)]
    )
    return made
