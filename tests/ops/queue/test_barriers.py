"""Barriers: elements that are taken once all their components came."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.queue.barriers import Barrier
from millrace._src.testing.graph_sessions import session_of_graph

raw = tf.raw_ops
_FIRST = -(2**63)


def _barrier() -> Barrier:
    return Barrier([tf.float32, tf.string], [TensorShape([]), TensorShape([2])], "b")


def _floats(*values: float) -> Any:
    return np.array(values, np.float32)


def _texts(*rows: list[bytes]) -> Any:
    return np.array(rows, object)


def _take(barrier: Barrier, count: int, takes_fewer: bool = False, waits: bool = False) -> Any:
    indices, keys, values = barrier.take(count, takes_fewer, waits)
    return indices.tolist(), keys.tolist(), [value.tolist() for value in values]


def test_elements_are_taken_once_they_are_complete() -> None:
    barrier = _barrier()
    barrier.insert(0, [b"k1", b"k2"], _floats(1, 2))
    barrier.insert(1, [b"k2", b"k3"], _texts([b"a", b"b"], [b"c", b"d"]))
    assert (barrier.ready_size, barrier.incomplete_size) == (1, 2)
    assert _take(barrier, 1) == ([_FIRST], [b"k2"], [[2.0], [[b"a", b"b"]]])
    barrier.insert(0, [b"k3"], _floats(9))
    barrier.insert(1, [b"k1"], _texts([b"x", b"y"]))
    assert _take(barrier, 2)[:2] == ([_FIRST, _FIRST + 1], [b"k1", b"k3"])
    assert _take(barrier, 0) == ([], [], [[], []])


def test_who_takes_waits_for_components() -> None:
    barrier, found = _barrier(), list[Any]()
    thread = threading.Thread(target=lambda: found.append(_take(barrier, 1)), daemon=True)
    thread.start()
    barrier.insert(0, [b"k"], _floats(1))
    barrier.insert(1, [b"k"], _texts([b"a", b"b"]))
    thread.join(20)
    assert found[0][1] == [b"k"]


def test_elements_before_a_refused_one_can_be_taken() -> None:
    barrier, found = _barrier(), list[Any]()
    barrier.insert(0, [b"y"], _floats(1))
    thread = threading.Thread(target=lambda: found.append(_take(barrier, 1)), daemon=True)
    thread.start()
    while not barrier._changed._waiters:  # type: ignore[attr-defined]  # until the thread waits
        time.sleep(0.001)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Key q already has a value for component 1"):
        barrier.insert(1, [b"y", b"q", b"q"], _texts([b"a", b"b"], [b"c", b"d"], [b"e", b"f"]))
    thread.join(5)
    assert found[0][1] == [b"y"]
    assert (barrier.ready_size, barrier.incomplete_size) == (0, 1)


def test_a_closed_barrier_completes_what_has_begun() -> None:
    barrier = _barrier()
    barrier.insert(0, [b"p", b"q"], _floats(1, 2))
    barrier.close(cancels=False)
    with pytest.raises(tf.errors.CancelledError, match="attempted to insert a brand new key: new"):
        barrier.insert(0, [b"new"], _floats(3))
    barrier.insert(1, [b"p"], _texts([b"a", b"b"]))
    assert _take(barrier, 5, takes_fewer=True)[1] == [b"p"]
    with pytest.raises(tf.errors.OutOfRangeError, match="Barrier 'b' is closed and has insufficient elements"):
        _take(barrier, 5, takes_fewer=True)
    with pytest.raises(tf.errors.CancelledError, match="Barrier 'b' is already closed"):
        barrier.close(cancels=False)
    barrier.close(cancels=True)
    assert barrier.incomplete_size == 0
    with pytest.raises(tf.errors.CancelledError, match="Barrier b is closed"):
        barrier.insert(1, [b"q"], _texts([b"a", b"b"]))
    with pytest.raises(tf.errors.OutOfRangeError, match=r"requested 1, total size 0"):
        _take(barrier, 1)


def test_incomplete_elements_of_a_closed_barrier_may_be_waited_for() -> None:
    barrier, found = _barrier(), list[Any]()
    barrier.insert(0, [b"p"], _floats(1))
    barrier.close(cancels=False)
    take = lambda: found.append(_take(barrier, 3, takes_fewer=True, waits=True))  # noqa: E731  # for the thread
    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    barrier.insert(1, [b"p"], _texts([b"a", b"b"]))
    thread.join(20)
    assert found[0][1] == [b"p"]


WRONG = [
    ((0, [b"z", b"z"], _floats(5, 6)), "Key z already has a value for component 0 in barrier b"),
    ((7, [b"k"], _floats(5)), r"The component ID is out of range 7 > num_components \(= 2\)"),
    ((0, [b"k"], np.array([5], np.int32)), "have: string_ref, string, int32-> expected: string_ref, string, float->"),
    ((1, [b"k"], _texts([b"a"])), r"Shape mismatch in tuple component 1. Expected \[2\], got \[1\]"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_components_that_do_not_fit_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _barrier().insert(*arguments)


def test_a_barrier_knows_all_shapes() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="All of the component shapes must be specified"):
        Barrier([tf.int32], [], "b")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape \[\?\] is not fully defined"):
        Barrier([tf.int32], [TensorShape([None])], "b")


def test_barriers_of_a_graph_run_in_a_session() -> None:
    types = [tf.int32, tf.string]
    with tf.Graph().as_default() as graph:
        handle = raw.Barrier(component_types=types, shapes=[[], []])
        puts = [
            raw.BarrierInsertMany(handle=handle, keys=["x", "y"], values=[1, 2], component_index=0),
            raw.BarrierInsertMany(handle=handle, keys=["y"], values=["two"], component_index=1),
        ]
        sizes = [raw.BarrierReadySize(handle=handle), raw.BarrierIncompleteSize(handle=handle)]
        taken = raw.BarrierTakeMany(handle=handle, num_elements=1, component_types=types)
        close = raw.BarrierClose(handle=handle)
        with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and 1"):
            raw.BarrierInsertMany(handle=handle, keys=["x", "y"], values=[1], component_index=0)
    session = session_of_graph(graph)
    for put in puts:
        session.run(put)
    assert session.run(sizes) == [1, 1]
    _, keys, values = session.run([taken.indices, taken.keys, list(taken.values)])
    assert keys.tolist() == [b"y"] and [value.tolist() for value in values] == [[2], [b"two"]]
    session.run(close)


def test_a_barrier_is_of_graphs() -> None:
    with pytest.raises(RuntimeError, match="barrier op does not support eager execution"):
        raw.Barrier(component_types=[tf.int32], shapes=[[]])
