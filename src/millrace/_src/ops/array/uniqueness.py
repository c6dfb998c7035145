"""Unique elements and set differences.

The size of a result depends on the values, so the ops run on the host.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.first_occurrences import first_positions
from millrace._src.ops.array.shape_checks import UNKNOWN, vector, with_rank
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)
_CHOICE = "which elements are kept is not a smooth function; gather them by their positions instead"


class Unique(NamedTuple):
    """The result of `tf.unique`."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """The result of `tf.unique_with_counts`."""

    y: Any
    idx: Any
    count: Any


class ListDiff(NamedTuple):
    """The result of `tf.compat.v1.setdiff1d`."""

    out: Any
    idx: Any


def _first_rows(x: Array, axis: int) -> tuple[Array, Array]:
    """Finds the first position of each distinct slice along `axis`, and for each slice the number of its distinct
    slice.
    """
    row_numbers: dict[tuple[Any, ...], int] = {}
    first: list[int] = []
    which = []
    for i, row in enumerate(np.moveaxis(x, axis, 0)):
        key = tuple(np.asarray(row).reshape(-1).tolist())
        if key not in row_numbers:
            row_numbers[key] = len(first)
            first.append(i)
        which.append(row_numbers[key])
    return np.array(first, np.int64), np.array(which, np.int64)


def _vector_result(x: Array, out_idx: DType, *, counted: bool = True) -> tuple[Array, Array, Array]:
    if x.ndim != 1:
        raise invalid("unique expects a 1D vector.")
    first, which = first_positions(x)
    counts = np.bincount(which, minlength=first.size) if counted else first
    return x[first], which.astype(out_idx.np_dtype, copy=False), counts.astype(out_idx.np_dtype)


def _result(x: Array, axis: Array, out_idx: DType) -> tuple[Array, Array, Array]:
    if axis.size == 0:
        return _vector_result(x, out_idx)
    if axis.size > 1:
        raise invalid("axis does not support input tensors larger than 1 elements")
    at = int(axis.reshape(-1)[0])
    if not -x.ndim <= at < x.ndim:
        raise invalid(f"axis has to be between [0, {x.ndim})")
    first, which = _first_rows(x, at)
    counts = np.bincount(which, minlength=first.size)
    return np.take(x, first, axis=at), which.astype(out_idx.np_dtype), counts.astype(out_idx.np_dtype)


def _vector_shape(c: ShapeContext) -> list[TensorShape]:
    with_rank(c.shape("x"), 1)
    return [vector(None), c.shape("x")]


def _axis_shape(c: ShapeContext) -> list[TensorShape]:
    dims, axis = c.shape("x").dim_sizes, c.value("axis")
    with_rank(c.shape("axis"), 1)
    if dims is None or axis is None:
        return [UNKNOWN if dims is None else TensorShape.of((None,) * len(dims)), vector(None)]
    if axis.size == 0:
        if len(dims) != 1:
            raise ValueError("x expects a 1D vector.")
        return [vector(None), vector(dims[0])]
    if axis.size > 1:
        raise ValueError("axis does not support input tensors larger than 1 elements.")
    at = int(axis[0])
    if not -len(dims) <= at < len(dims):
        raise ValueError(f"axis expects to be in the range [{-len(dims)}, {len(dims)})")
    at %= len(dims)
    return [TensorShape.of((*dims[:at], None, *dims[at + 1 :])), vector(dims[at])]


@op(
    "Unique",
    "x: T -> y: T, idx: out_idx",
    T=ANY,
    out_idx=_INDEX,
    shape=_vector_shape,
    host_only=True,
    no_gradient=_CHOICE,
)
def unique_op(xp: Xp, x: Array, *, out_idx: DType) -> tuple[Array, Array]:
    """Finds the distinct elements of a vector, and for each element the number of its distinct element."""
    return _vector_result(x, out_idx, counted=False)[:2]


@op(
    "UniqueWithCounts",
    "x: T -> y: T, idx: out_idx, count: out_idx",
    T=ANY,
    out_idx=_INDEX,
    shape=lambda c: [*_vector_shape(c), vector(None)],
    host_only=True,
    no_gradient=_CHOICE,
)
def unique_with_counts_op(xp: Xp, x: Array, *, out_idx: DType) -> tuple[Array, Array, Array]:
    """Finds the distinct elements of a vector, the number of its distinct element for each element, and the counts."""
    return _vector_result(x, out_idx)


@op(
    "UniqueV2",
    "x: T, axis: Taxis -> y: T, idx: out_idx",
    T=ANY,
    Taxis=INDEX.with_default(int64),
    out_idx=_INDEX,
    shape=_axis_shape,
    host_only=True,
    no_gradient=_CHOICE,
)
def unique_v2_op(xp: Xp, x: Array, axis: Array, *, out_idx: DType) -> tuple[Array, Array]:
    """Finds the distinct slices along a dimension, and for each slice the number of its distinct slice."""
    return _result(x, axis, out_idx)[:2]


@op(
    "UniqueWithCountsV2",
    "x: T, axis: Taxis -> y: T, idx: out_idx, count: out_idx",
    T=ANY,
    Taxis=INDEX.with_default(int64),
    out_idx=_INDEX,
    shape=lambda c: [*_axis_shape(c), vector(None)],
    host_only=True,
    no_gradient=_CHOICE,
)
def unique_with_counts_v2_op(xp: Xp, x: Array, axis: Array, *, out_idx: DType) -> tuple[Array, Array, Array]:
    """Finds the distinct slices along a dimension, the number of its distinct slice for each slice, and the counts."""
    return _result(x, axis, out_idx)


@export("unique")
def unique(x: object, out_idx: object = int32, name: str | None = None) -> Unique:
    """Finds the distinct elements of a vector, in the order of their first occurrence.

    >>> y, idx = tf.unique([1, 1, 2, 4, 4, 2])
    >>> y.numpy(), idx.numpy()
    (array([1, 2, 4], dtype=int32), array([0, 0, 1, 2, 2, 1], dtype=int32))

    Args:
      x: a vector of any dtype. Each NaN counts as distinct.
      out_idx: int32 or int64, the dtype of the indices.
      name: name of the operation.

    Returns: A named tuple of `y`, the distinct elements, and `idx`, with `x[i] == y[idx[i]]`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `x` is not a vector.
    """
    return Unique(*unique_op(x, out_idx=as_dtype(out_idx), name=name))


@export("unique_with_counts")
def unique_with_counts(x: object, out_idx: object = int32, name: str | None = None) -> UniqueWithCounts:
    """Finds the distinct elements of a vector and how often each occurs.

    >>> tf.unique_with_counts([1, 1, 2]).count.numpy()
    array([2, 1], dtype=int32)

    Args:
      x: a vector of any dtype. Each NaN counts as distinct.
      out_idx: int32 or int64, the dtype of indices and counts.
      name: name of the operation.

    Returns: A named tuple of `y`, the distinct elements, `idx`, with `x[i] == y[idx[i]]`, and `count`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `x` is not a vector.
    """
    return UniqueWithCounts(*unique_with_counts_op(x, out_idx=as_dtype(out_idx), name=name))


def _list_diff_shape(c: ShapeContext) -> list[TensorShape]:
    with_rank(c.shape("x"), 1)
    with_rank(c.shape("y"), 1)
    return [vector(None), vector(None)]


@op(
    "ListDiff",
    "x: T, y: T -> out: T, idx: out_idx",
    T=ANY,
    out_idx=_INDEX,
    shape=_list_diff_shape,
    host_only=True,
    no_gradient=_CHOICE,
)
def list_diff(xp: Xp, x: Array, y: Array, *, out_idx: DType) -> tuple[Array, Array]:
    """Finds the elements of `x` that are not in `y`, in order, and the positions of these elements."""
    for name, value in (("x", x), ("y", y)):
        if value.ndim != 1:
            raise invalid(f"{name} should be a 1D vector.")
    excluded_elements = set(y.tolist())
    kept_positions = np.array(
        [i for i, item in enumerate(x.tolist()) if item not in excluded_elements], out_idx.np_dtype
    )
    return x[kept_positions], kept_positions
