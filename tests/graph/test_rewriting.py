"""What an operation may be given after it is finished, and who is told."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.graph import graph_validation, rewriting
from millrace._src.graph.func_graph import FuncGraph


def graph_with_call() -> tuple[FuncGraph, Any]:
    inner = tf.function(lambda x: x * 2.0, autograph=False)
    graph = FuncGraph("outer")
    with graph.as_default():
        x = graph.add_placeholder(tf.float32, [2], "x")
        graph.inputs.append(x)
        graph.outputs = [inner(x)]
    (call,) = [op for op in graph.get_operations() if op.type == "PartitionedCall"]
    return graph, call


class Recorder:
    is_forward = False

    def __init__(self) -> None:
        self.told: list[Any] = []

    def operation_extended(self, entry: Any, inputs: Any, outputs: Any, *, follows: bool) -> None:
        self.told.append((entry, len(inputs), len(outputs), follows))


def test_an_extended_operation_declares_its_types() -> None:
    graph, call = graph_with_call()
    with rewriting.inserting_before(call) as made:
        y = tf.constant([1, 2])
    (added,) = rewriting.extend(call, {}, [y], [(tf.float64, tf.TensorShape([3]))])
    assert made == [y.op]
    assert graph.get_operations().index(y.op) == graph.get_operations().index(call) - 1
    assert call.attrs["Tin"] == (tf.float32, tf.int32)
    assert call.attrs["Tout"] == (tf.float32, tf.float64)
    assert (added.name, added.dtype, added.shape) == (f"{call.name}:1", tf.float64, [3])
    graph_validation.check(graph)


def test_recorders_around_an_accumulator_follow_what_it_added_and_those_inside_do_not() -> None:
    _, call = graph_with_call()
    inside, around = Recorder(), Recorder()
    accumulator: Any = type("Accumulator", (), {"is_forward": True, "is_finished": True})()
    for recorder, entry in ((inside, "i"), (accumulator, None), (around, "o")):
        rewriting.watch(call, recorder, entry)
    rewriting.extend(call, {}, (), [(tf.float32, tf.TensorShape([]))], accumulator=accumulator)
    assert inside.told == [("i", 0, 1, False)]
    assert around.told == [("o", 0, 1, True)]
    rewriting.extend(call, {}, (), [(tf.float32, tf.TensorShape([]))])
    assert inside.told[1:] == [("i", 0, 1, True)]


def test_who_holds_the_attributes_keeps_them() -> None:
    graph, call = graph_with_call()
    before = call.attrs
    graph.known_effects = graph.known_writes = (1, 2)
    rewriting.change_attrs(call, {"_mark": True})
    assert "_mark" not in before
    assert call.attrs == {**before, "_mark": True}
    assert (graph.known_effects, graph.known_writes) == (None, None)


def test_a_graph_that_breaks_a_rule_is_told_apart() -> None:
    graph, call = graph_with_call()
    other, _ = graph_with_call()
    graph_validation.check(graph)
    rewriting.wait_for(call, other.get_operations()[:1])
    with pytest.raises(graph_validation.IllegalGraphError, match=r"waits for .* of another graph"):
        graph_validation.check(graph)


def test_gradients_leave_legal_graphs() -> None:
    def f(x: Any) -> Any:
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a) * x), (0, x))[1]
        z = tf.cond(tf.reduce_sum(x) > 0.0, lambda: y * x, lambda: tf.exp(y))
        (first,) = tf.gradients(z, x)
        return tf.gradients(first, x)

    graph = tf.function(f, autograph=False).get_concrete_function(tf.TensorSpec([2], tf.float32)).graph
    graph_validation.check(graph)
