"""Uniform and normal numbers of every dtype from Philox words, laid out as TensorFlow lays them out.

Problem: the same seed must give TensorFlow's values, so it matters which word becomes which number.

Idea: outputs come in groups. A group of the plain distributions is one block (four 32-bit or two 64-bit numbers), so
group `i` is block `i`. The truncated normal draws until a group is full, so each group owns a stretch of 256 words
per output. Uniform floats put random bits in the fraction of a number in [1, 2) and subtract 1.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.random.box_muller import box_muller_float64
from millrace._src.ops.random.draws_ahead import MAX, calls_ahead, take_prefetched
from millrace._src.ops.random.lane_normals import lane_normals
from millrace._src.ops.random.philox import WORDS_PER_BLOCK, Lanes, Run, Stream, fill, lanes, lanes_at
from millrace._src.ops.random.scratch import scratch
from millrace._src.ops.random.word_uniforms import (
    NpDType,
    integers_of_lanes,
    reduce_to_range,
    uniform_float64,
    uniforms_of_lanes,
)

RESERVED_PER_OUTPUT = 256
"""The length of the stretch of the stream that an output may use.

The unit is a word for the truncated normal, and a block for the distributions of `rejection`.
"""

_TRUNCATION = 2.0


def uniform(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType, calls: int = 0) -> Array:
    """Draws numbers in [0, 1) of a floating `dtype`; for several calls in a row, a row for each of `calls`."""

    def make(run: Run, out: Array | None) -> Array:
        return uniforms_of_lanes(xp, lanes(xp, run), dtype, out)

    return _fill(xp, ("uniform", dtype), stream, shape, dtype, make, calls=calls)


def normal(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType, calls: int = 0) -> Array:
    """Draws standard normal numbers of a floating `dtype`, 16-bit types rounded from float32; see `uniform`."""

    def make(run: Run, out: Array | None) -> Array:
        return normals_of_lanes(xp, lanes(xp, run), dtype, out)

    return _fill(xp, ("normal", dtype), stream, shape, dtype, make, calls=calls)


def truncated_normal(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType, calls: int = 0) -> Array:
    """Draws standard normal numbers; numbers outside [-2, 2] are drawn again; see `uniform`."""

    def make(run: Run, out: Array | None) -> Array:
        return _truncate(xp, run.positions(xp), dtype, out)

    stride = _per_block(dtype) * RESERVED_PER_OUTPUT // WORDS_PER_BLOCK
    return _fill(xp, ("truncated_normal", dtype), stream, shape, dtype, make, stride, calls)


def full_int(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType) -> Array:
    """Draws integers over the whole range of a 32-bit or 64-bit `dtype`."""
    return xp.bitcast(_integers(xp, stream, shape, _as_unsigned(dtype)), dtype)


def _integers(xp: Xp, stream: Stream, shape: Sequence[int], dtype: NpDType, calls: int = 0) -> Array:
    def make(run: Run, out: Array | None) -> Array:
        return integers_of_lanes(xp, lanes(xp, run), dtype, out)

    return _fill(xp, ("integers", dtype), stream, shape, dtype, make, calls=calls)


def uniform_int(xp: Xp, stream: Stream, shape: Sequence[int], low: Array, high: Array, calls: int = 0) -> Array:
    """Draws integers in [low, high); see `uniform`.

    `low` and `high` are scalars of the result's dtype, which has 32 or 64 bits.
    """
    dtype = _as_unsigned(low.dtype)
    first = xp.bitcast(low.reshape(1), dtype)
    span = xp.bitcast(high.reshape(1), dtype) - first
    size = prod(shape)
    if size <= MAX:  # such numbers are drawn ahead, whatever the bounds
        integers = reduce_to_range(xp, _integers(xp, stream, (size,), dtype, calls), first, span)
        return xp.bitcast(integers, low.dtype).reshape((*[calls] * (calls > 0), *shape))

    def make(run: Run, out: Array | None) -> Array:
        return reduce_to_range(xp, integers_of_lanes(xp, lanes(xp, run), dtype, out), first, span)

    return xp.bitcast(_fill(xp, None, stream, shape, dtype, make), low.dtype)


def _as_unsigned(dtype: NpDType) -> NpDType:
    return np.dtype(f"u{dtype.itemsize}")


@kernel_part
def normals_of_lanes(xp: Xp, lanes: Lanes, dtype: NpDType, out: Array | None = None) -> Array:
    """Makes the normals of each block, and uses the lanes up: shape (n, 4), or (n, 2) of float64.

    Args:
      xp: the array namespace.
      lanes: the blocks.
      dtype: float16, bfloat16, float32 or float64; 16-bit types are rounded from float32.
      out: where NumPy writes the result, if given.
    """
    if dtype == np.float32:
        return lane_normals(xp, lanes, out)
    size = len(lanes.first)
    if dtype != np.float64:
        return _round(lane_normals(xp, lanes, scratch("normals", (size, 4), np.float32)), dtype, out)
    normals = np.empty((size, 2)) if out is None else out
    normals[:, 0], normals[:, 1] = box_muller_float64(xp, *(uniform_float64(xp, lane) for lane in lanes))
    return normals


@normals_of_lanes.kernel_for("xla")
def _normals_on_xla(xp: CompilingXp, lanes: Lanes, dtype: NpDType, out: None = None) -> Array:
    if dtype == np.float64:
        return xp.stack(box_muller_float64(xp, *(uniform_float64(xp, lane) for lane in lanes)), axis=1)
    return xp.astype(lane_normals(xp, lanes), dtype)


# --- truncation -------------------------------------------------------------------------------------------------------


@kernel_part
def _truncate(xp: Xp, starts: Stream, dtype: NpDType, out: Array | None) -> Array:
    """Draws one full group for each start; a group is the first accepted candidates in order."""
    # One block suffices for most groups (0.83 of them, for four numbers), so more is drawn only for the others.
    if dtype.itemsize == 2:  # what counts is the number before it is rounded
        return _round(_truncate(xp, starts, np.dtype(np.float32), None), dtype, out)
    groups = normals_of_lanes(xp, lanes_at(xp, starts), dtype, out)
    (short,) = np.nonzero(~(np.abs(groups) < _TRUNCATION).all(axis=1))
    if len(short):
        groups[short] = _complete(xp, starts.at(short), groups[short])
    return groups


def _round(numbers: Array, dtype: NpDType, out: Array | None) -> Array:
    if out is None:
        return numbers.astype(dtype)
    np.copyto(out, numbers, casting="unsafe")
    return out


def _complete(xp: Xp, starts: Stream, candidates: Array) -> Array:
    """Returns the first accepted numbers of each row of candidates and of the blocks that follow."""
    per_group = _per_block(candidates.dtype)
    result = np.empty((len(candidates), per_group), candidates.dtype)
    still_open, block = np.arange(len(result)), 0
    while len(still_open):
        block += 1
        more = normals_of_lanes(xp, lanes_at(xp, starts.skip(xp, block)), candidates.dtype)
        candidates = np.concatenate([candidates, more], axis=1)
        accepted = np.abs(candidates) < _TRUNCATION
        rank = np.cumsum(accepted, axis=1, dtype=np.int16)
        is_full = rank[:, -1] >= per_group
        chosen = accepted & (rank <= per_group) & is_full[:, None]
        result[still_open[is_full]] = candidates[chosen].reshape(-1, per_group)
        (rest,) = np.nonzero(~is_full)
        still_open, candidates, starts = still_open[rest], candidates[rest], starts.at(rest)
    return result


@_truncate.kernel_for("xla")
def _truncate_on_xla(xp: CompilingXp, starts: Stream, dtype: NpDType, out: None) -> Array:
    """Draws a block for every group, until all groups are full."""
    exact = dtype if dtype.itemsize > 2 else np.dtype(np.float32)
    size, per_group = starts.low.shape[0], _per_block(dtype)

    def any_short(block: Array, filled: Array, *columns: Array) -> tuple[Array]:
        return (xp.any(filled < per_group),)

    def again(block: Array, filled: Array, *columns: Array) -> tuple[Array, ...]:
        candidates = normals_of_lanes(xp, lanes_at(xp, starts.skip(xp, block)), exact)
        slots = list(columns)
        for candidate in (candidates[:, index] for index in range(per_group)):
            accepted = xp.abs(candidate) < _TRUNCATION
            slots = [xp.where(accepted & (filled == slot), candidate, kept) for slot, kept in enumerate(slots)]
            filled = filled + xp.astype(accepted, np.int32)
        return block + np.uint64(1), filled, *slots

    empty = [xp.zeros((size,), exact)] * per_group
    state = xp.while_loop(any_short, again, (xp.zeros((1,), np.uint64), xp.zeros((size,), np.int32), *empty))
    return xp.astype(xp.stack(state[2:], axis=1), dtype)


_Make = Callable[[Run, Array | None], Array]


def _fill(
    xp: Xp,
    kind: Hashable,
    stream: Stream,
    shape: Sequence[int],
    dtype: NpDType,
    make: _Make,
    stride: int = 1,
    calls: int = 0,
) -> Array:
    """Makes an array of `shape` out of the groups that `make(run, out)` gives; the last group is cut.

    Args:
        xp: The array namespace.
        kind: What is drawn, if it depends on nothing else; such numbers can be drawn ahead.
        stream: Where the first group begins.
        shape: The shape of the result.
        dtype: The dtype of the result.
        make: Makes the groups at the positions of a run.
        stride: The number of blocks from group to group.
        calls: For how many calls in a row to make such arrays, stacked; 0 for one array.
    """
    size, per_group = prod(shape), _per_block(dtype)
    groups = -(-size // per_group)
    if calls:
        run = Run(stream, groups, stride, calls, size * RESERVED_PER_OUTPUT)
        return make(run, None).reshape(calls, -1)[:, :size].reshape(calls, *shape)
    if kind is not None and 0 < size <= MAX:
        few = _draw_ahead(xp, kind, stream, size, make, groups, stride)
        if few is not None:
            return few.reshape(tuple(shape))

    def rows(start: int, count: int, out: Array | None) -> Array:
        return make(Run(stream.skip(xp, start * stride) if start else stream, count, stride), out)

    flat = fill(xp, (groups, per_group), dtype, rows).reshape(-1)
    return (flat if groups * per_group == size else flat[:size]).reshape(tuple(shape))


@kernel_part
def _draw_ahead(
    xp: Xp, kind: Hashable, stream: Stream, size: int, make: _Make, groups: int, stride: int
) -> Array | None:
    """Returns the numbers of a small draw, if they are drawn ahead."""
    distance = size * RESERVED_PER_OUTPUT

    def draw_rows() -> Array:
        calls = Run(stream, groups, stride, calls_ahead(size), distance)
        return make(calls, None).reshape(calls.repeats, -1)[:, :size]

    return take_prefetched(stream, (kind, size), distance, draw_rows)


@_draw_ahead.kernel_for("xla")
def _draw_when_compiled_runs(
    xp: CompilingXp, kind: Hashable, stream: Stream, size: int, make: _Make, groups: int, stride: int
) -> None:
    return None


def _per_block(dtype: NpDType) -> int:
    """Returns the count of numbers of `dtype` that one block yields; a 16-bit number takes a whole word."""
    return WORDS_PER_BLOCK * 4 // max(dtype.itemsize, 4)
