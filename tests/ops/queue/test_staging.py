"""Staging areas: elements put aside, in order and by key."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.queue.staging import OUTSIDE

raw = tf.raw_ops
TYPES: dict[str, Any] = {"dtypes": [tf.int32, tf.float32]}


@pytest.fixture(autouse=True)
def nothing_stays() -> Any:
    """No area is left behind by a test that empties it."""
    yield
    assert not OUTSIDE.in_use
    assert not OUTSIDE.known


def _key(number: int) -> Any:
    return tf.constant(number, tf.int64)


def _numbers(row: Any) -> list[float]:
    return [float(part) for part in row]


def test_elements_are_taken_in_the_order_in_which_they_came() -> None:
    name = {"shared_name": "a"}
    raw.Stage(values=[1, 2.0], **name)
    raw.Stage(values=[3, 4.0], **name)
    assert _numbers(raw.StagePeek(index=1, **name, **TYPES)) == [3, 4]
    assert _numbers(raw.Unstage(**name, **TYPES)) == [1, 2]
    assert raw.StageSize(**name, **TYPES).numpy() == 1
    assert raw.StageSize(container="c", **name, **TYPES).numpy() == 0
    raw.StageClear(**name, **TYPES)
    assert raw.StageSize(**name, **TYPES).numpy() == 0


def test_who_puts_aside_waits_for_room_and_who_takes_for_elements() -> None:
    name, done = {"shared_name": "w", "capacity": 1}, list[Any]()

    def produce() -> None:
        for number in range(3):
            raw.Stage(values=[number, 0.0], **name)
            done.append(number)

    thread = threading.Thread(target=produce, daemon=True)
    thread.start()
    time.sleep(0.05)
    assert done == [0]
    assert [_numbers(raw.Unstage(**name, **TYPES))[0] for _ in range(3)] == [0, 1, 2]
    thread.join(20)


def test_an_element_has_the_dtypes_that_are_asked_for() -> None:
    raw.Stage(values=[1, 2.0], shared_name="t")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Mismatch stage/unstage: 2 vs\. 1"):
        raw.StagePeek(index=0, shared_name="t", dtypes=[tf.int32])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Type mismatch: actual float vs\. expect int32"):
        raw.Unstage(shared_name="t", dtypes=[tf.int32, tf.int32])


def test_an_element_larger_than_the_area_is_refused() -> None:
    message = "combined size of '400' bytes into Staging Area with a memory limit of '10'"
    with pytest.raises(tf.errors.ResourceExhaustedError, match=message):
        raw.Stage(values=[tf.zeros([100])], shared_name="m", memory_limit=10)


@pytest.mark.parametrize("prefix", ["", "Ordered"])
def test_elements_are_taken_by_key(prefix: str) -> None:
    def call(op: str, **arguments: Any) -> Any:
        return getattr(raw, prefix + op)(shared_name="k", **arguments)

    def sizes() -> list[int]:
        return [int(call(op, **TYPES)) for op in ("MapSize", "MapIncompleteSize")]

    call("MapStage", key=_key(3), indices=[0, 1], values=[1, 2.0], **TYPES)
    call("MapStage", key=_key(4), indices=[1], values=[2.5], **TYPES)
    assert sizes() == [1, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="index '1' for key '4' was already initialized"):
        call("MapStage", key=_key(4), indices=[1], values=[2.5], **TYPES)
    call("MapStage", key=_key(4), indices=[0], values=[7], **TYPES)
    assert sizes() == [2, 0]
    assert _numbers(call("MapPeek", key=_key(3), indices=[1], dtypes=[tf.float32])) == [2]
    assert _numbers(call("MapUnstage", key=_key(3), indices=[1], dtypes=[tf.float32])) == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="has already been removed"):
        call("MapPeek", key=_key(3), indices=[1], dtypes=[tf.float32])
    assert _numbers(call("MapUnstage", key=_key(3), indices=[0], dtypes=[tf.int32])) == [1]
    found = call("MapUnstageNoKey", indices=[0, 1], **TYPES)
    assert (found.key.numpy(), _numbers(found.values)) == (4, [7, 2.5])
    call("MapStage", key=_key(5), indices=[0], values=[7], **TYPES)
    call("MapClear", **TYPES)
    assert sizes() == [0, 0]


def test_the_smallest_key_of_an_ordered_map_comes_first() -> None:
    for key in (5, 2, 9):
        raw.OrderedMapStage(key=_key(key), indices=[0, 1], values=[key, 2.0], shared_name="o", **TYPES)
    keys = [raw.OrderedMapUnstageNoKey(indices=[0, 1], shared_name="o", **TYPES).key.numpy() for _ in range(3)]
    assert keys == [2, 5, 9]


WRONG = [
    ({"indices": [2], "values": [7]}, "Index '2' for key '5' was out of bounds '2'"),
    ({"indices": [1, 0], "values": [2.0, 7]}, "Indices are not strictly ordered"),
    ({"indices": [0], "values": [7.0]}, "Type mismatch: actual float vs. expect int32"),
    ({"indices": [0], "values": [7, 2.0]}, "Expected an index for each of 2 values, got 1"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_tensors_that_do_not_fit_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        raw.MapStage(key=_key(5), shared_name="x", **arguments, **TYPES)
    raw.MapClear(shared_name="x", **TYPES)


def test_a_function_stages_for_the_next_call() -> None:
    @tf.function
    def step(x: Any) -> Any:
        raw.Stage(values=[x, 0.0], shared_name="f")
        return raw.Unstage(shared_name="f", **TYPES)[0]

    raw.Stage(values=[0, 0.0], shared_name="f")
    assert [int(step(tf.constant(k))) for k in (1, 2, 3)] == [0, 1, 2]
    raw.StageClear(shared_name="f", **TYPES)


def test_each_session_has_areas_of_its_own() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        put = raw.Stage(values=[tf.constant(3)], shared_name="own")
        size = raw.StageSize(dtypes=[tf.int32], shared_name="own")
    with v1.Session(graph=graph) as one, v1.Session(graph=graph) as other:
        one.run(put)
        assert (one.run(size), other.run(size)) == (1, 0)
