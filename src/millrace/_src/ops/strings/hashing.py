"""Strings to buckets by hash: three hashes that never change, so that a vocabulary made by hashing stays valid.

`to_hash_bucket_fast` uses FarmHash's fingerprint, `to_hash_bucket_strong` SipHash-2-4 (Aumasson and Bernstein, 2012)
with the user's key, and the old `to_hash_bucket` a 64-bit MurmurHash 2 (Appleby, public domain). SipHash and MurmurHash
hash all strings of one length at once, with NumPy's 64-bit integers, whose arithmetic is modulo 2**64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.ops.array.farmhash import fingerprints64
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_NO_GRADIENT = "a bucket is an integer"


def _by_length(texts: Sequence[bytes], unit: int) -> Iterator[tuple[Array, list[bytes]]]:
    """Yields the texts in groups of equal `len(text) // unit`, each with the positions of its members."""
    groups: dict[int, list[int]] = {}
    for position, text in enumerate(texts):
        groups.setdefault(len(text) // unit, []).append(position)
    for positions in groups.values():
        yield np.array(positions), [texts[position] for position in positions]


def _words(texts: Sequence[bytes]) -> Array:
    """Reads texts of one length, a multiple of eight, as rows of little-endian words."""
    rows = np.frombuffer(b"".join(texts), dtype="<u8").astype(np.uint64)
    return rows.reshape(len(texts), -1)


# --- MurmurHash 2 ----------------------------------------------------------------------------------------------------

_MURMUR, _MURMUR_SEED, _MURMUR_SHIFT = np.uint64(0xC6A4A7935BD1E995), np.uint64(0xDECAFCAFFE), np.uint64(47)


def murmur64(texts: Sequence[bytes]) -> Array:
    """Computes the hash of the original `StringToHashBucket` for every text.

    >>> from millrace._src.ops.strings.hashing import murmur64
    >>> (murmur64([b"", b"a"]) % 10).tolist()
    [9, 8]
    """
    hashes = np.empty(len(texts), np.uint64)
    for positions, group in _by_length(texts, 1):
        size = len(group[0])
        words = _words([text + bytes(-size % 8) for text in group])
        value = np.full(len(group), _MURMUR_SEED) ^ np.full(len(group), size, np.uint64) * _MURMUR
        for index in range(size // 8):
            word = words[:, index] * _MURMUR
            value = (value ^ (word ^ word >> _MURMUR_SHIFT) * _MURMUR) * _MURMUR
        if size % 8:
            value = (value ^ words[:, -1]) * _MURMUR
        value = (value ^ value >> _MURMUR_SHIFT) * _MURMUR
        hashes[positions] = value ^ value >> _MURMUR_SHIFT
    return hashes


# --- SipHash ---------------------------------------------------------------------------------------------------------

_SIP_STATE = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
"""The words "somepseudorandomlygeneratedbytes" that the key is mixed with."""


def siphash(texts: Sequence[bytes], k0: int, k1: int) -> Array:
    """Computes SipHash-2-4 of every text, under a key of two 64-bit words.

    >>> from millrace._src.ops.strings.hashing import siphash
    >>> hex(siphash([bytes(range(15))], 0x0706050403020100, 0x0F0E0D0C0B0A0908)[0])
    '0xa129ca6149be45e5'
    """
    key = [k & (1 << 64) - 1 for k in (k0, k1, k0, k1)]
    hashes = np.empty(len(texts), np.uint64)
    for positions, group in _by_length(texts, 8):
        words = _words([text + bytes(7 - len(text) % 8) + bytes([len(text) & 255]) for text in group])
        state = [np.full(len(group), k ^ start, np.uint64) for k, start in zip(key, _SIP_STATE, strict=True)]
        for index in range(words.shape[1]):
            state[3] ^= words[:, index]
            _sip_rounds(state, 2)
            state[0] ^= words[:, index]
        state[2] ^= np.uint64(0xFF)
        _sip_rounds(state, 4)
        hashes[positions] = state[0] ^ state[1] ^ state[2] ^ state[3]
    return hashes


def _rotated(value: Array, shift: int) -> Array:
    return value << np.uint64(shift) | value >> np.uint64(64 - shift)


def _sip_rounds(state: list[Array], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a, c = a + b, c + d
        b, d = _rotated(b, 13) ^ a, _rotated(d, 16) ^ c
        a = _rotated(a, 32)
        c, a = c + b, a + d
        b, d = _rotated(b, 17) ^ c, _rotated(d, 21) ^ a
        c = _rotated(c, 32)
    state[:] = a, b, c, d


def _farmhash(texts: Sequence[bytes]) -> Array:
    return fingerprints64(texts)


# --- ops -------------------------------------------------------------------------------------------------------------


def _buckets(input: Array, count: int, hash64: Callable[[Sequence[bytes]], Array]) -> Array:
    if count < 1:
        message = f"Value for attr 'num_buckets' of {count} must be at least minimum 1"
        raise errors.InvalidArgumentError(None, None, message)
    hashes = hash64(input.reshape(-1).tolist())
    return (hashes % np.uint64(count)).astype(np.int64).reshape(input.shape)


@op(
    "StringToHashBucketFast",
    "input: string -> output: int64",
    shape=same_shape,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
)
def string_to_hash_bucket_fast(xp: Xp, input: Array, *, num_buckets: int) -> Array:
    """Computes the fingerprint of every string, modulo the number of buckets."""
    return _buckets(input, num_buckets, _farmhash)


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
    return _buckets(input, num_buckets, lambda texts: siphash(texts, k0, k1))


@op(
    "StringToHashBucket",
    "string_tensor: string -> output: int64",
    shape=same_shape,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
)
def string_to_hash_bucket(xp: Xp, string_tensor: Array, *, num_buckets: int) -> Array:
    """Computes the hash of every string, modulo the number of buckets."""
    return _buckets(string_tensor, num_buckets, murmur64)


@export(
    "strings.to_hash_bucket_fast", v1=["strings.to_hash_bucket_fast", "string_to_hash_bucket_fast"], elementwise="unary"
)
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
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
def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Any:
    """Maps every string to one of `num_buckets` buckets; without the key nobody can choose strings that collide.

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
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
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


@export(v1=["strings.to_hash_bucket", "string_to_hash_bucket"], elementwise="unary")
def to_hash_bucket_v1(
    string_tensor: Any = None, num_buckets: Any = None, name: str | None = None, input: Any = None
) -> Any:
    """Maps every string to one of `num_buckets` buckets, with TensorFlow 1's arguments.

    >>> tf.compat.v1.string_to_hash_bucket(["Hello", "TensorFlow"], 3).numpy()
    array([2, 0])

    Args:
      string_tensor: a string Tensor.
      num_buckets: the number of buckets, at least 1.
      name: name of the operation in a graph.
      input: the newer name of `string_tensor`.

    Returns: An int64 Tensor of the shape of `string_tensor`.
    """
    return to_hash_bucket(string_tensor if input is None else input, num_buckets, name)
