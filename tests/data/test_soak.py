"""Pipelines that run for long, in many threads, or are left unfinished: each element comes once, nothing stays behind.

The long versions (`-m slow`) go through a million elements and through two hundred epochs.
"""

from __future__ import annotations

import collections
import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf

Dataset = tf.data.Dataset
INT = tf.TensorSpec([], tf.int64)
THREADS = 8
MAX_GROWTH = 4.0  # megabytes

short_and_long = pytest.mark.parametrize("size", [5_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
epochs = pytest.mark.parametrize("count", [3, pytest.param(200, marks=pytest.mark.slow)])


# --- what is left of pipelines -----------------------------------------------------------------------------------


def census() -> dict[str, int]:
    """Counts the objects of pipelines and graphs, the threads outside of the pool, and the open files."""
    gc.collect()
    kinds = collections.Counter(
        f"{type(o).__module__}.{type(o).__qualname__}"
        for o in gc.get_objects()
        if str(type(o).__module__).startswith(("millrace._src.data", "millrace._src.graph"))
    )
    kinds["threads"] = sum(not t.name.startswith("millrace-data") for t in threading.enumerate())
    if os.path.isdir("/proc/self/fd"):
        kinds["files"] = len(os.listdir("/proc/self/fd"))
    return dict(kinds)


def resident() -> float:
    """Returns the resident memory of this process in megabytes."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def drained(dataset: Any, most: int | None = None) -> None:
    """Goes through a dataset; leaves after `most` elements."""
    for count, _ in enumerate(dataset, 1):
        if count == most:
            return


def in_threads(work: Callable[[], None]) -> None:
    """Runs a function in several threads at once; raises what it raises there."""
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]


# --- threads -----------------------------------------------------------------------------------------------------


@short_and_long
def test_threads_that_share_an_iterator_get_each_element_once(size: int) -> None:
    iterator = iter(Dataset.range(size).map(lambda x: x * 2).shuffle(100).prefetch(4))
    taken: list[list[int]] = []

    def take() -> None:
        mine: list[int] = []
        taken.append(mine)
        mine.extend(int(x) for x in iterator)

    in_threads(take)
    numbers = np.sort(np.concatenate([np.array(mine, np.int64) for mine in taken]))
    np.testing.assert_array_equal(numbers, np.arange(0, 2 * size, 2))


def test_threads_that_share_a_generator_get_each_element_once() -> None:
    iterator = iter(Dataset.from_generator(lambda: iter(range(2000)), output_signature=INT).prefetch(2))
    taken: list[int] = []
    in_threads(lambda: taken.extend(int(x) for x in iterator))
    assert sorted(taken) == list(range(2000))


@short_and_long
def test_threads_with_iterators_of_their_own_all_see_all_elements(size: int) -> None:
    dataset = (
        Dataset.range(size // THREADS).map(lambda x: x + 1, num_parallel_calls=2).shuffle(100).batch(7).prefetch(2)
    )
    sums: list[int] = []
    in_threads(lambda: sums.append(sum(int(np.sum(batch)) for batch in dataset.as_numpy_iterator())))
    count = size // THREADS
    assert sums == [count * (count + 1) // 2] * THREADS


def test_threads_that_share_an_iterator_in_a_function_get_each_element_once() -> None:
    iterator = iter(Dataset.range(10_000))
    step = tf.function(lambda: next(iterator))
    taken: list[int] = []
    in_threads(lambda: taken.extend(int(step()) for _ in range(100)))
    assert sorted(taken) == list(range(100 * THREADS))


def test_threads_build_pipelines_at_the_same_time() -> None:
    sums: list[int] = []
    in_threads(
        lambda: sums.append(sum(int(x) for x in Dataset.range(50).map(lambda x: x + 1).filter(lambda x: x > 25)))
    )
    assert sums == [sum(range(26, 51))] * THREADS


# --- memory ------------------------------------------------------------------------------------------------------


@short_and_long
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="reads resident memory from /proc")
@pytest.mark.parametrize(
    "make",
    [
        lambda data: data,
        lambda data: data.map(lambda x: (x, tf.cast(x, tf.float32) / 2)).shuffle(1000).batch(32).prefetch(2),
        lambda data: data.filter(lambda x: x % 3 == 0).window(10, drop_remainder=True).flat_map(lambda w: w.batch(10)),
        lambda data: data.interleave(lambda x: Dataset.from_tensors(x), cycle_length=4).batch(100),
        lambda data: data.map(tf.strings.as_string).batch(64).unbatch().padded_batch(64),
    ],
)
def test_the_length_of_a_pass_does_not_show_in_memory(make: Callable[[Any], Any], size: int) -> None:
    dataset = make(Dataset.range(size))
    drained(dataset.take(100))
    iterator = iter(dataset)
    for _ in range(10):
        next(iterator)
    before = resident()
    drained(iterator)
    assert resident() - before < MAX_GROWTH


def records(folder: Path) -> str:
    path = str(folder / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(50):
            writer.write(b"%d" % number)
    return path


def numbers() -> Iterator[Any]:
    for number in range(20):
        yield {"number": number, "row": np.full(3, number, np.float32)}


def inverse(x: Any) -> Any:
    return tf.debugging.check_numerics(1 / tf.cast(x - 3, tf.float32), "")


NUMBERS = {"number": INT, "row": tf.TensorSpec([3], tf.float32)}
IMAGES = np.zeros((200, 28, 28), np.float32)


def pipelines(folder: Path) -> dict[str, Any]:
    """Returns pipelines of all kinds, made anew."""
    count = Dataset.range
    texts = Dataset.from_tensor_slices(["a b", "c"] * 20)
    return {
        "shuffled images": Dataset.from_tensor_slices((IMAGES, np.arange(200))).shuffle(50).batch(32),
        "records": tf.data.TFRecordDataset([records(folder)] * 2).batch(8),
        "a generator": Dataset.from_generator(numbers, output_signature=NUMBERS).batch(4).prefetch(2),
        "Python in threads": count(40).map(lambda x: tf.numpy_function(lambda n: n, [x], tf.int64), 4).prefetch(2),
        "turns": count(8).interleave(lambda n: count(n).map(lambda x: x + n), cycle_length=3, num_parallel_calls=2),
        "windows": count(40).window(5, shift=2).flat_map(lambda window: window.batch(5)),
        "groups": count(40).group_by_window(lambda x: x % 3, lambda _, group: group.batch(4), 8),
        "a cache": count(40).map(lambda x: x * 2).cache().shuffle(10).repeat(2),
        "random numbers": count(20).map(lambda _: tf.random.uniform([3])),
        "texts": texts.map(tf.strings.split).padded_batch(4),
        "pairs": Dataset.zip(texts, count(40)).enumerate().take(30),
        "errors": count(9).map(inverse).ignore_errors(),
    }


def stays(before: dict[str, int]) -> None:
    """Checks that there is no more than before, once the threads of the pool have let go."""
    for _ in range(40):
        after = census()
        grown = {kind: count for kind, count in after.items() if count > before.get(kind, 0)}
        if not grown:
            return
        time.sleep(0.05)
    raise AssertionError(f"before: { ({kind: before.get(kind, 0) for kind in grown}) }, now: {grown}")


@epochs
@pytest.mark.parametrize("most", [None, 2], ids=["to the end", "left unfinished"])
def test_epochs_leave_nothing_behind(most: int | None, count: int, tmp_path: Path) -> None:
    datasets = pipelines(tmp_path)
    for dataset in [*datasets.values()] * 2:
        drained(dataset, most)
    before = census()
    for dataset in [*datasets.values()] * count:
        drained(dataset, most)
    stays(before)


@epochs
def test_pipelines_that_are_built_anew_leave_nothing_behind(count: int, tmp_path: Path) -> None:
    for dataset in pipelines(tmp_path).values():
        drained(dataset)
    del dataset
    before = census()
    for _ in range(min(count, 50)):
        for dataset in pipelines(tmp_path).values():
            drained(dataset)
    del dataset
    stays(before)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="reads resident memory from /proc")
def test_epochs_leave_resident_memory_as_it_is(tmp_path: Path) -> None:
    for name, dataset in pipelines(tmp_path).items():
        for _ in range(20):
            drained(dataset)
        before = resident()
        for _ in range(200):
            drained(dataset)
        assert resident() - before < MAX_GROWTH, name


@epochs
def test_an_error_leaves_nothing_behind(count: int) -> None:
    dataset = Dataset.range(9).map(inverse)

    def epoch() -> None:
        with pytest.raises(tf.errors.InvalidArgumentError):
            drained(dataset.batch(2).prefetch(2))

    epoch()
    before = census()
    for _ in range(count):
        epoch()
    stays(before)


@epochs
def test_calls_of_a_function_over_datasets_leave_nothing_behind(count: int) -> None:
    @tf.function
    def total(data: Any) -> Any:
        result = tf.constant(0, tf.int64)
        for number in data.map(lambda x: x + 1):
            result += number
        return result

    for size in range(2):
        total(Dataset.range(size))
    before = census()
    for size in range(count):
        assert int(total(Dataset.range(size))) == size * (size + 1) // 2
    stays(before)
