"""Arithmetic of 16-bit floats in blocks of float32.

Problem: NumPy has no vectorized loops for float16, and `ml_dtypes` few for bfloat16: to add numbers of float16 takes 40
times as long as to add numbers of float32.

Idea: operands are widened to float32, computed with, and rounded once. A result of one operation is the same as if it
were computed exactly and rounded, because float32 has more than twice the digits. A block of elements stays in the
cache between the steps. The conversions of float16 are arithmetic on bits: shifted by 13, the bits of a float16 are
those of a float32 that is 2 ** 112 times as small (a *scaled* number). Sums of scaled numbers are scaled sums.
Infinities, NaN and what overflows do not follow that rule: their blocks are computed by NumPy. Where only the order of
numbers counts, they are compared as integers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.util.thread_pool import run_in_blocks

_FEWEST = 1 << 12
"""Elements from which on blocks are quicker."""
_BLOCK = 1 << 16
"""The most elements of a block: its three arrays of float32 fit a processor's second cache."""
_NANOSECONDS = 0.8
_Array = np.ndarray[Any, Any]
_FLOAT16, _FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)


def _constant(number: int) -> _Array:
    """Makes an array of no dimensions: NumPy's functions take it in half the time that a number takes."""
    return np.array(number, np.int32)


_ONE, _MANTISSA_BITS, _SIGN_BITS = map(_constant, (1, 13, 16))
_ROUND_UP, _FLOAT16_BITS, _FLOAT32_SIGN = map(_constant, (0xFFF, -0x70002000, -0x80000000))
_SIGN, _ONE_BIT = np.array(-0x8000, np.int16), np.array(1, np.uint32)
_WIDE, _SCALE = np.array(2.0**112, np.float32), np.array(2.0**-112, np.float32)
_HALF, _SMALLEST_NORMAL = np.array(0.5, np.float32), np.array(2.0**-14, np.float32)
_INFINITE = 0x0F7FF000
"""The bits of the scaled 65520, from which on numbers are rounded to infinity."""
_MIN_NORMAL = 0x00800000
"""The bits of the scaled 2 ** -14, the smallest normal float16."""
_MAX_SMALL, _NONE = np.array(_MIN_NORMAL - 1, np.uint32), np.array([], np.int64)
_SCALED_FUNCTIONS = (np.add, np.subtract)
"""The functions that give scaled results of scaled numbers, exactly as far as those are small."""


def widen(x: _Array) -> _Array:
    """Converts an array of float16 to float32."""
    return _convert(_widen, x, _FLOAT32)


def narrow(x: _Array) -> _Array:
    """Rounds an array of float32 to float16."""
    return _convert(_narrow, x, _FLOAT16)


def _convert(convert: Callable[[_Array, _Array], Any], x: _Array, dtype: np.dtype[Any]) -> _Array:
    if x.size < _FEWEST:
        return x.astype(dtype)
    result = np.empty(x.shape, dtype)
    elements, results = x.reshape(-1), result.reshape(-1)
    _in_blocks(x.size, lambda part: convert(elements[part], results[part]))
    return result


def _in_blocks(size: int, work: Callable[[slice], Any]) -> None:
    """Calls a function with the slice of each block, in several threads where that pays."""
    with np.errstate(all="ignore"):
        run_in_blocks(size, _BLOCK, lambda start, stop: work(slice(start, stop)), nanoseconds=_NANOSECONDS)


def _widen(x: _Array, out: _Array) -> None:
    """Writes a block of float16 as float32."""
    if _has_special(x):
        out[...] = x
    else:
        np.multiply(_scale(x, out), _WIDE, out=out)


def _has_special(x: _Array) -> bool:
    """Returns whether there is an infinity or a NaN among numbers of float16."""
    return bool(x.view(np.int16).max() >= 0x7C00 or x.view(np.uint16).max() >= 0xFC00)


def _scale(x: _Array, out: _Array) -> _Array:
    """Writes a block of float16 as scaled float32; returns `out`."""
    bits = out.view(np.int32)
    np.copyto(bits, x.view(np.int16))
    np.left_shift(bits, _MANTISSA_BITS, out=bits)
    np.bitwise_and(bits, _FLOAT16_BITS, out=bits)  # the shift has spread the sign
    return out


def _narrow(x: _Array, out: _Array) -> None:
    """Writes a block of float32 as float16, rounded to even."""
    scaled = np.multiply(x, _SCALE)
    magnitudes = np.abs(scaled).view(np.uint32)
    if magnitudes.max() >= _INFINITE:
        out[...] = x
        return
    # Numbers below the normal ones have lost digits, but for zeros, which the subtraction makes the largest integers.
    np.subtract(magnitudes, _ONE_BIT, out=magnitudes)
    if magnitudes.min() < _MIN_NORMAL - 1:
        (small_positions,) = np.nonzero(np.less(magnitudes, _MAX_SMALL))
    else:
        small_positions = _NONE
    are_many_small = small_positions.size > x.size >> 7  # to convert one takes 50 ns, to put all 30 us a block
    if are_many_small:
        _put_small(x, scaled.view(np.int32))
    _round(scaled.view(np.int32), magnitudes.view(np.int32), out)
    if small_positions.size and not are_many_small:
        out[small_positions] = x[small_positions]


def _put_small(x: _Array, bits: _Array) -> None:
    """Rounds the scaled numbers below the normal float16, all of which have the last digit 2 ** -24.

    That is the last digit of float32 numbers near 0.5: adding 0.5 rounds.
    """
    magnitudes = np.abs(x)
    is_small = np.less(magnitudes, _SMALLEST_NORMAL).view(np.int8)
    rounded_bits = np.add(magnitudes, _HALF, out=magnitudes).view(np.int32)
    np.subtract(rounded_bits, _HALF.view(np.int32), out=rounded_bits)
    np.left_shift(rounded_bits, _MANTISSA_BITS, out=rounded_bits)
    np.bitwise_or(rounded_bits, np.bitwise_and(bits, _FLOAT32_SIGN), out=rounded_bits)
    np.subtract(rounded_bits, bits, out=rounded_bits)
    np.multiply(rounded_bits, is_small, out=rounded_bits)
    np.add(bits, rounded_bits, out=bits)


def _round(bits: _Array, scratch: _Array, out: _Array) -> None:
    """Writes the float16 nearest to the scaled numbers with these bits; changes the bits."""
    np.right_shift(bits, _MANTISSA_BITS, out=scratch)
    np.bitwise_and(scratch, _ONE, out=scratch)
    np.add(bits, scratch, out=bits)
    np.add(bits, _ROUND_UP, out=bits)
    np.right_shift(bits, _SIGN_BITS, out=scratch)
    np.right_shift(bits, _MANTISSA_BITS, out=bits)
    sign, result = scratch.astype(np.int16), out.view(np.int16)
    np.bitwise_and(sign, _SIGN, out=sign)
    np.copyto(result, bits, casting="unsafe")
    np.bitwise_or(result, sign, out=result)


# --- functions of 16-bit floats --------------------------------------------------------------------------------------


def half_function(ufunc: np.ufunc) -> Callable[..., _Array]:
    """Returns a ufunc as a function of arrays of one 16-bit type, rounded once; small arrays are left to the ufunc."""
    large = _form_of_large(ufunc)

    def function(*arrays: _Array) -> _Array:
        if arrays[0].size < _FEWEST and arrays[-1].size < _FEWEST:
            return ufunc(*arrays)
        return large(*arrays)

    return function


def _form_of_large(ufunc: np.ufunc) -> Callable[..., _Array]:
    """Returns a ufunc's form for large arrays."""
    if ufunc in _SIGN_FUNCTIONS:
        return functools.partial(_change_sign, *_SIGN_FUNCTIONS[ufunc])
    if ufunc in _EXTREMES or ufunc in _COMPARISONS:
        return functools.partial(_compare, ufunc)
    return functools.partial(_by_table if ufunc.nin == 1 else _in_single, ufunc)


def half_extreme(ufunc: np.ufunc) -> Callable[..., _Array]:
    """Returns the reduction by `maximum` or `minimum` of arrays of 16-bit floats: `(x, axes, keepdims) -> array`."""

    def reduce(x: _Array, axes: tuple[int, ...] | None, keepdims: bool) -> _Array:
        if x.size < _FEWEST or _has_nan(x):
            return np.asarray(ufunc.reduce(x, axis=axes, keepdims=keepdims))
        keys = ufunc.reduce(_ordered_bits(x.view(np.int16)), axis=axes, keepdims=keepdims)
        return _ordered_bits(np.asarray(keys)).view(x.dtype)

    return reduce


# --- in float32 ------------------------------------------------------------------------------------------------------


def _in_single(ufunc: np.ufunc, *arrays: _Array) -> _Array:
    """Computes in blocks of float32."""
    largest = max(arrays, key=_size)
    if not _are_aligned(arrays, largest):
        return ufunc(*arrays)
    result = np.empty(largest.shape, largest.dtype)
    flat_arrays, results = [array.reshape(-1) for array in arrays], result.reshape(-1)
    if largest.dtype != _FLOAT16:
        _compute_bfloat16(ufunc, flat_arrays, results)
        return result
    compute = _compute_scaled if ufunc in _SCALED_FUNCTIONS else _compute_float16
    _in_blocks(
        largest.size,
        lambda part: compute(ufunc, [a if a.size == 1 else a[part] for a in flat_arrays], results[part]),
    )
    return result


def _compute_bfloat16(ufunc: np.ufunc, arrays: Sequence[_Array], out: _Array) -> None:
    from millrace._src.util import bfloat16  # only many numbers of bfloat16 need it

    bfloat16.compute(ufunc, arrays, out)


def _compute_float16(ufunc: np.ufunc, arrays: Sequence[_Array], out: _Array) -> None:
    wide_arrays = [np.empty(array.shape, np.float32) for array in arrays]
    for array, wide_array in zip(arrays, wide_arrays, strict=True):
        _widen(array, wide_array)
    _narrow(ufunc(*wide_arrays, out=max(wide_arrays, key=_size)), out)


def _compute_scaled(ufunc: np.ufunc, arrays: Sequence[_Array], out: _Array) -> None:
    """Computes numbers of float16 by a function that scaled numbers have, too."""
    if any(map(_has_special, arrays)):
        ufunc(*arrays, out=out)
        return
    scaled_arrays = [_scale(array, np.empty(array.shape, np.float32)) for array in arrays]
    scaled = ufunc(*scaled_arrays, out=max(scaled_arrays, key=_size))
    magnitudes = np.abs(scaled).view(np.int32)
    if magnitudes.max() >= _INFINITE:
        ufunc(*arrays, out=out)
    else:
        _round(scaled.view(np.int32), magnitudes, out)


def _size(array: _Array) -> int:
    return array.size


def _are_aligned(arrays: Sequence[_Array], largest: _Array) -> bool:
    """Returns whether each operand is a number, or in memory as the largest operand is."""
    return all(a.size == 1 or (a.shape == largest.shape and a.flags.c_contiguous) for a in arrays)


# --- as integers -----------------------------------------------------------------------------------------------------

_SIGN_FUNCTIONS: dict[np.ufunc, tuple[np.ufunc, _Array]] = {
    np.absolute: (np.bitwise_and, np.array(0x7FFF, np.int16)),
    np.negative: (np.bitwise_xor, _SIGN),
}
_EXTREMES = (np.maximum, np.minimum)
_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
_FEWEST_OF_TABLE = 1 << 16
_SHIFT_TO_SIGN, _ALL_BUT_SIGN = np.array(15, np.int16), np.array(0x7FFF, np.int16)


def _change_sign(change: np.ufunc, bits: _Array, x: _Array) -> _Array:
    changed: _Array = change(x.view(np.int16), bits)
    return changed.view(x.dtype)


def _by_table(ufunc: np.ufunc, x: _Array) -> _Array:
    """Looks the results up in a table of all 65,536."""
    if x.size < _FEWEST_OF_TABLE:
        return _in_single(ufunc, x) if "f->f" in ufunc.types else ufunc(x)
    table = _table(ufunc, x.dtype)
    result = np.empty(x.shape, table.dtype)
    positions, results = x.view(np.uint16).reshape(-1), result.reshape(-1)
    _in_blocks(x.size, lambda part: table.take(positions[part], out=results[part], mode="clip"))
    return result


@functools.lru_cache(maxsize=32)
def _table(ufunc: np.ufunc, dtype: np.dtype[Any]) -> _Array:
    with np.errstate(all="ignore"):
        return ufunc(np.arange(1 << 16, dtype=np.uint16).view(dtype))


def _compare(ufunc: np.ufunc, x: _Array, y: _Array) -> _Array:
    """Compares 16-bit floats as integers of the same order, where there is no NaN."""
    largest = max(x, y, key=_size)
    if not _are_aligned((x, y), largest):
        return ufunc(x, y)
    result = np.empty(largest.shape, largest.dtype if ufunc in _EXTREMES else bool)
    flat_arrays, results = (x.reshape(-1), y.reshape(-1)), result.reshape(-1)
    if ufunc in _COMPARISONS and largest.dtype != _FLOAT16:
        _compute_bfloat16(ufunc, flat_arrays, results)
        return result
    compute = _compute_extreme if ufunc in _EXTREMES else _compute_order

    def work(part: slice) -> None:
        pieces = [array if array.size == 1 else array[part] for array in flat_arrays]
        compute(ufunc, pieces, results[part])

    _in_blocks(largest.size, work)
    return result


def _compute_extreme(ufunc: np.ufunc, arrays: Sequence[_Array], out: _Array) -> None:
    if any(map(_has_nan, arrays)):
        ufunc(*arrays, out=out)
    else:
        keys = ufunc(*[_ordered_bits(array.view(np.int16)) for array in arrays])
        _order_bits(keys, out.view(np.int16))


def _compute_order(ufunc: np.ufunc, arrays: Sequence[_Array], out: _Array) -> None:
    """Compares numbers of float16 as integers, where -0 is 0."""
    magnitudes = [np.bitwise_and(array.view(np.int16), _ALL_BUT_SIGN) for array in arrays]
    if max(int(m.max()) for m in magnitudes) > 0x7C00:  # NaN
        ufunc(*arrays, out=out)
        return
    for array, numbers in zip(arrays, magnitudes, strict=True):
        sign = np.right_shift(array.view(np.int16), _SHIFT_TO_SIGN)
        np.bitwise_xor(numbers, sign, out=numbers)
        np.subtract(numbers, sign, out=numbers)
    ufunc(*magnitudes, out=out)


def _has_nan(x: _Array) -> bool:
    """Returns whether an array of 16-bit floats holds a NaN, whose bits are above those of infinity."""
    infinity = 0x7C00 if x.dtype == _FLOAT16 else 0x7F80
    return int(x.view(np.int16).max()) > infinity or int(x.view(np.uint16).max()) > infinity + 0x8000


def _ordered_bits(bits: _Array) -> _Array:
    """Returns integers in the order of the floats with these bits, -0 before 0; the function undoes itself."""
    ordered_bits = np.empty(bits.shape, np.int16)
    _order_bits(bits, ordered_bits)
    return ordered_bits


def _order_bits(bits: _Array, out: _Array) -> None:
    np.right_shift(bits, _SHIFT_TO_SIGN, out=out)
    np.bitwise_and(out, _ALL_BUT_SIGN, out=out)
    np.bitwise_xor(out, bits, out=out)
