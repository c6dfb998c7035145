"""`tf.CriticalSection`: functions of which only one runs at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf


def _in_threads(run: Callable[[], Any], count: int = 4) -> None:
    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


def test_a_structure_of_tensors_comes_back() -> None:
    v = tf.Variable(2)
    section = tf.CriticalSection(name="cs")
    assert section.name == "cs"
    assert [int(x) for x in section.execute(lambda: [v + 1, {"a": v * 5}["a"], 3])] == [3, 10, 3]
    assert section.execute(lambda: None) is None
    assert section.execute(lambda: "x").numpy() == b"x"


def test_only_one_thread_runs_in_a_section() -> None:
    section, v = tf.CriticalSection(), tf.Variable(0)

    def add() -> Any:
        value = v.read_value()
        time.sleep(0.002)
        return v.assign(value + 1)

    _in_threads(lambda: [section.execute(add) for _ in range(5)])
    assert v.numpy() == 20


def test_only_one_call_of_a_function_runs_in_a_section() -> None:
    section, v = tf.CriticalSection(), tf.Variable(0)

    def slow(value: Any) -> Any:
        time.sleep(0.002)
        return value

    @tf.function
    def add() -> Any:
        def body() -> Any:
            value = tf.numpy_function(slow, [v.read_value()], tf.int32)
            return v.assign(tf.ensure_shape(value, []) + 1).read_value()

        return section.execute(body)

    _in_threads(lambda: [add() for _ in range(5)])
    assert v.numpy() == 20


def test_operations_wait_for_the_lock_and_the_lock_for_them() -> None:
    section, v = tf.CriticalSection(), tf.Variable(1)
    graph = tf.function(lambda: section.execute(lambda: v.assign_add(1))).get_concrete_function().graph
    operations = {op.type: op for op in graph.get_operations()}
    lock, update, release = (operations[name] for name in ("MutexLock", "AssignAddVariableOp", "ConsumeMutexLock"))
    before = {update, *[tensor.op for tensor in update.inputs]}
    assert any(lock in op.control_inputs for op in before) and update in release.control_inputs
    assert lock.name.startswith("critical_section_execute/")


def test_an_error_inside_ends_the_section() -> None:
    section = tf.CriticalSection()
    with pytest.raises(ZeroDivisionError):
        section.execute(lambda: 1 // 0)
    fails = tf.function(lambda x: section.execute(lambda: tf.gather([1, 2], x)))
    with pytest.raises(tf.errors.InvalidArgumentError):
        fails(tf.constant(5))
    _in_threads(lambda: section.execute(lambda: 1), count=1)


def test_a_section_inside_of_itself_is_refused() -> None:
    section = tf.CriticalSection()

    def twice() -> Any:
        return section.execute(lambda: section.execute(lambda: 1))

    for run in (twice, tf.function(twice, autograph=False)):
        with pytest.raises(ValueError, match="in which we are already running"):
            run()
    assert section.execute(lambda: tf.CriticalSection().execute(lambda: 4)).numpy() == 4


@pytest.mark.parametrize("exclusive", [True, False])
def test_two_sections_share_a_resource_only_where_both_say_so(exclusive: bool) -> None:
    first, second, v = tf.CriticalSection(), tf.CriticalSection(), tf.Variable(1)

    @tf.function(autograph=False)
    def both() -> Any:
        shared = first.execute(lambda: v + 1, exclusive_resource_access=False)
        return shared, second.execute(lambda: v + 2, exclusive_resource_access=exclusive)

    if exclusive:
        with pytest.raises(ValueError, match="Did you mean to call execute with keyword argument"):
            both()
    else:
        assert [int(x) for x in both()] == [2, 3]


def test_sections_of_one_shared_name_are_one() -> None:
    first, second = tf.CriticalSection(shared_name="one"), tf.CriticalSection(shared_name="one")
    with pytest.raises(ValueError, match="already running"):
        first.execute(lambda: second.execute(lambda: 1))


def test_a_definition_of_another_program_is_refused() -> None:
    with pytest.raises(ValueError, match="not supported"):
        tf.CriticalSection(critical_section_def=object())
