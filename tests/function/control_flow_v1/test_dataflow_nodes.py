from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.function.control_flow_v1.dataflow_nodes import (
    BranchStep,
    LoopStep,
    branch_of,
    effectful_nodes,
    find_needed_nodes,
    is_of_loop,
    parse_nodes,
    parse_ref,
    paths_of,
    predicate_of,
    ranks_of_merges,
)
from tests.saved_model.v1_graphs import CONDITION, LOOP, const, graph_of, node, placeholder

BRANCHES = parse_nodes(graph_of(*CONDITION).node)
ROUNDS = parse_nodes(graph_of(*LOOP).node)


def test_names_of_tensors_have_a_number_or_not() -> None:
    assert [parse_ref(text) for text in ("a", "a:1", "a/b:0", "a:x")] == [("a", 0), ("a", 1), ("a/b", 0), ("a:x", 0)]


def test_a_node_knows_its_inputs_and_controls() -> None:
    assert BRANCHES["cond/times"].inputs == [("cond/x", 1), ("cond/ten", 0)]
    assert BRANCHES["cond/ten"].controls == ["cond/switch_t"]


def test_ops_on_tables_by_name_become_their_successors() -> None:
    nodes = parse_nodes(graph_of(node("table", "HashTable", key_dtype="string", value_dtype="int")).node)
    assert (nodes["table"].op, nodes["table"].proto.op) == ("HashTableV2", "HashTableV2")
    switch = [const("c", 1.0), placeholder("p", "bool"), node("s", "RefSwitch", "c", "p")]
    assert parse_nodes(graph_of(*switch).node)["s"].op == "Switch"


def test_wrong_names_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="'x' is not unique"):
        parse_nodes(graph_of(placeholder("x"), placeholder("x")).node)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Node 'y': Unknown input node 'x'"):
        parse_nodes(graph_of(node("y", "Neg", "x", T="float")).node)


def test_fed_tensors_keep_what_is_behind_them_away() -> None:
    nodes = parse_nodes(graph_of(placeholder("x"), node("y", "Neg", "x"), node("z", "Neg", "y")).node)
    assert find_needed_nodes(nodes, ["z"], []) == {"x", "y", "z"}
    assert find_needed_nodes(nodes, ["z"], [("y", 0)]) == {"z"}


def test_what_waits_for_an_effect_has_one() -> None:
    waiting = node("i", "Identity", "c", "^p")
    nodes = parse_nodes(graph_of(const("c", 1.0), node("p", "PrintV2", "c"), waiting, node("n", "Neg", "c")).node)
    assert effectful_nodes(nodes, nodes) == {"p", "i"}


def test_branches_and_loops_are_steps_on_the_path() -> None:
    paths = paths_of(BRANCHES, BRANCHES, [])
    true, false = ((BranchStep(("positive", 0), side),) for side in (1, 0))
    assert paths["cond/times"] == paths["cond/ten"] == true and paths["cond/neg"] == false
    assert paths["cond/y"] == paths["cond/x"] == ()
    paths = paths_of(ROUNDS, ROUNDS, [])
    assert paths["loop/one"] == paths["loop/n"] == (LoopStep("loop"),) and paths["loop/sum/exit"] == ()


def test_merges_and_switches_of_loops_are_told_from_those_of_branches() -> None:
    assert is_of_loop(ROUNDS, ROUNDS["loop/i/merge"]) and is_of_loop(ROUNDS, ROUNDS["loop/i/switch"])
    assert not is_of_loop(BRANCHES, BRANCHES["cond/y"]) and not is_of_loop(BRANCHES, BRANCHES["cond/x"])
    assert predicate_of(BRANCHES, BRANCHES["cond/x"]) == ("positive", 0)
    paths = paths_of(BRANCHES, BRANCHES, [])
    assert branch_of(BRANCHES, BRANCHES["cond/y"], paths) == (BranchStep(("positive", 0), 0), 0)


def test_merges_behind_each_other_have_higher_ranks() -> None:
    second = (
        node("again/x", "Switch", "cond/y", "positive", T="float"),
        node("again/y", "Merge", "again/x", "again/x:1", T="float", N=2),
    )
    nodes = parse_nodes(graph_of(*CONDITION, *second).node)
    ranks = ranks_of_merges(nodes, paths_of(nodes, nodes, []), [])
    assert ranks == {"cond/y": ((), ("positive", 0), 1), "again/y": ((), ("positive", 0), 2)}


def test_a_cycle_without_a_loop_is_refused() -> None:
    nodes = parse_nodes(graph_of(node("a", "Neg", "b"), node("b", "Neg", "a")).node)
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 nodes of the graph are in a cycle"):
        paths_of(nodes, nodes, [])


def test_a_merge_without_branches_is_refused_in_words() -> None:
    nodes = parse_nodes(graph_of(placeholder("x"), node("m", "Merge", "x", "x", T="float", N=2)).node)
    with pytest.raises(tf.errors.UnimplementedError, match=r"Node 'm' \(op: Merge\) belongs to control flow"):
        paths_of(nodes, nodes, [])
