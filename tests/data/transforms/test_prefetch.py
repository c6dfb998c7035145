"""`Dataset.prefetch`."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import millrace as tf
from tests.data.parallel import always_ahead, awaited_count, noting, stable_count
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes, rest, started

Dataset = tf.data.Dataset
__all__ = ["always_ahead"]


@pytest.mark.parametrize("room", [0, 1, 3, None, tf.data.AUTOTUNE])
def test_elements_are_those_of_the_source(room: Any, always_ahead: None) -> None:
    dataset = Dataset.range(40).filter(lambda x: x % 2 == 0).prefetch(room)
    assert elements(dataset) == list(range(0, 40, 2))
    assert len(Dataset.range(40).prefetch(room)) == 40
    assert type(dataset).__name__ == "_PrefetchDataset"


def test_elements_are_made_ahead_as_far_as_there_is_room(always_ahead: None) -> None:
    seen: list[int] = []
    iterator = iter(Dataset.range(100).map(noting(seen)).prefetch(3))
    assert not seen
    for given in range(1, 20):
        next(iterator)
        assert stable_count(lambda: len(seen)) <= given + 3
    assert awaited_count(lambda: len(seen), 22) == 22


def test_a_slow_source_and_a_slow_consumer_work_at_a_time() -> None:
    threads: list[int] = []

    def wait(x: Any) -> Any:
        threads.append(threading.get_ident())
        time.sleep(0.005)
        return x

    for _ in Dataset.range(40).map(lambda x: tf.py_function(wait, [x], tf.int64)).prefetch(2):
        time.sleep(0.005)
    assert threads.count(threading.get_ident()) < 20


def test_a_consumer_that_leaves_no_time_gets_no_thread() -> None:
    threads: list[int] = []

    def wait(x: Any) -> Any:
        threads.append(threading.get_ident())
        time.sleep(0.002)
        return x

    elements(Dataset.range(60).map(lambda x: tf.py_function(wait, [x], tf.int64)).prefetch(2))
    assert set(threads) == {threading.get_ident()}


def test_an_error_belongs_to_its_element(always_ahead: None) -> None:
    def inverse(x: Any) -> Any:
        return tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse")

    dataset = Dataset.range(-2, 3).map(inverse).prefetch(2)
    assert outcomes(dataset) == [-0.5, -1, "InvalidArgumentError", 1, 0.5]
    check_restores_everywhere(lambda: Dataset.range(-2, 3).map(inverse).prefetch(3))


def test_a_number_below_minus_one_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="buffer_size must be >= 0 or set buffer_size to be -1"):
        Dataset.range(3).prefetch(-2)
    for value in ("a", 1.5):
        with pytest.raises(TypeError):
            Dataset.range(3).prefetch(value)


def test_a_pass_goes_on_from_every_position(always_ahead: None) -> None:
    check_restores_everywhere(lambda: Dataset.range(20).filter(lambda x: x % 2 == 0).prefetch(3).batch(2))
    check_restores_everywhere(lambda: Dataset.range(9).prefetch(2).skip(3).prefetch(1))


def test_it_works_in_a_function() -> None:
    check_same_in_function(lambda: Dataset.range(4).prefetch(2), 4)


def test_a_closed_pass_takes_no_further_elements(always_ahead: None) -> None:
    seen: list[int] = []
    iterator = iter(Dataset.range(1000).map(noting(seen, lambda x: 0.005)).prefetch(50))
    for _ in range(8):
        next(iterator)
    iterator._resource.close()
    count = len(seen)
    assert stable_count(lambda: len(seen)) <= count + 1


@pytest.mark.parametrize("room", [1, 3, 10])
def test_the_buffer_is_full_when_a_quick_consumer_pauses(room: int) -> None:
    seen: list[int] = []
    iterator = iter(Dataset.range(100).map(noting(seen)).prefetch(room))
    assert stable_count(lambda: len(seen)) == 0
    for _ in range(10):
        next(iterator)
    assert awaited_count(lambda: len(seen), 10 + room) == 10 + room
    for _ in range(20):
        next(iterator)
    assert awaited_count(lambda: len(seen), 30 + room) == 30 + room
    assert seen == list(range(30 + room))


def test_a_buffer_whose_size_the_runtime_chooses_is_filled_too() -> None:
    seen: list[int] = []
    iterator = iter(Dataset.range(100).map(noting(seen)).prefetch(tf.data.AUTOTUNE))
    next(iterator)
    assert awaited_count(lambda: len(seen), 3) == 3


def test_a_buffer_that_a_pause_has_filled_is_saved(always_ahead: None) -> None:
    iterator = Dataset.range(50).map(lambda x: tf.random.uniform([], 0, 9, tf.int64, seed=1)).prefetch(4)
    running = started(iterator)
    first = [running.next_row() for _ in range(5)]
    time.sleep(0.05)
    state = running.save()
    rest_of_it = rest(running)
    again = started(iterator)
    again.restore(state)
    assert rest(again) == rest_of_it and len(first) == 5


def test_the_end_of_the_program_does_not_wait_for_an_element_that_never_comes() -> None:
    program = """
import queue, time
import millrace as tf
never = queue.SimpleQueue()
def generate():
    for number in range(8):
        time.sleep(0.002)
        yield number
    never.get()
dataset = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int64)).prefetch(4)
for number in dataset:
    if number == 7:
        break
time.sleep(0.2)
print("end")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "end\n", "")
