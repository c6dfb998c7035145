"""Split and unstack: one tensor becomes several.

The pieces are views of the tensor. `split` keeps the dimension that it cuts, `unstack` (the op Unpack) removes the
dimension. The gradients join and stack.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dimension import Dimension
from millrace._src.core.dtypes import int8, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import KnownValue, op, parts_along_first_axis
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import slice_batches
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, divide, unknown_dims, with_rank
from millrace._src.ops.batching_rules import along
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_LENGTHS = TypeSet((int8, int32, int64), default=int64)


# --- split -------------------------------------------------------------------------------------------------------


def _split_axis(c: ShapeContext) -> tuple[tuple[int | None, ...] | None, int | None]:
    """Returns the dimensions of the value, and the dimension to split, where they are known."""
    rank = c.shape("split_dim").rank
    if rank:
        raise ValueError(f"Input must be scalar but has rank {rank}")
    axis, dims = c.value("split_dim"), c.shape("value").dim_sizes
    if axis is None or dims is None:
        return dims, None
    at = int(axis)
    if not -len(dims) <= at < len(dims):
        raise ValueError(
            f"Dimension size, given by scalar input {at} must be in range [{-len(dims) or '-0'}, {len(dims)})"
        )
    return dims, at % len(dims)


def _split_shape(c: ShapeContext) -> list[TensorShape]:
    pieces = c.attr("num_split")
    dims, axis = _split_axis(c)
    if dims is None or axis is None:
        return [unknown_dims(None if dims is None else len(dims))] * pieces
    try:
        size = divide(dims[axis], pieces)
    except ValueError as error:
        raise ValueError(f"{error}\n\tNumber of ways to split should evenly divide the split dimension") from None
    return [TensorShape.of((*dims[:axis], size, *dims[axis + 1 :]))] * pieces


def _validate_axis(value: Array, split_dim: Array) -> int:
    if split_dim.ndim:
        raise invalid(f"split_dim must be a scalar but has rank {split_dim.ndim}")
    at = int(split_dim.reshape(-1)[0])
    rank: int = value.ndim
    if not -rank <= at < rank:
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at}")
    return at % rank


def _slices(value: Array, axis: int, sizes: list[int]) -> list[Array]:
    """Cuts `value` into consecutive pieces of the given sizes along `axis`."""
    lead: tuple[Any, ...] = (slice(None),) * axis
    pieces, start = [], 0
    for size in sizes:
        pieces.append(value[(*lead, slice(start, start + size))])
        start += size
    return pieces


@op(
    "Split",
    "split_dim: int32, value: T -> output: num_split * T",
    T=ANY,
    shape=_split_shape,
    constant_inputs=("split_dim",),
    batching=along("split_dim", "value"),
    exact_on_rows=True,
    known_value=KnownValue.PARTS,
    public_argument_names={"axis": "split_dim"},
)
def split_op(xp: Xp, split_dim: Array, value: Array, *, num_split: int) -> list[Array]:
    """Cuts `value` into `num_split` equal pieces along a dimension."""
    if num_split < 1:
        raise invalid(f"Value for attr 'num_split' of {num_split} must be at least minimum 1")
    axis = _validate_axis(value, split_dim)
    size = value.shape[axis]
    if size % num_split:
        raise invalid(
            "Number of ways to split should evenly divide the split dimension, "
            f"but got split_dim {int(split_dim)} (size = {size}) and num_split {num_split}"
        )
    return _slices(value, axis, [size // num_split] * num_split)


@split_op.gradient
def split_gradient(dys: list[Tensor], split_dim: Tensor) -> tuple[None, Tensor]:
    """Joins the gradients of the pieces."""
    return None, raw.ConcatV2(values=dys, axis=split_dim)


def _split_v_shape(c: ShapeContext) -> list[TensorShape]:
    pieces = c.attr("num_split")
    (count,) = with_rank(c.shape("size_splits"), 1)
    if count not in (None, pieces):
        raise ValueError("Length of size_splits should be equal to num_outputs")
    dims, axis = _split_axis(c)
    if dims is None:
        return [UNKNOWN] * pieces
    if axis is None:
        return [unknown_dims(len(dims)) if pieces > 1 else TensorShape.of(dims)] * pieces
    sizes = c.value("size_splits")
    known_sizes: list[int | None] = [None] * pieces if sizes is None else _sizes(sizes.tolist(), dims[axis])
    if pieces == 1 and sizes is None:
        known_sizes = [dims[axis]]
    return [TensorShape.of((*dims[:axis], size, *dims[axis + 1 :])) for size in known_sizes]


def _sizes(sizes: list[int], total: int | None) -> list[int | None]:
    """Returns the sizes of the pieces, with -1 filled in."""
    if sizes.count(-1) > 1:
        raise ValueError("size_splits can only have one -1")
    fixed_total = sum(s for s in sizes if s != -1)
    if total is None:
        return [None if s == -1 else s for s in sizes]
    if -1 not in sizes and fixed_total != total:
        raise ValueError(f"can't split axis of size {total} into pieces of size {dims_text(sizes)}")
    filled_sizes = [total - fixed_total if s == -1 else s for s in sizes]
    for i, size in enumerate(filled_sizes):
        if size < 0:
            raise ValueError(f"Split size at index {i} must be >= 0. Got: {size}")
    return list(filled_sizes)


@op(
    "SplitV",
    "value: T, size_splits: Tlen, split_dim: int32 -> output: num_split * T",
    T=ANY,
    Tlen=_LENGTHS,
    shape=_split_v_shape,
    constant_inputs=("size_splits", "split_dim"),
    batching=along("split_dim", "value"),
    exact_on_rows=True,
    public_argument_names={"axis": "split_dim"},
)
def split_v_op(xp: Xp, value: Array, size_splits: Array, split_dim: Array, *, num_split: int) -> list[Array]:
    """Cuts `value` into pieces of the given sizes along a dimension; one size may be -1 and takes the rest."""
    if size_splits.ndim != 1 or size_splits.size != num_split:
        raise invalid(
            "size of the split_tensor must be 1-D and have the same elements as outputs "
            f"got {size_splits.ndim} -D and {size_splits.size} elements"
        )
    axis = _validate_axis(value, split_dim)
    sizes, total = size_splits.tolist(), value.shape[axis]
    if num_split == 1 and sizes != [total]:
        sizes_text = f"Input size: {total} output size: {sizes[0]}"
        raise invalid(f"If there is only one output, it must have the same size as the input. {sizes_text}")
    if sizes.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    for i, size in enumerate(sizes):
        if size < -1:
            raise invalid(f"Split size at index {i} must be >= 0. Got: {size}")
    fixed_total = sum(s for s in sizes if s != -1)
    if fixed_total > total or (-1 not in sizes and fixed_total != total):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully specified, "
            f"or be less than the size of the input along split_dim if not fully specified.  Got: {fixed_total}"
        )
    return _slices(value, axis, [total - fixed_total if s == -1 else s for s in sizes])


@split_v_op.gradient
def split_v_gradient(dys: list[Tensor], split_dim: Tensor) -> tuple[Tensor, None, None]:
    """Joins the gradients of the pieces."""
    return (raw.ConcatV2(values=dys, axis=split_dim) if len(dys) > 1 else dys[0]), None, None


@export("split")
def split(
    value: TensorLike, num_or_size_splits: Any, axis: TensorLike = 0, num: int | None = None, name: str = "split"
) -> Any:
    """Cuts a tensor into several along dimension `axis`.

    >>> a, b = tf.split([1, 2, 3, 4], 2)
    >>> a.numpy(), b.numpy()
    (array([1, 2], dtype=int32), array([3, 4], dtype=int32))
    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]

    Args:
      value: A Tensor of any dtype.
      num_or_size_splits: an int, the number of equal pieces; or a list or vector of their sizes, one of which may be
        -1.
      axis: a scalar in [-rank, rank).
      num: the number of pieces, needed when the sizes are a vector whose length is not known while tracing.
      name: name of the operation.

    Returns: A list of Tensors.
    Raises:
      ValueError: if the number of pieces is unknown.
      tf.errors.InvalidArgumentError: (ValueError while tracing) if the sizes do not fit.
    """
    if isinstance(num_or_size_splits, (int, np.integer, Dimension)) and not isinstance(num_or_size_splits, bool):
        if state.run is not None and type(value) is EagerTensor and type(axis) is int:
            parts = _split_evenly(value._eager_array, axis, int(num_or_size_splits))
            if parts is not None:
                return [EagerTensor(p, value.dtype) for p in parts]
        if num_or_size_splits < 1 and state.graph is not None:
            raise ValueError(f"Attr 'num_split' of 'Split' Op passed {num_or_size_splits} less than minimum 1.")
        return split_op(axis, value, num_split=int(num_or_size_splits), name=name)
    size_splits = convert_to_tensor(num_or_size_splits)
    shape = size_splits.shape
    if shape.rank == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        num = shape.dim_sizes[0] if shape.dim_sizes else None
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return split_v_op(value, size_splits, axis, num_split=num, name=name)


def _split_evenly(array: Array, axis: int, pieces: int) -> list[Array] | None:
    """Cuts an array into equal pieces; None if that is impossible, which the op then explains."""
    if not -array.ndim <= axis < array.ndim or pieces < 1 or array.shape[axis] % pieces:
        return None
    return _slices(array, axis % array.ndim, [array.shape[axis] // pieces] * pieces)


# --- unstack -----------------------------------------------------------------------------------------------------


def _unpack_shape(c: ShapeContext) -> list[TensorShape]:
    number, axis, dims = c.attr("num"), c.attr("axis"), c.shape("value").dim_sizes
    if dims is None:
        return [UNKNOWN] * number
    rank = len(dims)
    if not -rank <= axis < rank:
        raise ValueError(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    axis %= rank
    if dims[axis] not in (None, number):
        raise ValueError(f"Dimension must be {number} but is {dims[axis]}")
    return [TensorShape.of((*dims[:axis], *dims[axis + 1 :]))] * number


@op(
    "Unpack",
    "value: T -> output: num * T",
    only_moves_values=True,
    T=ANY,
    shape=_unpack_shape,
    batching=slice_batches.unpack,
    exact_on_rows=True,
    known_value=parts_along_first_axis,
)
def unpack(xp: Xp, value: Array, *, num: int, axis: int = 0) -> list[Array]:
    """Takes the `num` slices of `value` along a dimension, which the slices lose."""
    rank = value.ndim
    if not -rank <= axis < rank:
        raise invalid(f"axis = {axis} not in [{-rank}, {rank})")
    axis %= rank
    if value.shape[axis] != num:
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {dims_text(value.shape)}")
    lead: tuple[Any, ...] = (slice(None),) * axis
    return [value[(*lead, i, ...)] for i in range(num)]  # the ellipsis keeps a slice of a vector an array


@unpack.gradient
def unpack_gradient(dys: list[Tensor], axis: int) -> Tensor:
    """Stacks the gradients of the slices."""
    return raw.Pack(values=dys, axis=axis)


@export("unstack")
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> Any:
    """Takes a tensor apart along dimension `axis`, which the slices lose.

    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]

    Args:
      value: A Tensor of at least one dimension.
      num: the size of that dimension; None takes it from the static shape.
      axis: an int in [-rank, rank).
      name: name of the operation.

    Returns: A list of Tensors.
    Raises: ValueError: if `axis` is out of range, or the number of slices cannot be known.
    """
    if (
        state.run is not None
        and type(value) is EagerTensor
        and -value._eager_array.ndim <= axis < value._eager_array.ndim
    ):
        array = value._eager_array
        if num is None or num == array.shape[axis]:
            return [
                EagerTensor(a, value.dtype) for a in unpack.op_def.kernel(None, array, num=array.shape[axis], axis=axis)
            ]
    if num is None:
        value = convert_to_tensor(value)
        dims = value.shape.dim_sizes
        if dims is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        if not -len(dims) <= axis < len(dims):
            raise ValueError(f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})")
        num = dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return unpack(value, num=num, axis=axis, name=name) if num else []
