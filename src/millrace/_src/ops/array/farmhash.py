"""FarmHash's 64-bit fingerprint, the hash that TensorFlow promises never to change.

Written from the published algorithm (Geoff Pike, FarmHash 1.1, `farmhashna::Hash64`, MIT licence): short keys take a
few multiplications, long keys are read 64 bytes at a time. All arithmetic is modulo 2**64.

The steps for keys of up to 64 bytes are written once for a key, a bytes object whose words are Python integers, and for
many keys of one length, the rows of a matrix of bytes whose words are vectors of uint64.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core.array_namespace import Array

_Key: TypeAlias = "bytes | Array"
_Word: TypeAlias = Any
"""A Python integer, or a vector of uint64."""
_FEW = 64
_AT_ONCE = 1 << 16
"""From how many keys on they are hashed together, and how many at most."""
_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_read64 = struct.Struct("<Q").unpack_from
_read32 = struct.Struct("<I").unpack_from


def fingerprint64(key: bytes) -> int:
    """Computes the fingerprint of a byte string.

    >>> from millrace._src.ops.array.farmhash import fingerprint64
    >>> fingerprint64(b"a")
    12917804110809363939
    """
    size = len(key)
    hashed: int = _up_to_64_bytes(key, size) if size <= 64 else _long(key, size)
    return hashed


def fingerprints64(keys: Sequence[bytes]) -> Array:
    """Computes the fingerprint of every byte string, of all those of one length together.

    >>> from millrace._src.ops.array.farmhash import fingerprints64
    >>> fingerprints64([b"a"])
    array([12917804110809363939], dtype=uint64)
    """
    if len(keys) > _AT_ONCE:
        parts = [fingerprints64(keys[at : at + _AT_ONCE]) for at in range(0, len(keys), _AT_ONCE)]
        return np.concatenate(parts)
    if len(keys) < _FEW:
        return np.array([fingerprint64(key) for key in keys], np.uint64)
    sizes = np.fromiter(map(len, keys), np.int64, len(keys))
    texts = np.empty(len(keys), object)
    texts[:] = keys
    hashes = np.empty(len(keys), np.uint64)
    for size in np.unique(sizes).tolist():
        places = np.flatnonzero(sizes == size)
        group = texts[places]
        if len(places) < _FEW or size == 0 or size > 64:
            hashes[places] = [fingerprint64(key) for key in group.tolist()]
        else:
            hashes[places] = _up_to_64_bytes(group.astype(f"S{size}").view(np.uint8).reshape(-1, size), size)
    return hashes


def _up_to_64_bytes(key: _Key, size: int) -> _Word:
    if size <= 16:
        return _up_to_16(key, size)
    return _up_to_32(key, size) if size <= 32 else _up_to_64(key, size)


def _rotate(value: _Word, shift: int) -> _Word:
    value &= _MASK
    return (value >> shift | value << (64 - shift)) & _MASK


def _shift_mix(value: _Word) -> _Word:
    value &= _MASK
    return value ^ value >> 47


def _mix(u: _Word, v: _Word, mul: int) -> _Word:
    a = _shift_mix((u ^ v) * mul)
    return _shift_mix((v ^ a) * mul) * mul & _MASK


def _word(key: _Key, at: int) -> _Word:
    """Returns the eight bytes from a place on."""
    if isinstance(key, bytes):
        return _read64(key, at)[0]
    return np.ascontiguousarray(key[:, at : at + 8]).view("<u8").reshape(-1)


def _half(key: _Key, at: int) -> _Word:
    """Returns the four bytes from a place on."""
    if isinstance(key, bytes):
        return _read32(key, at)[0]
    return np.ascontiguousarray(key[:, at : at + 4]).view("<u4").reshape(-1).astype(np.uint64)


def _byte(key: _Key, at: int) -> _Word:
    return key[at] if isinstance(key, bytes) else key[:, at].astype(np.uint64)


def _up_to_16(key: _Key, size: int) -> _Word:
    if size >= 8:
        mul = _K2 + size * 2
        a = _word(key, 0) + _K2 & _MASK
        b = _word(key, size - 8)
        return _mix(_rotate(b, 37) * mul + a & _MASK, (_rotate(a, 25) + b) * mul & _MASK, mul)
    if size >= 4:
        return _mix(size + (_half(key, 0) << 3), _half(key, size - 4), _K2 + size * 2)
    if size:
        y = _byte(key, 0) + (_byte(key, size >> 1) << 8)
        z = size + (_byte(key, size - 1) << 2)
        return _shift_mix(y * _K2 & _MASK ^ z * _K0 & _MASK) * _K2 & _MASK
    return _K2


def _up_to_32(key: _Key, size: int) -> _Word:
    mul = _K2 + size * 2
    a, b = _word(key, 0) * _K1, _word(key, 8)
    c, d = _word(key, size - 8) * mul, _word(key, size - 16) * _K2
    return _mix(_rotate(a + b, 43) + _rotate(c, 30) + d & _MASK, a + _rotate(b + _K2, 18) + c & _MASK, mul)


def _up_to_64(key: _Key, size: int) -> _Word:
    mul = _K2 + size * 2
    a, b = _word(key, 0) * _K2, _word(key, 8)
    c, d = _word(key, size - 8) * mul, _word(key, size - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d & _MASK
    z = _mix(y, a + _rotate(b + _K2, 18) + c & _MASK, mul)
    e, f = _word(key, 16) * mul, _word(key, 24)
    g, h = (y + _word(key, size - 32)) * mul, (z + _word(key, size - 24)) * mul
    return _mix(_rotate(e + f, 43) + _rotate(g, 30) + h & _MASK, e + _rotate(f + a, 18) + g & _MASK, mul)


def _weak(key: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Computes a quick hash of 32 bytes and two seeds."""
    w, x, y, z = struct.unpack_from("<4Q", key, at)
    a += w
    b = _rotate(b + a + z, 21)
    c = a
    a += x + y
    b += _rotate(a, 44)
    return a + z & _MASK, b + c & _MASK


def _round(
    key: bytes, at: int, x: int, y: int, z: int, v: tuple[int, int], w: tuple[int, int], mul: int, weight: int
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:
    """Mixes 64 bytes into the state."""
    x = _rotate(x + y + v[0] + _word(key, at + 8), 37) * mul & _MASK
    y = _rotate(y + v[1] + _word(key, at + 48), 42) * mul
    x ^= w[1] * weight & _MASK
    y = y + v[0] * weight + _word(key, at + 40) & _MASK
    z = _rotate(z + w[0], 33) * mul & _MASK
    v = _weak(key, at, v[1] * mul, x + w[0])
    w = _weak(key, at + 32, z + w[1], y + _word(key, at + 16))
    return z, y, x, v, w


def _rounds(
    key: bytes, x: int, y: int, z: int, v: tuple[int, int], w: tuple[int, int]
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:
    """Mixes all of a key into the state: `_round` for each 64 bytes, with its calls written out, for long keys."""
    (v0, v1), (w0, w1), mask, mul = v, w, _MASK, _K1
    for k0, k1, k2, k3, k4, k5, k6, k7 in struct.iter_unpack("<8Q", key):
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


def _long(key: bytes, size: int) -> int:
    x, y = 81, 81 * _K1 + 113 & _MASK
    z = _shift_mix(y * _K2 + 113) * _K2 & _MASK
    v = w = (0, 0)
    x = x * _K2 + _word(key, 0) & _MASK
    end = (size - 1) // 64 * 64
    x, y, z, v, w = _rounds(key[:end], x, y, z, v, w)
    remainder = (size - 1) & 63
    mul = _K1 + ((z & 0xFF) << 1)
    w = (w[0] + remainder & _MASK, w[1])
    v = (v[0] + w[0] & _MASK, v[1])
    w = (w[0] + v[0] & _MASK, w[1])
    x, y, z, v, w = _round(key, end + remainder - 63, x, y, z, v, w, mul, 9)
    low = _mix(v[0], w[0], mul) + _shift_mix(y) * _K0 + z & _MASK
    return _mix(low, _mix(v[1], w[1], mul) + x & _MASK, mul)


_MURMUR = np.uint64(0xC6A4A7935BD1E995)


def combined_fingerprints(first: Any, second: Any) -> Any:
    """Combines arrays of fingerprints, element by element, as the crosses of features do; the order matters.

    The steps are those of MurmurHash2 (Austin Appleby, 64-bit version A) for one word, `second`, and the seed `first`.

    >>> from millrace._src.ops.array.farmhash import combined_fingerprints
    >>> combined_fingerprints(np.uint64(0), np.array([1], np.uint64)).tolist()
    [3322498177733977010]
    """
    word = second * _MURMUR
    result = (first ^ _MURMUR ^ (word ^ word >> np.uint64(47)) * _MURMUR) * _MURMUR
    result = (result ^ result >> np.uint64(47)) * _MURMUR
    return result ^ result >> np.uint64(47)
