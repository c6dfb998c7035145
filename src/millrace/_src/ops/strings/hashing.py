"""Strings to buckets by hash: three hashes that never change, so that a vocabulary made by hashing stays valid.

`to_hash_bucket_fast` uses FarmHash's fingerprint, `to_hash_bucket_strong` SipHash-2-4 (Aumasson and Bernstein, 2012)
with the user's key, and the old `to_hash_bucket` a 64-bit MurmurHash 2 (Appleby, public domain). SipHash and MurmurHash
take the same word of all strings at once, with NumPy's 64-bit integers, whose arithmetic is modulo 2**64; a few strings
are hashed one by one, with Python's integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.ops.array.farmhash import fingerprint64, fingerprint_packed
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.packed import PackedStrings, pack, pack_strings
from millrace._src.util.export import export

_NO_GRADIENT = "a bucket is an integer"


_Hash64 = Callable[[PackedStrings], Array]
_FEW = 12
"""Up to so many strings are hashed one by one."""
_AT_ONCE = 1 << 14
_MASK = (1 << 64) - 1


def _by_word_count(strings: PackedStrings, hash_sorted: Callable[[PackedStrings, list[int]], Array]) -> Array:
    """Returns the hashes that `hash_sorted(strings, counts)` gives.

    The strings that it gets are sorted by the number of whole words of eight bytes, the most first: `counts[i]` of them
    have more than `i` words.
    """
    hashes = np.empty(len(strings), np.uint64)
    for start in range(0, len(strings), _AT_ONCE):
        part = strings.select(slice(start, start + _AT_ONCE))
        words = part.sizes >> 3
        order = np.argsort(-words, kind="stable")
        counts = np.cumsum(np.bincount(words)[:0:-1])[::-1]
        hashes[start + order] = hash_sorted(part.select(order), counts.tolist())
    return hashes


def _last_bytes(strings: PackedStrings) -> tuple[Array, Array]:
    """Returns the bytes behind the last whole word, up to seven, as numbers; and how many bits these bytes have."""
    bits = ((strings.sizes & 7) << 3).view(np.uint64)
    return strings.words_at(strings.sizes & ~7) & ((np.uint64(1) << bits) - np.uint64(1)), bits


# --- MurmurHash 2 ----------------------------------------------------------------------------------------------------

_MURMUR, _MURMUR_SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE


def murmur64(texts: Sequence[bytes]) -> Array:
    """Computes the hash of the original `StringToHashBucket` for every text.

    >>> from millrace._src.ops.strings.hashing import murmur64
    >>> (murmur64([b"", b"a"]) % 10).tolist()
    [9, 8]
    """
    if len(texts) <= _FEW:
        return np.array([_murmur_of_one(text) for text in texts], np.uint64)
    return hash_packed_murmur64(pack(texts))


def hash_packed_murmur64(strings: PackedStrings) -> Array:
    """Computes the hash of the original `StringToHashBucket` for every packed string."""
    return _by_word_count(strings, _murmur_of_sorted)


def _murmur_of_sorted(strings: PackedStrings, counts: list[int]) -> Array:
    value = strings.sizes.view(np.uint64) * _MURMUR ^ _MURMUR_SEED
    for index, count in enumerate(counts):
        word = strings.select(slice(count)).words_at(8 * index) * _MURMUR
        value[:count] = (value[:count] ^ (word ^ word >> 47) * _MURMUR) * _MURMUR
    rest, bits = _last_bytes(strings)
    value = np.where(bits > 0, (value ^ rest) * _MURMUR, value)
    value = (value ^ value >> 47) * _MURMUR
    return value ^ value >> 47


def _murmur_of_one(text: bytes) -> int:
    size = len(text)
    value = size * _MURMUR & _MASK ^ _MURMUR_SEED
    for at in range(0, size - 7, 8):
        word = int.from_bytes(text[at : at + 8], "little") * _MURMUR & _MASK
        value = (value ^ (word ^ word >> 47) * _MURMUR) * _MURMUR & _MASK
    if size % 8:
        value = (value ^ int.from_bytes(text[size // 8 * 8 :], "little")) * _MURMUR & _MASK
    value = (value ^ value >> 47) * _MURMUR & _MASK
    return value ^ value >> 47


# --- SipHash ---------------------------------------------------------------------------------------------------------

_SIP_STATE = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
"""The words "somepseudorandomlygeneratedbytes" that the key is mixed with."""


def siphash(texts: Sequence[bytes], k0: int, k1: int) -> Array:
    """Computes SipHash-2-4 of every text, under a key of two 64-bit words.

    >>> from millrace._src.ops.strings.hashing import siphash
    >>> hex(siphash([bytes(range(15))], 0x0706050403020100, 0x0F0E0D0C0B0A0908)[0])
    '0xa129ca6149be45e5'
    """
    if len(texts) <= _FEW:
        return np.array([_siphash_of_one(text, k0, k1) for text in texts], np.uint64)
    return hash_packed_siphash(pack(texts), k0, k1)


def hash_packed_siphash(strings: PackedStrings, k0: int, k1: int) -> Array:
    """Computes SipHash-2-4 of every packed string, under a key of two 64-bit words."""
    start = _sip_start(k0, k1)
    return _by_word_count(strings, lambda group, counts: _siphash_of_sorted(group, counts, start))


def _sip_start(k0: int, k1: int) -> tuple[int, ...]:
    return tuple((key ^ word) & _MASK for key, word in zip((k0, k1, k0, k1), _SIP_STATE, strict=True))


def _siphash_of_sorted(strings: PackedStrings, counts: list[int], start: tuple[int, ...]) -> Array:
    state = [np.full(len(strings), word, np.uint64) for word in start]
    for index, count in enumerate(counts):
        _mix_in([word[:count] for word in state], strings.select(slice(count)).words_at(8 * index))
    rest, _ = _last_bytes(strings)
    _mix_in(state, rest | strings.sizes.view(np.uint64) << 56)
    state[2] ^= np.uint64(0xFF)
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _mix_in(state: list[Array], word: Array) -> None:
    state[3] ^= word
    _sip_rounds(state, 2)
    state[0] ^= word


def _rotate(value: Array, shift: int) -> None:
    upper = value << np.uint64(shift)
    np.right_shift(value, np.uint64(64 - shift), out=value)
    np.bitwise_or(value, upper, out=value)


def _sip_rounds(state: list[Array], count: int) -> None:
    """Runs rounds in place."""
    a, b, c, d = state
    for _ in range(count):
        a += b
        c += d
        _rotate(b, 13)
        _rotate(d, 16)
        b ^= a
        d ^= c
        _rotate(a, 32)
        c += b
        a += d
        _rotate(b, 17)
        _rotate(d, 21)
        b ^= c
        d ^= a
        _rotate(c, 32)


def _siphash_of_one(text: bytes, k0: int, k1: int) -> int:
    a, b, c, d = _sip_start(k0, k1)
    size = len(text)
    padded = text + bytes(7 - size % 8) + bytes([size & 255])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        a, b, c, d = _sip_rounds_of_one(a, b, c, d ^ word, 2)
        a ^= word
    a, b, c, d = _sip_rounds_of_one(a, b, c ^ 0xFF, d, 4)
    return a ^ b ^ c ^ d


def _sip_rounds_of_one(a: int, b: int, c: int, d: int, count: int) -> tuple[int, int, int, int]:
    mask = _MASK
    for _ in range(count):
        a, c = a + b & mask, c + d & mask
        b, d = (b << 13 | b >> 51) & mask ^ a, (d << 16 | d >> 48) & mask ^ c
        a = (a << 32 | a >> 32) & mask
        c, a = c + b & mask, a + d & mask
        b, d = (b << 17 | b >> 47) & mask ^ c, (d << 21 | d >> 43) & mask ^ a
        c = (c << 32 | c >> 32) & mask
    return a, b, c, d


# --- ops -------------------------------------------------------------------------------------------------------------


def _buckets(input: Array, count: int, hash_one: Callable[[bytes], int], hash_packed: _Hash64) -> Array:
    if count < 1:
        message = f"Value for attr 'num_buckets' of {count} must be at least minimum 1"
        raise errors.InvalidArgumentError(None, None, message)
    if input.size <= _FEW:
        buckets = [hash_one(text) % count for text in input.reshape(-1).tolist()]
        return np.array(buckets, np.int64).reshape(input.shape)
    hashes = hash_packed(pack_strings(input))
    np.subtract(hashes, hashes // np.uint64(count) * np.uint64(count), out=hashes)  # faster than a remainder
    return hashes.view(np.int64).reshape(input.shape)


@op(
    "StringToHashBucketFast",
    "input: string -> output: int64",
    shape=same_shape,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
)
def string_to_hash_bucket_fast(xp: Xp, input: Array, *, num_buckets: int) -> Array:
    """Computes the fingerprint of every string, modulo the number of buckets."""
    return _buckets(input, num_buckets, fingerprint64, fingerprint_packed)


@op(
    "StringToHashBucketStrong",
    "input: string -> output: int64",
    shape=same_shape,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
)
def string_to_hash_bucket_strong(xp: Xp, input: Array, *, num_buckets: int, key: list[int]) -> Array:
    """Computes the keyed hash of every string, modulo the number of buckets."""
    if len(key) != 2:
        raise errors.InvalidArgumentError(None, None, "Key must have 2 elements")
    k0, k1 = key
    return _buckets(
        input, num_buckets, lambda text: _siphash_of_one(text, k0, k1), lambda texts: hash_packed_siphash(texts, k0, k1)
    )


@op(
    "StringToHashBucket",
    "string_tensor: string -> output: int64",
    shape=same_shape,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
)
def string_to_hash_bucket(xp: Xp, string_tensor: Array, *, num_buckets: int) -> Array:
    """Computes the hash of every string, modulo the number of buckets."""
    return _buckets(string_tensor, num_buckets, _murmur_of_one, hash_packed_murmur64)


@export(
    "strings.to_hash_bucket_fast", v1=["strings.to_hash_bucket_fast", "string_to_hash_bucket_fast"], elementwise="unary"
)
def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Any:
    """Maps every string to one of `num_buckets` buckets, quickly; an attacker can choose strings that collide.

    >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([0, 2, 2])

    Args:
      input: a string Tensor.
      num_buckets: how many buckets there are.
      name: name of the operation in a graph.

    Returns: An int64 Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if there is no bucket.
    """
    return string_to_hash_bucket_fast(input, num_buckets=num_buckets, name=name)


@export(
    "strings.to_hash_bucket_strong",
    v1=["strings.to_hash_bucket_strong", "string_to_hash_bucket_strong"],
    elementwise="unary",
)
def to_hash_bucket_strong(input: TensorLike, num_buckets: int, key: object, name: str | None = None) -> Any:
    """Maps every string to one of `num_buckets` buckets; without the key no attacker can choose strings that collide.

    >>> tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy()
    array([2, 0])

    Args:
      input: a string Tensor.
      num_buckets: how many buckets there are.
      key: two integers of 64 bits.
      name: name of the operation in a graph.

    Returns: An int64 Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if there is no bucket, or the key has not two elements.
    """
    if not isinstance(key, (list, tuple)):
        raise TypeError(f"Expected list for 'key' argument to 'string_to_hash_bucket_strong' Op, not {key}.")
    return string_to_hash_bucket_strong(input, num_buckets=num_buckets, key=key, name=name)


@export("strings.to_hash_bucket", v1=[], elementwise="unary")
def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Any:
    """Maps every string to one of `num_buckets` buckets, by the hash of the first TensorFlow.

    >>> tf.strings.to_hash_bucket(["a", "b"], 10).numpy()
    array([8, 0])

    Args:
      input: a string Tensor.
      num_buckets: how many buckets there are.
      name: name of the operation in a graph.

    Returns: An int64 Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if there is no bucket.
    """
    return string_to_hash_bucket(input, num_buckets=num_buckets, name=name)
