"""Graphs with reference variables and old control flow, as messages: names, order, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format

import millrace as tf
from tests.saved_model.v1_graphs import const, graph_of, node, placeholder

v1 = tf.compat.v1

_VARIABLE = """
node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { } } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1.0 } } } }
node { name: "set" op: "Assign" input: "v" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "bump" op: "AssignAdd" input: "v" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "before" op: "Identity" input: "v" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "after" op: "Identity" input: "v" input: "^bump" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "bumped" op: "Identity" input: "bump" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "bump_again" op: "AssignAdd" input: "bump" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "bumped_twice" op: "Identity" input: "bump_again" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "both" op: "NoOp" input: "^set" }
"""


def _graph_def(text: str) -> Any:
    return text_format.Parse(text, v1.GraphDef())


@pytest.fixture
def session() -> Any:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_graph_def(_VARIABLE), name="")
    with v1.Session(graph=graph) as sess:
        yield sess


def test_a_reference_variable_is_known_by_its_old_names(session: Any) -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="variable v"):
        session.run("v:0")
    assert session.run("both") is None and session.run("v:0") == 1.0
    assert session.run("bump:0") == 2.0 and session.run("before:0") == 2.0
    assert [float(session.run("after:0")) for _ in range(2)] == [3.0, 4.0]
    assert session.run("set:0") == 1.0 and session.run("one:0", {"one:0": 5.0}) == 5.0


def test_what_takes_an_assigned_variable_runs_the_assignment(session: Any) -> None:
    session.run("both")
    assert [float(session.run("bumped:0")) for _ in range(2)] == [2.0, 3.0]
    assert session.run("bumped_twice:0") == 5.0 and session.run("v:0") == 5.0


def test_what_waits_for_a_branch_runs_its_assertion() -> None:
    guarded = graph_of(
        placeholder("x"),
        const("zero", 0.0),
        node("good", "Greater", "x", "zero", T="float"),
        node("switch", "Switch", "good", "good", T="bool"),
        node("then", "Identity", "switch:1", T="bool"),
        node("else", "Identity", "switch", T="bool"),
        node("message", "Switch", "x", "good", T="float"),
        node("assertion", "Assert", "else", "message", T="list { type: DT_FLOAT }", summarize=3),
        node("failed", "Identity", "else", "^assertion", T="bool"),
        node("guard", "Merge", "failed", "then", T="bool", N=2),
        node("y", "Identity", "x", "^guard", T="float"),
    )
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(guarded, name="")
    with v1.Session(graph=graph) as sess:
        assert sess.run("y:0", {"x:0": 1.0}) == 1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
            sess.run("y:0", {"x:0": -1.0})


@pytest.mark.parametrize(("op", "value"), [("ScatterAdd", 9.0), ("ScatterSub", 5.0), ("ScatterUpdate", 2.0)])
def test_an_old_op_scatters_into_a_variable(op: str, value: float) -> None:
    two = "tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 2 }"
    nodes = graph_of(
        node("v", "VariableV2", dtype="float", shape="shape { dim { size: 2 } }"),
        placeholder("start"),
        node("filled", "Fill", "two", "start", T="float"),
        node("two", "Const", dtype="int", value=two),
        node("set", "Assign", "v", "filled", T="float"),
        const("row", 1),
        const("change", 2.0),
        node("scattered", op, "v", "row", "change", T="float", Tindices="int"),
        node("after", "Identity", "scattered", T="float"),
    )
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(nodes, name="")
    with v1.Session(graph=graph) as sess:
        sess.run("set", {"start:0": 7.0})
        assert sess.run("after:0").tolist() == [7.0, value]


def test_a_slice_of_a_reference_variable_is_assigned() -> None:
    def at(name: str, *numbers: int) -> str:
        values = " ".join(f"int_val: {number}" for number in numbers)
        shape = f"tensor_shape {{ dim {{ size: {len(numbers)} }} }}"
        return node(name, "Const", dtype="int", value=f"tensor {{ dtype: DT_INT32 {shape} {values} }}")

    nodes = graph_of(
        node("v", "VariableV2", dtype="int", shape="shape { dim { size: 3 } }"),
        at("start", 1, 2, 3),
        node("set", "Assign", "v", "start", T="int"),
        *(at("begin", 1), at("end", 3), at("step", 1), at("new", 8, 9)),
        node("assigned", "StridedSliceAssign", "v", "begin", "end", "step", "new", T="int", Index="int"),
    )
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(nodes, name="")
    with v1.Session(graph=graph) as sess:
        sess.run("set")
        assert sess.run("assigned:0").tolist() == [1, 8, 9]


def _loop(name: str, enter: str, body: tuple[str, ...], step: str, *waits: str) -> tuple[str, ...]:
    """The nodes of a loop of three rounds; its body counts by `step`, and each round waits for `waits`."""
    frame = f's: "{name}"'
    return (
        node(f"{name}/enter", "Enter", enter, T="int", frame_name=frame),
        node(f"{name}/merge", "Merge", f"{name}/enter", f"{name}/next", T="int", N=2),
        node(f"{name}/three", "Enter", "three", T="int", frame_name=frame, is_constant=True),
        node(f"{name}/less", "Less", f"{name}/merge", f"{name}/three", T="int"),
        node(f"{name}/goes_on", "LoopCond", f"{name}/less"),
        node(f"{name}/switch", "Switch", f"{name}/merge", f"{name}/goes_on", T="int"),
        *body,
        node(f"{name}/count", "AddV2", f"{name}/switch:1", step, T="int"),
        node(f"{name}/next", "NextIteration", f"{name}/count", *(f"^{wait}" for wait in waits), T="int"),
        node(f"{name}/exit", "Exit", f"{name}/switch", T="int"),
    )


def test_a_round_of_a_loop_runs_what_its_next_round_waits_for() -> None:
    push = (
        node("handle", "Enter", "stack", T="type: DT_RESOURCE", frame_name='s: "push"', is_constant=True),
        node("pushed", "StackPushV2", "handle", "push/switch:1", T="int"),
        const("one", 1, "^push/switch"),
    )
    nodes = graph_of(
        *(const("zero", 0), const("three", 3), const("size", 9)),
        node(
            "stack",
            "StackV2",
            "size",
            elem_type="int",
            _output_shapes="list { shape { dim { size: 2 } } }",
        ),
        *_loop("push", "zero", push, "one", "pushed"),
        node("popped", "StackPopV2", "stack", "^push/exit", elem_type="int"),
    )
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(nodes, name="")
    with v1.Session(graph=graph) as sess:
        assert sess.run(["push/exit:0", "popped:0"]) == [3, 2]


def test_a_loop_without_stated_shapes_may_change_a_shape() -> None:
    frame = 's: "grow"'
    nodes = graph_of(
        node("x", "Placeholder", dtype="int", shape="shape { dim { size: 1 } }"),
        const("five", 5),
        node("enter", "Enter", "x", T="int", frame_name=frame),
        node("merge", "Merge", "enter", "next", T="int", N=2),
        node("size", "Size", "merge", T="int", out_type="int"),
        node("limit", "Enter", "five", T="int", frame_name=frame, is_constant=True),
        node("less", "Less", "size", "limit", T="int"),
        node("goes_on", "LoopCond", "less"),
        node("switch", "Switch", "merge", "goes_on", T="int"),
        const("axis", 0, "^switch"),
        node("doubled", "ConcatV2", "switch:1", "switch:1", "axis", T="int", Tidx="int", N=2),
        node("next", "NextIteration", "doubled", T="int"),
        node("y", "Exit", "switch", T="int"),
    )
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(nodes, name="")
    assert v1.Session(graph=graph).run("y:0", {"x:0": [7]}).tolist() == [7] * 8


def test_gradients_of_tensor_arrays_are_refused() -> None:
    nodes = graph_of(
        *(const("size", 3), const("flow", 0.0)),
        node("v", "VariableV2", dtype="float", shape="shape {}"),
        node("array", "TensorArrayV3", "size", dtype="float"),
        node("gradient", "TensorArrayGradV3", "array", "array:1", source='s: "gradients"'),
    )
    with tf.Graph().as_default(), pytest.raises(tf.errors.UnimplementedError, match="no gradients of tensor arrays"):
        tf.import_graph_def(nodes, name="")


def test_elements_are_returned_and_inputs_replaced() -> None:
    with tf.Graph().as_default() as graph:
        five = tf.constant(5.0)
        assign, value = tf.import_graph_def(
            _graph_def(_VARIABLE), {"one:0": five}, return_elements=["set", "after:0"], name="old"
        )
        assert (assign.name, value.name) == ("old/set", "old/after:0")
    with v1.Session(graph=graph) as sess:
        sess.run(assign)
        assert sess.run(value) == 10.0
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"not found in graph_def: \[no:0\]"):
        tf.import_graph_def(_graph_def(_VARIABLE), {"no:0": tf.constant(1.0)})


def test_a_graph_with_a_wrong_node_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="Unknown input node 'w'"):
        tf.import_graph_def(_graph_def(_VARIABLE.replace('input: "v" input: "one"', 'input: "w" input: "one"')))
    lonely = 'node { name: "a" op: "Exit" input: "a" attr { key: "T" value { type: DT_FLOAT } } }'
    with tf.Graph().as_default(), pytest.raises(tf.errors.OpError):
        tf.import_graph_def(_graph_def(lonely))


def test_a_signature_may_give_a_reference_variable(tmp_path: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        tf.constant(0)
        builder = v1.saved_model.Builder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(session, ["serve"])
        meta_graph = builder._message.meta_graphs[0]
        meta_graph.graph_def.CopyFrom(_graph_def(_VARIABLE))
        output = meta_graph.signature_def["serving_default"].outputs["value"]
        output.name, output.dtype = "set:0", 100 + tf.float32.as_datatype_enum
        builder.save()
    signature = tf.saved_model.load(str(tmp_path / "model")).signatures["serving_default"]
    assert float(signature()["value"]) == 1.0
