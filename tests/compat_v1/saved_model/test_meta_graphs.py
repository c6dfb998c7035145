"""Graphs with their collections in messages and files, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.compat_v1.saved_model.collection_defs import register_proto_function
from millrace._src.proto import saver_pb2

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as g:
        with tf.name_scope("part"):
            x = v1.placeholder(tf.float32, [None, 2], name="x")
            v = v1.get_variable("v", [2], initializer=v1.ones_initializer())
            with tf.device("/cpu:0"):
                y = tf.identity(x * v, name="y")
        z = tf.add(y, 1.0, name="z")
        for name, value in {"results": y, "last": z, "number": 3, "text": "part/x", "half": 0.5, "op": y.op}.items():
            v1.add_to_collection(name, value)
    return g


def test_a_graph_comes_back_from_a_file(graph: Any, tmp_path: Path) -> None:
    with graph.as_default():
        saver = v1.train.Saver()
        with v1.Session() as sess:
            sess.run(v1.global_variables_initializer())
            prefix = saver.save(sess, str(tmp_path / "model"))
    with tf.Graph().as_default(), v1.Session() as sess:
        saver = v1.train.import_meta_graph(prefix + ".meta")
        saver.restore(sess, prefix)
        assert sess.run("z:0", {"part/x:0": [[1, 2]]}).tolist() == [[2.0, 3.0]]
        (variable,) = v1.global_variables()
        assert v1.trainable_variables() == [variable] and variable.name == "v:0"
        collections = {key: v1.get_collection(key) for key in ("number", "text", "half")}
        assert collections == {"number": [3], "text": [b"part/x"], "half": [0.5]}
        assert [item.name for key in ("results", "op") for item in v1.get_collection(key)] == ["part/y:0", "part/y"]


def test_a_graph_is_imported_under_a_scope_on_other_inputs(graph: Any) -> None:
    with graph.as_default():
        message = v1.train.export_meta_graph(clear_devices=True)
    assert not any(node.device for node in message.graph_def.node)
    with tf.Graph().as_default(), v1.Session() as sess:
        ones = tf.ones([1, 2])
        saver = v1.train.import_meta_graph(message, import_scope="again", input_map={"part/x:0": ones})
        assert isinstance(saver, v1.train.Saver)
        sess.run(v1.global_variables_initializer())
        assert sess.run("again/z:0").tolist() == [[2.0, 2.0]]
        assert v1.get_collection("text") == ["again/part/x"]
        assert [variable.name for variable in v1.global_variables()] == ["again/v:0"]


def test_a_scope_of_a_graph_is_written_alone(graph: Any) -> None:
    with graph.as_default():
        message = v1.train.export_meta_graph(export_scope="part")
    assert [node.name for node in message.graph_def.node] == ["x", "mul/ReadVariableOp", "mul", "y"]
    assert list(message.collection_def["unbound_inputs"].bytes_list.value) == [b"$unbound_inputs_v"]
    assert list(message.collection_def["results"].node_list.value) == ["y:0"]
    assert "last" not in message.collection_def and "variables" not in message.collection_def
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Graph contains unbound inputs"):
        v1.train.import_meta_graph(message)


def test_savers_of_others_are_left_out(graph: Any) -> None:
    with graph.as_default():
        first, second = v1.train.Saver(), v1.train.Saver(name="other")
        message = v1.train.export_meta_graph(saver_def=first.as_saver_def(), clear_extraneous_savers=True)
    names = [node.name for node in message.graph_def.node]
    assert "save/restore_all" in names and not any(name.startswith("other/") for name in names)
    assert second.as_saver_def().restore_op_name == "other/restore_all"


def test_a_collection_of_messages_is_written_and_read(graph: Any) -> None:
    register_proto_function(
        "things of a test",
        saver_pb2.SaverDef,
        lambda item, export_scope=None: saver_pb2.SaverDef(filename_tensor_name=item),
        lambda message, import_scope=None: message.filename_tensor_name,
    )
    with graph.as_default():
        v1.add_to_collection("things of a test", "a")
        message = v1.train.export_meta_graph(collection_list=["things of a test"])
    assert list(message.collection_def) == ["things of a test"]
    with tf.Graph().as_default():
        v1.train.import_meta_graph(message)
        assert v1.get_collection("things of a test") == ["a"]


def test_what_has_no_form_in_a_file_is_left_out_with_a_warning(graph: Any, caplog: pytest.LogCaptureFixture) -> None:
    with graph.as_default():
        v1.add_to_collection("odd", object())
        message = v1.train.export_meta_graph()
    assert "odd" not in message.collection_def and "'odd' is left out" in caplog.text


def test_text_and_binary_files_are_read(graph: Any, tmp_path: Path) -> None:
    with graph.as_default():
        for name, as_text in (("binary", False), ("text", True)):
            v1.train.export_meta_graph(str(tmp_path / "new" / name), as_text=as_text)
    for name in ("binary", "text"):
        with tf.Graph().as_default() as other:
            v1.train.import_meta_graph(str(tmp_path / "new" / name))
            assert other.get_tensor_by_name("z:0").shape.as_list() == [None, 2]


def test_wrong_files_and_arguments_are_refused(graph: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.meta"
    bad.write_bytes(b"\xff\xff")
    with tf.Graph().as_default():
        with pytest.raises(OSError, match="File does not exist"):
            v1.train.import_meta_graph(str(tmp_path / "none.meta"))
        with pytest.raises(OSError, match="Cannot parse file"):
            v1.train.import_meta_graph(str(bad))
        with pytest.raises(TypeError):
            v1.train.import_meta_graph(3)
    for arguments in ({"graph_def": 3}, {"saver_def": 3}, {"graph": 3}):
        with graph.as_default(), pytest.raises(TypeError, match="must be of type"):
            v1.train.export_meta_graph(**arguments)
    for use in (v1.train.export_meta_graph, lambda: v1.train.import_meta_graph(str(bad))):
        with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
            use()


def test_a_graph_without_variables_has_no_saver() -> None:
    with tf.Graph().as_default():
        tf.constant(1)
        message = v1.train.export_meta_graph()
    with tf.Graph().as_default():
        assert v1.train.import_meta_graph(message) is None
