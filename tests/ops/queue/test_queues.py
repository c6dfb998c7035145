"""Queues between threads: against a model, waiting, closing, cancelling."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.handle_types import QueueHandle
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.queue.queues import FirstInFirstOut, Queue, Shuffled, SmallestFirst

_WAIT = 0.05


def _queue(capacity: int = -1, store: Any = None, **other: Any) -> Queue:
    elements = FirstInFirstOut() if store is None else store
    return Queue("FIFOQueue", [tf.int64], [TensorShape([])], capacity, elements, **other)


def _rows(*numbers: int) -> list[list[Any]]:
    return [[np.array(number)] for number in numbers]


def _numbers(rows: list[list[Any]]) -> list[int]:
    return [int(row[0]) for row in rows]


class _Thread:
    """A call in another thread, whose result or error can be asked for."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._outcome: list[Any] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome.append(self._call())
        except Exception as error:
            self._outcome.append(error)

    @property
    def waits(self) -> bool:
        time.sleep(_WAIT)
        return not self._outcome

    def result(self) -> Any:
        self._thread.join(20)
        (outcome,) = self._outcome
        return outcome


@given(st.lists(st.one_of(st.lists(st.integers(0, 9), max_size=4), st.integers(1, 3)), max_size=15))
@settings(max_examples=100, deadline=None)
def test_elements_come_out_in_the_order_of_their_kind(steps: list[Any]) -> None:
    fifo, heap, model = _queue(), _queue(store=SmallestFirst()), list[int]()
    sorted_model: list[int] = []
    for step in steps:
        if isinstance(step, list):
            for queue in (fifo, heap):
                queue.enqueue(_rows(*step))
            model += step
            sorted_model = sorted(sorted_model + step)
        elif step <= len(model):
            assert _numbers(fifo.dequeue(step)) == model[:step]
            assert _numbers(heap.dequeue(step)) == sorted_model[:step]
            del model[:step], sorted_model[:step]
    assert fifo.size == heap.size == len(model)


def test_a_shuffled_queue_draws_as_tensorflow() -> None:
    queue = _queue(store=Shuffled(1, 2))
    queue.enqueue(_rows(*range(10)))
    assert _numbers(queue.dequeue(10)) == [9, 8, 6, 3, 5, 1, 4, 7, 2, 0]


def test_without_seeds_nobody_knows_the_order() -> None:
    orders = set()
    for _ in range(5):
        queue = _queue(store=Shuffled(0, 0))
        queue.enqueue(_rows(*range(20)))
        orders.add(tuple(_numbers(queue.dequeue(20))))
    assert len(orders) > 1


def test_of_equal_numbers_the_oldest_comes_first() -> None:
    queue = Queue("PriorityQueue", [tf.int64, tf.int64], [], -1, SmallestFirst())
    queue.enqueue([[np.array(1), np.array(number)] for number in range(5)])
    assert [int(row[1]) for row in queue.dequeue(5)] == [0, 1, 2, 3, 4]


def test_who_enqueues_waits_for_room() -> None:
    queue = _queue(1)
    thread = _Thread(lambda: queue.enqueue(_rows(1, 2, 3)))
    assert thread.waits
    assert _numbers(queue.dequeue(3)) == [1, 2, 3]
    assert thread.result() is None


def test_who_dequeues_waits_for_elements() -> None:
    queue = _queue()
    thread = _Thread(lambda: _numbers(queue.dequeue(2)))
    queue.enqueue(_rows(1))
    assert thread.waits
    queue.enqueue(_rows(2))
    assert thread.result() == [1, 2]


def test_some_elements_stay_behind_until_the_queue_is_closed() -> None:
    queue = _queue(least=2)
    queue.enqueue(_rows(1, 2, 3))
    assert _numbers(queue.dequeue(1)) == [1]
    thread = _Thread(lambda: _numbers(queue.dequeue(1)))
    assert thread.waits
    queue.close(cancels_enqueues=False)
    assert thread.result() == [2]


def test_a_closed_queue_gives_what_it_has() -> None:
    queue = _queue()
    queue.enqueue(_rows(1, 2))
    queue.close(cancels_enqueues=False)
    with pytest.raises(tf.errors.CancelledError, match=r"FIFOQueue '\d+' is closed"):
        queue.enqueue(_rows(3))
    message = r"closed and has insufficient elements \(requested 3, current size 2\)"
    with pytest.raises(tf.errors.OutOfRangeError, match=message):
        queue.dequeue(3)
    assert _numbers(queue.dequeue(3, is_enough=1)) == [1, 2]
    assert queue.dequeue(0) == []
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        queue.dequeue(3, is_enough=1)


def test_closing_tells_those_who_wait_for_elements() -> None:
    queue = _queue()
    thread = _Thread(lambda: queue.dequeue(1))
    assert thread.waits
    queue.close(cancels_enqueues=False)
    assert isinstance(thread.result(), tf.errors.OutOfRangeError)


def test_those_who_wait_for_room_wait_on_or_are_cancelled() -> None:
    queue = _queue(1)
    queue.enqueue(_rows(1))
    thread = _Thread(lambda: queue.enqueue(_rows(2)))
    assert thread.waits
    queue.close(cancels_enqueues=False)
    assert thread.waits
    assert _numbers(queue.dequeue(2)) == [1, 2]
    assert thread.result() is None

    queue = _queue(1)
    queue.enqueue(_rows(1))
    thread = _Thread(lambda: queue.enqueue(_rows(2)))
    assert thread.waits
    queue.close(cancels_enqueues=True)
    assert isinstance(thread.result(), tf.errors.CancelledError)
    assert queue.size == 1


def test_who_dequeues_from_a_closed_queue_waits_for_pending_elements_only() -> None:
    for _ in range(200):
        queue = _queue(1)
        queue.enqueue(_rows(1))
        producer = _Thread(lambda queue=queue: queue.enqueue(_rows(2, 3)))
        while not queue._enqueuer_count:
            time.sleep(0)
        queue.close(cancels_enqueues=False)
        consumer = _Thread(lambda queue=queue: _numbers(queue.dequeue(9, is_enough=1)))
        assert consumer.result() == [1, 2, 3] and producer.result() is None


def test_a_queue_is_closed_once_and_cancelled_at_any_time() -> None:
    queue = _queue()
    queue.close(cancels_enqueues=False)
    with pytest.raises(tf.errors.CancelledError, match="is already closed"):
        queue.close(cancels_enqueues=False)
    queue.close(cancels_enqueues=True)


def test_many_threads_lose_no_element() -> None:
    queue, count = _queue(5), 300
    producers = [_Thread(lambda k=k: queue.enqueue(_rows(*range(k, count, 3)))) for k in range(3)]
    consumers = [_Thread(lambda: _numbers(queue.dequeue(count // 4))) for _ in range(4)]
    taken = [number for consumer in consumers for number in consumer.result()]
    assert sorted(taken) == list(range(count)) and all(producer.result() is None for producer in producers)


def test_elements_of_several_shapes_are_filled_up() -> None:
    queue = Queue("PaddingFIFOQueue", [tf.int64, tf.string], [TensorShape([None])] * 2, -1, FirstInFirstOut())
    texts = np.array([b"x"], object), np.array([b"y", b"z"], object)
    queue.enqueue([[np.array([1, 2]), texts[0]], [np.array([3]), texts[1]]])
    numbers, words = queue.stack(queue.dequeue(2))
    assert numbers.tolist() == [[1, 2], [3, 0]] and words.tolist() == [[b"x", b""], [b"y", b"z"]]
    assert [column.shape for column in queue.stack([])] == [(0, 0), (0, 0)]


def test_scalar_texts_are_stacked() -> None:
    queue = Queue("FIFOQueue", [tf.string], [TensorShape([])], -1, FirstInFirstOut())
    queue.enqueue(queue.rows_of([np.array([b"a", b"b"], object)]))
    (column,) = queue.stack(queue.dequeue(2))
    assert column.tolist() == [b"a", b"b"] and column.shape == (2,)


def test_a_queue_without_shapes_stacks_nothing() -> None:
    queue = Queue("FIFOQueue", [tf.int64], [], -1, FirstInFirstOut())
    with pytest.raises(tf.errors.InvalidArgumentError, match="require the components to have specified shapes"):
        queue.stack([])
    assert queue.handle_type == QueueHandle((tf.int64,), (TensorShape(None),))


def test_a_shape_for_each_dtype() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Different number of component types\.  Types: int64"):
        Queue("FIFOQueue", [tf.int64], [TensorShape([])] * 2, -1, FirstInFirstOut())
