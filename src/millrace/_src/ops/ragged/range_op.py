"""The op `RaggedRange`: many ranges at once, end to end.

An element of integers is the sum of all steps up to it, over the ends of rows; an element of floats is the start of its
row plus its position in the row times the step, since sums would round. Neither needs a loop over the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, bfloat16, float32, float64, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.type_sets import INDEX

_RANGE = TypeSet((bfloat16, float32, float64, int32, int64), int32)
_BOUNDS = ("starts", "limits", "deltas")


def _ragged_range_shape(c: ShapeContext) -> list[TensorShape]:
    rows: int | None = None
    ranks = []
    for name in _BOUNDS:
        shape = c.shape(name)
        ranks.append(shape.rank)
        if shape.rank is not None and shape.rank > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {shape.rank}")
        if shape.rank == 1 and shape[0] is not None:
            if rows not in (None, shape[0]):
                raise ValueError(f"Dimensions must be equal, but are {shape[0]} and {rows}")
            rows = shape[0]
    if rows is None and ranks == [0, 0, 0]:
        rows = 1
    return [TensorShape([None if rows is None else rows + 1]), TensorShape([None])]


@op(
    "RaggedRange",
    "starts: T, limits: T, deltas: T -> rt_nested_splits: Tsplits, rt_dense_values: T",
    T=_RANGE,
    Tsplits=INDEX.with_default(int64),
    shape=_ragged_range_shape,
    host_only=True,
    not_differentiable="the elements are constants",
    not_batched="the number of elements differs from row to row",
)
def ragged_range_op(xp: Xp, starts: Array, limits: Array, deltas: Array, *, Tsplits: DType) -> tuple[Array, Array]:
    """Makes the ranges `starts[i], starts[i] + deltas[i], ...` before `limits[i]`, as row splits and values.

    >>> splits, values = tf.raw_ops.RaggedRange(starts=[0, 5], limits=[3, 7], deltas=[1, 1])
    >>> splits.numpy(), values.numpy()
    (array([0, 3, 5]), array([0, 1, 2, 5, 6], dtype=int32))
    """
    if (deltas == 0).any():
        raise invalid("Requires delta != 0")
    rows = _equal_rows(starts, limits, deltas)
    sizes = _range_sizes(rows, np.iinfo(Tsplits.np_dtype).max)
    splits = np.zeros(sizes.size + 1, Tsplits.np_dtype)
    np.cumsum(sizes, out=splits[1:])
    make = integer_ranges if starts.dtype.kind == "i" else _float_ranges
    return splits, make(rows[0], deltas if deltas.size == 1 else rows[2], sizes, splits)


def _equal_rows(*bounds: Array) -> Sequence[Array]:
    """Returns the bounds as vectors of one size; a scalar is repeated."""
    for name, bound in zip(_BOUNDS, bounds, strict=True):
        if bound.ndim > 1:
            raise invalid(f"{name} must be a scalar or vector")
    sizes = {bound.size for bound in bounds if bound.ndim}
    if len(sizes) > 1:
        raise invalid("starts, limits, and deltas must have the same shape")
    rows = next(iter(sizes), 1)
    return [np.broadcast_to(bound, (rows,)) for bound in bounds]


def _range_sizes(bounds: Sequence[Array], most: int) -> Array:
    """Returns how many elements each range has."""
    starts, limits, deltas = bounds
    unit_steps = (deltas == 1).all()
    if starts.dtype.kind == "i":
        if unit_steps:
            sizes = limits.astype(np.int64) - starts
        else:  # the quotient rounded up: floor division rounds down
            sizes = -((starts.astype(np.int64) - limits) // deltas)
        np.maximum(sizes, 0, out=sizes)
        too_many = sizes.max(initial=0) > most
    else:
        with np.errstate(all="ignore"):
            steps = limits - starts if unit_steps else (limits - starts) / deltas
            quotients = np.ceil(steps.astype(np.float64))
        too_many = not np.isfinite(quotients).all() or quotients.max(initial=0.0) > most
        sizes = np.zeros(0, np.int64) if too_many else np.maximum(quotients, 0).astype(np.int64)
    if too_many:
        raise invalid(f"Requires ((limit - start) / delta) <= {most}")
    return sizes


def integer_ranges(starts: Array, deltas: Any, sizes: Array, splits: Array) -> Array:
    """Returns the elements of all ranges, each the sum of all steps up to it.

    A step leads from one element to the next: the delta of a row, and at the start of a row what is missing to its
    start. Partial sums may overflow; they are taken modulo the width of the dtype, and the elements fit in it.
    """
    if not splits[-1]:
        return np.zeros(0, starts.dtype)
    steps = _spread(deltas, sizes, np.empty(splits[-1], starts.dtype))
    filled_rows = np.flatnonzero(sizes)
    firsts, counts = starts[filled_rows], sizes[filled_rows].astype(starts.dtype)
    row_deltas = deltas.reshape(()) if deltas.size == 1 else deltas[filled_rows]
    lasts = firsts + row_deltas * (counts - 1)
    steps[splits[filled_rows[1:]]] = firsts[1:] - lasts[:-1]
    steps[0] = firsts[0]
    return np.cumsum(steps, out=steps)


def _float_ranges(starts: Array, deltas: Array, sizes: Array, splits: Array) -> Array:
    """Returns the elements of all ranges: the start of the row, and the position in the row times the step."""
    position_dtype = np.int32 if splits[-1] < 2**31 else np.int64
    positions = integer_ranges(np.zeros(sizes.size, position_dtype), np.int64(1), sizes, splits)
    elements = positions.astype(starts.dtype) * _spread(deltas, sizes, None)
    return elements + _spread(starts, sizes, None) if starts.any() else elements


def _spread(row_values: Array, sizes: Array, out: Array | None) -> Array:
    """Returns the values of the rows, one for each element, in `out` if given; one value for all stays one."""
    if row_values.size == 1:
        value = row_values.reshape(())
        if out is None:
            return value
        out[...] = value
        return out
    return np.repeat(row_values, sizes)
