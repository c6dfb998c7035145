"""FarmHash."""

from __future__ import annotations

import random

import numpy as np

from millrace._src.ops.array.farmhash import fingerprint64, fingerprints64

"""Lengths of keys, each made after the ones before it, and the fingerprints that TensorFlow gave."""
_RECORDED = {
    0: 0x9AE16A3B2F90404F,
    1: 0x2C468CA097D7E5DF,
    2: 0xCE7570F12DB0C3F6,
    3: 0x7377E8AB01EFF709,
    4: 0x0026C93FBCB1F140,
    7: 0x3A4017E1BC64F902,
    8: 0x14B0AE25410A4022,
    9: 0x21A63BA3FC7A6BEB,
    15: 0xB064362F4A373B44,
    16: 0x0D2F04323CC5F094,
    17: 0x2FD58E929B21B006,
    31: 0x69EE9CEC0A0BBCDC,
    32: 0x85D4B63EFAEAC7E4,
    33: 0x6D32D4D972F360F5,
    50: 0xAD7E477A2B3270AF,
    63: 0x7BA91B09A880D662,
    64: 0xB4F294A3CFF5E839,
    65: 0x40A2D2FF2E44D221,
    100: 0x8638EF7354291B66,
    127: 0xFF74AC316796456B,
    128: 0xD598E66CCDBC332C,
    129: 0x0B89F67CE17A6DBD,
    300: 0x6193FF9530F56167,
}


def test_fingerprints_are_those_of_tensorflow_for_keys_of_every_kind_of_length() -> None:
    source = random.Random(0)
    for length, expected in _RECORDED.items():
        key = bytes(source.randrange(256) for _ in range(length))
        assert fingerprint64(key) == expected, length


def test_many_keys_have_the_fingerprints_of_each() -> None:
    generator = np.random.default_rng(0)
    keys = [generator.bytes(size) for size in generator.integers(0, 80, 9000).tolist()]
    keys += [bytes(size) for size in range(70) for _ in range(70)]
    assert fingerprints64(keys).tolist() == [fingerprint64(key) for key in keys]


def test_no_keys_and_very_many() -> None:
    assert fingerprints64([]).dtype == np.uint64
    assert set(fingerprints64([b"abc"] * 70_000).tolist()) == {fingerprint64(b"abc")}
