"""The context: which mode holds, per thread; name scopes; what `init_scope` lifts."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import millrace as tf


def in_thread(f: Any) -> Any:
    results: list[Any] = []
    worker = threading.Thread(target=lambda: results.append(f()))
    worker.start()
    worker.join()
    return results[0]


def test_the_mode_belongs_to_the_thread() -> None:
    assert tf.executing_eagerly()
    with tf.Graph().as_default():
        assert not tf.executing_eagerly()
        assert in_thread(tf.executing_eagerly)
    assert tf.executing_eagerly()


def test_an_exception_in_a_graph_scope_restores_eager_mode() -> None:
    with pytest.raises(ZeroDivisionError), tf.Graph().as_default():
        raise ZeroDivisionError
    assert tf.executing_eagerly()
    assert int(tf.constant(1) + 1) == 2


def test_graph_scopes_nest() -> None:
    outer, inner = tf.Graph(), tf.Graph()
    with outer.as_default():
        tf.constant(1, name="a")
        with inner.as_default():
            tf.constant(1, name="b")
        tf.constant(1, name="c")
    assert [op.name for op in outer.get_operations()] == ["a", "c"]
    assert [op.name for op in inner.get_operations()] == ["b"]


def test_two_threads_build_two_graphs() -> None:
    def build(prefix: str) -> list[str]:
        with tf.Graph().as_default() as g:
            for _ in range(100):
                with tf.name_scope(prefix):
                    tf.constant(1) + 2
        return [op.name for op in g.get_operations()]

    results: dict[str, list[str]] = {}
    threads = [threading.Thread(target=lambda p=p: results.update({p: build(p)})) for p in ("x", "y", "z")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for prefix, names in results.items():
        assert len(names) == len(set(names)) == 300
        assert {n.partition("/")[0].partition("_")[0] for n in names} == {prefix}


def test_init_scope_lifts_out_of_functions_but_not_out_of_plain_graphs() -> None:
    seen = []

    @tf.function(autograph=False)
    def f():
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), float(tf.constant(1.0) + 1.0)))
        return tf.constant(0)

    f()
    assert seen == [(True, 2.0)]
    with tf.Graph().as_default() as g:
        with tf.control_dependencies([tf.no_op()]), tf.init_scope():
            assert not tf.executing_eagerly()
            c = tf.constant(1)
        assert c.graph is g
        assert c.op.control_inputs == []


def test_init_scope_keeps_the_name_scope_and_stops_the_tapes() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape, tf.name_scope("outer"), tf.init_scope():
        v = tf.Variable(1.0, name="v")
        y = x * x
    assert v.name == "outer/v:0"
    assert tape.gradient(y, x) is None


def test_eager_name_scopes_nest_end_and_can_be_entered_again() -> None:
    with tf.name_scope("a") as a:
        assert a == "a/"
        assert tf.get_current_name_scope() == "a"
        with tf.name_scope("b") as b:
            assert b == "a/b/"
        with tf.name_scope("a/"):
            assert tf.get_current_name_scope() == "a"
    assert tf.get_current_name_scope() == ""
    with pytest.raises(ZeroDivisionError), tf.name_scope("c"):
        raise ZeroDivisionError
    assert tf.get_current_name_scope() == ""


def test_an_eager_name_scope_belongs_to_the_thread() -> None:
    with tf.name_scope("a"):
        assert in_thread(tf.get_current_name_scope) == ""


def test_one_scope_object_can_be_entered_many_times_and_inside_itself() -> None:
    scope = tf.name_scope("a")
    with scope:
        with scope:
            assert tf.get_current_name_scope() == "a/a"
        assert tf.get_current_name_scope() == "a"
    assert tf.get_current_name_scope() == ""


@pytest.mark.parametrize("name", [None, 3, b"a", ["a"]])
def test_a_name_scope_needs_a_string(name: Any) -> None:
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        tf.name_scope(name)
