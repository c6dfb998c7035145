"""Two sparse tensors merged: `tf.sparse.add`, `maximum`, `minimum`; and a sparse tensor added to a dense one.

The coordinates of both tensors are put in one order, by a sort that finds the two ordered parts and merges them in
linear time. Where both tensors have a coordinate the two elements are combined; a coordinate of one alone meets a zero.

TensorFlow's kernels merge without looking whether the coordinates of each tensor are in order, so that tensors out of
order give a result with coordinates in disorder or repeated. Here the result is in order. A coordinate that one tensor
has several times is kept several times: the first meets the first of the other tensor, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import NotFoundError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, merge, vector, with_rank
from millrace._src.ops.math.element_types import NUMBER, REAL
from millrace._src.ops.sparse.coordinates import (
    OWN_COORDINATES,
    are_increasing,
    are_inside,
    common_keys,
    occurrences,
    order_of_keys,
    positions,
)
from millrace._src.ops.sparse.part_checks import check_bounds, check_parts
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorType, as_sparse
from millrace._src.ops.type_sets import INDEX
from millrace._src.util.export import export

_TWO = (
    "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64",
    "sum_indices: int64, sum_values: T, sum_shape: int64",
    "output_indices: int64, output_values: T",
)
_CHOICE = "TensorFlow's rule for it raises an error: which tensor an element came from is not kept"


# --- two ordered lists of coordinates as one -------------------------------------------------------------------------


class _Merged(NamedTuple):
    """The coordinates of two tensors, each once, in order."""

    source: Array
    """For each coordinate, its number among those of the first tensor followed by those of the second."""
    shared: Array
    """Which coordinates both tensors have; there `source` is the first tensor's number."""
    partner: Array
    """For each shared coordinate, its number in the second tensor."""


def _are_the_same(a_indices: Array, b_indices: Array) -> bool:
    """Returns whether two tensors have the same coordinates in the same order, as results of one tensor have."""
    if a_indices is b_indices:
        return True
    is_possible = a_indices.shape == b_indices.shape and (a_indices[-1:] == b_indices[-1:]).all()
    return bool(is_possible and np.array_equal(a_indices, b_indices))


def _merge(a_indices: Array, b_indices: Array, dims: Sequence[int]) -> _Merged:
    a_keys, b_keys = common_keys([a_indices, b_indices], dims)
    keys = np.concatenate([a_keys, b_keys])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    if not (are_increasing(a_keys) and are_increasing(b_keys)):
        order, keys = _pair_occurrences(order, keys, len(a_keys))
    seconds = np.flatnonzero(keys[1:] == keys[:-1]) + 1
    shared = seconds - 1 - np.arange(len(seconds))
    return _Merged(np.delete(order, seconds), shared, order[seconds])


def _pair_occurrences(order: Array, keys: Array, a_count: int) -> tuple[Array, Array]:
    """Orders repeated coordinates so that the n-th of the first tensor stands before the n-th of the second."""
    is_of_b = order >= a_count
    number = np.empty(len(keys), np.int64)
    for is_chosen in (~is_of_b, is_of_b):
        number[is_chosen] = occurrences(keys[is_chosen])
    by_occurrence = np.lexsort((is_of_b, number, keys))
    keys, number = keys[by_occurrence], number[by_occurrence]
    changes = np.ones(len(keys), np.int64)
    changes[1:] = (keys[1:] != keys[:-1]) | (number[1:] != number[:-1])
    return order[by_occurrence], np.cumsum(changes)


# --- SparseAdd -------------------------------------------------------------------------------------------------------


def _sum_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    (rank,) = with_rank(c.shape("a_shape"), 1)
    return vector(None, rank), vector(None), vector(rank)


def _check_matrices(*matrices: Array) -> None:
    if any(matrix.ndim != 2 for matrix in matrices):
        found = " and ".join(dims_text(matrix.shape) for matrix in matrices)
        raise invalid(f"Input indices should be matrices but received shapes: {found}")


def _check_sum(
    a_indices: Array, a_values: Array, a_shape: Array, b_indices: Array, b_values: Array, b_shape: Array, thresh: Array
) -> None:
    _check_matrices(a_indices, b_indices)
    counts, rank = (len(a_indices), len(b_indices)), a_indices.shape[1]
    if a_values.ndim != 1 or b_values.ndim != 1:
        found = f"{dims_text(a_values.shape)} and {dims_text(b_values.shape)}"
        raise invalid(f"Input values should be vectors but received shapes: {found}")
    if (len(a_values), len(b_values)) != counts:
        raise invalid(
            f"Expected {counts[0]} and {counts[1]} non-empty input values, got {len(a_values)} and {len(b_values)}"
        )
    if rank != b_indices.shape[1]:
        raise invalid(f"Input indices must have the same dimension, got {rank} and {b_indices.shape[1]}")
    if a_shape.ndim != 1 or b_shape.ndim != 1:
        found = f"{dims_text(a_shape.shape)} and {dims_text(b_shape.shape)}"
        raise invalid(f"Input shapes should be a vector but received shapes {found}")
    _check_same_shape(a_shape, b_shape)
    if rank != len(a_shape):
        raise invalid(f"Second dimension of a_indices and length of a_shape must match, got {rank} and {len(a_shape)}")
    if thresh.ndim:
        raise invalid(f"The magnitude threshold must be a scalar: got shape {dims_text(thresh.shape)}")


def _check_same_shape(a_shape: Array, b_shape: Array) -> None:
    if len(a_shape) != len(b_shape):
        found = f"{' '.join(map(str, a_shape))} and {' '.join(map(str, b_shape))}"
        raise invalid(f"Operands do not have the same ranks; got shapes: {found}")
    for axis, (a, b) in enumerate(zip(a_shape.tolist(), b_shape.tolist(), strict=True)):
        if a != b:
            raise invalid(f"Operands' shapes do not match: got {a} and {b} for dimension {axis}")


@op(
    "SparseAdd",
    f"{_TWO[0]}, thresh: Treal -> {_TWO[1]}",
    T=NUMBER,
    Treal=REAL,
    shape=_sum_shapes,
    host_only=True,
    not_batched="the number of elements of the sum differs from row to row",
)
def sparse_add_op(
    xp: Xp,
    a_indices: Array,
    a_values: Array,
    a_shape: Array,
    b_indices: Array,
    b_values: Array,
    b_shape: Array,
    thresh: Array,
) -> tuple[Array, Array, Array]:
    """Adds two sparse tensors; a sum of two elements whose magnitude is below the threshold is left out."""
    _check_sum(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh)
    if _are_the_same(a_indices, b_indices):
        sums = a_values + b_values
        kept = np.abs(sums) >= thresh if thresh > 0 else ...
        return a_indices[kept], sums[kept], a_shape
    merged = _merge(a_indices, b_indices, a_shape.tolist())
    values = np.concatenate([a_values, b_values])
    sums = values[merged.source]
    sums[merged.shared] += values[merged.partner]
    source = merged.source
    if thresh > 0:
        small = merged.shared[np.abs(sums[merged.shared]) < thresh]
        source, sums = np.delete(source, small), np.delete(sums, small)
    return np.concatenate([a_indices, b_indices]).take(source, axis=0), sums, a_shape


@sparse_add_op.gradient
def sparse_add_gradient(
    d_indices: Tensor, d_values: Tensor, d_shape: Tensor, a_indices: Tensor, b_indices: Tensor, sum_indices: Tensor
) -> tuple[Any, ...]:
    """Gives each element the gradient of the sum at its coordinate; zero where the sum was left out."""
    d_a, d_b = raw.SparseAddGrad(
        backprop_val_grad=d_values, a_indices=a_indices, b_indices=b_indices, sum_indices=sum_indices
    )
    return None, d_a, None, None, d_b, None, None


def _add_gradient_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    with_rank(c.shape("sum_indices"), 2)
    return vector(with_rank(c.shape("a_indices"), 2)[0]), vector(with_rank(c.shape("b_indices"), 2)[0])


@op(
    "SparseAddGrad",
    "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64 -> a_val_grad: T, b_val_grad: T",
    T=NUMBER,
    shape=_add_gradient_shapes,
    host_only=True,
    not_differentiable="TensorFlow takes the gradient of a sparse sum for constant",
    not_batched="the number of elements of the sum differs from row to row",
)
def sparse_add_grad_op(
    xp: Xp, backprop_val_grad: Array, a_indices: Array, b_indices: Array, sum_indices: Array
) -> tuple[Array, Array]:
    """Picks for the elements of two tensors the gradients of their sum at the same coordinates."""
    _check_matrices(a_indices, b_indices, sum_indices)
    if backprop_val_grad.ndim != 1:
        found = dims_text(backprop_val_grad.shape)
        raise invalid(f"Input backprop_val_grad should be a vector but received shape: {found}")
    ranks = [matrix.shape[1] for matrix in (a_indices, b_indices, sum_indices)]
    if len(set(ranks)) > 1:
        raise invalid(f"The densified operands should have the same ndims; for A, B, sum got: {ranks}")
    if len(backprop_val_grad) != len(sum_indices):
        raise invalid(
            "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): "
            f"got {len(backprop_val_grad)} and {len(sum_indices)}"
        )
    a_keys, b_keys, sum_keys = common_keys([a_indices, b_indices, sum_indices])
    return _select(backprop_val_grad, sum_keys, a_keys), _select(backprop_val_grad, sum_keys, b_keys)


def _select(values: Array, keys: Array, wanted_keys: Array) -> Array:
    """Returns the value of each wanted key, zero for a key that is not there."""
    if not len(keys):
        return np.zeros(len(wanted_keys), values.dtype)
    if not are_increasing(keys):
        order = order_of_keys(keys)
        keys, values = keys[order], values[order]
    found = np.minimum(np.searchsorted(keys, wanted_keys), len(keys) - 1)
    return np.where(keys[found] == wanted_keys, values[found], np.zeros((), values.dtype))


# --- SparseSparseMaximum, SparseSparseMinimum ------------------------------------------------------------------------


def _choice_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    return vector(None, None), vector(None)


def _check_choice(a: tuple[Array, Array, Array], b: tuple[Array, Array, Array]) -> None:
    check_parts(*a)
    check_parts(*b)
    _check_same_shape(a[2], b[2])
    check_bounds(a[0], a[2].tolist())
    check_bounds(b[0], b[2].tolist())


def _choose(
    choose: Callable[[Array, Array], Array], a: tuple[Array, Array, Array], b: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """Combines the elements of two tensors, of which one is zero where only one tensor has the coordinate."""
    if np.iscomplexobj(a[1]):
        raise NotFoundError(None, None, "There is no kernel for complex numbers, which have no order.")
    _check_choice(a, b)
    if _are_the_same(a[0], b[0]):
        return a[0], choose(a[1], b[1])
    merged = _merge(a[0], b[0], a[2].tolist())
    values = np.concatenate([a[1], b[1]])
    ours = values[merged.source]
    theirs = np.zeros_like(ours)
    theirs[merged.shared] = values[merged.partner]
    return np.concatenate([a[0], b[0]]).take(merged.source, axis=0), choose(ours, theirs)


@op(
    "SparseSparseMaximum",
    f"{_TWO[0]} -> {_TWO[2]}",
    T=REAL,
    shape=_choice_shapes,
    host_only=True,
    no_gradient=_CHOICE,
    not_batched="the number of elements of the result differs from row to row",
)
def sparse_sparse_maximum(
    xp: Xp,
    a_indices: Array,
    a_values: Array,
    a_shape: Array,
    b_indices: Array,
    b_values: Array,
    b_shape: Array,
) -> tuple[Array, Array]:
    """Takes the larger of the elements of two sparse tensors; a missing element is zero."""
    return _choose(np.maximum, (a_indices, a_values, a_shape), (b_indices, b_values, b_shape))


@op(
    "SparseSparseMinimum",
    f"{_TWO[0]} -> {_TWO[2]}",
    T=NUMBER,
    shape=_choice_shapes,
    host_only=True,
    no_gradient=_CHOICE,
    not_batched="the number of elements of the result differs from row to row",
)
def sparse_sparse_minimum(
    xp: Xp,
    a_indices: Array,
    a_values: Array,
    a_shape: Array,
    b_indices: Array,
    b_values: Array,
    b_shape: Array,
) -> tuple[Array, Array]:
    """Takes the smaller of the elements of two sparse tensors; a missing element is zero."""
    return _choose(np.minimum, (a_indices, a_values, a_shape), (b_indices, b_values, b_shape))


# --- SparseTensorDenseAdd --------------------------------------------------------------------------------------------


def _check_dense_sum(a_indices: Array, a_values: Array, a_shape: Array, b: Array) -> None:
    if a_indices.ndim != 2:
        raise invalid(f"Input a_indices should be a matrix but received shape: {dims_text(a_indices.shape)}")
    if a_values.ndim != 1 or a_shape.ndim != 1:
        found = f"{dims_text(a_values.shape)} and {dims_text(a_shape.shape)}"
        raise invalid(f"Inputs a_values and a_shape should be vectors but received shapes: {found}")
    for size, other in zip(a_indices.shape, (a_values.size, a_shape.size), strict=True):
        if size != other:
            raise invalid(f"Dimensions {size} and {other} are not compatible")
    if len(a_shape) != b.ndim:
        raise invalid(f"Two operands have different ranks; received: {len(a_shape)} and {b.ndim}")
    for axis, (sparse_size, size) in enumerate(zip(a_shape.tolist(), b.shape, strict=True)):
        if sparse_size != size:
            raise invalid(
                f"Dimension {axis} does not equal (no broadcasting is supported): "
                f"sparse side {sparse_size} vs dense side {size}"
            )
    if not 1 <= b.ndim <= 5:
        raise invalid(f"Only tensors with ranks between 1 and 5 are currently supported.  Tensor rank: {b.ndim}")


def _refuse_outside(a_indices: Array, a_values: Array, a_shape: Array, b: Array) -> None:
    _check_dense_sum(a_indices, a_values, a_shape, b)
    if not are_inside(a_indices, b.shape):
        is_outside = (a_indices < 0) | (a_indices >= np.array(b.shape))
        at, axis = (int(i) for i in np.argwhere(is_outside)[0])
        raise invalid(
            f"Sparse tensor has an invalid index on dimension {axis}: a_indices({at},{axis}) = "
            f"{a_indices[at, axis]}, dense tensor shape: {b.shape[axis]}"
        )


def _dense_sum_shape(c: ShapeContext) -> TensorShape:
    return c.shape("b")


@op(
    "SparseTensorDenseAdd",
    "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T",
    T=NUMBER,
    Tindices=INDEX,
    shape=_dense_sum_shape,
    checks=_refuse_outside,
    not_batched=OWN_COORDINATES,
)
def sparse_tensor_dense_add(xp: Xp, a_indices: Array, a_values: Array, a_shape: Array, b: Array) -> Array:
    """Adds the elements of a sparse tensor to a dense tensor of the same shape."""
    flat_positions = positions(xp, a_indices, b.shape)
    return xp.reshape(xp.scatter(xp.reshape(b, -1), flat_positions, a_values, "add"), b.shape)


@sparse_tensor_dense_add.gradient
def sparse_tensor_dense_add_gradient(dy: Tensor, a_indices: Tensor) -> tuple[None, Tensor, None, Tensor]:
    """Gives each element the gradient at its coordinate, and the dense tensor the whole gradient."""
    return None, raw.GatherNd(params=dy, indices=a_indices), None, dy


# --- public functions ------------------------------------------------------------------------------------------------


@export("sparse.add", v1=[])
def sparse_add(a: object, b: object, threshold: object = 0) -> Any:
    """Adds two tensors, of which at least one is sparse.

    The elements of sparse tensors must be in order, see `tf.sparse.reorder`. Tensors are not broadcast.

    >>> a = tf.SparseTensor([[0], [2]], [1.0, 2.0], [4])
    >>> b = tf.SparseTensor([[2], [3]], [-2.0, 3.0], [4])
    >>> tf.sparse.add(a, b).values.numpy()
    array([1., 0., 3.], dtype=float32)
    >>> tf.sparse.add(a, b, threshold=0.1).indices.numpy().tolist()
    [[0], [3]]
    >>> tf.sparse.add(a, tf.ones([4])).numpy()
    array([2., 1., 3., 1.], dtype=float32)

    Args:
      a: a SparseTensor or a Tensor of numbers.
      b: a SparseTensor or a Tensor of the same shape and dtype.
      threshold: a scalar: a sum of two elements that is smaller in magnitude is left out of a sparse result.

    Returns: A SparseTensor if both tensors are sparse, else a Tensor.
    Raises:
      TypeError: if neither tensor is sparse.
      tf.errors.InvalidArgumentError: if the shapes or dtypes differ, or an index is out of bounds of a dense tensor.
    """
    if not isinstance(a, SparseTensorType) and not isinstance(b, SparseTensorType):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if isinstance(a, SparseTensorType) and isinstance(b, SparseTensorType):
        return _sparse_sum(as_sparse(a), as_sparse(b), threshold)
    sparse, dense = (b, a) if isinstance(b, SparseTensorType) else (a, b)
    sparse = as_sparse(sparse)
    return sparse_tensor_dense_add(sparse.indices, sparse.values, sparse.dense_shape, dense)


def _sparse_sum(a: SparseTensor, b: SparseTensor, threshold: Any) -> SparseTensor:
    threshold = convert_to_tensor(threshold, dtype=a.values.dtype.real_dtype.base_dtype, name="threshold")
    parts = sparse_add_op(a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, threshold)
    if not a.shape.is_compatible_with(b.shape):
        raise ValueError(f"Shapes {a.shape} and {b.shape} are incompatible")
    result = SparseTensor(*parts)
    result.set_shape(merge(a.shape, b.shape))
    return result


@export("sparse.maximum", v1=["sparse.maximum", "sparse_maximum"])
def sparse_maximum(sp_a: TensorLike, sp_b: TensorLike, name: str | None = None) -> SparseTensor:
    """Takes the larger of the elements of two sparse tensors; missing elements are zero.

    >>> a = tf.SparseTensor([[0], [2]], [-1.0, 2.0], [4])
    >>> b = tf.SparseTensor([[2], [3]], [1.0, 3.0], [4])
    >>> tf.sparse.maximum(a, b).values.numpy()
    array([0., 2., 3.], dtype=float32)

    Args:
      sp_a: a SparseTensor of real numbers, in order.
      sp_b: a SparseTensor of the same shape and dtype.
      name: name of the operation.

    Returns: A SparseTensor with the coordinates of both.
    Raises: tf.errors.InvalidArgumentError: if shapes or dtypes differ, or an index is out of bounds.
    """
    return _choice(sparse_sparse_maximum, sp_a, sp_b, name)


@export("sparse.minimum", v1=["sparse.minimum", "sparse_minimum"])
def sparse_minimum(sp_a: TensorLike, sp_b: TensorLike, name: str | None = None) -> SparseTensor:
    """Takes the smaller of the elements of two sparse tensors; missing elements are zero.

    >>> a = tf.SparseTensor([[0], [2]], [-1.0, 2.0], [4])
    >>> b = tf.SparseTensor([[2], [3]], [1.0, 3.0], [4])
    >>> tf.sparse.minimum(a, b).values.numpy()
    array([-1.,  1.,  0.], dtype=float32)

    Args:
      sp_a: a SparseTensor of real numbers, in order.
      sp_b: a SparseTensor of the same shape and dtype.
      name: name of the operation.

    Returns: A SparseTensor with the coordinates of both.
    Raises: tf.errors.InvalidArgumentError: if shapes or dtypes differ, or an index is out of bounds.
    """
    return _choice(sparse_sparse_minimum, sp_a, sp_b, name)


def _choice(compute: Any, a: Any, b: Any, name: str | None) -> SparseTensor:
    indices, values = compute(a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, name=name)
    return SparseTensor(indices, values, a.dense_shape)
