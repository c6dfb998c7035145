"""What import_graph_def does beyond the recorded comparisons of tests/formats."""

from __future__ import annotations

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.proto import op_def_pb2


def _graph_def() -> tf.compat.v1.GraphDef:
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(2.0, name="x") * 3.0
    return graph.as_graph_def()


def test_constants_keep_their_value() -> None:
    graph = tf.Graph()
    with graph.as_default():
        (tensor,) = tf.import_graph_def(_graph_def(), return_elements=["x:0"])
    assert tensor.op.attrs["value"].tolist() == 2.0


def test_the_message_is_not_changed() -> None:
    proto = _graph_def()
    before = proto.SerializeToString(deterministic=True)
    with tf.Graph().as_default():
        tf.import_graph_def(proto)
    assert proto.SerializeToString(deterministic=True) == before


def test_new_operations_avoid_imported_names() -> None:
    with tf.Graph().as_default():
        tf.import_graph_def(_graph_def(), name="")
        assert tf.constant(1.0, name="x").op.name == "x_1"


def test_names_that_differ_in_case_stay() -> None:
    text = "".join(
        f'node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "value" '
        f"value {{ tensor {{ dtype: DT_FLOAT }} }} }} }} "
        for name in ("a", "A")
    )
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(text_format.Parse(text, tf.compat.v1.GraphDef()), name="")
    assert [op.name for op in graph.get_operations()] == ["a", "A"]


def test_control_dependencies_in_force_apply_to_all_nodes() -> None:
    graph = tf.Graph()
    with graph.as_default():
        first = tf.constant(0.0, name="first")
        with graph.control_dependencies([first]):
            tf.import_graph_def(_graph_def())
    imported = [op for op in graph.get_operations() if op.name.startswith("import/")]
    assert len(imported) == 3 and all(op.control_inputs == [first.op] for op in imported)


def test_unknown_op_is_an_error_and_names_itself() -> None:
    proto = tf.compat.v1.GraphDef()
    proto.node.add(name="n", op="NoSuchOp")
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'NoSuchOp'"):
        tf.import_graph_def(proto)


def test_attributes_unknown_here_that_hold_the_producers_default_are_dropped() -> None:
    proto = _graph_def()
    proto.node[0].attr["from_the_future"].i = 3
    proto.node[2].attr["from_the_future"].i = 4
    ops = op_def_pb2.OpList()
    for name in ("Const", "Mul"):
        attr = ops.op.add(name=name).attr.add(name="from_the_future", type="int")
        attr.default_value.i = 3
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(proto, name="", producer_op_list=ops)
    assert "from_the_future" not in graph.get_operation_by_name("x").attrs
    assert graph.get_operation_by_name("mul").attrs["from_the_future"] == 4


def test_eager_import_is_checked_and_leaves_nothing() -> None:
    assert tf.import_graph_def(_graph_def()) is None
    with pytest.raises(ValueError, match="not found in graph def"):
        tf.import_graph_def(_graph_def(), return_elements=["nothing"])


def test_node_whose_op_is_a_function_becomes_a_call() -> None:
    text = """node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "twice" input: "x" }
    library { function { signature { name: "twice" input_arg { name: "a" type: DT_FLOAT }
      output_arg { name: "b" type: DT_FLOAT } }
      node_def { name: "n" op: "AddV2" input: "a" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "b" value: "n:z:0" } } }"""
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(text_format.Parse(text, tf.compat.v1.GraphDef()), name="")
    call = graph.get_operation_by_name("y")
    assert call.type == "PartitionedCall" and call.outputs[0].dtype is tf.float32
    assert [function.signature.name for function in graph.as_graph_def().library.function] == ["twice"]
