"""Work arrays: kept by purpose and thread, never shared."""

from __future__ import annotations

import threading

import numpy as np

from millrace._src.ops.random.scratch import scratch


def test_a_thread_gets_the_same_memory_for_the_same_purpose() -> None:
    first = scratch("one", (4, 4096), np.uint64)
    assert first.shape == (4, 4096)
    assert first.dtype == np.uint64
    assert first.ctypes.data % 64 == 0
    assert np.shares_memory(first, scratch("one", (100, 100), np.float32))
    assert not np.shares_memory(first, scratch("other", (4, 4096), np.uint64))


def test_threads_get_memory_of_their_own() -> None:
    arrays = [scratch("one", (4096,), np.uint64)]
    thread = threading.Thread(target=lambda: arrays.append(scratch("one", (4096,), np.uint64)))
    thread.start()
    thread.join()
    assert not np.shares_memory(*arrays)


def test_small_and_very_large_arrays_are_not_kept() -> None:
    for size in (10, 1 << 20):
        assert not np.shares_memory(scratch("two", (size,), np.uint64), scratch("two", (size,), np.uint64))
