"""What tests of parallel stages share: stages that work ahead without a trial, functions that wait, threads counted."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import millrace as tf
from millrace._src.data import prefetch_trials
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.util.cores import set_usable_cores


@pytest.fixture
def always_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets every stage work ahead as soon as it may, whatever the clock says."""
    monkeypatch.setattr(prefetch_trials, "_SLOW_ELEMENT", -1.0)
    monkeypatch.setattr(prefetch_trials, "_LONG_ELEMENT", -1.0)
    monkeypatch.setattr(prefetch_trials, "_GAIN", 1e9)
    monkeypatch.setattr(prefetch_trials, "_LOSS", 1e9)
    monkeypatch.setattr(prefetch_trials, "_IDLE", -1.0)


SetCores = Callable[[int], int]


@pytest.fixture
def cores() -> Iterator[SetCores]:
    """Lets a test set the number of cores that the program uses."""
    before = set_usable_cores(0)
    yield set_usable_cores
    set_usable_cores(before)


def noting(seen: list[int], seconds: Callable[[int], float] = lambda x: 0.0) -> Callable[[Any], Any]:
    """Returns a map function that notes its numbers, and waits."""

    def note(x: Any) -> Any:
        number = int(x)
        seen.append(number)
        time.sleep(seconds(number))
        return x

    return lambda x: tf.py_function(note, [x], tf.int64)


def stable_count(count: Callable[[], int]) -> int:
    """Returns a count when it has not changed for a while."""
    last = -1
    while (now := count()) != last:
        last = now
        time.sleep(0.05)
    return last


def awaited_count(count: Callable[[], int], expected: int, seconds: float = 20.0) -> int:
    """Returns a count that does not change for a while, once it has come to what is expected or the time is over."""
    deadline = time.monotonic() + seconds
    while count() < expected and time.monotonic() < deadline:
        time.sleep(0.002)
    return stable_count(count)


def pool_threads() -> Iterator[threading.Thread]:
    """Returns the threads of the pool."""
    return (thread for thread in threading.enumerate() if thread.name.startswith("millrace-data"))


def of_variant(variant: Any) -> Any:
    """Returns the dataset of int64 scalars behind a variant that a raw op made."""
    return tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))._from_components(variant)


def passes() -> int:
    """Returns the number of passes that exist."""
    gc.collect()
    return sum(type(thing) is IteratorResource for thing in gc.get_objects())
