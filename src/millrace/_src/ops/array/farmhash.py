"""FarmHash's 64-bit fingerprint, the hash that TensorFlow promises never to change.

Written from the published algorithm (Geoff Pike, FarmHash 1.1, `farmhashna::Hash64`, MIT licence): short keys take a
few multiplications, long keys are read 64 bytes at a time. All arithmetic is modulo 2**64.

The steps are written once for a key, a bytes object whose words are Python integers, and for many keys, packed strings
whose words are vectors of uint64. The length is then a vector, too: what counts is only whether keys have up to 3, 7,
16, 32 or 64 bytes, or how many times 64. Many keys of up to 16 bytes have forms of their own, which read a key's first
word once and mix in place.
"""

from __future__ import annotations

import functools
import itertools
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
_READ = {count: struct.Struct(f"<{count}Q").unpack_from for count in (2, 4, 8)}
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
_KINDS = np.repeat(np.arange(_LONG + 1, dtype=np.uint8), (1, 3, 4, 9, 16, 32, 1))
"""The kind of a key by its length: the index in `_SHORT_KINDS`, or `_LONG` from 65 bytes on."""


def _hash_by_kind(keys: PackedStrings, out: Array) -> None:
    """Writes the fingerprints of keys, those of one kind at a time."""
    kinds = _KINDS.take(keys.sizes, mode="clip")
    order = kinds.argsort(kind="stable")
    ends = np.bincount(kinds, minlength=_LONG + 1).cumsum().tolist()
    keys = PackedStrings(keys.words, keys.starts.take(order), keys.sizes.take(order))
    hashes = np.empty_like(out)
    for kind, (start, end) in enumerate(itertools.pairwise([0, *ends])):
        if start < end:
            hash_group = _hash_long if kind == _LONG else functools.partial(_hash_short, kind)
            hash_group(keys.select(slice(start, end)), hashes[start:end])
    out[order] = hashes


def _hash_short(kind: int, keys: PackedStrings, out: Array) -> None:
    """Writes the fingerprints of keys of one kind."""
    if len(keys) < _FEW:
        out[...] = [fingerprint64(key) for key in keys]
    else:
        hash_of_kind: Callable[..., Array] = _TOGETHER.get(kind) or _SHORT_KINDS[kind]
        out[...] = hash_of_kind(keys, keys.sizes.view(np.uint64))


def _hash_long(keys: PackedStrings, out: Array) -> None:
    """Writes the fingerprints of keys of more than 64 bytes, those that take equally many rounds at a time."""
    ends = (keys.sizes - 1) >> 6 << 6
    for end in np.unique(ends).tolist():
        (chosen,) = np.nonzero(ends == end)
        group = keys if len(chosen) == len(keys) else keys.select(chosen)
        if len(chosen) < _FEW:
            out[chosen] = [fingerprint64(key) for key in group]
        else:
            out[chosen] = _long(group, group.sizes.view(np.uint64), end)


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


def _words(key: _Key, at: _Word, count: int) -> Sequence[_Word]:
    """Returns two, four or eight words from a position on."""
    if isinstance(key, bytes):
        return _READ[count](key, at)
    return key.words_from(at if isinstance(at, int) else at.view(np.int64), count)


# --- keys of up to 64 bytes -------------------------------------------------------------------------------------------


def _of_none(key: _Key, size: _Word) -> _Word:
    return _K2


def _up_to_3(key: bytes, size: int) -> int:
    y = key[0] + (key[size >> 1] << 8)
    z = size + (key[-1] << 2)
    hashed: int = _shift_mix(y * _K2 & _MASK ^ z * _K0 & _MASK) * _K2 & _MASK
    return hashed


def _up_to_7(key: bytes, size: int) -> int:
    hashed: int = _mix(size + (_read32(key, 0)[0] << 3), _read32(key, size - 4)[0], _K2 + size * 2)
    return hashed


def _up_to_16(key: _Key, size: _Word) -> _Word:
    mul = _K2 + size * 2
    a = _word(key, 0) + _K2 & _MASK
    b = _word(key, size - 8)
    return _mix(_rotate(b, 37) * mul + a & _MASK, (_rotate(a, 25) + b) * mul & _MASK, mul)


def _up_to_32(key: _Key, size: _Word) -> _Word:
    mul = _K2 + size * 2
    a, b = _words(key, 0, 2)
    d, c = _words(key, size - 16, 2)
    a, c, d = a * _K1, c * mul, d * _K2
    return _mix(_rotate(a + b, 43) + _rotate(c, 30) + d & _MASK, a + _rotate(b + _K2, 18) + c & _MASK, mul)


def _up_to_64(key: _Key, size: _Word) -> _Word:
    mul = _K2 + size * 2
    a, b, e, f = _words(key, 0, 4)
    g, h, d, c = _words(key, size - 32, 4)
    a, c, d = a * _K2, c * mul, d * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d & _MASK
    z = _mix(y, a + _rotate(b + _K2, 18) + c & _MASK, mul)
    e, g, h = e * mul, (y + g) * mul, (z + h) * mul
    return _mix(_rotate(e + f, 43) + _rotate(g, 30) + h & _MASK, e + _rotate(f + a, 18) + g & _MASK, mul)


_SHORT_KINDS: tuple[Callable[..., Any], ...] = (_of_none, _up_to_3, _up_to_7, _up_to_16, _up_to_32, _up_to_64)
_KIND_OF: list[Callable[..., int]] = [_SHORT_KINDS[kind] for kind in _KINDS[:-1]]
"""What hashes a key, by the length of the key."""


# --- many keys of up to 16 bytes --------------------------------------------------------------------------------------


def _first_words(keys: PackedStrings) -> Array:
    return keys.words_from(0, 1)[0]


def _bytes_at(words: Array, at: Array, mask: int) -> Array:
    """Returns the bytes of words from a position on that a mask keeps."""
    found = words >> (at << 3)
    return np.bitwise_and(found, mask, out=found)


def _xor_shifted(value: Array) -> None:
    np.bitwise_xor(value, value >> 47, out=value)


def _mix_many(u: Array, v: Array, mul: Array) -> Array:
    """Computes `_mix`; the result overwrites `u`."""
    np.bitwise_xor(u, v, out=u)
    np.multiply(u, mul, out=u)
    _xor_shifted(u)
    np.bitwise_xor(u, v, out=u)
    np.multiply(u, mul, out=u)
    _xor_shifted(u)
    return np.multiply(u, mul, out=u)


def _many_up_to_3(keys: PackedStrings, sizes: Array) -> Array:
    words = _first_words(keys)
    y = _bytes_at(words, sizes >> 1, 0xFF) << 8
    z = _bytes_at(words, sizes - 1, 0xFF) << 2
    np.add(y, words & 0xFF, out=y)
    np.add(z, sizes, out=z)
    value: Array = y * _K2 ^ z * _K0
    _xor_shifted(value)
    return np.multiply(value, _K2, out=value)


def _many_up_to_7(keys: PackedStrings, sizes: Array) -> Array:
    words = _first_words(keys)
    last = _bytes_at(words, sizes - 4, 0xFFFFFFFF)
    np.bitwise_and(words, 0xFFFFFFFF, out=words)
    np.left_shift(words, 3, out=words)
    return _mix_many(np.add(words, sizes, out=words), last, _multipliers(sizes))


def _many_up_to_16(keys: PackedStrings, sizes: Array) -> Array:
    mul = _multipliers(sizes)
    a, b = _first_words(keys), keys.words_at(sizes.view(np.int64) - 8)
    np.add(a, _K2, out=a)
    c, d = _rotate_many(b, 37), _rotate_many(a, 25)
    np.multiply(c, mul, out=c)
    np.add(d, b, out=d)
    return _mix_many(np.add(c, a, out=c), np.multiply(d, mul, out=d), mul)


def _rotate_many(values: Array, shift: int) -> Array:
    upper = values << (64 - shift)
    return np.bitwise_or(upper, values >> shift, out=upper)


def _multipliers(sizes: Array) -> Array:
    return (sizes << 1) + _K2


_TOGETHER: dict[int, Callable[[PackedStrings, Array], Array]] = {1: _many_up_to_3, 2: _many_up_to_7, 3: _many_up_to_16}
"""What hashes many keys of a kind, where that is quicker than the form for a key: by the kind."""


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
    return (key.words_from(at, 8) for at in range(0, end, 64))


def _round(key: _Key, at: _Word, x: _Word, y: _Word, z: _Word, v: _Pair, w: _Pair, mul: _Word, weight: int) -> _State:
    """Mixes 64 bytes into the state."""
    words = _words(key, at, 8)
    x = _rotate(x + y + v[0] + words[1], 37) * mul & _MASK
    y = _rotate(y + v[1] + words[6], 42) * mul
    x ^= w[1] * weight & _MASK
    y = y + v[0] * weight + words[5] & _MASK
    z = _rotate(z + w[0], 33) * mul & _MASK
    v = _weak(words[:4], v[1] * mul, x + w[0])
    w = _weak(words[4:], z + w[1], y + words[2])
    return z, y, x, v, w


def _weak(words: Sequence[_Word], a: _Word, b: _Word) -> _Pair:
    """Computes a quick hash of four words and two seeds."""
    first, second, third, fourth = words
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
