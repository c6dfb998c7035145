"""Arithmetic of 16-bit floats in blocks of float32.

Problem: NumPy has no vectorized loops for float16, and `ml_dtypes` few for bfloat16: to add numbers of float16 takes 40
times as long as to add numbers of float32.

Idea: operands are widened to float32, computed with, and rounded once. A result of one operation is the same as if it
were computed exactly and rounded, because float32 has more than twice the digits. A block of elements stays in the
cache between the steps. The conversions of float16 are arithmetic on bits: a float16 is a float32 whose exponent is
smaller by 112, shifted by 13. Infinities, NaN and what overflows do not follow that rule: their blocks are converted by
NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

_FEWEST = 1 << 12
"""Elements from which on blocks are quicker."""
_BLOCK = 1 << 14
_Array = np.ndarray[Any, Any]
_FLOAT16, _FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)

_ONE, _MANTISSA_BITS, _SIGN_BITS = np.int32(1), np.int32(13), np.int32(16)
_ROUND_UP, _FLOAT16_BITS, _SIGN = np.int32(0xFFF), np.int32(-0x70002000), np.int32(-0x8000)
_EXPONENT, _INVERSE_EXPONENT = np.float32(2.0**112), np.float32(2.0**-112)
_OVERFLOW, _LEAST_NORMAL, _HALF = 65504.0, np.float32(2.0**-14), np.float32(0.5)


def widened(x: _Array) -> _Array:
    """Converts an array of float16 to float32."""
    return _converted(_widen, x, _FLOAT32)


def narrowed(x: _Array) -> _Array:
    """Rounds an array of float32 to float16."""
    return _converted(_narrow, x, _FLOAT16)


def _converted(convert: Callable[[_Array, _Array], Any], x: _Array, dtype: np.dtype[Any]) -> _Array:
    if x.size < _FEWEST:
        return x.astype(dtype)
    result = np.empty(x.shape, dtype)
    elements, results = x.reshape(-1), result.reshape(-1)
    for start in range(0, x.size, _BLOCK):
        convert(elements[start : start + _BLOCK], results[start : start + _BLOCK])
    return result


def _widen(x: _Array, out: _Array) -> None:
    """Writes a block of float16 as float32."""
    bits = x.view(np.int16)
    if bits.max() >= 0x7C00 or x.view(np.uint16).max() >= 0xFC00:  # infinity or NaN
        out[...] = x
        return
    wide_bits = out.view(np.int32)
    np.copyto(wide_bits, bits)
    np.left_shift(wide_bits, _MANTISSA_BITS, out=wide_bits)
    np.bitwise_and(wide_bits, _FLOAT16_BITS, out=wide_bits)  # the shift has spread the sign
    np.multiply(out, _EXPONENT, out=out)


def _narrow(x: _Array, out: _Array) -> None:
    """Writes a block of float32 as float16, rounded to even."""
    magnitudes = np.abs(x)
    if not magnitudes.max() <= _OVERFLOW:
        out[...] = x
        return
    bits = np.multiply(x, _INVERSE_EXPONENT).view(np.int32)
    scratch = np.right_shift(bits, _MANTISSA_BITS)
    np.bitwise_and(scratch, _ONE, out=scratch)
    np.add(bits, scratch, out=bits)
    np.add(bits, _ROUND_UP, out=bits)
    sign = np.right_shift(bits, _SIGN_BITS, out=scratch)
    np.bitwise_and(sign, _SIGN, out=sign)
    np.right_shift(bits, _MANTISSA_BITS, out=bits)
    if magnitudes.min() < _LEAST_NORMAL:
        _put_small(magnitudes, bits)
    np.bitwise_or(bits, sign, out=bits)
    np.copyto(out.view(np.int16), bits, casting="unsafe")


def _put_small(magnitudes: _Array, bits: _Array) -> None:
    """Writes the bits of numbers below the normal float16, all of which have the last digit 2 ** -24.

    That is the last digit of float32 numbers near 0.5: adding 0.5 rounds.
    """
    is_small = (magnitudes < _LEAST_NORMAL).astype(np.int32)
    np.add(magnitudes, _HALF, out=magnitudes)
    small_bits = magnitudes.view(np.int32)
    np.subtract(small_bits, _HALF.view(np.int32), out=small_bits)
    np.subtract(small_bits, bits, out=small_bits)
    np.multiply(small_bits, is_small, out=small_bits)
    np.add(bits, small_bits, out=bits)


# --- functions of 16-bit floats --------------------------------------------------------------------------------------


def half_function(ufunc: np.ufunc) -> Callable[..., _Array]:
    """Returns a ufunc as a function of arrays of one 16-bit type, rounded once; small arrays are left to the ufunc."""
    large: Callable[..., _Array] = functools.partial(
        _extreme if ufunc in (np.maximum, np.minimum) else _in_single, ufunc
    )

    def function(*arrays: _Array) -> _Array:
        if arrays[0].size < _FEWEST and arrays[-1].size < _FEWEST:
            return ufunc(*arrays)
        return large(*arrays)

    return function


def half_extreme(ufunc: np.ufunc) -> Callable[..., _Array]:
    """Returns the reduction by `maximum` or `minimum` of arrays of 16-bit floats: `(x, axes, keepdims) -> array`."""

    def reduce(x: _Array, axes: tuple[int, ...] | None, keepdims: bool) -> _Array:
        if x.size < _FEWEST or _has_nan(x):
            return np.asarray(ufunc.reduce(x, axis=axes, keepdims=keepdims))
        keys = ufunc.reduce(_ordered_bits(x.view(np.int16)), axis=axes, keepdims=keepdims)
        return _ordered_bits(np.asarray(keys)).view(x.dtype)

    return reduce


def _in_single(ufunc: np.ufunc, *arrays: _Array) -> _Array:
    """Computes in blocks of float32."""
    largest = max(arrays, key=_size)
    if any(not _is_aligned(array, largest) for array in arrays):
        return ufunc(*arrays)
    dtype = largest.dtype
    is_predicate = "ff->?" in ufunc.types
    result = np.empty(largest.shape, bool if is_predicate else dtype)
    flat_arrays = [array.reshape(-1) for array in arrays]
    numbers = [array.astype(np.float32) if array.size == 1 else None for array in flat_arrays]
    widen = _widen if dtype == _FLOAT16 else _assign
    narrow = _assign if is_predicate else _narrow if dtype == _FLOAT16 else _assign
    results = result.reshape(-1)
    with np.errstate(all="ignore"):
        for start in range(0, largest.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            out = results[part]
            operands = [_operand(a, number, part, widen) for a, number in zip(flat_arrays, numbers, strict=True)]
            narrow(ufunc(*operands), out)
    return result


def _operand(array: _Array, number: _Array | None, part: slice, widen: Callable[[_Array, _Array], None]) -> _Array:
    """Returns a block of an operand in float32, or the number that the operand is."""
    if number is not None:
        return number
    piece = array[part]
    wide_piece = np.empty(piece.shape, np.float32)
    widen(piece, wide_piece)
    return wide_piece


def _assign(x: _Array, out: _Array) -> None:
    out[...] = x


def _size(array: _Array) -> int:
    return array.size


def _is_aligned(array: _Array, largest: _Array) -> bool:
    """Tells whether an operand is a number, or in memory as the largest operand is."""
    return array.size == 1 or (array.shape == largest.shape and array.flags.c_contiguous)


def _extreme(ufunc: np.ufunc, x: _Array, y: _Array) -> _Array:
    """Compares 16-bit floats as integers of the same order, where there is no NaN."""
    if x.shape != y.shape or not (x.flags.c_contiguous and y.flags.c_contiguous):
        return ufunc(x, y)
    result = np.empty(x.shape, x.dtype)
    flat_x, flat_y, results = x.reshape(-1), y.reshape(-1), result.reshape(-1)
    for start in range(0, x.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        pieces = flat_x[part], flat_y[part]
        if any(map(_has_nan, pieces)):
            ufunc(*pieces, out=results[part])
        else:
            keys = ufunc(*[_ordered_bits(piece.view(np.int16)) for piece in pieces])
            results[part] = _ordered_bits(keys).view(x.dtype)
    return result


def _has_nan(x: _Array) -> bool:
    """Tells whether an array of 16-bit floats holds a NaN, whose bits are above those of infinity."""
    infinity = 0x7C00 if x.dtype == _FLOAT16 else 0x7F80
    return int(x.view(np.int16).max()) > infinity or int(x.view(np.uint16).max()) > infinity + 0x8000


def _ordered_bits(bits: _Array) -> _Array:
    """Returns integers in the order of the floats with these bits; the function undoes itself."""
    ordered: _Array = bits >> np.int16(15) & np.int16(0x7FFF)
    return ordered ^ bits
