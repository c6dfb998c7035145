"""Operations on sets: the sets are the last dimension of a tensor, dense or sparse.

Problem: `tf.sets.union(a, b)` makes one union for each position of the leading dimensions, and there may be a million
of them with a few members each.

Idea: a member becomes one integer, its *key*: the number of its set times the number of different members, plus the
rank of the member among all. Then a union of many sets is one union of two sorted arrays of keys, and likewise the
others; the order of the keys is the order of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int8, int16, int32, int64, string, uint8, uint16
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text, merge_dims, with_rank, with_rank_at_least
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.ops.sparse.coordinates import require_order

MEMBER = TypeSet((int8, int16, int32, int64, uint8, uint16, string))
_NOT_DIFFERENTIABLE = "members of sets are not floating point"
_RESULT = "result_indices: int64, result_values: T, result_shape: int64"
_SPARSE = "{0}_indices: int64, {0}_values: T, {0}_shape: int64"
_LARGEST_KEY = 2**61
_LARGEST_SMALL_KEY = 2**30


class Sets:
    """Many sets as two vectors, the number of a set and a member of the set.

    Args:
      leading: the shape of the positions at which there is a set.
      numbers: int64, for each member the number of its set: the position, counted in row-major order.
      members: the members.
    """

    __slots__ = ("leading", "numbers", "members")

    def __init__(self, leading: tuple[int, ...], numbers: Array, members: Array) -> None:
        self.leading = leading
        self.numbers = numbers
        self.members = members


def _dense_sets(values: Array) -> Sets:
    if values.ndim < 2:
        raise invalid(f"Shape {dims_text(values.shape)} has rank {values.ndim} < 2")
    leading = values.shape[:-1]
    return Sets(leading, np.repeat(np.arange(np.prod(leading, dtype=np.int64)), values.shape[-1]), values.reshape(-1))


def _sparse_sets(indices: Array, values: Array, shape: Array, validate_indices: bool) -> Sets:
    _check_parts(indices, values, shape)
    if len(shape) < 2:
        raise invalid(f"Invalid rank {len(shape)}.")
    leading = tuple(shape[:-1].tolist())
    if validate_indices:
        require_order(indices, shape.tolist())
    else:
        is_inside = ((indices >= 0) & (indices < shape)).all(axis=1)
        indices, values = indices[is_inside], values[is_inside]
    return Sets(leading, np.ravel_multi_index(tuple(indices[:, :-1].T), leading), values)


def _check_parts(indices: Array, values: Array, shape: Array) -> None:
    if indices.ndim != 2:
        raise invalid(f"indices must be a matrix, but got: {dims_text(indices.shape)}")
    if values.ndim != 1:
        raise invalid(f"values must be a vector, but got: {dims_text(values.shape)}")
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector, but got: {dims_text(shape.shape)}")
    if len(indices) != len(values):
        counts = f"(indices = {len(indices)}, values = {len(values)})"
        raise invalid(f"indices and values rows (indexing dimension) must match. {counts}")
    if indices.shape[1] != len(shape):
        raise invalid(f"indices columns ({indices.shape[1]}) and the length of the shape ({len(shape)}) must match.")


def _rank(members: Array, set_count: int) -> tuple[Array, int, Callable[[Array], Array]]:
    """Maps members to small integers in the order of the members.

    Returns: The integers, a bound above them, and the function from integers back to members.
    """
    if not members.size:
        return np.zeros(0, np.int64), 1, lambda ranks: members[ranks]
    if members.dtype != object:
        low, high = int(members.min()), int(members.max())
        if set_count * (high - low + 1) < _LARGEST_KEY:
            ranks = members.astype(np.int64)
            ranks -= low
            return ranks, high - low + 1, lambda ranks: (ranks.astype(np.int64) + low).astype(members.dtype)
        distinct, ranks = np.unique(members, return_inverse=True)
        return ranks.astype(np.int64), len(distinct), lambda ranks: distinct[ranks]
    texts = members.tolist()
    ordered = sorted(set(texts))
    rank_of = {text: rank for rank, text in enumerate(ordered)}
    ranks = np.fromiter(map(rank_of.__getitem__, texts), np.int64, len(texts))
    return ranks, len(ordered), lambda ranks: np.array(ordered, object)[ranks]


def _keys(numbers: Array, ranks: Array, width: int, set_count: int) -> Array:
    """Returns the different keys of members, sorted. (`numpy.unique` hashes integers, which costs more than to sort.)

    Where there are more members than possible keys, the keys that occur are marked. Other keys are sorted: those of 32
    bits, where they suffice, in half the time.
    """
    if set_count * width <= len(ranks):
        is_member = np.zeros(set_count * width, bool)
        is_member[numbers * width + ranks if set_count > 1 else ranks] = True
        return np.flatnonzero(is_member)
    dtype = np.int32 if set_count * width < _LARGEST_SMALL_KEY else np.int64
    keys = numbers.astype(dtype)
    keys *= dtype(width)
    keys += ranks.astype(dtype, copy=False)
    keys.sort()
    return keys[_are_first(keys)]


def _are_first(sorted_keys: Array) -> Array:
    """Tells which keys differ from the key before."""
    flags = np.ones(len(sorted_keys), bool)
    np.not_equal(sorted_keys[1:], sorted_keys[:-1], out=flags[1:])
    return flags


def _merge(a: Array, b: Array) -> Array:
    """Merges two sorted arrays: a stable sort takes the two runs as they are."""
    return np.sort(np.concatenate([a, b]), kind="stable")


def _union(a: Array, b: Array) -> Array:
    keys = _merge(a, b)
    return keys[_are_first(keys)]


def _intersection(a: Array, b: Array) -> Array:
    keys = _merge(a, b)
    return keys[1:][keys[1:] == keys[:-1]]


def _difference(a: Array, b: Array) -> Array:
    keys = _merge(a * 2, b * 2 + 1)  # the last bit says the array: a key that both have is followed by itself
    is_alone = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1] + 1, out=is_alone[:-1])
    return keys[is_alone & (keys & 1 == 0)] >> 1


_OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "a-b": _difference,
    "b-a": lambda a, b: _difference(b, a),
    "intersection": _intersection,
    "union": _union,
}


def _combine(a: Sets, b: Sets, operation: str) -> tuple[Array, Array, Array]:
    """Runs an operation on each pair of sets; returns the parts of a sparse tensor."""
    if operation.lower() not in _OPERATIONS:
        raise invalid(f"Invalid set_operation {operation}.")
    if a.leading != b.leading:
        raise invalid(f"Mismatched shapes {dims_text(a.leading)} vs {dims_text(b.leading)}")
    set_count = int(np.prod(a.leading, dtype=np.int64))
    ranks, width, members_of = _rank(np.concatenate([a.members, b.members]), set_count)
    keys_a = _keys(a.numbers, ranks[: len(a.members)], width, set_count)
    keys_b = _keys(b.numbers, ranks[len(a.members) :], width, set_count).astype(keys_a.dtype, copy=False)
    keys = _OPERATIONS[operation.lower()](keys_a, keys_b)
    numbers, ranks = np.divmod(keys, width)
    return _sparse_parts(a.leading, set_count, numbers, members_of(ranks))


def _sparse_parts(leading: tuple[int, ...], set_count: int, numbers: Array, members: Array) -> tuple[Array, ...]:
    sizes = np.bincount(numbers, minlength=set_count)
    columns = np.arange(len(numbers)) - (np.cumsum(sizes) - sizes)[numbers]
    indices = np.stack([*np.unravel_index(numbers, leading), columns], axis=1).astype(np.int64, copy=False)
    return indices, members, np.array([*leading, sizes.max(initial=0)], np.int64)


# --- shapes ----------------------------------------------------------------------------------------------------------


def _result_shapes(rank: int | None) -> tuple[TensorShape, TensorShape, TensorShape]:
    return TensorShape.of((None, rank)), TensorShape.of((None,)), TensorShape.of((rank,))


def _sparse_rank(c: ShapeContext, name: str) -> int | None:
    """Checks the parts of a sparse input; returns the rank of the dense shape if known."""
    indices = with_rank(c.shape(f"{name}_indices"), 2)
    values = with_rank(c.shape(f"{name}_values"), 1)
    shape = with_rank(c.shape(f"{name}_shape"), 1)
    if None not in (indices[0], values[0]) and indices[0] != values[0]:
        raise ValueError(f"Number of elements in index ({indices[0]}) and values ({values[0]}) do not match.")
    if None not in (indices[1], shape[0]) and indices[1] != shape[0]:
        raise ValueError(f"Index rank ({indices[1]}) and shape rank ({shape[0]}) do not match.")
    return indices[1] if shape[0] is None else shape[0]


def _dense_dims(shape: TensorShape) -> tuple[int | None, ...] | None:
    if shape.dim_sizes is not None and len(shape.dim_sizes) < 2:
        running = f"Shape {dims_text(shape)} has rank {len(shape.dim_sizes)} < 2"
        raise ShapeComplaint(f"Shape must be at least rank 2 but is rank {len(shape.dim_sizes)}", running=running)
    return shape.dim_sizes


def _dense_to_dense_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    first, second = _dense_dims(c.shape("set1")), c.shape("set2")
    if first is None:
        other = with_rank_at_least(second, 2)
        return _result_shapes(None if other is None else len(other))
    if second.dim_sizes is not None:
        merge_dims(first[:-1], with_rank(second, len(first))[:-1])
    return _result_shapes(len(first))


def _dense_to_sparse_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    first, rank = _dense_dims(c.shape("set1")), _sparse_rank(c, "set2")
    if first is None:
        return _result_shapes(rank)
    if rank is not None and rank != len(first):
        raise ValueError(f"Dimension must be {len(first)} but is {rank}")
    return _result_shapes(len(first))


def _sparse_to_sparse_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    first, second = _sparse_rank(c, "set1"), _sparse_rank(c, "set2")
    if None not in (first, second) and first != second:
        raise ValueError(f"Shapes must be equal rank, but are {first} and {second}")
    return _result_shapes(second if first is None else first)


# --- ops -------------------------------------------------------------------------------------------------------------


@op(
    "DenseToDenseSetOperation",
    f"set1: T, set2: T -> {_RESULT}",
    T=MEMBER,
    shape=_dense_to_dense_shapes,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched="the number of members differs from row to row",
)
def dense_to_dense_set_operation(
    xp: Xp, set1: Array, set2: Array, *, set_operation: str, validate_indices: bool = True
) -> tuple[Array, Array, Array]:
    """Runs a set operation ("a-b", "b-a", "intersection" or "union") on the last dimensions of two tensors.

    >>> tf.raw_ops.DenseToDenseSetOperation(set1=[[3, 1]], set2=[[1, 2]], set_operation="union").result_values.numpy()
    array([1, 2, 3], dtype=int32)
    """
    return _combine(_dense_sets(set1), _dense_sets(set2), set_operation)


@op(
    "DenseToSparseSetOperation",
    f"set1: T, {_SPARSE.format('set2')} -> {_RESULT}",
    T=MEMBER,
    shape=_dense_to_sparse_shapes,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched="the number of members differs from row to row",
)
def dense_to_sparse_set_operation(
    xp: Xp,
    set1: Array,
    set2_indices: Array,
    set2_values: Array,
    set2_shape: Array,
    *,
    set_operation: str,
    validate_indices: bool = True,
) -> tuple[Array, Array, Array]:
    """Runs a set operation on the last dimensions of a tensor and of a sparse tensor."""
    second = _sparse_sets(set2_indices, set2_values, set2_shape, validate_indices)
    return _combine(_dense_sets(set1), second, set_operation)


@op(
    "SparseToSparseSetOperation",
    f"{_SPARSE.format('set1')}, {_SPARSE.format('set2')} -> {_RESULT}",
    T=MEMBER,
    shape=_sparse_to_sparse_shapes,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched="the number of members differs from row to row",
)
def sparse_to_sparse_set_operation(
    xp: Xp,
    set1_indices: Array,
    set1_values: Array,
    set1_shape: Array,
    set2_indices: Array,
    set2_values: Array,
    set2_shape: Array,
    *,
    set_operation: str,
    validate_indices: bool = True,
) -> tuple[Array, Array, Array]:
    """Runs a set operation on the last dimensions of two sparse tensors."""
    first = _sparse_sets(set1_indices, set1_values, set1_shape, validate_indices)
    second = _sparse_sets(set2_indices, set2_values, set2_shape, validate_indices)
    return _combine(first, second, set_operation)


def _size_shape(c: ShapeContext) -> TensorShape:
    return UNKNOWN


@op(
    "SetSize",
    f"{_SPARSE.format('set')} -> size: int32",
    T=MEMBER,
    shape=_size_shape,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched="the number of members differs from row to row",
)
def set_size(
    xp: Xp, set_indices: Array, set_values: Array, set_shape: Array, *, validate_indices: bool = True
) -> Array:
    """Counts the different members of each set of a sparse tensor."""
    sets = _sparse_sets(set_indices, set_values, set_shape, validate_indices)
    set_count = int(np.prod(sets.leading, dtype=np.int64))
    ranks, width, _ = _rank(sets.members, set_count)
    numbers = _keys(sets.numbers, ranks, width, set_count) // width
    return np.bincount(numbers, minlength=set_count).astype(np.int32).reshape(sets.leading)
