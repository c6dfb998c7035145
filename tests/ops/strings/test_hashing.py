"""Hash buckets: the answers must never change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.strings.hashing import siphash
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_TEXTS = np.array([b"", b"a", b"hello world"], dtype=object)
_LONG = [b"", b"a", b"hello world", b"x" * 100, b"\xff"]
_MURMUR = [b"", b"a", b"hello world", b"x" * 100, b"abcdefg", b"abcdefgh", b"x" * 31, b"x" * 32, b"x" * 33, b"x" * 64]

SAMPLES = [
    *(
        Sample(op, inputs=(texts,), attrs={"num_buckets": 7} | ({"key": [1, 2]} if op.endswith("Strong") else {}))
        for op in ("StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong")
        for texts in (_TEXTS, np.array(b"a", dtype=object), np.zeros((2, 0), dtype=object))
    )
]


def test_the_fast_hash_is_farmhash() -> None:
    fast = tf.strings.to_hash_bucket_fast
    assert fast(_LONG, 10).numpy().tolist() == [3, 9, 1, 9, 3]
    expected = [254201053263, 436859794915, 307288780827, 791688940063, 826339043047]
    assert fast(_LONG, 2**40).numpy().tolist() == expected


def test_the_strong_hash_is_siphash() -> None:
    texts = [*_LONG[:4], b"12345678"]
    expected = [231421486971, 201166748918, 1023323399814, 984105661719, 612991824060]
    assert tf.strings.to_hash_bucket_strong(texts, 2**40, key=[1, 2]).numpy().tolist() == expected
    assert tf.strings.to_hash_bucket_strong(["a"], 5, [-1, 2**63 - 1]).numpy().tolist() == [0]


def test_siphash_gives_the_vectors_of_its_paper() -> None:
    key = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
    hashes = siphash([bytes(range(15)), b"", bytes(range(15))], *key)
    assert hashes.tolist() == [0xA129CA6149BE45E5, 0x726FDB47DD0E0E31, 0xA129CA6149BE45E5]


def test_the_first_hash_is_murmur() -> None:
    bucket = tf.strings.to_hash_bucket
    assert bucket(_MURMUR, 10).numpy().tolist() == [9, 8, 5, 7, 6, 6, 0, 5, 8, 8]
    expected = [142163811899, 825286642172, 923794420719, 715348868359, 1013675798080]
    assert bucket(_MURMUR[:5], 2**40).numpy().tolist() == expected
    assert tf.compat.v1.string_to_hash_bucket(["a"], 7).numpy().tolist() == [4]


@pytest.mark.parametrize("call", [tf.strings.to_hash_bucket, tf.strings.to_hash_bucket_fast])
def test_there_must_be_a_bucket(call: Any) -> None:
    words = "Value for attr 'num_buckets' of 0 must be at least minimum 1"
    check_refusal(lambda: call(["a"], 0), tf.errors.InvalidArgumentError, words)


def test_a_key_has_two_elements() -> None:
    strong = tf.strings.to_hash_bucket_strong
    check_refusal(lambda: strong(["a"], 5, [1]), tf.errors.InvalidArgumentError, "Key must have 2 elements")
    words = "Expected list for 'key' argument to 'string_to_hash_bucket_strong' Op, not 2."
    check_refusal(lambda: strong(["a"], 5, 2), TypeError, words)
