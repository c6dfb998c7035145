"""The functions that save and restore the variables of a SavedModel, as programs without objects run them."""

from __future__ import annotations

import pathlib
from typing import Any

import millrace as tf
from millrace._src.proto import saved_model_pb2, saver_pb2


def saved(root: Any, target: pathlib.Path) -> Any:
    tf.saved_model.save(root, str(target))
    return saved_model_pb2.SavedModel.FromString((target / "saved_model.pb").read_bytes()).meta_graphs[0]


def nodes_of(meta_graph: Any, stem: str) -> dict[str, Any]:
    (function,) = (f for f in meta_graph.graph_def.library.function if f.signature.name.startswith(stem))
    return {node.name: node for node in function.node_def}


def model() -> Any:
    root = tf.Module()
    root.v = tf.Variable([1.0, 2.0])
    root.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    return root


def test_the_saver_names_its_nodes(tmp_path: pathlib.Path) -> None:
    meta_graph = saved(model(), tmp_path)
    names = {node.name for node in meta_graph.graph_def.node}
    saver = meta_graph.saver_def
    assert saver.version == saver_pb2.SaverDef.V2
    assert saver.filename_tensor_name == "saver_filename:0"
    assert {saver.save_tensor_name.partition(":")[0], saver.restore_op_name} < names


def test_the_tensors_are_saved_under_the_keys_of_the_checkpoint(tmp_path: pathlib.Path) -> None:
    meta_graph = saved(model(), tmp_path)
    keys = ["table/.ATTRIBUTES/table-keys", "table/.ATTRIBUTES/table-values", "v/.ATTRIBUTES/VARIABLE_VALUE"]
    for stem, op in (("__inference__traced_save", "SaveV2"), ("__inference__traced_restore", "RestoreV2")):
        names = nodes_of(meta_graph, stem)[f"{op}/tensor_names"].attr["value"].tensor.string_val
        assert sorted(name.decode() for name in names) == ["_CHECKPOINTABLE_OBJECT_GRAPH", *keys]


def test_the_parts_lie_beside_the_file_where_nothing_can_be_renamed(tmp_path: pathlib.Path) -> None:
    found = nodes_of(saved(model(), tmp_path), "__inference__traced_save")
    assert found["StaticRegexFullMatch"].attr["pattern"].s == b"^s3://.*"
    assert found["Const"].attr["value"].tensor.string_val[0] == b".part"


def test_the_graph_holds_the_objects_of_the_checkpoint(tmp_path: pathlib.Path) -> None:
    meta_graph = saved(model(), tmp_path)
    in_file = tf.train.load_checkpoint(str(tmp_path / "variables" / "variables")).get_tensor(
        "_CHECKPOINTABLE_OBJECT_GRAPH"
    )
    constants = [node for node in meta_graph.graph_def.node if node.op == "Const"]
    assert in_file in [text for node in constants for text in node.attr["value"].tensor.string_val]
