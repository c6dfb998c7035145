"""The ops on queues: dtypes, shapes, order in functions, shared names."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

raw = tf.raw_ops


def _queue(types: Any = (tf.int32,), shapes: Any = ((),), **other: Any) -> Any:
    return raw.FIFOQueueV2(component_types=list(types), shapes=[list(shape) for shape in shapes], **other)


def test_elements_go_in_and_come_out() -> None:
    handle = _queue([tf.int32, tf.string], [[], [2]])
    raw.QueueEnqueueV2(handle=handle, components=[1, ["a", "b"]])
    raw.QueueEnqueueManyV2(handle=handle, components=[[2, 3], [["c", "d"], ["e", "f"]]])
    number, texts = raw.QueueDequeueV2(handle=handle, component_types=[tf.int32, tf.string])
    assert (number.numpy(), texts.numpy().tolist()) == (1, [b"a", b"b"])
    numbers, _ = raw.QueueDequeueManyV2(handle=handle, n=2, component_types=[tf.int32, tf.string])
    assert numbers.numpy().tolist() == [2, 3]
    assert raw.QueueSizeV2(handle=handle).numpy() == 0


def test_effects_in_a_function_happen_in_order() -> None:
    handle = _queue()

    @tf.function
    def change(x: Any) -> Any:
        raw.QueueEnqueueV2(handle=handle, components=[x])
        raw.QueueEnqueueV2(handle=handle, components=[x + 1])
        (first,) = raw.QueueDequeueV2(handle=handle, component_types=[tf.int32])
        return first, raw.QueueSizeV2(handle=handle)

    assert [int(part) for part in change(tf.constant(1))] == [1, 1]
    assert [int(part) for part in change(tf.constant(5))] == [2, 2]


def test_a_graph_knows_the_shapes_of_elements() -> None:
    types = {"component_types": [tf.int32, tf.float32]}
    with tf.Graph().as_default():
        handle = _queue([tf.int32, tf.float32], [[], [2]])
        n = tf.compat.v1.placeholder(tf.int32, [])
        ops = [
            raw.QueueDequeueV2(handle=handle, **types),
            raw.QueueDequeueManyV2(handle=handle, n=3, **types),
            raw.QueueDequeueManyV2(handle=handle, n=n, **types),
            raw.QueueDequeueUpToV2(handle=handle, n=3, **types),
        ]
        priority = raw.PriorityQueueV2(component_types=[tf.string], shapes=[[4]])
        ops.append(raw.QueueDequeueV2(handle=priority, component_types=[tf.int64, tf.string]))
    shapes = [[tensor.shape.as_list() for tensor in tensors] for tensors in ops]
    assert shapes == [[[], [2]], [[3], [3, 2]], [[None], [None, 2]], [[None], [None, 2]], [[], [4]]]


WRONG = [
    (
        raw.QueueEnqueueV2,
        {"components": [1.5, [1.0, 2.0]]},
        "have: resource, float, float-> expected: resource, int32",
    ),
    (raw.QueueEnqueueV2, {"components": [1, [1.0]]}, r"in tuple component 1. Expected \[2\], got \[1\]"),
    (raw.QueueEnqueueManyV2, {"components": [[1], [[1.0]]]}, r"in tuple component 1. Expected \[1,2\], got \[1,1\]"),
    (raw.QueueEnqueueManyV2, {"components": [[1, 2], [[1.0, 2.0]]]}, r"component 1. Expected \[2,2\], got \[1,2\]"),
    (raw.QueueEnqueueManyV2, {"components": [1, [[1.0, 2.0]]]}, r"Shape mismatch in tuple component 0. "),
    (raw.QueueDequeueV2, {"component_types": [tf.int32]}, "have: resource->int32 expected: resource->int32, float"),
    (raw.QueueDequeueManyV2, {"component_types": [tf.int32, tf.float32], "n": -1}, "requested -1 < 0 elements"),
    (raw.QueueDequeueManyV2, {"component_types": [tf.int32, tf.float32], "n": [1]}, "n must be a scalar"),
    (raw.QueueEnqueueV2, {"components": [1, [1.0, 2.0]], "timeout_ms": 5}, "Timeout not supported yet."),
    (raw.QueueDequeueV2, {"component_types": [tf.int32, tf.float32], "timeout_ms": 5}, "Timeout not supported yet."),
]


@pytest.mark.parametrize(("op", "arguments", "message"), WRONG)
def test_what_does_not_fit_is_refused(op: Any, arguments: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        op(handle=_queue([tf.int32, tf.float32], [[], [2]]), **arguments)


def test_another_resource_is_no_queue() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="using the wrong type"):
        raw.QueueSizeV2(handle=tf.Variable(1).handle)


def test_a_shared_name_is_one_queue_in_each_container() -> None:
    first = _queue(shared_name="q")
    raw.QueueEnqueueV2(handle=first, components=[1])
    assert raw.QueueSizeV2(handle=_queue(shared_name="q")).numpy() == 1
    assert raw.QueueSizeV2(handle=_queue(shared_name="q", container="c")).numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shared queue 'q'"):
        _queue([tf.float32], shared_name="q")


MIN_AFTER_DEQUEUE = [(-1, 5, "min_after_dequeue -1 must be >= 0"), (5, 3, "min_after_dequeue 5 must be < capacity 3")]


@pytest.mark.parametrize(("least", "capacity", "message"), MIN_AFTER_DEQUEUE)
def test_a_shuffled_queue_keeps_fewer_than_it_takes(least: int, capacity: int, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        raw.RandomShuffleQueueV2(component_types=[tf.int32], min_after_dequeue=least, capacity=capacity)
