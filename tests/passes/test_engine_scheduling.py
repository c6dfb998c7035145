"""The order in which the host and a compiler run the nodes of a graph in turn."""

from __future__ import annotations

from typing import Any

import millrace as tf
from millrace._src.passes.engine_scheduling import connected_components, in_turns, nodes_before
from tests.passes.tracing import VECTOR, optimized


def turns_of(function: Any, *host_ops: str, specs: tuple[Any, ...] = (VECTOR,), refusing: Any = ()) -> list[Any]:
    """Returns the ops of each turn, after `True` for the compiler's and `False` for the host's."""
    graph = optimized(function, *specs, passes="dead_code_elimination")
    compiled = {node for node in graph.nodes if node.type not in host_ops}
    befores = nodes_before(graph, {node for node in graph.nodes if node.type in refusing})
    return [(turn.is_compiled, [node.type for node in turn.nodes]) for turn in in_turns(graph, compiled, befores)]


def test_what_the_compiler_can_run_alone_is_one_turn() -> None:
    assert turns_of(lambda x: tf.tanh(tf.exp(x))) == [(True, ["Exp", "Tanh"])]


def test_a_node_of_the_host_runs_first_although_it_stands_last() -> None:
    turns = turns_of(lambda x: (tf.exp(x), tf.tanh(x)), "Tanh")
    assert turns == [(False, ["Tanh"]), (True, ["Exp"])]


def test_the_sides_change_as_often_as_results_go_from_one_to_the_other() -> None:
    turns = turns_of(lambda x: tf.exp(tf.tanh(tf.sin(tf.cos(x)))), "Tanh", "Cos")
    assert turns == [(False, ["Cos"]), (True, ["Sin"]), (False, ["Tanh"]), (True, ["Exp"])]


def test_what_nothing_waits_for_ends_in_the_last_turn_of_the_compiler() -> None:
    turns = turns_of(lambda x: (tf.sin(x), tf.exp(tf.tanh(tf.cos(x)))), "Tanh")
    assert turns == [(True, ["Cos"]), (False, ["Tanh"]), (True, ["Sin", "Exp"])]


def test_the_first_error_stays_the_first() -> None:
    def function(x: Any) -> Any:
        return tf.exp(x), tf.tanh(x)

    assert turns_of(function, "Tanh", refusing=("Exp", "Tanh")) == [(True, ["Exp"]), (False, ["Tanh"])]


def test_a_read_stays_between_two_changes_of_a_variable() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    def function(x: Any) -> Any:
        v.assign(x)
        read_value = v.read_value()
        v.assign(x + x)
        return read_value

    turns = turns_of(function, "ReadVariableOp")
    ops = [op for _, ops in turns for op in ops if op != "AddV2"]
    assert ops == ["AssignVariableOp", "ReadVariableOp", "AssignVariableOp"]


def test_connected_parts_keep_the_order_of_their_members() -> None:
    assert connected_components("abcde", [("e", "a"), ("b", "d")]) == [["a", "e"], ["b", "d"], ["c"]]
    assert connected_components("", []) == []
