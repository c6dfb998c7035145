"""Ops that TensorFlow has and Millrace does not implement: read, written, differentiated, refused when they run."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.core.op_def import Effects
from millrace._src.core.op_homes import OP_HOMES
from millrace._src.graph import opaque_ops
from millrace._src.graph.import_graph_def import import_under
from millrace._src.graph.op_def_proto import op_def_to_proto, op_summary
from millrace._src.graph.op_policy import TRUSTING
from millrace._src.graph.opaque_ops import find_op, opaque_op
from millrace._src.testing.graph_sessions import session_of_graph

HUE = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "delta" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 0.5 } } } }
node { name: "hue" op: "RiscMax" input: "x" input: "delta" input: "^twice" device: "/device:CPU:0"
       attr { key: "T" value { type: DT_FLOAT } } }
node { name: "twice" op: "AddV2" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
"""


def graph_def(text: str) -> Any:
    return text_format.Parse(text, tf.compat.v1.GraphDef())


def imported(text: str) -> tf.Graph:
    with tf.Graph().as_default() as graph:
        import_under(TRUSTING, graph_def(text), name="")
    return graph


def nodes(graph: tf.Graph) -> dict[str, bytes]:
    return {node.name: node.SerializeToString(deterministic=True) for node in graph.as_graph_def().node}


def run(graph: tf.Graph, fetch: Any) -> Any:
    """Computes a tensor of a graph where the placeholder `x` is 3."""
    with graph.as_default():
        return session_of_graph(graph).run(fetch, {graph.get_tensor_by_name("x:0"): 3.0})


@pytest.fixture(scope="module")
def jax() -> Any:
    return pytest.importorskip("jax")


@pytest.fixture
def undeclared() -> Any:
    """Forgets the gradient that a test gives to an opaque op."""
    yield
    opaque_ops._DECLARED.clear()


# --- the file of signatures ----------------------------------------------------------------------------------------


def test_every_line_of_the_file_declares_an_op_that_can_be_written() -> None:
    for line in opaque_ops._known_ops().split("\n")[1:-1]:
        op = opaque_op(line.partition("\t")[0])
        proto = op_def_to_proto(op)
        assert proto.name == op.name and len(proto.input_arg) == op.input_count
        assert op.name in op_summary(op) and set(op.default_attrs) <= set(op.attr_kinds)


def test_no_op_of_the_file_is_declared_by_millrace() -> None:
    known = {line.partition("\t")[0] for line in opaque_ops._known_ops().split("\n")}
    assert known.isdisjoint(OP_HOMES), "run python tools/gen_api.py, which drops the lines of declared ops"


def test_the_signature_says_kinds_defaults_and_allowed_dtypes() -> None:
    op = opaque_op("RiscMax")
    assert op.signature.input_names == ("x", "y") and op.attr_kinds == {"T": "type"}
    assert op_summary(op) == (
        "Op<name=RiscMax; signature=x:T, y:T -> max:T; attr=T:type,allowed=[DT_BFLOAT16, DT_HALF, DT_FLOAT, DT_DOUBLE]>"
    )


def test_an_opaque_op_pickles_by_name() -> None:
    assert pickle.loads(pickle.dumps(opaque_op("RiscMax"))) is opaque_op("RiscMax")


def test_a_declared_op_comes_before_the_file() -> None:
    assert type(find_op("AddV2")) is not opaque_ops.OpaqueOp and type(find_op("RiscMax")) is opaque_ops.OpaqueOp


def test_an_opaque_op_is_no_raw_op() -> None:
    with pytest.raises(AttributeError, match="Millrace has no op of that name"):
        tf.raw_ops.RiscMax


# --- in graphs -----------------------------------------------------------------------------------------------------


def test_a_node_keeps_all_that_the_file_says_of_it() -> None:
    hue = imported(HUE).get_operation_by_name("hue")
    assert (hue.type, hue.device, [t.name for t in hue.inputs]) == ("RiscMax", "/device:CPU:0", ["x:0", "delta:0"])
    assert [op.name for op in hue.control_inputs] == ["twice"]
    assert hue.outputs[0].dtype is tf.float32 and hue.outputs[0].shape.rank is None


def test_a_graph_is_written_as_it_was_read() -> None:
    read = {node.name: node.SerializeToString(deterministic=True) for node in graph_def(HUE).node}
    assert nodes(imported(HUE)) == read


def test_attributes_that_a_file_leaves_out_take_their_defaults() -> None:
    text = """node { name: "b" op: "Barrier" attr { key: "component_types" value { list { type: DT_FLOAT } } } }"""
    barrier = imported(text).get_operation_by_name("b")
    assert barrier.get_attr("capacity") == -1 and barrier.get_attr("shapes") == []
    assert set(barrier.node_def.attr) == {"capacity", "component_types", "container", "shapes", "shared_name"}


def test_a_type_that_follows_from_inputs_may_be_left_out_of_a_file() -> None:
    graph = imported("""
    node { name: "i" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
    node { name: "a" op: "AttrTypeDefault" input: "i" }
    """)
    assert graph.get_operation_by_name("a").get_attr("T") is tf.int32


def test_references_of_version_1_variables_keep_their_dtype() -> None:
    variable = """
    node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { } } } }
    node { name: "read" op: "Identity" input: "v" attr { key: "T" value { type: DT_FLOAT } } }
    """
    graph = imported(variable)
    assert graph.get_tensor_by_name("v:0").dtype.name == "float32_ref"
    assert graph.get_tensor_by_name("read:0").dtype is tf.float32
    wrong = (
        variable
        + 'node { name: "a" op: "Assign" input: "read" input: "read" attr { key: "T" value { type: DT_FLOAT } } }'
    )
    with pytest.raises(ValueError, match="was passed float from read:0 incompatible with expected float_ref"):
        imported(wrong)


def test_notes_on_the_outputs_are_written_as_they_were_read() -> None:
    text = """node { name: "n" op: "NoOp" experimental_type { type_id: TFT_ANY } }"""
    assert imported(text).get_operation_by_name("n").node_def == graph_def(text).node[0]


def test_a_dtype_that_the_op_does_not_allow_is_refused() -> None:
    with pytest.raises(
        ValueError, match="Value for attr 'T' of int32 is not in the list of allowed values: bfloat16, half, fl"
    ):
        imported(HUE.replace("DT_FLOAT", "DT_INT32").replace("float_val: 0.5", "int_val: 1"))


def test_a_function_body_may_hold_an_opaque_op() -> None:
    library = """
    library { function {
      signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "hue" op: "RiscMax" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "y" value: "hue:max:0" } } }
    """
    written = imported(library).as_graph_def().library.function[0]
    assert [node.op for node in written.node_def] == ["RiscMax"] and written.ret["y"] == "hue:max:0"


def test_stateful_ops_always_run_and_others_are_pruned() -> None:
    stateful = opaque_op("ConfigureDistributedTPU")
    assert stateful.effects({}) is Effects.WRITES and opaque_op("RiscMax").effects({}) is Effects.NONE
    configured = 'node { name: "b" op: "ConfigureDistributedTPU" }'

    @tf.function(autograph=False)
    def call(x: Any) -> Any:
        return tf.import_graph_def(graph_def(HUE + configured), {"x": x}, return_elements=["twice:0"])[0]

    with pytest.raises(tf.errors.UnimplementedError, match="TensorFlow's op 'ConfigureDistributedTPU'"):
        call(tf.constant(1.0))


def test_create_op_adds_an_opaque_node() -> None:
    with tf.Graph().as_default() as graph:
        operation = graph.create_op("RiscMax", [tf.constant([[1.0, 2.0, 3.0]]), tf.constant(0.5)])
    assert operation.type == "RiscMax" and operation.get_attr("T") is tf.float32


def test_an_op_that_tensorflow_does_not_know_is_refused() -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"^Op type not registered 'Nope' in binary running on "):
        imported('node { name: "n" op: "Nope" }')


# --- running -------------------------------------------------------------------------------------------------------


def test_parts_of_a_graph_without_the_op_run() -> None:
    assert run(imported(HUE), "twice:0") == 6.0


def test_what_depends_on_the_op_says_which_op_and_node_it_misses() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"(?s)node .*hue.*TensorFlow's op 'RiscMax'.*input_map"):
        run(imported(HUE), "hue:0")


def check_a_function(jit_compile: bool) -> None:
    """Traces an imported graph: without the op the function runs, with the op each call fails."""

    @tf.function(autograph=False, jit_compile=jit_compile)
    def call(x: Any, element: str) -> Any:
        return tf.import_graph_def(graph_def(HUE), {"x": x}, return_elements=[element])[0]

    assert call(tf.constant(3.0), "twice:0").numpy() == 6.0
    concrete = call.get_concrete_function(tf.constant(3.0), "hue:0")
    with pytest.raises(tf.errors.UnimplementedError, match="does not implement TensorFlow's op 'RiscMax'"):
        concrete(tf.constant(3.0))


def test_a_function_prunes_the_op_or_fails_when_called() -> None:
    check_a_function(jit_compile=False)


def test_a_compiled_function_prunes_the_op_or_fails_when_called(jax: Any) -> None:
    check_a_function(jit_compile=True)


def test_input_map_replaces_what_cannot_run() -> None:
    @tf.function(autograph=False)
    def call(x: Any) -> Any:
        after = HUE + 'node { name: "y" op: "Neg" input: "hue" attr { key: "T" value { type: DT_FLOAT } } }'
        return tf.import_graph_def(graph_def(after), {"x": x, "hue": x + 1.0}, return_elements=["y:0"])[0]

    assert call(tf.constant(3.0)).numpy() == -4.0


# --- gradients -----------------------------------------------------------------------------------------------------


def test_the_gradient_of_an_opaque_op_is_a_lookup_error() -> None:
    graph = imported(HUE)
    with graph.as_default(), pytest.raises(LookupError, match=r"(?s)RiscMax.*not run it"):
        tf.gradients(graph.get_tensor_by_name("hue:0"), graph.get_tensor_by_name("x:0"))


def test_a_registered_gradient_is_that_of_an_opaque_op(undeclared: None) -> None:
    @tf.RegisterGradient("RiscMin")
    def rule(op: Any, dy: Any) -> Any:
        return dy * 7.0, None

    graph = imported(HUE.replace("RiscMax", "RiscMin"))
    x = graph.get_tensor_by_name("x:0")
    with graph.as_default():
        (dx,) = tf.gradients(graph.get_tensor_by_name("hue:0"), x)
    assert dx.op.type == "Mul" and dx.op.inputs[1].op.get_attr("value").float_val == [7.0]
