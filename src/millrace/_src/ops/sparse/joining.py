"""Sparse tensors joined, split and cut: `tf.sparse.concat`, `split`, `slice`, `retain`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64
from millrace._src.core.errors import InternalError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import add, dims_text, merge_dim, vector, with_rank
from millrace._src.ops.math.element_types import NUMBER
from millrace._src.ops.sparse.coordinates import OWN_COORDINATES, are_sorted, common_keys, order_of_coordinates, take
from millrace._src.ops.sparse.part_checks import check_bounds, check_dims, check_parts, traced_parts
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, as_sparse, sparse_result
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_VARYING = "the number of elements differs from row to row"

# --- concat ----------------------------------------------------------------------------------------------------------


def _concat_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    count: int | None = 0
    rank: int | None = None
    for indices, values, shape in zip(c.shapes("indices"), c.shapes("values"), c.shapes("shapes"), strict=True):
        rows, columns = with_rank(indices, 2)
        count = add(count, merge_dim(rows, with_rank(values, 1)[0]))
        rank = merge_dim(merge_dim(rank, columns), with_rank(shape, 1)[0])
    return vector(count, rank), vector(count), vector(rank)


def _check_concat(indices: Sequence[Array], values: Sequence[Array], shapes: Sequence[Array], axis: int) -> None:
    rank = len(shapes[0])
    for position, parts in enumerate(zip(indices, values, shapes, strict=True)):
        check_parts(*parts)
        if len(parts[2]) != rank:
            raise invalid(
                f"Ranks of all input tensors must match: expected {rank} but got {len(parts[2])} at position {position}"
            )
    if not -rank <= axis < rank:
        raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {axis}")


def _refuse_other_sizes(
    indices: Sequence[Array], values: Sequence[Array], shapes: Sequence[Array], *, concat_dim: int
) -> None:
    """Refuses tensors that differ in size along another axis than that of the concatenation."""
    _check_concat(indices, values, shapes, concat_dim)
    rank = len(shapes[0])
    for position, shape in enumerate(shapes):
        for axis in range(rank):
            if axis != concat_dim % rank and shape[axis] != shapes[0][axis]:
                raise invalid(
                    f"Input shapes must match: expected {shapes[0][axis]} for dimension {axis} but got {shape[axis]} "
                    f"at position {position}"
                )


@op(
    "SparseConcat",
    "indices: N * int64, values: N * T, shapes: N * int64 "
    "-> output_indices: int64, output_values: T, output_shape: int64",
    T=ANY,
    shape=_concat_shapes,
    checks=_refuse_other_sizes,
    not_differentiable="TensorFlow takes the join of sparse tensors for constant",
    not_batched=OWN_COORDINATES,
)
def sparse_concat_op(
    xp: Xp, indices: Sequence[Array], values: Sequence[Array], shapes: Sequence[Array], *, concat_dim: int
) -> tuple[Array, Array, Array]:
    """Joins sparse tensors along an axis; the elements of the result are in order."""
    _check_concat(indices, values, shapes, concat_dim)
    axis = concat_dim % len(shapes[0])
    ends = xp.cumsum(xp.stack([shape[axis] for shape in shapes]))
    offsets = [end - shape[axis] for end, shape in zip(ends, shapes, strict=True)]
    moved = [
        xp.concatenate([matrix[:, :axis], matrix[:, axis : axis + 1] + offset, matrix[:, axis + 1 :]], axis=1)
        for matrix, offset in zip(indices, offsets, strict=True)
    ]
    first = shapes[0]
    dense_shape = xp.concatenate([first[:axis], ends[-1:], first[axis + 1 :]])
    joined_indices, joined_values = xp.concatenate(moved), xp.concatenate(values)
    order = order_of_coordinates(xp, joined_indices, dense_shape)
    return take(xp, joined_indices, order), take(xp, joined_values, order), dense_shape


@export("sparse.concat", v1=[])
def sparse_concat(
    axis: TensorLike, sp_inputs: TensorLike, expand_nonconcat_dims: bool = False, name: str | None = None
) -> Any:
    """Joins sparse tensors along an axis; the elements of the result are in order.

    >>> a = tf.SparseTensor([[0, 1]], [5], [1, 2])
    >>> b = tf.SparseTensor([[0, 0]], [6], [1, 3])
    >>> tf.sparse.to_dense(tf.sparse.concat(1, [a, b])).numpy()
    array([[0, 5, 6, 0, 0]], dtype=int32)

    Args:
      axis: the axis, an integer; a negative one counts from behind.
      sp_inputs: a list of SparseTensors of one rank and dtype.
      expand_nonconcat_dims: whether other dimensions may differ; the result has the largest.
      name: name of the operation.

    Returns: A SparseTensor.
    Raises:
      TypeError: if `sp_inputs` is not a list of SparseTensors.
      tf.errors.InvalidArgumentError: if ranks or other dimensions differ, or the axis is out of range.
    """
    return join_sparse(axis, sp_inputs, expand_nonconcat_dims, name)


def join_sparse(axis: object, sp_inputs: object, expand: bool, name: str | None) -> SparseTensor:
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    tensors = [as_sparse(value) for value in sp_inputs]
    if not tensors:
        message = "List argument 'indices' to 'SparseConcat' Op with length 0 shorter than minimum length 2."
        raise invalid(message) if state.graph is None else ValueError(message)
    if len(tensors) == 1:
        return tensors[0]
    known_axis = _known_axis(axis)
    shapes = [tensor.dense_shape for tensor in tensors]
    if expand:
        shapes = _expanded_shapes(shapes, known_axis)
    indices, values, dense_shape = sparse_concat_op(
        [tensor.indices for tensor in tensors],
        [tensor.values for tensor in tensors],
        shapes,
        concat_dim=known_axis,
        name=name,
    )
    if state.graph is None:
        return SparseTensor(indices, values, dense_shape)
    known_shapes = [tensor.shape for tensor in tensors]
    if expand:
        known_shapes = _expand_known(known_shapes, known_axis)
    return sparse_result(indices, values, dense_shape, _join_known(known_shapes, known_axis))


def _known_axis(axis: Any) -> int:
    """Returns an axis as a Python integer.

    Raises: TypeError: if the axis is not an integer, or a tensor whose value is not known.
    """
    try:
        return operator.index(static_value(axis) if isinstance(axis, Tensor) else axis)
    except TypeError:
        raise TypeError(f"Expected int for argument 'concat_dim' not {axis!r}.") from None


def _expanded_shapes(shapes: Sequence[Any], axis: int) -> list[Any]:
    """Returns shapes with the largest dimensions of all but along an axis."""
    largest = raw.Max(input=raw.Pack(values=shapes), reduction_indices=[0])
    behind = largest[axis + 1 :] if axis != -1 else largest[:0]
    return [raw.ConcatV2(values=[largest[:axis], shape[axis:][:1], behind], axis=0) for shape in shapes]


def _expand_known(shapes: Sequence[TensorShape], axis: int) -> list[TensorShape]:
    ranks = {shape.rank for shape in shapes}
    if None in ranks or len(ranks) > 1:
        return [TensorShape(None)] * len(shapes)
    columns = list(zip(*(shape.as_list() for shape in shapes), strict=True))
    largest = [None if None in sizes else max(sizes) for sizes in columns]
    at = axis % len(largest)
    return [TensorShape([*largest[:at], shape.as_list()[at], *largest[at + 1 :]]) for shape in shapes]


def _join_known(shapes: Sequence[TensorShape], axis: int) -> TensorShape:
    """Returns what is known of the shape of a join while tracing."""
    ranks = {shape.rank for shape in shapes if shape.rank is not None}
    if len(ranks) != 1 or not -min(ranks) <= axis < min(ranks):
        return TensorShape(None)
    (rank,) = ranks
    columns = zip(*([None] * rank if shape.rank is None else shape.as_list() for shape in shapes), strict=True)
    known_sizes = [{size for size in sizes if size is not None} for sizes in columns]
    dims: list[int | None] = [next(iter(sizes)) if len(sizes) == 1 else None for sizes in known_sizes]
    dims[axis] = add(*(None if shape.rank is None else shape.as_list()[axis] for shape in shapes))
    return TensorShape(dims)


# --- split -----------------------------------------------------------------------------------------------------------


def _split_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    _, rank, dense_rank = traced_parts(c, "indices", "values", "shape")
    count, rank = c.attr("num_split"), merge_dim(rank, dense_rank)
    return [*[vector(None, rank)] * count, *[vector(None)] * count, *[vector(rank)] * count]


@op(
    "SparseSplit",
    "split_dim: int64, indices: int64, values: T, shape: int64 "
    "-> output_indices: num_split * int64, output_values: num_split * T, output_shape: num_split * int64",
    T=ANY,
    shape=_split_shapes,
    host_only=True,
    no_gradient="TensorFlow declares no gradient for it",
    not_batched=_VARYING,
)
def sparse_split_op(
    xp: Xp, split_dim: Array, indices: Array, values: Array, shape: Array, *, num_split: int
) -> tuple[list[Array], list[Array], list[Array]]:
    """Splits a sparse tensor along an axis; the first pieces are one longer where the size is not a multiple."""
    if split_dim.size != 1:
        raise invalid("Input split_dim should have one element")
    check_parts(indices, values, shape)
    check_bounds(indices, shape.tolist())
    rank, axis = len(shape), int(split_dim.item())
    if not -rank <= axis < rank:
        raise invalid(f"Input axis should be in range [{-rank}, {rank}), got {axis}")
    size = int(shape[axis])
    if not 1 <= num_split <= size:
        raise invalid(f"Input num_split should be between 1 and the splitting dimension size ({size}), got {num_split}")
    lengths = np.full(num_split, size // num_split)
    lengths[: size % num_split] += 1
    ends = np.cumsum(lengths)
    pieces = np.searchsorted(ends, indices[:, axis], side="right")
    bounds = np.cumsum(np.bincount(pieces, minlength=num_split))[:-1]
    if not are_sorted(pieces):
        # the stable sort of 16 bits is a radix sort
        order = np.argsort(pieces.astype(np.uint16) if num_split < 2**16 else pieces, kind="stable")
        indices, values, pieces = indices.take(order, axis=0), values[order], pieces[order]
    moved = indices.copy()
    moved[:, axis] -= (ends - lengths)[pieces]
    dense_shapes = np.tile(shape, (num_split, 1))
    dense_shapes[:, axis] = lengths
    return np.split(moved, bounds), np.split(values, bounds), list(dense_shapes)


@export("sparse.split", v1=[])
def sparse_split(
    sp_input: object = None, num_split: object = None, axis: object = None, name: str | None = None
) -> Any:
    """Splits a sparse tensor into several along an axis.

    >>> st = tf.SparseTensor([[0, 0], [0, 3]], [5, 6], [1, 4])
    >>> [part.indices.numpy().tolist() for part in tf.sparse.split(st, 2, axis=1)]
    [[[0, 0]], [[0, 1]]]

    Args:
      sp_input: a SparseTensor.
      num_split: the number of parts, an int; the first parts are one longer where the size is not a multiple.
      axis: the axis, an integer; a negative one counts from behind.
      name: name of the operation.

    Returns: A list of `num_split` SparseTensors.
    Raises:
      ValueError: if an argument is missing.
      TypeError: if `sp_input` is not a SparseTensor.
      tf.errors.InvalidArgumentError: if the axis or the number is out of range.
    """
    for argument, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{argument} is required")
    sp_input = as_sparse(sp_input)
    parts = sparse_split_op(
        axis, sp_input.indices, sp_input.values, sp_input.dense_shape, num_split=num_split, name=name
    )
    return [SparseTensor(*part) for part in zip(*parts, strict=True)]


# --- slice -----------------------------------------------------------------------------------------------------------


def _slice_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    _, rank, dense_rank = traced_parts(c, "indices", "values", "shape")
    rank = merge_dim(rank, dense_rank)
    return vector(None, rank), vector(None), vector(rank)


def _check_slice(indices: Array, values: Array, shape: Array, start: Array, size: Array) -> None:
    for name, array in (("start", start), ("size", size)):
        if array.ndim != 1:
            raise invalid(f"Input {name} should be a vector but received shape {dims_text(array.shape)}")
    check_parts(indices, values, shape)
    for name, array in (("start", start), ("size", size)):
        if len(array) != len(shape):
            raise invalid(f"Expected {name} to be a vector of length {len(shape)} but got length {len(array)}")
    check_dims(shape.tolist())
    if (size < 0).any():
        raise invalid(f"Expected a non-negative size, got {size[size < 0][0]}")


@op(
    "SparseSlice",
    "indices: int64, values: T, shape: int64, start: int64, size: int64 "
    "-> output_indices: int64, output_values: T, output_shape: int64",
    T=ANY,
    shape=_slice_shapes,
    host_only=True,
    not_batched=_VARYING,
)
def sparse_slice_op(
    xp: Xp, indices: Array, values: Array, shape: Array, start: Array, size: Array
) -> tuple[Array, Array, Array]:
    """Cuts a block out of a sparse tensor, as far as the block lies within the tensor."""
    _check_slice(indices, values, shape, start, size)
    dense_shape = np.maximum(np.minimum(size, shape - start), 0)
    is_inside = np.ones(len(indices), bool)
    for axis in range(indices.shape[1]):
        # an index before the start becomes a large number
        is_inside &= (indices[:, axis] - start[axis]).view(np.uint64) < np.uint64(size[axis])
    chosen = np.flatnonzero(is_inside)
    return indices.take(chosen, axis=0) - start, values[chosen], dense_shape


@sparse_slice_op.gradient
def sparse_slice_gradient(
    d_indices: Tensor, d_values: Tensor, d_shape: Tensor, indices: Tensor, start: Tensor, output_indices: Tensor
) -> tuple[Any, ...]:
    """Gives each element within the block its gradient, and zero to the others."""
    d_input = raw.SparseSliceGrad(
        backprop_val_grad=d_values, input_indices=indices, input_start=start, output_indices=output_indices
    )
    return None, d_input, None, None, None


def _slice_gradient_shape(c: ShapeContext) -> TensorShape:
    return vector(with_rank(c.shape("input_indices"), 2)[0])


@op(
    "SparseSliceGrad",
    "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64 -> val_grad: T",
    T=NUMBER,
    shape=_slice_gradient_shape,
    host_only=True,
    no_gradient="TensorFlow declares no gradient for it",
    not_batched=_VARYING,
)
def sparse_slice_grad_op(
    xp: Xp, backprop_val_grad: Array, input_indices: Array, input_start: Array, output_indices: Array
) -> Array:
    """Puts the gradients of a block's elements at the elements of the whole tensor, which are in the same order."""
    if len(backprop_val_grad) != len(output_indices):
        raise invalid(
            "# elements of backprop_val_grad and # rows of output_indices should match (#nnz of sum): "
            f"got {len(backprop_val_grad)} and {len(output_indices)}"
        )
    input_keys, output_keys = common_keys([input_indices, output_indices + input_start])
    is_inside = np.isin(input_keys, output_keys)
    used = int(np.count_nonzero(is_inside))
    if used != len(backprop_val_grad):
        message = (
            f"Elements of backprop_val_grad aren't all propagated. Num elements:{len(backprop_val_grad)}, used: {used}"
        )
        raise InternalError(None, None, message)
    gradient = np.zeros(len(input_indices), backprop_val_grad.dtype)
    gradient[is_inside] = backprop_val_grad
    return gradient


@export("sparse.slice", v1=["sparse.slice", "sparse_slice"])
def sparse_slice(sp_input: object, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Cuts a block out of a sparse tensor; a block that reaches beyond the tensor is smaller.

    >>> st = tf.SparseTensor([[0, 1], [1, 2]], [5, 6], [2, 4])
    >>> part = tf.sparse.slice(st, [0, 1], [2, 9])
    >>> part.indices.numpy().tolist(), part.shape
    ([[0, 0], [1, 1]], TensorShape([2, 3]))

    Args:
      sp_input: a SparseTensor.
      start: an int64 vector, the index of the block's first element.
      size: an int64 vector, the size of the block.
      name: name of the operation.

    Returns: A SparseTensor.
    Raises: tf.errors.InvalidArgumentError: if the vectors do not have the tensor's rank, or a size is negative.
    """
    sp_input = as_sparse(sp_input)
    start, size = convert_to_tensor(start, dtype=int64), convert_to_tensor(size, dtype=int64)
    return SparseTensor(
        *sparse_slice_op(sp_input.indices, sp_input.values, sp_input.dense_shape, start, size, name=name)
    )


@export("sparse.retain", v1=["sparse.retain", "sparse_retain"])
def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Keeps some elements of a sparse tensor.

    >>> st = tf.SparseTensor([[0], [2], [3]], [5, 6, 7], [4])
    >>> tf.sparse.retain(st, st.values > 5).indices.numpy().tolist()
    [[2], [3]]

    Args:
      sp_input: a SparseTensor of `n` elements.
      to_retain: a boolean vector `[n]` that says which elements to keep.

    Returns: A SparseTensor of the same shape.
    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
      ValueError: if the vector is of another length.
    """
    sp_input = as_sparse(sp_input)
    to_retain = convert_to_tensor(to_retain)
    counts = sp_input.values.shape.with_rank(1).as_list()[0], to_retain.shape.with_rank(1).as_list()[0]
    if None not in counts and counts[0] != counts[1]:
        raise ValueError(f"Dimensions {counts[0]} and {counts[1]} are not compatible")
    where = raw.Reshape(tensor=raw.Where(condition=to_retain), shape=[-1])
    indices = raw.GatherV2(params=sp_input.indices, indices=where, axis=0)
    values = raw.GatherV2(params=sp_input.values, indices=where, axis=0)
    return sparse_result(indices, values, raw.Identity(input=sp_input.dense_shape), sp_input.shape)
