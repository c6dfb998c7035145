"""The op `RaggedRange`: many ranges at once, end to end.

Each element of the result is the start of its row plus its place in the row times the step, so the kernel needs three
passes over the result and no loop over the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    starts, limits, deltas = _equal_rows(starts, limits, deltas)
    if (deltas == 0).any():
        raise invalid("Requires delta != 0")
    sizes = _range_sizes(starts, limits, deltas, np.iinfo(Tsplits.np_dtype).max)
    splits = np.zeros(sizes.size + 1, Tsplits.np_dtype)
    np.cumsum(sizes, out=splits[1:])
    places = np.arange(splits[-1], dtype=np.int64)
    if starts.dtype.kind == "i":
        return splits, _integer_ranges(starts, deltas, sizes, splits, places)
    places -= np.repeat(splits[:-1], sizes)
    return splits, np.repeat(starts, sizes) + places.astype(starts.dtype) * np.repeat(deltas, sizes)


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


def _range_sizes(starts: Array, limits: Array, deltas: Array, most: int) -> Array:
    """Returns how many elements each range has."""
    if starts.dtype.kind == "i":
        if (deltas == 1).all():
            sizes = limits.astype(np.int64) - starts
        else:  # the quotient rounded up: floor division rounds down
            sizes = -((starts.astype(np.int64) - limits) // deltas)
        sizes = np.maximum(sizes, 0)
        too_many = sizes.max(initial=0) > most
    else:
        with np.errstate(all="ignore"):
            quotients = np.ceil(((limits - starts) / deltas).astype(np.float64))
        too_many = not np.isfinite(quotients).all() or quotients.max(initial=0.0) > most
        sizes = np.zeros(0, np.int64) if too_many else np.maximum(quotients, 0).astype(np.int64)
    if too_many:
        raise invalid(f"Requires ((limit - start) / delta) <= {most}")
    return sizes


def _integer_ranges(starts: Array, deltas: Array, sizes: Array, splits: Array, places: Array) -> Array:
    """Returns the elements: `deltas[i] * place + (starts[i] - deltas[i] * splits[i])`, one product and one sum each."""
    offsets = starts - deltas * splits[:-1]
    if (deltas == 1).all():
        places += np.repeat(offsets, sizes)
    else:
        places *= np.repeat(deltas, sizes)
        places += np.repeat(offsets, sizes)
    return places.astype(starts.dtype, copy=False)
