"""Parts of `GraphDef`s: what outputs need, without what only training needs, with variables as constants."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1
gu = v1.graph_util


@pytest.fixture
def session() -> Any:
    with tf.Graph().as_default() as g:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        v = v1.get_variable("scope/v", [2], initializer=v1.constant_initializer(3.0))
        w = v1.get_variable("w", [3, 2], initializer=v1.ones_initializer())
        tf.identity(x * v, name="y")
        tf.identity(tf.nn.embedding_lookup(w, [0, 1]), name="rows")
        tf.identity(tf.cond(x[0, 0] > 0.0, lambda: v * 2.0, lambda: v + 1.0), name="chosen")
        v1.assign_add(v, [1.0, 1.0])
        with v1.Session(graph=g) as sess:
            sess.run(v1.global_variables_initializer())
            yield sess


def _names(graph_def: Any) -> list[str]:
    return [node.name for node in graph_def.node]


def test_a_part_has_what_its_outputs_need(session: Any) -> None:
    graph_def = session.graph.as_graph_def()
    part = gu.extract_sub_graph(graph_def, ["y"])
    assert _names(part) == ["x", "scope/v", "mul/ReadVariableOp", "mul", "y"]
    assert part.versions == graph_def.versions and len(part.library.function) == len(graph_def.library.function)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("y",), TypeError, "must be an iterable of strings"),
        ((["no"],), AssertionError, "no is not in graph"),
        ((["y:0"],), AssertionError, "y:0 is not in graph"),
    ],
)
def test_a_part_of_unknown_nodes_is_refused(session: Any, arguments: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        gu.extract_sub_graph(session.graph.as_graph_def(), *arguments)
    with pytest.raises(TypeError, match="GraphDef"):
        gu.extract_sub_graph(3, *arguments)


def test_frozen_graphs_compute_the_same_without_variables(session: Any) -> None:
    feed = {"x:0": [[1.0, -1.0]]}
    outputs = ["y", "rows", "chosen"]
    expected = session.run([f"{name}:0" for name in outputs], feed)
    frozen = gu.convert_variables_to_constants(session, session.graph.as_graph_def(), outputs)
    assert {"VarHandleOp", "ReadVariableOp"}.isdisjoint(node.op for node in frozen.node)
    with tf.Graph().as_default() as g:
        tf.import_graph_def(frozen, name="")
    with v1.Session(graph=g) as sess:
        for value, wanted in zip(sess.run([f"{name}:0" for name in outputs], feed), expected, strict=True):
            assert value.tolist() == wanted.tolist()


def test_some_variables_become_constants(session: Any) -> None:
    graph_def = session.graph.as_graph_def()
    for arguments in ({"variable_names_whitelist": ["w"]}, {"variable_names_blacklist": ["scope/v"]}):
        frozen = gu.convert_variables_to_constants(session, graph_def, ["y", "rows"], **arguments)
        ops = {node.name: node.op for node in frozen.node}
        assert (ops["scope/v"], ops["w"]) == ("VarHandleOp", "Const")


def test_what_changes_a_variable_or_has_no_value_is_not_frozen(session: Any) -> None:
    graph_def = session.graph.as_graph_def()
    with pytest.raises(ValueError, match="changes a variable"):
        gu.convert_variables_to_constants(session, graph_def, ["AssignAddVariableOp"])
    with v1.Session(graph=session.graph) as fresh, pytest.raises(tf.errors.FailedPreconditionError, match="scope/v"):
        gu.convert_variables_to_constants(fresh, graph_def, ["y"])
    with pytest.raises(TypeError, match="Session"):
        gu.convert_variables_to_constants(3, graph_def, ["y"])


def test_checks_and_identities_are_taken_out() -> None:
    with tf.Graph().as_default() as g:
        a = v1.placeholder(tf.float32, [2], name="a")
        d = tf.identity(tf.debugging.check_numerics(tf.identity(a, name="b"), "x", name="c"), name="d")
        with tf.control_dependencies([d]):
            e = tf.identity(a, name="e")
        tf.add(d, tf.identity(e, name="f"), name="h")
    left = {node.name: list(node.input) for node in gu.remove_training_nodes(g.as_graph_def()).node}
    assert left == {"a": [], "d": ["a"], "e": ["a", "^d"], "h": ["d", "e"]}
    kept = gu.remove_training_nodes(g.as_graph_def(), protected_nodes=["b"])
    assert {node.name: list(node.input) for node in kept.node}["d"] == ["b"]


def test_facts_of_nodes() -> None:
    with tf.Graph().as_default() as g:
        numbers, floats = tf.constant([1], name="numbers"), tf.constant([1.0])
    assert gu.must_run_on_cpu(numbers.op) and not gu.must_run_on_cpu(floats.op.node_def)
    assert gu.must_run_on_cpu(v1.NodeDef(op="VariableV2"), pin_variables_on_cpu=True)
    assert gu.tensor_shape_from_node_def_name(g, "numbers") == [1]
