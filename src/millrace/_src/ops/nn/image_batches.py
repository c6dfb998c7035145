"""Batching rules of convolutions and other ops on images.

Such an op takes a batch of images already, so the rows of a batching become part of the batch
(`batching_rules.folding`). Where the filter, or a value for each channel, differs from row to row, the rows become
groups of channels instead. An op that keeps groups of channels apart, as convolutions do, then keeps the rows apart.

Tests: tests/contracts/test_every_batching.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops import raw
from millrace._src.ops.batching import (
    BatchedRows,
    BatchedValue,
    any_batched,
    dimensions,
    fold,
    int32,
    join,
    product,
    reshape_rows,
    unfold,
)


def _channels(operation: Operation, rank: int) -> int:
    """Returns the axis of the channels of an image batch."""
    return 1 if operation.attrs.get("data_format", "N").startswith("NC") else rank - 1


def side_by_side(tensor: Any, axis: int) -> Any:
    """Joins a batch of tensors to one tensor, in which the rows are groups along an axis of a row."""
    rank = tensor.shape.rank - 1
    order = [*range(1, axis + 1), 0, *range(axis + 1, rank + 1)]
    moved = raw.Transpose(x=tensor, perm=order)
    dims = dimensions(moved)
    return reshape_rows(moved, join(dims[:axis], product(dims[axis : axis + 2]), dims[axis + 2 :]))


def apart(tensor: Any, axis: int, rows: BatchedRows) -> Any:
    """Splits the groups along an axis into rows again."""
    dims, rank = dimensions(tensor), tensor.shape.rank
    if isinstance(dims, list) and isinstance(rows.count, int):
        own: Any = [dims[axis] // rows.count if rows.count else dims[axis]]
    else:
        whole = convert_to_tensor(dims, dtype="int32")[axis : axis + 1]
        own = raw.FloorDiv(x=whole, y=raw.Maximum(x=convert_to_tensor(rows.vector(), dtype="int32"), y=1))
    split = reshape_rows(tensor, join(dims[:axis], rows.vector(), own, dims[axis + 1 :]))
    return raw.Transpose(x=split, perm=[axis, *[i for i in range(rank + 1) if i != axis]])


def conv(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Convolves all rows; filters that differ become groups, and so do images that differ."""
    x, filters = arguments
    rank = operation.inputs[1].shape.rank
    if rank is None:
        return None
    if not filters.is_batched:
        return [unfold(call(operation, [fold(x.tensor), filters.tensor])[0], x.tensor)]
    channels = _channels(operation, rank)
    if not _is_whole(operation.inputs[0], operation.inputs[1], channels):
        x = BatchedValue(rows.spread(x), True)
    images = side_by_side(x.tensor, channels) if x.is_batched else x.tensor
    (results,) = call(operation, [images, side_by_side(filters.tensor, rank - 1)])
    return [apart(results, channels, rows)]


def _is_whole(images: Any, filters: Any, channels: int) -> bool:
    """Returns whether a convolution is known to have one group."""
    depth, size = images.shape[channels] if images.shape.rank else None, filters.shape[-2]
    return depth is not None and depth == size


def conv_input_gradient(
    operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Sequence[Any] | None:
    """Computes the gradients of all rows: with one filter the rows are images, else groups of channels.

    The arguments are the sizes of the images, the filters and the output's gradient.
    """
    sizes, filters, gradient = arguments
    rank = operation.inputs[1].shape.rank
    if sizes.is_batched or rank is None or operation.inputs[0].shape.num_elements() != rank:
        return None
    if not filters.is_batched:
        dy = gradient.tensor
        dims = convert_to_tensor(int32(sizes.tensor))
        first = raw.Mul(x=dims[:1], y=convert_to_tensor(rows.vector(), dtype="int32"))
        (results,) = call(operation, [raw.ConcatV2(values=[first, dims[1:]], axis=0), filters.tensor, fold(dy)])
        return [unfold(results, dy)]
    channels = _channels(operation, rank)
    dims = _with_groups(sizes.tensor, channels, rows)
    dy = side_by_side(rows.spread(gradient), channels)
    (results,) = call(operation, [dims, side_by_side(filters.tensor, rank - 1), dy])
    return [apart(results, channels, rows)]


def _with_groups(sizes: object, axis: int, rows: BatchedRows) -> Any:
    """Multiplies one of several dimensions by the number of rows."""
    dims = convert_to_tensor(int32(sizes))
    grouped = raw.Mul(x=dims[axis : axis + 1], y=convert_to_tensor(rows.vector(), dtype="int32"))
    return raw.ConcatV2(values=[dims[:axis], grouped, dims[axis + 1 :]], axis=0)


def conv_filter_gradient(
    operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Sequence[Any] | None:
    """Computes the filters' gradients of all rows: the rows' filters are groups of channels.

    The arguments are the images, the sizes of the filters and the output's gradient.
    """
    x, sizes, gradient = arguments
    rank = operation.inputs[0].shape.rank
    if sizes.is_batched or rank is None or operation.inputs[1].shape.num_elements() != rank:
        return None
    channels = _channels(operation, rank)
    x_depth = operation.inputs[0].shape[channels]
    is_whole = x_depth is not None and x_depth == operation.outputs[0].shape[-2]
    if x.is_batched or not is_whole:
        images = side_by_side(rows.spread(x), channels)
    else:
        images = x.tensor
    dy = side_by_side(rows.spread(gradient), channels)
    (results,) = call(operation, [images, _with_groups(sizes.tensor, rank - 1, rows), dy])
    return [apart(results, rank - 1, rows)]


# --- depthwise -------------------------------------------------------------------------------------------------------


def depthwise(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Convolves all rows; since every channel has its own filters, rows of filters are more channels."""
    x, filters = arguments
    if not filters.is_batched:
        return [unfold(call(operation, [fold(x.tensor), filters.tensor])[0], x.tensor)]
    channels = _channels(operation, 4)
    (results,) = call(operation, [side_by_side(rows.spread(x), channels), side_by_side(filters.tensor, 2)])
    return [apart(results, channels, rows)]


def depthwise_input_gradient(
    operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Sequence[Any] | None:
    """Computes the gradients with respect to the images, as for a convolution."""
    sizes, filters, gradient = arguments
    if sizes.is_batched or not filters.is_batched:
        return conv_input_gradient(operation, arguments, rows)
    channels = _channels(operation, 4)
    dy = side_by_side(rows.spread(gradient), channels)
    dims = _with_groups(sizes.tensor, channels, rows)
    return [apart(call(operation, [dims, side_by_side(filters.tensor, 2), dy])[0], channels, rows)]


def depthwise_filter_gradient(
    operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Sequence[Any] | None:
    """Computes the gradients with respect to the filters; the rows' filters are more channels."""
    x, sizes, gradient = arguments
    if sizes.is_batched:
        return None
    channels = _channels(operation, 4)
    images, dy = (side_by_side(rows.spread(v), channels) for v in (x, gradient))
    return [apart(call(operation, [images, _with_groups(sizes.tensor, 2, rows), dy])[0], 2, rows)]


# --- pooling ---------------------------------------------------------------------------------------------------------


def pool_gradient_of_shape(
    operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Sequence[Any] | None:
    """Computes the gradients of all rows, which are images; the arguments are the images' shape and the gradient."""
    shape, gradient = arguments
    if shape.is_batched:
        return None
    dims = convert_to_tensor(shape.tensor)
    first = raw.Mul(x=dims[:1], y=convert_to_tensor(rows.vector(), dtype="int32"))
    full = raw.ConcatV2(values=[first, dims[1:]], axis=0)
    return [unfold(call(operation, [full, fold(gradient.tensor)])[0], gradient.tensor)]


def pool_with_positions(
    operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Sequence[Any] | None:
    """Pools all rows as images, unless the positions of an input or output count through the images of a row."""
    if operation.attrs["include_batch_in_index"]:
        return None
    tensors = [rows.spread(a) for a in arguments]
    return [unfold(t, tensors[0]) for t in call(operation, [fold(t) for t in tensors])]


# --- channels --------------------------------------------------------------------------------------------------------


def bias(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Adds a bias; a bias that differs from row to row is broadcast along all axes but the channels."""
    x, b = arguments
    rank = operation.inputs[0].shape.rank
    if rank is None:
        return None
    after = rank - 1 - _channels(operation, rank)
    before = rank - 1 - after
    dims = dimensions(b.tensor)
    shape = [dims[:1], [1] * before, dims[1:]] if b.is_batched else [[1] * before, dims]
    return [raw.AddV2(x=rows.spread(x), y=reshape_rows(b.tensor, join(*shape, [1] * after)))]


def bias_gradient(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Sums over all axes but the rows and the channels."""
    rank = operation.inputs[0].shape.rank
    if rank is None:
        return None
    channels = _channels(operation, rank) + 1
    return [raw.Sum(input=arguments[0].tensor, reduction_indices=[i for i in range(1, rank + 1) if i != channels])]


def normalization(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Normalizes all rows; since every channel has its own mean and variance, the rows are more channels."""
    ranks = [t.shape.rank for t in operation.inputs]
    if None in ranks:
        return None
    channels = _channels(operation, 4) if max(ranks) == 4 else _channels(operation, 5)
    tensors = []
    for argument, rank in zip(arguments, ranks, strict=True):
        if rank == 1:
            tensors.append(side_by_side(rows.spread(argument), 0))
        elif rank and rank > 3:
            tensors.append(side_by_side(rows.spread(argument), channels))
        else:
            return None
    outputs = call(operation, tensors)
    results: list[Any] = []
    for tensor, old in zip(outputs, operation.outputs, strict=True):
        if old.shape.rank is None or old.shape.rank == 1 and old.shape[0] in (0, None) and not any_batched(arguments):
            return None
        results.append(_separate(tensor, old, channels, rows))
    return results


def _separate(tensor: Any, old: Any, channels: int, rows: BatchedRows) -> Any:
    """Returns a result of a normalization as rows; a result without channels is the same for all rows."""
    if old.shape.rank > 3:
        return apart(tensor, channels, rows)
    return BatchedValue(tensor, False) if old.shape.rank == 0 or old.shape[0] == 0 else apart(tensor, 0, rows)


# --- space and batch -------------------------------------------------------------------------------------------------


def space_to_batch(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Cuts the images of all rows; the parts of an image are further images.

    For `[rows, images]` the op gives `[parts, rows, images]`, from which the rows are moved to the front.
    """
    if any_batched(arguments[1:]):
        return None
    tensor = arguments[0].tensor
    (parts,) = call(operation, [fold(tensor), *[a.tensor for a in arguments[1:]]])
    dims, lead = dimensions(parts), dimensions(tensor)[:2]
    split = reshape_rows(parts, join([-1], lead, dims[1:]))
    moved = raw.Transpose(x=split, perm=[1, 0, 2, *range(3, split.shape.rank)])
    sizes = dimensions(moved)
    return [reshape_rows(moved, join(sizes[:1], product(sizes[1:3]), sizes[3:]))]


def batch_to_space(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Joins the parts of the images of all rows: the inverse of `space_to_batch`.

    The op expects the images of all rows of each part one after the other.
    """
    if any_batched(arguments[1:]) or operation.outputs[0].shape.rank is None:
        return None
    tensor = arguments[0].tensor
    parts = _parts(operation, arguments)
    dims = dimensions(tensor)
    split = reshape_rows(tensor, join(dims[:1], parts, [-1], dims[2:]))
    moved = raw.Transpose(x=split, perm=[1, 0, 2, *range(3, split.shape.rank)])
    sizes = dimensions(moved)
    (images,) = call(operation, [reshape_rows(moved, join([-1], sizes[3:])), *[a.tensor for a in arguments[1:]]])
    return [reshape_rows(images, join(rows.vector(), [-1], dimensions(images)[1:]))]


def _parts(operation: Operation, arguments: Sequence[BatchedValue]) -> Any:
    """Returns the number of parts that an image is cut into."""
    if "block_size" in operation.attrs:
        return [operation.attrs["block_size"] ** 2]
    return raw.Prod(input=int32(arguments[1].tensor), reduction_indices=[0], keep_dims=True)


def cross_entropy(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Computes the losses of all rows; logits and labels, broadcast against each other, become two matrices."""
    logits, labels = (rows.spread(a) for a in arguments)
    shape = raw.BroadcastArgs(s0=raw.Shape(input=logits), s1=raw.Shape(input=labels))
    wide = [raw.BroadcastTo(input=t, shape=shape) for t in (logits, labels)]
    return [unfold(t, wide[0]) for t in call(operation, [fold(t) for t in wide])]
