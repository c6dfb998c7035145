"""Memory for large results: where it begins, and when it is used again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.engines.numpy import buffers
from millrace._src.engines.numpy.buffers import aligned_empty

FLOAT = np.dtype(np.float32)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[int, Any]:
    """What is kept, where results of 1000 bytes are very large."""
    memory = buffers._KeptMemory()
    monkeypatch.setattr(buffers, "_KEPT", memory)
    monkeypatch.setattr(buffers, "_LARGEST_OF_ALLOCATOR", 1000)
    monkeypatch.setattr(buffers, "_MAX_KEPT", 10_000)
    return memory._kept


@pytest.mark.parametrize("shape", [(3, 5), (7,), (1000,), (30, 50)])
@pytest.mark.parametrize("dtype", [np.float64, np.complex64, np.bool_])
def test_new_arrays_begin_at_multiples_of_64_bytes(shape: Any, dtype: Any, kept: Any) -> None:
    array = aligned_empty(shape, np.dtype(dtype))
    assert array.ctypes.data % 64 == 0
    assert (array.shape, array.dtype) == (shape, dtype)
    assert array.flags.c_contiguous
    assert array.flags.writeable


def test_memory_is_used_again_when_no_array_refers_to_it(kept: dict[int, Any]) -> None:
    array = aligned_empty((500,), FLOAT)
    address = array.ctypes.data
    view = array.reshape(50, 10)[3:].T
    del array
    assert not kept
    del view
    assert len(kept) == 1
    again = aligned_empty((490,), FLOAT)
    assert again.ctypes.data == address
    assert not kept


def test_results_that_live_share_no_memory(kept: Any) -> None:
    arrays = [aligned_empty((400,), FLOAT) for _ in range(5)]
    for number, array in enumerate(arrays):
        array[...] = number
    assert [set(array.tolist()) for array in arrays] == [{0.0}, {1.0}, {2.0}, {3.0}, {4.0}]


def test_memory_of_another_size_is_not_used(kept: dict[int, Any]) -> None:
    del_soon = aligned_empty((1000,), FLOAT)
    del del_soon
    small, large = aligned_empty((300,), FLOAT), aligned_empty((1100,), FLOAT)
    assert len(kept) == 1
    assert small.size + large.size == 1400


def test_what_is_kept_has_a_bound(kept: dict[int, Any]) -> None:
    arrays = [aligned_empty((500,), FLOAT) for _ in range(9)]
    arrays.clear()
    assert 0 < sum(memory.size for memory in kept.values()) <= 10_000


def test_small_results_are_left_to_the_allocator(kept: dict[int, Any]) -> None:
    array = aligned_empty((5,), FLOAT)
    del array
    assert not kept
