"""Short parts of many strings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.strings import short_parts as module
from millrace._src.ops.strings.packed import pack
from millrace._src.ops.strings.short_parts import MAX_LENGTH, MIN_STRINGS, short_parts

WORDS = [b"", b"a", b"\0", b"a\0", b"\0\0", b"ab", b"\xff\xfe\xfd\xfc\xfb\xfa\xf9", b"abcdefg", b"abcdefgh", b"\n\n"]


def many(words: list[bytes], seed: int = 0) -> list[bytes]:
    rng = np.random.default_rng(seed)
    return [words[number] for number in rng.integers(0, len(words), 2 * MIN_STRINGS)]


@pytest.mark.parametrize("begin", [0, 1, 3])
def test_parts_are_slices(begin: int) -> None:
    texts = many(WORDS)
    strings = pack(texts)
    begins = np.minimum(begin, strings.sizes)
    sizes = np.minimum(strings.sizes - begins, MAX_LENGTH)
    parts = short_parts(strings, begins, sizes)
    assert parts is not None
    assert parts.tolist() == [text[begin : begin + MAX_LENGTH] for text in texts]
    assert len(set(map(id, parts.tolist()))) <= len(WORDS)


def test_parts_that_meet_in_the_table_are_kept_apart(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "_FACTOR", np.uint64(0))
    texts = many(WORDS[:8])
    strings = pack(texts)
    parts = short_parts(strings, np.zeros(len(texts), np.int64), strings.sizes)
    assert parts is not None
    assert parts.tolist() == texts


def test_long_few_and_different_parts_are_left_to_others() -> None:
    for texts in (many(WORDS) + [b"x" * 8], WORDS, [b"%d" % number for number in range(2 * MIN_STRINGS)]):
        strings = pack(texts)
        assert short_parts(strings, np.zeros(len(texts), np.int64), strings.sizes) is None


@pytest.mark.parametrize("unit", ["BYTE", "UTF8_CHAR"])
@pytest.mark.parametrize(("pos", "size"), [(0, 2), (1, 0), (-1, 1), (1, -1), (0, 100)])
def test_substr_of_many_strings_is_that_of_few(pos: int, size: int, unit: str) -> None:
    texts = many([b"ab", b"abc", "éü".encode(), "a€b".encode(), b"a much longer text"])
    parts = tf.strings.substr(texts, pos, size, unit=unit).numpy().tolist()
    few = [tf.strings.substr(texts[i : i + 20], pos, size, unit=unit).numpy() for i in range(0, len(texts), 20)]
    assert parts == np.concatenate(few).tolist()
    matrix = tf.strings.substr(np.array(texts, object).reshape(2, -1), pos, size, unit=unit).numpy()
    assert matrix.shape == (2, MIN_STRINGS)
    assert matrix.reshape(-1).tolist() == parts
