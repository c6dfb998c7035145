"""From functions to optimized graphs: what is written out, what stays a call, what runs though nothing reads it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.passes import from_graph
from millrace._src.passes.from_graph import from_graph as imported
from tests.passes.tracing import COUNT, SCALAR, VECTOR, optimized, run, types


def graph_of(function: Any, *specs: Any, **options: Any) -> Any:
    graph = tf.function(function, autograph=False).get_concrete_function(*specs).graph
    return imported(graph, graph.inputs, graph.outputs, **options)


def test_a_called_function_is_written_out_once_per_call() -> None:
    inner = tf.function(lambda x, k: tf.exp(x * k), autograph=False)
    graph = graph_of(lambda x: inner(x, tf.constant(2.0)) - inner(x, tf.constant(3.0)), VECTOR)
    assert types(graph) == ["Mul", "Exp", "Mul", "Exp", "Sub"]


def test_outputs_of_a_call_that_nobody_reads_are_not_computed() -> None:
    inner = tf.function(lambda x: (tf.exp(x), tf.sin(x)), autograph=False)
    assert types(graph_of(lambda x: inner(x)[1], VECTOR)) == ["Sin"]


def test_calls_stay_calls_when_functions_are_not_to_be_written_out() -> None:
    inner = tf.function(lambda x: tf.exp(x), autograph=False)
    assert types(graph_of(lambda x: inner(x), VECTOR, inline=False)) == ["PartitionedCall"]


def test_what_is_nested_very_deep_stays_a_call() -> None:
    function = tf.function(lambda x: x + 1.0, autograph=False)
    for _ in range(from_graph._DEEPEST + 3):
        function = tf.function(lambda x, inner=function: inner(x) * 1.5, autograph=False)
    graph = graph_of(lambda x: function(x), SCALAR)
    assert types(graph).count("PartitionedCall") == 1
    assert run(graph, np.float32(0.0)) == [pytest.approx(1.5 ** (from_graph._DEEPEST + 3))]


def test_a_long_graph_is_not_made_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_graph, "_MAX_NODES", 2)
    inner = tf.function(lambda x: tf.exp(x), autograph=False)
    assert "PartitionedCall" in types(graph_of(lambda x: inner(tf.sin(tf.cos(x))), VECTOR))


def test_identities_and_joined_effects_are_gone() -> None:
    v = tf.Variable(1.0)

    def f(x: Any) -> Any:
        v.assign_add(1.0)
        return tf.identity(tf.identity(x))

    graph = graph_of(f, SCALAR)
    assert types(graph) == ["AssignAddVariableOp"]
    assert graph.outputs == graph.inputs[:1]


def test_what_something_waits_for_runs_and_may_fail() -> None:
    def f(x: Any, i: Any) -> Any:
        with tf.control_dependencies([tf.identity(tf.gather([1.0, 2.0], i))]):
            return x + 1.0

    graph = optimized(f, SCALAR, COUNT)
    assert run(graph, np.float32(1.0), np.int32(1)) == [2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        run(graph, np.float32(1.0), np.int32(7))


def test_a_function_that_something_waits_for_runs() -> None:
    check = tf.function(lambda i: tf.gather([1.0, 2.0], i), autograph=False)

    def f(x: Any, i: Any) -> Any:
        with tf.control_dependencies([check(i)]):
            return x + 1.0

    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        run(optimized(f, SCALAR, COUNT), np.float32(1.0), np.int32(7))


def test_a_part_without_effects() -> None:
    v = tf.Variable(1.0)

    def f(x: Any) -> Any:
        v.assign(x)
        return tf.exp(x)

    assert types(graph_of(f, SCALAR, with_effects=False)) in (["Exp"], ["AssignVariableOp", "Exp"])


AWAITED: dict[str, Callable[[Any, Any], Any]] = {
    "choice": lambda x, i: tf.cond(i > 0, lambda: tf.gather(x, i), lambda: x[0]),
    "loop": lambda x, i: tf.while_loop(lambda k, _: k < 2, lambda k, _: (k + 1, tf.gather(x, i + k)), (0, x[0]))[1],
    "loop in a choice": lambda x, i: tf.cond(i > 0, lambda: AWAITED["loop"](x, i), lambda: x[0]),
}


@pytest.mark.parametrize("compute", AWAITED.values(), ids=AWAITED)
def test_who_waits_for_a_choice_or_a_loop_waits_for_all_that_it_computes(compute: Callable[[Any, Any], Any]) -> None:
    @tf.function(autograph=False)
    def f(x: Any, i: Any) -> Any:
        with tf.control_dependencies([compute(x, i)]):
            return tf.identity(x)

    x = tf.constant([1.0, 2.0])
    assert f(x, tf.constant(0)).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="7"):
        f(x, tf.constant(7))


def test_a_called_function_is_not_read_while_another_thread_changes_its_operations() -> None:
    inner = tf.function(lambda x: tf.exp(x), autograph=False).get_concrete_function(VECTOR)
    outer = tf.function(lambda x: inner(x), autograph=False).get_concrete_function(VECTOR)
    thread = threading.Thread(target=lambda: graph_of_concrete(outer))
    with inner.graph.lock:
        thread.start()
        thread.join(0.2)
        assert thread.is_alive()
    thread.join(20)
    assert not thread.is_alive()


def graph_of_concrete(function: Any) -> Any:
    return imported(function.graph, function.graph.inputs, function.graph.outputs)
