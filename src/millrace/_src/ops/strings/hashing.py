"""Strings to buckets by hash: three hashes, all fixed for ever, so that a vocabulary made by hashing stays valid.

`to_hash_bucket_fast` uses FarmHash's fingerprint, `to_hash_bucket_strong` SipHash-2-4 (Aumasson and Bernstein, 2012)
with the user's key, and the old `to_hash_bucket` a 64-bit MurmurHash 2 (Appleby, public domain).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.ops.array.farmhash import fingerprint64
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.text_bytes import map_values
from millrace._src.util.export import export

_MASK = (1 << 64) - 1
_NO_GRADIENT = "a bucket is an integer"


def _buckets(input: Array, count: int, hash64: Callable[[bytes], int]) -> Array:
    if count < 1:
        message = f"Value for attr 'num_buckets' of {count} must be at least minimum 1"
        raise errors.InvalidArgumentError(None, None, message)
    return map_values(lambda text: hash64(text) % count, input, np.int64)


# --- MurmurHash 2 ----------------------------------------------------------------------------------------------------

_MURMUR, _MURMUR_SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE


def murmur64(key: bytes) -> int:
    """The hash of the original `StringToHashBucket`.

    >>> from millrace._src.ops.strings.hashing import murmur64
    >>> murmur64(b"a") % 10
    8
    """
    value = _MURMUR_SEED ^ (len(key) * _MURMUR & _MASK)
    whole = len(key) & ~7
    for start in range(0, whole, 8):
        word = int.from_bytes(key[start : start + 8], "little") * _MURMUR & _MASK
        word = (word ^ word >> 47) * _MURMUR & _MASK
        value = (value ^ word) * _MURMUR & _MASK
    if whole < len(key):
        value = (value ^ int.from_bytes(key[whole:], "little")) * _MURMUR & _MASK
    value = (value ^ value >> 47) * _MURMUR & _MASK
    return value ^ value >> 47


# --- SipHash ---------------------------------------------------------------------------------------------------------


def siphash(key: bytes, k0: int, k1: int) -> int:
    """SipHash-2-4 of a byte string under a key of two 64-bit words.

    >>> from millrace._src.ops.strings.hashing import siphash
    >>> hex(siphash(bytes(range(15)), 0x0706050403020100, 0x0F0E0D0C0B0A0908))
    '0xa129ca6149be45e5'
    """
    k0, k1 = k0 & _MASK, k1 & _MASK
    state = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    padded = key + bytes(7 - len(key) % 8) + bytes([len(key) & 255])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        state[3] ^= word
        _sip_rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _rotated(value: int, shift: int) -> int:
    return (value << shift | value >> 64 - shift) & _MASK


def _sip_rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a, c = a + b & _MASK, c + d & _MASK
        b, d = _rotated(b, 13) ^ a, _rotated(d, 16) ^ c
        a = _rotated(a, 32)
        c, a = c + b & _MASK, a + d & _MASK
        b, d = _rotated(b, 17) ^ c, _rotated(d, 21) ^ a
        c = _rotated(c, 32)
    state[:] = a, b, c, d


# --- ops -------------------------------------------------------------------------------------------------------------


@op(
    "StringToHashBucketFast",
    "input: string -> output: int64",
    shape=same_shape,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
)
def string_to_hash_bucket_fast(xp: Xp, input: Array, *, num_buckets: int) -> Array:
    """The fingerprint of every string, modulo the number of buckets."""
    return _buckets(input, num_buckets, fingerprint64)


@op(
    "StringToHashBucketStrong",
    "input: string -> output: int64",
    shape=same_shape,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
)
def string_to_hash_bucket_strong(xp: Xp, input: Array, *, num_buckets: int, key: list[int]) -> Array:
    """The keyed hash of every string, modulo the number of buckets."""
    if len(key) != 2:
        raise errors.InvalidArgumentError(None, None, "Key must have 2 elements")
    k0, k1 = key
    return _buckets(input, num_buckets, lambda text: siphash(text, k0, k1))


@op(
    "StringToHashBucket",
    "string_tensor: string -> output: int64",
    shape=same_shape,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
)
def string_to_hash_bucket(xp: Xp, string_tensor: Array, *, num_buckets: int) -> Array:
    """The hash of every string, modulo the number of buckets."""
    return _buckets(string_tensor, num_buckets, murmur64)


@export("strings.to_hash_bucket_fast", v1=["strings.to_hash_bucket_fast", "string_to_hash_bucket_fast"])
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Maps every string to one of `num_buckets` buckets, quickly; who chooses the strings can make them collide.

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


@export("strings.to_hash_bucket_strong", v1=["strings.to_hash_bucket_strong", "string_to_hash_bucket_strong"])
def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Any:
    """Maps every string to one of `num_buckets` buckets, such that only who knows the key can make strings collide.

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


@export("strings.to_hash_bucket", v1=[])
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


@export(v1=["strings.to_hash_bucket", "string_to_hash_bucket"])
def to_hash_bucket_v1(
    string_tensor: Any = None, num_buckets: Any = None, name: str | None = None, input: Any = None
) -> Any:
    """`tf.strings.to_hash_bucket` with TensorFlow 1's arguments."""
    return to_hash_bucket(string_tensor if input is None else input, num_buckets, name)
