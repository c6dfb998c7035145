"""Bounding the elements of arrays by numbers: what relu and clipping are made of.

NumPy has fast loops for the larger of two arrays, none for an array and a number (measured: 3 to 6 times slower; 50
times for the 16-bit floats, which it compares one by one). So a large array is compared block by block with an array
that holds the number. For the sign of 16-bit floats no number is needed: read as integers, those below zero are
negative.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.kernel_part import kernel_part

_FEWEST = 1 << 13
"""Elements from which on blocks are quicker."""
_FEWEST_OF_ONE_BLOCK = 1 << 11
"""Elements from which on one block is quicker than a number, where nothing else has to be found out."""
_BLOCK = 1 << 16
"""The number of elements that are compared at once; so many float32 take 256 kB."""
_ABOVE_NAN = {"float16": 0xFC00, "bfloat16": 0xFF80}
"""The bits of minus infinity: those of a negative NaN are above."""


@kernel_part
def clamp(xp: Xp, x: Array, low: Any, high: Any) -> Array:
    """Bounds each element by `low` from below and by `high` from above, as far as those are not None; NaN stays NaN.

    Args:
      x: an array of real numbers.
      low: a scalar of the dtype of `x`, or None.
      high: a scalar of the dtype of `x`, or None; where it is below `low`, `low` wins.
    """
    if x.size < _FEWEST or x.dtype.kind == "V" or not x.flags.c_contiguous:
        return _clamp_by_numbers(np, x, low, high)
    result = np.empty(x.shape, x.dtype)
    values, results = x.reshape(-1), result.reshape(-1)
    limits = [
        (function, _full(x.dtype, limit.item()))
        for function, limit in ((np.minimum, high), (np.maximum, low))
        if limit is not None
    ]
    for start in range(0, x.size, _BLOCK):
        part = values[start : start + _BLOCK]
        target = results[start : start + _BLOCK]
        for function, limit in limits:
            part = function(part, limit[: part.size], out=target)
    return result


def zeros_like(x: Array) -> Array:
    """Returns as many zeros as a vector has elements, at most 65,536, which the caller must not change."""
    return _full(x.dtype, 0.0)[: x.size]


@functools.lru_cache(maxsize=16)
def _full(dtype: np.dtype[Any], number: object) -> Array:
    """Returns a block that holds a number; the block is kept, because networks bound by the same numbers always."""
    return np.full(_BLOCK, number, dtype)


@clamp.kernel_for("xla")
def _clamp_by_numbers(xp: Any, x: Array, low: Any, high: Any) -> Array:
    if high is not None:
        x = xp.minimum(x, high)
    return x if low is None else xp.maximum(x, low)


@kernel_part
def without_negatives(xp: Xp, x: Array) -> Array:
    """Computes the larger of each element and zero; NaN stays NaN."""
    above_nan = _ABOVE_NAN.get(x.dtype.name)
    if above_nan is None or x.size < _FEWEST:
        return clamp(xp, x, np.zeros((), x.dtype), None)
    if not x.flags.c_contiguous:
        x = x.copy()
    if int(x.view(np.uint16).max()) > above_nan:
        return np.maximum(x, np.zeros((), x.dtype))
    return clamp(xp, x.view(np.int16), np.zeros((), np.int16), None).view(x.dtype)


def positive_parts(xp: Xp, dtype: np.dtype[Any]) -> Callable[[Array], Array]:
    """Returns a function that does what `without_negatives` does, for arrays of one dtype of at least 32 bits."""
    maximum, zero, zeros = np.maximum, np.zeros((), dtype), _full(dtype, 0.0)

    def run(x: Array) -> Array:
        size = x.size
        if size < _FEWEST_OF_ONE_BLOCK:
            return maximum(x, zero)
        if size <= _BLOCK:
            return maximum(x.reshape(-1), zeros[:size]).reshape(x.shape)
        return without_negatives(xp, x)

    return run


@without_negatives.kernel_for("xla")
def _xla_without_negatives(xp: Xp, x: Array) -> Array:
    return xp.maximum(x, xp.zeros((), x.dtype))
