"""What a recorder notes of a program."""

from __future__ import annotations

import gc
import threading
from typing import Any

import millrace as tf
from millrace._src.core.watching import is_watched
from millrace._src.explain.events import COMPILER, FUNCTION, OP, Profile, Subject
from millrace._src.explain.recorder import Recorder


def recorded(run: Any, **options: Any) -> Profile:
    """Returns the profile of a call."""
    recorder = Recorder(**options)
    recorder.start()
    try:
        run()
    finally:
        profile = recorder.stop()
    return profile


def ops(profile: Profile) -> list[str]:
    return [event.subject.op for event in profile.events if event.subject.category == OP]


def test_an_eager_op_is_noted_with_the_users_line() -> None:
    x = tf.ones([4])
    profile = recorded(lambda: tf.tanh(x))
    (event,) = profile.events
    assert (event.subject.op, event.subject.is_eager, event.size) == ("Tanh", True, 16)
    assert event.source is not None
    assert event.source.filename == __file__
    assert profile.start <= event.start <= event.end <= profile.end


def test_the_nodes_of_a_function_are_noted_inside_of_the_function() -> None:
    f = tf.function(lambda x: tf.matmul(x, x), jit_compile=False)
    x = tf.ones([4, 4])
    f(x)
    profile = recorded(lambda: f(x))
    node, function = profile.events
    assert (node.subject.op, function.subject.category) == ("MatMul", FUNCTION)
    assert function.start <= node.start <= node.end <= function.end
    assert node.source is not None
    assert node.source.filename == __file__


def test_tracing_is_noted() -> None:
    profile = recorded(lambda: tf.function(lambda x: x + 1.0, jit_compile=False)(tf.ones([])))
    assert [e.subject.op for e in profile.events if e.subject.category == COMPILER] == ["trace"]


def test_events_without_room_are_counted() -> None:
    x = tf.ones([])
    profile = recorded(lambda: [tf.tanh(x) for _ in range(5)], most_events=3)
    assert (len(profile.events), profile.dropped) == (3, 2)


def test_one_thread_alone_may_be_looked_at() -> None:
    x = tf.ones([])

    def run() -> None:
        thread = threading.Thread(target=lambda: tf.tanh(x))
        thread.start()
        thread.join()
        tf.cosh(x)

    assert sorted(ops(recorded(run))) == ["Cosh", "Tanh"]
    assert ops(recorded(run, only_thread=threading.get_ident())) == ["Cosh"]


def test_functions_may_be_noted_without_their_ops() -> None:
    f = tf.function(lambda x: tf.tanh(x), jit_compile=False)
    x = tf.ones([])
    f(x)
    profile = recorded(lambda: (f(x), tf.tanh(x)), with_ops=False)
    assert [event.subject.category for event in profile.events] == [FUNCTION]


def test_nothing_is_noted_before_the_delay_is_over() -> None:
    x = tf.ones([])
    assert recorded(lambda: tf.tanh(x), delay_ms=60_000).events == []


def test_the_memory_of_results_rises_and_falls() -> None:
    x = tf.ones([1024])

    def run() -> None:
        y = tf.tanh(x)
        z = y + 1.0
        del y, z
        gc.collect()
        tf.cosh(x)

    profile = recorded(run)
    assert profile.memory_peak()[1] == 2 * 4096
    assert [total for _, total in profile.memory()][-1] in (0, 4096)
    assert [a.event.subject.op for a in profile.alive_at(profile.memory_peak()[0])] == ["Tanh", "AddV2"]


def test_a_view_takes_no_memory_of_its_own() -> None:
    x = tf.ones([1024])
    kept: list[Any] = []

    def run() -> None:
        y = tf.tanh(x)
        kept.extend([y, tf.reshape(y, [32, 32])])

    assert recorded(run).memory_peak()[1] == 4096


def test_a_profile_ends_without_watchers() -> None:
    recorded(lambda: None)
    assert not is_watched()


def test_others_may_note_events_too() -> None:
    recorder = Recorder()
    recorder.start()
    profile_start = recorder._start
    recorder.note(profile_start + 1, profile_start + 2, Subject("annotation", "Trace", "step"), details={"a": 1})
    (event,) = recorder.stop().events
    assert (event.subject.name, event.duration, event.details) == ("step", 1, {"a": 1})
    assert recorder.note(profile_start + 1, profile_start + 2, event.subject) is None
