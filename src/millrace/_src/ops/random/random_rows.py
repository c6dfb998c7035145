"""The batching rule of `StatelessMultinomial`: each row draws a class under a seed of its own.

The generator is a pure function of the seed, made of integer operations. So the rule writes Philox as operations on
vectors of 64-bit numbers that hold 32-bit values, an element for each row; the bits are those of `philox`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.dtypes import float64, int64, uint64
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedRows, BatchedValue, known_value
from millrace._src.ops.random.philox import MULTIPLIERS, ROUNDS, SCRAMBLE_KEY, WEYL_STEPS

_LOW_32, _SHIFT_32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_ONE_BITS = np.uint64(0x3FF00000_00000000)
"""The bits of 1.0 in float64."""

Words = tuple[Any, Any, Any, Any]
"""The words of one block for each row: vectors of uint64 that hold 32-bit values."""


def one_class(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Draws one class for each row, where a row has one row of logits."""
    logits, samples, seed = arguments
    number = known_value(samples)
    if number is None or int(number) != 1 or operation.inputs[0].shape.rank != 2 or operation.inputs[0].shape[0] != 1:
        return None
    first, second, _, _ = _first_block(rows.spread(seed))
    classes = _classes(_cumulative(logits), _uniform(first, second))
    return [raw.Reshape(tensor=raw.Cast(x=classes, DstT=operation.attrs["output_dtype"]), shape=[-1, 1, 1])]


def _first_block(seeds: object) -> Words:
    """Returns the first block of the stream of each seed, as `stream_from_seed_pair` makes streams."""
    pairs = raw.Bitcast(input=raw.Cast(x=raw.EnsureShape(input=seeds, shape=[None, 2]), DstT=int64), type=uint64)
    scramble_key = np.uint64(SCRAMBLE_KEY)
    a, b, c, d = _philox(scramble_key & _LOW_32, scramble_key >> _SHIFT_32, _split(pairs[:, 0]) + _split(pairs[:, 1]))
    zero = raw.ZerosLike(x=a)
    return _philox(a, b, (zero, zero, c, d))


def _split(numbers: object) -> tuple[Any, Any]:
    """Returns the lower and the upper halves of 64-bit numbers."""
    return raw.BitwiseAnd(x=numbers, y=_LOW_32), raw.RightShift(x=numbers, y=_SHIFT_32)


def _philox(key_0: Any, key_1: Any, counter: Words) -> Words:
    """Computes one block for each row.

    Args:
      key_0: the lower half of the key.
      key_1: the upper half of the key.
      counter: the 128-bit counter, the lowest word first.
    """
    a, b, c, d = counter
    for index in range(ROUNDS):
        low = raw.BitwiseAnd(x=key_0 + np.uint64(index * WEYL_STEPS[0]), y=_LOW_32)
        high = raw.BitwiseAnd(x=key_1 + np.uint64(index * WEYL_STEPS[1]), y=_LOW_32)
        lower_0, upper_0 = _split(a * np.uint64(MULTIPLIERS[0]))
        lower_1, upper_1 = _split(c * np.uint64(MULTIPLIERS[1]))
        a, b = raw.BitwiseXor(x=raw.BitwiseXor(x=upper_1, y=b), y=low), lower_1
        c, d = raw.BitwiseXor(x=raw.BitwiseXor(x=upper_0, y=d), y=high), lower_0
    return a, b, c, d


def _uniform(first: object, second: object) -> Any:
    """Makes numbers in [0, 1) of float64, each of two words; see `distributions.uniform_float64`."""
    upper = raw.LeftShift(x=raw.BitwiseAnd(x=first, y=np.uint64(0xFFFFF)), y=_SHIFT_32)
    fraction = raw.BitwiseOr(x=raw.BitwiseOr(x=upper, y=second), y=_ONE_BITS)
    return raw.Bitcast(input=fraction, type=float64) - np.float64(1)


def _cumulative(logits: BatchedValue) -> Any:
    """Returns unnormalized cumulative probabilities: a matrix with a row for each row, or with one row for all rows."""
    matrix = raw.Squeeze(input=logits.tensor, axis=[1]) if logits.is_batched else logits.tensor
    exact = raw.Cast(x=matrix, DstT=float64)
    is_finite = raw.IsFinite(x=exact)
    lowest = np.float64(np.finfo(np.float32).min)
    top = raw.Max(input=raw.SelectV2(condition=is_finite, t=exact, e=lowest), axis=[1], keep_dims=True)
    return raw.Cumsum(x=raw.SelectV2(condition=is_finite, t=raw.Exp(x=exact - top), e=np.float64(0)), axis=1)


def _classes(cumulative: Any, uniforms: Any) -> Any:
    """Returns the class that each number falls into."""
    draws = raw.ExpandDims(input=uniforms, dim=1) * cumulative[:, -1:]
    return raw.Sum(input=raw.Cast(x=raw.LessEqual(x=cumulative, y=draws), DstT=int64), axis=[1])
