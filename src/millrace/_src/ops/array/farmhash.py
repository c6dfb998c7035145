"""FarmHash's 64-bit fingerprint, the hash that TensorFlow promises never to change.

Written from the published algorithm (Geoff Pike, FarmHash 1.1, `farmhashna::Hash64`, MIT licence): short keys take a
few multiplications, long keys are read 64 bytes at a time. All arithmetic is modulo 2**64.

The steps are written once for a key, a bytes object whose words are Python integers, and for many keys, packed strings
whose words are vectors of uint64. The length is then a vector, too: what counts is only whether keys have up to 3, 7,
16, 32 or 64 bytes, or how many times 64.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.strings.packed import PackedStrings, pack

_Key: TypeAlias = "bytes | PackedStrings"
_Word: TypeAlias = Any
"""A Python integer, or a vector of uint64."""
_FEW = 24
"""From how many keys on they are hashed together."""
_AT_ONCE = 1 << 14
"""How many keys are hashed together at most, so that the vectors stay in cache."""
_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_read64 = struct.Struct("<Q").unpack_from
_read_four = struct.Struct("<4Q").unpack_from
_read32 = struct.Struct("<I").unpack_from


def fingerprint64(key: bytes) -> int:
    """Computes the fingerprint of a byte string.

    >>> from millrace._src.ops.array.farmhash import fingerprint64
    >>> fingerprint64(b"a")
    12917804110809363939
    """
    size = len(key)
    hashed: int = _KIND_OF[size](key, size) if size <= 64 else _long(key, size, (size - 1) // 64 * 64)
    return hashed


def fingerprints64(keys: Sequence[bytes]) -> Array:
    """Computes the fingerprint of every byte string.

    >>> from millrace._src.ops.array.farmhash import fingerprints64
    >>> fingerprints64([b"a"])
    array([12917804110809363939], dtype=uint64)
    """
    if len(keys) <= _FEW:
        return np.array([fingerprint64(key) for key in keys], np.uint64)
    return fingerprint_packed(pack(keys))


def fingerprint_packed(keys: PackedStrings) -> Array:
    """Computes the fingerprint of every packed string."""
    hashes = np.empty(len(keys), np.uint64)
    for start in range(0, len(keys), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        _hash_by_kind(keys.select(part), hashes[part])
    return hashes


_LONG = 6
_KINDS = np.repeat(np.arange(_LONG + 1), (1, 3, 4, 9, 16, 32, 1))
"""The kind of a key by its length: the index in `_SHORT_KINDS`, or `_LONG` from 65 bytes on."""


def _hash_by_kind(keys: PackedStrings, out: Array) -> None:
    """Writes the fingerprints of keys, those of one kind at a time."""
    kinds = _KINDS.take(keys.sizes, mode="clip")
    counts = np.bincount(kinds, minlength=_LONG + 1)
    for kind, hash_of_kind in enumerate(_SHORT_KINDS):
        if counts[kind]:
            _hash_some(keys, kinds == kind, hash_of_kind, out)
    if counts[_LONG]:
        ends = np.where(kinds == _LONG, (keys.sizes - 1) >> 6 << 6, 0)
        for end in np.unique(ends[ends > 0]).tolist():
            _hash_some(keys, ends == end, functools.partial(_long, end=end), out)


def _hash_some(keys: PackedStrings, is_meant: Array, hash_of_kind: Callable[..., _Word], out: Array) -> None:
    (chosen,) = np.nonzero(is_meant)
    group = keys if len(chosen) == len(keys) else keys.select(chosen)
    if len(chosen) < _FEW:
        out[chosen] = [fingerprint64(key) for key in group]
    else:
        out[chosen] = hash_of_kind(group, group.sizes.view(np.uint64))


def _rotate(value: _Word, shift: int) -> _Word:
    value &= _MASK
    return (value >> shift | value << (64 - shift)) & _MASK


def _shift_mix(value: _Word) -> _Word:
    value &= _MASK
    return value ^ value >> 47


def _mix(u: _Word, v: _Word, mul: _Word) -> _Word:
    a = _shift_mix((u ^ v) * mul)
    return _shift_mix((v ^ a) * mul) * mul & _MASK


def _word(key: _Key, at: _Word) -> _Word:
    """Returns the eight bytes from a position on."""
    if isinstance(key, bytes):
        return _read64(key, at)[0]
    return key.words_at(at if isinstance(at, int) else at.view(np.int64))


def _half(key: _Key, at: _Word) -> _Word:
    """Returns the four bytes from a position on."""
    return _read32(key, at)[0] if isinstance(key, bytes) else _word(key, at) & 0xFFFFFFFF


def _byte(key: _Key, at: _Word) -> _Word:
    return key[at] if isinstance(key, bytes) else _word(key, at) & 0xFF


# --- keys of up to 64 bytes -------------------------------------------------------------------------------------------


def _of_none(key: _Key, size: _Word) -> _Word:
    return _K2


def _up_to_3(key: _Key, size: _Word) -> _Word:
    y = _byte(key, 0) + (_byte(key, size >> 1) << 8)
    z = size + (_byte(key, size - 1) << 2)
    return _shift_mix(y * _K2 & _MASK ^ z * _K0 & _MASK) * _K2 & _MASK


def _up_to_7(key: _Key, size: _Word) -> _Word:
    return _mix(size + (_half(key, 0) << 3), _half(key, size - 4), _K2 + size * 2)


def _up_to_16(key: _Key, size: _Word) -> _Word:
    mul = _K2 + size * 2
    a = _word(key, 0) + _K2 & _MASK
    b = _word(key, size - 8)
    return _mix(_rotate(b, 37) * mul + a & _MASK, (_rotate(a, 25) + b) * mul & _MASK, mul)


def _up_to_32(key: _Key, size: _Word) -> _Word:
    mul = _K2 + size * 2
    a, b = _word(key, 0) * _K1, _word(key, 8)
    c, d = _word(key, size - 8) * mul, _word(key, size - 16) * _K2
    return _mix(_rotate(a + b, 43) + _rotate(c, 30) + d & _MASK, a + _rotate(b + _K2, 18) + c & _MASK, mul)


def _up_to_64(key: _Key, size: _Word) -> _Word:
    mul = _K2 + size * 2
    a, b = _word(key, 0) * _K2, _word(key, 8)
    c, d = _word(key, size - 8) * mul, _word(key, size - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d & _MASK
    z = _mix(y, a + _rotate(b + _K2, 18) + c & _MASK, mul)
    e, f = _word(key, 16) * mul, _word(key, 24)
    g, h = (y + _word(key, size - 32)) * mul, (z + _word(key, size - 24)) * mul
    return _mix(_rotate(e + f, 43) + _rotate(g, 30) + h & _MASK, e + _rotate(f + a, 18) + g & _MASK, mul)


_SHORT_KINDS = (_of_none, _up_to_3, _up_to_7, _up_to_16, _up_to_32, _up_to_64)
_KIND_OF = [_SHORT_KINDS[kind] for kind in _KINDS[:-1]]
"""What hashes a key, by the length of the key."""


# --- longer keys ------------------------------------------------------------------------------------------------------


def _long(key: _Key, size: _Word, end: int) -> _Word:
    """Hashes a key, or keys, that have between one and 64 bytes behind `end`, a multiple of 64."""
    x, y = 81, 81 * _K1 + 113 & _MASK
    z = _shift_mix(y * _K2 + 113) * _K2 & _MASK
    v = w = (0, 0)
    x = (x * _K2 & _MASK) + _word(key, 0) & _MASK
    x, y, z, v, w = _rounds(key, end, x, y, z, v, w)
    remainder = (size - 1) & 63
    mul = _K1 + ((z & 0xFF) << 1)
    w = (w[0] + remainder & _MASK, w[1])
    v = (v[0] + w[0] & _MASK, v[1])
    w = (w[0] + v[0] & _MASK, w[1])
    x, y, z, v, w = _round(key, end + remainder - 63, x, y, z, v, w, mul, 9)
    low = _mix(v[0], w[0], mul) + _shift_mix(y) * _K0 + z & _MASK
    return _mix(low, _mix(v[1], w[1], mul) + x & _MASK, mul)


_Pair: TypeAlias = tuple[_Word, _Word]
_State: TypeAlias = tuple[_Word, _Word, _Word, _Pair, _Pair]


def _rounds(key: _Key, end: int, x: _Word, y: _Word, z: _Word, v: _Pair, w: _Pair) -> _State:
    """Mixes all bytes before `end` into the state: `_round` for each 64 bytes, with its calls written out."""
    (v0, v1), (w0, w1), mask, mul = v, w, _MASK, _K1
    for k0, k1, k2, k3, k4, k5, k6, k7 in _words_by_eight(key, end):
        x = x + y + v0 + k1 & mask
        x = ((x >> 37 | x << 27) & mask) * mul & mask ^ w1
        y = y + v1 + k6 & mask
        y = ((y >> 42 | y << 22) & mask) * mul + v0 + k5 & mask
        z = z + w0 & mask
        z = ((z >> 33 | z << 31) & mask) * mul & mask
        a = v1 * mul + k0
        b = x + w0 + a + k3 & mask
        c = a + k1 + k2 & mask
        v0, v1 = c + k3 & mask, ((b >> 21 | b << 43) & mask) + ((c >> 44 | c << 20) & mask) + a & mask
        a = z + w1 + k4
        b = y + k2 + a + k7 & mask
        c = a + k5 + k6 & mask
        w0, w1 = c + k7 & mask, ((b >> 21 | b << 43) & mask) + ((c >> 44 | c << 20) & mask) + a & mask
        x, z = z, x
    return x, y, z, (v0, v1), (w0, w1)


def _words_by_eight(key: _Key, end: int) -> Iterable[Sequence[_Word]]:
    if isinstance(key, bytes):
        return struct.iter_unpack("<8Q", key[:end])
    return ([key.words_at(at + 8 * index) for index in range(8)] for at in range(0, end, 64))


def _round(key: _Key, at: _Word, x: _Word, y: _Word, z: _Word, v: _Pair, w: _Pair, mul: _Word, weight: int) -> _State:
    """Mixes 64 bytes into the state."""
    x = _rotate(x + y + v[0] + _word(key, at + 8), 37) * mul & _MASK
    y = _rotate(y + v[1] + _word(key, at + 48), 42) * mul
    x ^= w[1] * weight & _MASK
    y = y + v[0] * weight + _word(key, at + 40) & _MASK
    z = _rotate(z + w[0], 33) * mul & _MASK
    v = _weak(key, at, v[1] * mul, x + w[0])
    w = _weak(key, at + 32, z + w[1], y + _word(key, at + 16))
    return z, y, x, v, w


def _weak(key: _Key, at: _Word, a: _Word, b: _Word) -> _Pair:
    """Computes a quick hash of 32 bytes and two seeds."""
    if isinstance(key, bytes):
        first, second, third, fourth = _read_four(key, at)
    else:
        first, second, third, fourth = (_word(key, at + 8 * index) for index in range(4))
    a = a + first
    b = _rotate(b + a + fourth, 21)
    c = a
    a = a + second + third
    b = b + _rotate(a, 44)
    return a + fourth & _MASK, b + c & _MASK


_MURMUR = np.uint64(0xC6A4A7935BD1E995)


def combine_fingerprints(first: Any, second: Any) -> Any:
    """Combines arrays of fingerprints, element by element, as the crosses of features do; the order matters.

    The steps are those of MurmurHash2 (Austin Appleby, 64-bit version A) for one word, `second`, and the seed `first`.

    >>> from millrace._src.ops.array.farmhash import combine_fingerprints
    >>> combine_fingerprints(np.uint64(0), np.array([1], np.uint64)).tolist()
    [3322498177733977010]
    """
    word = second * _MURMUR
    result = (first ^ _MURMUR ^ (word ^ word >> np.uint64(47)) * _MURMUR) * _MURMUR
    result = (result ^ result >> np.uint64(47)) * _MURMUR
    return result ^ result >> np.uint64(47)
