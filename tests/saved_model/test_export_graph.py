"""The graph of a SavedModel, which programs without objects run."""

from __future__ import annotations

import pathlib
from typing import Any

import millrace as tf
from millrace._src.proto import saved_model_pb2
from millrace._src.saved_model.export_graph import tensor_info

SCALAR = tf.TensorSpec([], tf.float32, name="x")


def meta_graph(root: Any, target: pathlib.Path, signatures: Any = None) -> Any:
    tf.saved_model.save(root, str(target), signatures=signatures)
    return saved_model_pb2.SavedModel.FromString((target / "saved_model.pb").read_bytes()).meta_graphs[0]


def nodes(saved: Any) -> dict[str, Any]:
    return {node.name: node for node in saved.graph_def.node}


def test_a_signature_has_a_placeholder_for_each_argument_and_a_call(tmp_path: pathlib.Path) -> None:
    f = tf.function(lambda x: x + 1.0, input_signature=[SCALAR], autograph=False)
    saved = meta_graph(tf.Module(), tmp_path, {"add one": f})
    definition = saved.signature_def["add one"]
    assert definition.inputs["x"].name == "add_one_x:0"
    assert definition.method_name == "tensorflow/serving/predict"
    call = nodes(saved)[definition.outputs["output_0"].name.partition(":")[0]]
    assert (call.op, list(call.input)) == ("PartitionedCall", ["add_one_x"])


def test_an_argument_with_a_default_value_may_be_left_out(tmp_path: pathlib.Path) -> None:
    def body(x: Any = tf.constant(2.0)) -> Any:  # noqa: B008  (the default that is meant)
        return x * 3.0

    f = tf.function(body, input_signature=[SCALAR], autograph=False)
    saved = meta_graph(tf.Module(), tmp_path, f)
    placeholder = nodes(saved)["serving_default_x"]
    assert (placeholder.op, list(placeholder.input)) == ("PlaceholderWithDefault", ["serving_default_x/input"])
    assert list(saved.signature_def["serving_default"].defaults["x"].float_val) == [2.0]


def test_a_variable_is_a_handle_and_a_read_without_an_initializer(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.v = tf.Variable([1.0, 2.0], name="weight")
    found = nodes(meta_graph(root, tmp_path))
    assert found["weight"].attr["shared_name"].s == b"weight"
    assert list(found["weight/Read/ReadVariableOp"].input) == ["weight"]
    assert not any(node.op == "AssignVariableOp" for node in found.values())


def test_variables_of_one_name_have_names_of_their_own(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.a, root.b = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="v")
    found = nodes(meta_graph(root, tmp_path))
    assert {found[name].attr["shared_name"].s for name in ("v", "v_1")} == {b"v", b"v_1"}


def test_tables_and_names_of_files_are_prepared_by_one_operation(tmp_path: pathlib.Path) -> None:
    (tmp_path / "words").write_text("a\nb\n")
    root = tf.Module()
    root.asset = tf.saved_model.Asset(tmp_path / "words")
    root.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), -1)
    saved = meta_graph(root, tmp_path / "m")
    (name,) = saved.collection_def["saved_model_main_op"].node_list.value
    assert saved.signature_def["__saved_model_init_op"].outputs["__saved_model_init_op"].name == name
    controls = sorted(nodes(saved)[name].input)
    assert controls == ["^StatefulPartitionedCall", "^Variable/Assign"]
    assert saved.asset_file_def[0].tensor_info.name == "asset_path_initializer:0"


def test_a_ragged_result_states_its_parts() -> None:
    with tf.Graph().as_default():
        info = tensor_info(tf.ragged.constant([[1.0], [2.0, 3.0]]))
    assert info.composite_tensor.type_spec.type_spec_class_name == "RaggedTensorSpec"
    assert len(info.composite_tensor.components) == 2


def test_a_sparse_result_states_its_three_tensors() -> None:
    with tf.Graph().as_default():
        info = tensor_info(tf.sparse.from_dense([[0.0, 4.0]]))
    assert info.coo_sparse.values_tensor_name and info.coo_sparse.indices_tensor_name
    assert info.dtype == tf.float32.as_datatype_enum
