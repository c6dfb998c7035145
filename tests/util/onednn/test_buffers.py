"""Memory that calculations borrow."""

from __future__ import annotations

from millrace._src.util.onednn.buffers import ALIGNMENT, BufferPool, make_aligned


def test_buffers_are_aligned_and_large_enough() -> None:
    pool = BufferPool()
    for size in (1, 63, 4096, 100_001):
        buffer = pool.take(size)
        assert buffer.nbytes >= size
        assert buffer.ctypes.data % ALIGNMENT == 0
    assert make_aligned(0).nbytes == 0


def test_a_buffer_that_was_given_back_is_used_again() -> None:
    pool = BufferPool()
    first = pool.take(10_000)
    second = pool.take(10_000)
    assert first is not second
    pool.give_back(first)
    assert pool.take(9_000) is first


def test_a_large_buffer_is_not_spent_on_a_small_need() -> None:
    pool = BufferPool()
    pool.give_back(large := pool.take(1 << 20))
    assert pool.take(100) is not large
    assert pool.take(1 << 20) is large


def test_a_pool_keeps_no_more_than_its_limit() -> None:
    pool = BufferPool(most_bytes=20_000)
    buffers = [pool.take(8192) for _ in range(5)]
    for buffer in buffers:
        pool.give_back(buffer)
    assert pool.kept_bytes == 16_384
    assert {id(pool.take(8192)) for _ in range(2)} == {id(b) for b in buffers[3:]}
