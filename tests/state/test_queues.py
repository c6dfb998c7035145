"""`tf.queue`: what users see of queues."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.testing.graph_sessions import session_of_graph

FIFOQueue, PaddingFIFOQueue = tf.queue.FIFOQueue, tf.queue.PaddingFIFOQueue


def test_a_queue_of_one_tensor_gives_tensors() -> None:
    queue = FIFOQueue(3, tf.int32)
    for value in (1, (2,), [3]):
        queue.enqueue(value)
    assert queue.size().numpy() == 3 and not queue.is_closed().numpy()
    assert [queue.dequeue().numpy() for _ in range(3)] == [1, 2, 3]
    assert (queue.dtypes, queue.shapes, queue.names, queue.name) == ([tf.int32], [tf.TensorShape(None)], None, "Empty")


def test_a_queue_with_names_gives_dicts() -> None:
    queue = FIFOQueue(10, [tf.int32, tf.float32], names=["a", "b"], shapes=[[], []])
    queue.enqueue({"a": 1, "b": 2.0})
    queue.enqueue_many({"a": [3, 4], "b": [5.0, 6.0]})
    assert {name: float(value) for name, value in queue.dequeue().items()} == {"a": 1, "b": 2}
    assert queue.dequeue_many(2)["a"].numpy().tolist() == [3, 4]
    assert queue.names == ["a", "b"]


NAMES = [
    (["a", "b"], {"a": 1}, r"do not match names of Queue.  Dictionary: \['a'\],Queue: \['a', 'b'\]"),
    (["a", "b"], (1, 2), "You must enqueue a dictionary in a Queue with names"),
    (None, {"a": 1, "b": 2}, "Queue must have names to enqueue a dictionary"),
]


@pytest.mark.parametrize(("names", "element", "message"), NAMES)
def test_elements_have_the_names_of_the_queue(names: Any, element: Any, message: str) -> None:
    queue = FIFOQueue(10, [tf.int32, tf.int32], names=names)
    with pytest.raises(ValueError, match=message):
        queue.enqueue(element)


def test_shapes_are_those_of_the_queue() -> None:
    queue = FIFOQueue(10, [tf.int32, tf.string], shapes=[[], [2]])
    with pytest.raises(ValueError, match=r"Shapes \(1,\) and \(2,\) are incompatible"):
        queue.enqueue((1, ["a"]))
    with pytest.raises(ValueError, match="Dimensions 2 and 1 are not compatible"):
        queue.enqueue_many(([2, 3], [["c", "d"]]))
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 1"):
        queue.enqueue_many((2, [["c", "d"]]))
    queue.enqueue_many((np.zeros(0, np.int32), np.zeros([0, 2], "S1")))
    assert [part.shape.as_list() for part in queue.dequeue_many(0)] == [[0], [0, 2]]


ARGUMENTS = [
    (lambda: FIFOQueue(10, [tf.int32], names=["a", "b"]), r"received len\(names\)=2,len\(dtypes\)=1"),
    (lambda: FIFOQueue(10, [tf.int32], shapes=[[None]]), "All shapes must be fully defined"),
    (lambda: PaddingFIFOQueue(5, [tf.int32], shapes=None), "a list of shapes must be provided"),
    (lambda: PaddingFIFOQueue(5, [tf.int32], shapes=[None]), "a list of shapes must be provided"),
    (lambda: PaddingFIFOQueue(5, [tf.int32] * 2, shapes=[[1]]), "Shapes must be provided for all components"),
    (lambda: tf.queue.QueueBase([tf.int32], [[], []], None, None), r"received len\(shapes\)=2, len\(dtypes\)=1"),
    (lambda: tf.queue.QueueBase([tf.int32], None, ["a", "b"], None), r"received len\(names\)=2,len 1"),
]


@pytest.mark.parametrize(("make", "message"), ARGUMENTS)
def test_queues_that_cannot_be(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_one_shape_may_be_given_alone() -> None:
    assert FIFOQueue(10, [tf.int32], shapes=[3]).shapes == [tf.TensorShape([3])]
    assert FIFOQueue(10, tf.int32, shapes=[]).shapes == [tf.TensorShape([])]
    assert FIFOQueue(10, tf.int32, shapes=tf.TensorShape([2])).shapes == [tf.TensorShape([2])]


def test_elements_are_filled_up() -> None:
    queue = PaddingFIFOQueue(10, [tf.int32], shapes=[[None, 2]])
    queue.enqueue([[[1, 2]]])
    queue.enqueue([[[3, 4], [5, 6]]])
    queue.close()
    assert queue.dequeue_up_to(5).numpy().tolist() == [[[1, 2], [0, 0]], [[3, 4], [5, 6]]]
    with pytest.raises(ValueError, match=r"Shapes \(\) and \(None, 2\) are incompatible"):
        queue.enqueue(1)


def test_the_smallest_number_comes_out_first() -> None:
    queue = tf.queue.PriorityQueue(10, [tf.string], [[]])
    for number, text in ((3, "c"), (1, "a"), (2, "b")):
        queue.enqueue((number, text))
    assert queue.dtypes == [tf.int64, tf.string] and queue.shapes == [tf.TensorShape([])] * 2
    assert [queue.dequeue()[1].numpy() for _ in range(3)] == [b"a", b"b", b"c"]


def test_random_order_follows_from_the_seeds_as_in_tensorflow() -> None:
    tf.random.set_seed(None)
    queue = tf.queue.RandomShuffleQueue(20, 3, [tf.int32], shapes=[[]], seed=7)
    queue.enqueue_many([list(range(10))])
    assert queue.dequeue_many(7).numpy().tolist() == [7, 1, 5, 6, 4, 3, 2]
    queue.close()
    assert queue.dequeue_up_to(5).numpy().tolist() == [0, 9, 8]
    tf.random.set_seed(3)
    queue = tf.queue.RandomShuffleQueue(20, 0, [tf.int32], shapes=[[]], seed=7)
    queue.enqueue_many([list(range(10))])
    assert queue.dequeue_many(10).numpy().tolist() == [6, 1, 5, 3, 4, 0, 9, 2, 8, 7]
    tf.random.set_seed(None)


def test_one_of_several_queues_is_chosen() -> None:
    one, other = FIFOQueue(5, [tf.int32], shapes=[[1]]), FIFOQueue(5, [tf.int32], shapes=[[2]])
    chosen = tf.queue.QueueBase.from_list(1, [one, other])
    chosen.enqueue([[1, 2]])
    assert other.size().numpy() == 1 and chosen.shapes == [tf.TensorShape([None])]
    with pytest.raises(TypeError, match="A list of queues expected"):
        tf.queue.QueueBase.from_list(1, [one, 3])  # type: ignore[list-item]  # that is the point
    with pytest.raises(TypeError, match="Queues do not have matching component dtypes"):
        tf.queue.QueueBase.from_list(0, [one, FIFOQueue(5, [tf.float32])])
    with pytest.raises(TypeError, match="Queues do not have matching component names"):
        tf.queue.QueueBase.from_list(0, [one, FIFOQueue(5, [tf.int32], names=["a"])])


def test_a_queue_of_a_function_lives_as_long_as_the_function() -> None:
    @tf.function
    def count() -> Any:
        queue = FIFOQueue(5, [tf.int32], shapes=[[]])
        queue.enqueue(3)
        return queue.size()

    assert [int(count()) for _ in range(2)] == [1, 2]


def test_producers_and_consumers_run_functions() -> None:
    queue, total = FIFOQueue(2, [tf.int32], shapes=[[]]), tf.Variable(0)

    @tf.function
    def produce() -> None:
        for number in tf.range(10):
            queue.enqueue(number)

    @tf.function
    def consume() -> Any:
        for _ in tf.range(10):
            total.assign_add(queue.dequeue())
        return total.read_value()

    producer = threading.Thread(target=produce, daemon=True)
    producer.start()
    assert consume().numpy() == 45
    producer.join(20)
    assert not producer.is_alive()


def test_a_dequeue_in_a_critical_section() -> None:
    queue, section = FIFOQueue(5, [tf.int32]), tf.CriticalSection()
    queue.enqueue(4)
    assert section.execute(queue.dequeue).numpy() == 4


def test_a_graph_has_the_names_of_tensorflow_and_runs() -> None:
    with tf.Graph().as_default() as graph:
        queue = FIFOQueue(5, [tf.int32, tf.float32], shapes=[[], [2]])
        put = queue.enqueue((1, [1.0, 2.0]))
        put_many = queue.enqueue_many(([2, 3], [[1.0, 2.0]] * 2))
        taken, some = queue.dequeue(), queue.dequeue_many(2)
        others = [queue.dequeue_up_to(2)[0], queue.size(), queue.is_closed()]
        close = queue.close()
    names = [operation.name for operation in graph.get_operations()]
    assert names == [
        "fifo_queue",
        "fifo_queue_enqueue/component_0",
        "fifo_queue_enqueue/component_1",
        "fifo_queue_enqueue",
        "fifo_queue_EnqueueMany/component_0",
        "fifo_queue_EnqueueMany/component_1",
        "fifo_queue_EnqueueMany",
        "fifo_queue_Dequeue",
        "fifo_queue_DequeueMany/n",
        "fifo_queue_DequeueMany",
        "fifo_queue_DequeueUpTo/n",
        "fifo_queue_DequeueUpTo",
        "fifo_queue_Size",
        "fifo_queue_Is_Closed",
        "fifo_queue_Close",
    ]
    assert queue.name == "fifo_queue" and some[1].shape == [2, 2] and others[0].shape.as_list() == [None]
    session = session_of_graph(graph)
    session.run(put)
    session.run(put_many)
    assert session.run(taken)[0] == 1 and session.run(some)[0].tolist() == [2, 3]
    session.run(close)
    assert session.run(others[1:]) == [0, True]
