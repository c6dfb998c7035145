"""Strings packed into one array: the same strings come out, and a packed form lives as long as its tensor."""

from __future__ import annotations

import gc
import random

import numpy as np
import pytest

from millrace._src.ops.strings import packed as module
from millrace._src.ops.strings.packed import pack, pack_strings


def _texts(count: int, alphabet: bytes, longest: int = 40) -> list[bytes]:
    source = random.Random(count)
    return [bytes(source.choices(alphabet, k=source.randint(0, longest))) for _ in range(count)]


@pytest.mark.parametrize("alphabet", [b"abc", b"a\n", b"\0\xff\n"])
@pytest.mark.parametrize("count", [0, 1, 2, 500])
def test_packed_strings_are_the_strings(alphabet: bytes, count: int) -> None:
    texts = _texts(count, alphabet)
    strings = pack(texts)
    assert len(strings) == count
    assert list(strings) == texts
    assert strings.sizes.tolist() == [len(text) for text in texts]
    assert list(strings.select(slice(1, None, 2))) == texts[1::2]


def test_words_are_eight_bytes_from_any_offset() -> None:
    texts = _texts(300, b"abc\n")
    strings = pack(texts)
    for offset in (0, 1, 7, 8):
        for text, word in zip(texts, strings.words_at(offset).tolist(), strict=True):
            known = text[offset : offset + 8]
            assert word.to_bytes(8, "little")[: len(known)] == known
    for text, word in zip(texts, strings.words_at(strings.sizes - 16).tolist(), strict=True):
        known = text[-16:-8]
        assert word.to_bytes(8, "little")[8 - len(known) :] == known


def test_the_packed_form_of_an_array_is_kept_until_the_array_is_gone() -> None:
    array = np.array(_texts(100, b"abc"), object)
    strings = pack_strings(array)
    assert pack_strings(array) is strings
    assert list(pack_strings(array.copy())) == list(strings)
    identity = id(array)
    assert identity in module._kept
    del array
    gc.collect()
    assert identity not in module._kept


def test_few_strings_are_packed_each_time_and_many_arrays_are_forgotten() -> None:
    few = np.array([b"a"] * 10, object)
    assert pack_strings(few) is not pack_strings(few)
    arrays = [np.array([b"%d" % i] * 100, object) for i in range(2 * module._MAX_KEPT)]
    for array in arrays:
        assert next(iter(pack_strings(array))) == array[0]
    assert len(module._kept) <= module._MAX_KEPT
