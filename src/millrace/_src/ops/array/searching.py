"""Positions in sorted rows, and the inverse of a permutation.

The position of a value in a sorted row is found by halving: half as many positions are left after each comparison.
NumPy's own search does so for one value after the other, and waits for memory and for guesses of the processor that are
wrong half of the time. For many values it is quicker to halve for all of them together.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.shape_checks import merge_dim, with_rank
from millrace._src.ops.array.shape_ops import scoped_shape
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)
_MANY = 1 << 12
"""Values from which on the halving of all together is quicker."""
_BLOCK = 1 << 14
"""Values that are searched for, or used as indices, together: the arrays stay in the cache."""
_Side = Literal["left", "right"]


def _bound_shape(c: ShapeContext) -> TensorShape:
    rows, values = with_rank(c.shape("sorted_inputs"), 2), with_rank(c.shape("values"), 2)
    return TensorShape.of((values[0] if values[0] is not None else merge_dim(rows[0], values[0]), values[1]))


def _bounds(xp: Xp, rows: Array, values: Array, side: _Side, out_type: DType) -> Array:
    for name, x in (("sorted_inputs", rows), ("values", values)):
        if x.ndim != 2:
            raise invalid(f"Shape must be rank 2 but is rank {x.ndim} for `{name}` argument")
    if rows.shape[0] != values.shape[0]:
        raise invalid("Leading dim_size of both tensors must match.")
    return xp.astype(_find_positions(xp, rows, values, side), out_type.np_dtype)


@kernel_part
def _find_positions(xp: Xp, rows: Array, values: Array, side: _Side) -> Array:
    """Finds the positions of values in their sorted rows."""
    if rows.dtype.kind == "V":  # NumPy cannot search in types that are not its own
        rows, values = rows.astype(np.float32), values.astype(np.float32)
    positions = np.empty(values.shape, np.int64)
    search = _search if values.shape[1] < _MANY or rows.dtype.kind not in "iuf" else _bisect
    for row, wanted, found_positions in zip(rows, values, positions, strict=True):
        search(row, wanted, side, found_positions)
    return positions


def _search(row: Array, values: Array, side: _Side, positions: Array) -> None:
    """Fills in the positions of values, one after the other."""
    positions[...] = np.searchsorted(row, values, side=side)
    if side == "left" and values.dtype.kind in "fc":
        positions[values != values] = 0  # no element is below NaN


def _bisect(row: Array, values: Array, side: _Side, positions: Array) -> None:
    """Fills in the positions of values, halving for all values of a block together."""
    steps = [1 << exponent for exponent in reversed(range(row.size.bit_length()))]
    above = np.inf if row.dtype.kind == "f" else np.iinfo(row.dtype).max
    padded_row = np.full(2 * steps[0] if steps else 1, above, row.dtype)
    padded_row[: row.size] = row
    for start in range(0, values.size, _BLOCK):
        wanted = values[start : start + _BLOCK]
        at = positions[start : start + _BLOCK]
        at[...] = 0
        middle, is_beyond, move = np.empty_like(wanted), np.empty(wanted.shape, bool), np.empty_like(at)
        for step in steps:
            padded_row[step - 1 :].take(at, out=middle, mode="clip")
            if side == "left":
                np.less(middle, wanted, out=is_beyond)
            else:
                np.logical_not(np.less(wanted, middle, out=is_beyond), out=is_beyond)
            at += np.multiply(is_beyond, step, out=move)
        np.minimum(at, row.size, out=at)  # what is infinite is not below the padding


@_find_positions.kernel_for("xla")
def _count_smaller(xp: Xp, rows: Array, values: Array, side: _Side) -> Array:
    size = rows.shape[-1]
    if size <= 64:
        counted_elements = rows[:, None, :], values[:, :, None]
        return xp.sum(xp.astype(_is_before(xp, *counted_elements, side), np.int32), axis=-1)
    at = xp.zeros(values.shape, np.int32)
    for exponent in reversed(range(size.bit_length())):
        step = 1 << exponent
        middle = xp.take_along_axis(rows, xp.clip(at + (step - 1), 0, size - 1), axis=1)
        is_beyond = _is_before(xp, middle, values, side) & (at + step <= size)
        at = at + xp.astype(is_beyond, np.int32) * step
    return at


def _is_before(xp: Xp, elements: Array, values: Array, side: _Side) -> Array:
    """Returns whether the position of a value is behind an element."""
    return elements < values if side == "left" else ~(values < elements)


@op(
    "LowerBound",
    "sorted_inputs: T, values: T -> output: out_type",
    T=ANY,
    out_type=_INDEX,
    shape=_bound_shape,
    not_differentiable="positions are integers",
    batching=folding("sorted_inputs", "values"),
)
def lower_bound(xp: Xp, sorted_inputs: Array, values: Array, *, out_type: DType) -> Array:
    """Finds, for each value, the first position in its sorted row where the value could be inserted."""
    return _bounds(xp, sorted_inputs, values, "left", out_type)


@op(
    "UpperBound",
    "sorted_inputs: T, values: T -> output: out_type",
    T=ANY,
    out_type=_INDEX,
    shape=_bound_shape,
    not_differentiable="positions are integers",
    batching=folding("sorted_inputs", "values"),
)
def upper_bound(xp: Xp, sorted_inputs: Array, values: Array, *, out_type: DType) -> Array:
    """Finds, for each value, the last position in its sorted row where the value could be inserted."""
    return _bounds(xp, sorted_inputs, values, "right", out_type)


@export("searchsorted")
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = int32,
    name: str | None = None,
) -> Any:
    """Finds where values would be inserted into sorted sequences.

    >>> tf.searchsorted([1, 3, 5], [0, 3, 6]).numpy()
    array([0, 1, 3], dtype=int32)
    >>> tf.searchsorted([1, 3, 5], [3], side="right").numpy()
    array([2], dtype=int32)

    Args:
      sorted_sequence: A Tensor, sorted along its last dimension.
      values: A Tensor of the same dtype, with the same dimensions before the last.
      side: "left": before equal elements; "right": after them.
      out_type: int32 or int64.
      name: name of the operation.

    Returns: A Tensor of `out_type` and the shape of `values`.
    Raises: ValueError: if `side` is another.
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    if state.graph is None:
        sorted_sequence, values = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
    row_size, column_size = scoped_shape(sorted_sequence)[-1], scoped_shape(values)[-1]
    rows = reshape(sorted_sequence, [-1, row_size])
    columns = reshape(values, [-1, column_size])
    function = lower_bound if side == "left" else upper_bound
    positions = function(rows, columns, out_type=as_dtype(out_type), name=name)
    return reshape(positions, scoped_shape(values))


# --- permutations ------------------------------------------------------------------------------------------------


@export("math.invert_permutation", v1=["math.invert_permutation", "invert_permutation"])
@op(
    "InvertPermutation",
    "x: T -> y: T",
    T=_INDEX,
    shape=lambda c: TensorShape.of(with_rank(c.shape("x"), 1)),
    not_differentiable="positions are integers",
    not_batched="the order of a row is its own",
    exact_on_rows=True,
    refuses=("x",),
)
def invert_permutation(xp: Xp, x: Array) -> Array:
    """Computes the inverse of a permutation: `y[x[i]] = i`.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)

    Args: x: an int32 or int64 vector that holds each of 0, 1, ..., n - 1 once.
    Returns: A vector of the same dtype and size.
    Raises: tf.errors.InvalidArgumentError: if `x` is not a permutation.
    """
    if x.ndim != 1:
        raise invalid("invert_permutation expects a 1D vector.")
    return _inverse(xp, x)


@kernel_part
def _inverse(xp: Xp, x: Array) -> Array:
    """Inverts a permutation, and refuses a vector that is none."""
    if x.size and (x.min() < 0 or x.max() >= x.size):
        raise _no_permutation(x)
    inverse = np.full_like(x, -1)
    for start in range(0, x.size, _BLOCK):
        part = x[start : start + _BLOCK].astype(np.intp, copy=False)  # int32 takes twice the time
        inverse[part] = np.arange(start, start + part.size, dtype=x.dtype)
    if x.size and inverse.min() < 0:  # no element has this value, because two have another
        raise _no_permutation(x)
    return inverse


@_inverse.kernel_for("xla")
def _xla_inverse(xp: Xp, x: Array) -> Array:
    size = x.shape[0]
    return xp.scatter(xp.zeros((size,), x.dtype), (x,), xp.arange(size, dtype=x.dtype), "set")


def _no_permutation(x: Array) -> Exception:
    """Makes the error about the first element that is out of range or not the first of its kind."""
    seen_elements = set()
    for index in x.tolist():
        if not 0 <= index < x.size:
            return invalid(f"{index} is not between 0 and {x.size}")
        if index in seen_elements:
            break
        seen_elements.add(index)
    return invalid(f"{index} is duplicated in the input.")
