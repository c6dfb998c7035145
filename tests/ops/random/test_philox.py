"""The generator: published answers, counters that carry, and the same blocks however they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import philox
from millrace._src.util.thread_pool import set_thread_count
from tests.ops.random.bits import PROGRAMS, check

# counter (4 words), key (2 words) -> block; from the known-answer tests of the paper's authors (Random123).
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def stream(counter: tuple[int, ...], key: tuple[int, ...], copies: int = 1) -> philox.Stream:
    words = [key[0] | key[1] << 32, counter[0] | counter[1] << 32, counter[2] | counter[3] << 32]
    key_, low, high = (np.array([w], np.uint64) for w in words)
    return philox.Stream(key_, np.repeat(low, copies), np.repeat(high, copies))


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN)
@pytest.mark.parametrize("copies", [1, 100])
def test_blocks_are_those_that_the_authors_publish(
    counter: tuple[int, ...], key: tuple[int, ...], block: tuple[int, ...], copies: int
) -> None:
    words = philox.blocks_at(xp, stream(counter, key, copies))
    assert words.shape == (copies, 4)
    assert (np.array(block, np.uint32) == words).all()


def test_skipping_carries_into_the_upper_half_of_the_counter() -> None:
    before = stream((0xFFFFFFFE, 0xFFFFFFFF, 5, 0), (1, 2))
    after = before.skip(xp, 3)
    assert (after.low.tolist(), after.high.tolist()) == ([1], [6])
    assert (philox.blocks(xp, before, 40)[3:] == philox.blocks(xp, after, 37)).all()


def test_few_blocks_and_many_are_the_same_blocks() -> None:
    start = philox.stream_from_seeds(3, 4)
    many = philox.blocks(xp, start, 200)
    assert all((philox.blocks(xp, start, n) == many[:n]).all() for n in range(20))


@pytest.mark.parametrize("low", [0, 5, 2**32 - 50, 2**64 - 50, 3 << 32])
@pytest.mark.parametrize("high", [0, 2**64 - 1, 5 << 40 | 9])
def test_blocks_are_those_of_their_own_counters_wherever_a_stream_begins(low: int, high: int) -> None:
    key = 12345 << 33 | 7
    start = philox.Stream(*(np.array([number], np.uint64) for number in (key, low, high)))
    counters = [((low + i) % 2**64, (high + (low + i) // 2**64) % 2**64) for i in range(100)]
    each = [philox.blocks_at(xp, philox.Stream(start.key, np.uint64([a]), np.uint64([b]))) for a, b in counters]
    assert (philox.blocks(xp, start, 100) == np.concatenate(each)).all()
    apart = start.skip(xp, np.arange(0, 100, 3, dtype=np.uint64))
    assert (philox.blocks_at(xp, apart) == np.concatenate(each)[::3]).all()


def test_threads_make_what_one_thread_makes() -> None:
    start = philox.stream_from_seeds(3, 4)
    count = philox._SHARED_FROM + 1000

    def make(first: int, number: int, out: np.ndarray | None) -> np.ndarray:
        return philox.words(xp, philox.lanes(xp, philox.Run(start.skip(xp, first), number)), out)

    set_thread_count(3)
    try:
        shared = philox.fill(xp, (count, 4), np.uint32, make)
    finally:
        set_thread_count(0)
    assert (shared == philox.blocks(xp, start, count)).all()


def test_a_number_of_rows_beyond_memory_is_refused() -> None:
    with pytest.raises(MemoryError):
        philox.fill(xp, (2**62, 4), np.float32, lambda start, count, out: out)


def test_chunks_join_to_the_whole() -> None:
    start = philox.stream_from_seeds(3, 4)
    pieces = philox.in_chunks(xp, 103, lambda first, n: philox.blocks(xp, start.skip(xp, first), n), size=10)
    assert (pieces == philox.blocks(xp, start, 103)).all()


@pytest.mark.parametrize("program", PROGRAMS["philox"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)
