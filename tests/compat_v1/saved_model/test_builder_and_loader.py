"""SavedModels of sessions: what is written, what comes back, what is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1
sm = v1.saved_model


@pytest.fixture
def session(tmp_path: Path) -> Any:
    (tmp_path / "words.txt").write_text("a\nb\nc\n")
    with tf.Graph().as_default() as graph, v1.Session(graph=graph) as sess:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        v = v1.get_variable("v", [2], initializer=v1.constant_initializer(3.0))
        tf.multiply(x, v, name="y")
        path = tf.constant(str(tmp_path / "words.txt"), name="asset")
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, path)
        index = tf.lookup.TextFileIndex
        lines = tf.lookup.TextFileInitializer(path, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
        table = tf.lookup.StaticHashTable(lines, -1)
        tf.identity(table.lookup(v1.placeholder(tf.string, [None], name="word")), name="number")
        sess.run([v1.global_variables_initializer(), v1.tables_initializer()])
        yield sess


def _signature(graph: Any, **names: str) -> Any:
    inputs = {"given": graph.get_tensor_by_name(names["of"])}
    return sm.predict_signature_def(inputs, {"out": graph.get_tensor_by_name(names["to"])})


def _built(session: Any, folder: Path) -> str:
    graph = session.graph
    builder = sm.Builder(str(folder))
    signatures = {
        "serving_default": _signature(graph, of="x:0", to="y:0"),
        "words": _signature(graph, of="word:0", to="number:0"),
    }
    assets = graph.get_collection(v1.GraphKeys.ASSET_FILEPATHS)
    builder.add_meta_graph_and_variables(
        session, ["serve"], signatures, assets_collection=assets, main_op=v1.tables_initializer()
    )
    builder.add_meta_graph(["train", "gpu"])
    builder.save()
    return str(folder)


def test_a_saved_model_comes_back_into_a_session(session: Any, tmp_path: Path) -> None:
    folder = _built(session, tmp_path / "model")
    os.remove(tmp_path / "words.txt")
    with tf.Graph().as_default(), v1.Session() as sess:
        meta_graph = sm.load(sess, ["serve"], folder)
        assert sess.run("y:0", {"x:0": [[1, 2]]}).tolist() == [[3.0, 6.0]]
        fetched = meta_graph.signature_def["words"].outputs["out"].name
        assert sess.run(fetched, {"word:0": ["c", "z"]}).tolist() == [2, -1]
        assert [variable.name for variable in v1.global_variables()] == ["v:0"]
    with tf.Graph().as_default(), v1.Session() as sess:
        sm.loader.load(sess, ["gpu", "train"], folder, import_scope="again")
        assert sess.run("again/y:0", {"again/x:0": [[1, 2]]}).tolist() == [[3.0, 6.0]]


def test_a_saved_model_of_a_session_is_loaded_as_functions(session: Any, tmp_path: Path) -> None:
    folder = _built(session, tmp_path / "model")
    with tf.__internal__.eager_context.eager_mode():
        loaded = tf.saved_model.load(folder, tags=["serve"])
        assert loaded.signatures["serving_default"](tf.constant([[1.0, 2.0]]))["out"].numpy().tolist() == [[3.0, 6.0]]
        assert loaded.signatures["words"](tf.constant(["b"]))["out"].numpy().tolist() == [1]


def test_simple_save_writes_one_signature(session: Any, tmp_path: Path) -> None:
    graph = session.graph
    sm.simple_save(
        session,
        str(tmp_path / "simple"),
        {"given": graph.get_tensor_by_name("x:0")},
        {"out": graph.get_tensor_by_name("y:0")},
        legacy_init_op=v1.tables_initializer(),
    )
    with tf.__internal__.eager_context.eager_mode():
        loaded = tf.saved_model.load(str(tmp_path / "simple"))
        assert loaded.signatures["serving_default"](tf.constant([[1.0, 2.0]]))["out"].numpy().tolist() == [[3.0, 6.0]]
    assert sm.maybe_saved_model_directory(str(tmp_path / "simple"))


def test_a_text_file_is_written_and_read(tmp_path: Path) -> None:
    builder = sm.Builder(str(tmp_path / "text"))
    with tf.Graph().as_default(), v1.Session() as sess:
        tf.constant(4, name="c")
        builder.add_meta_graph_and_variables(sess, ["serve"])
    assert builder.save(as_text=True).endswith(b"saved_model.pbtxt")
    with tf.Graph().as_default(), v1.Session() as sess:
        sm.load(sess, ["serve"], str(tmp_path / "text"))
        assert sess.run("c:0") == 4
    with pytest.raises(NotImplementedError):
        builder.save(experimental_image_format=True)


def test_what_cannot_be_saved_is_refused(session: Any, tmp_path: Path) -> None:
    x = session.graph.get_tensor_by_name("x:0")
    builder = sm.Builder(str(tmp_path / "model"))
    with pytest.raises(AssertionError, match="has not been saved yet"):
        builder.add_meta_graph(["serve"])
    with pytest.raises(TypeError, match="must be of type constant"):
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[x])
    with pytest.raises(TypeError, match="Expected 3 to be an Operation"):
        builder.add_meta_graph_and_variables(session, ["serve"], main_op=3)
    builder.add_meta_graph_and_variables(session, ["serve"], main_op=x.op)
    with pytest.raises(ValueError, match="already contains one or more main ops"):
        builder.add_meta_graph(["other"], main_op=x.op)
    with pytest.raises(AssertionError, match="has already been saved"):
        builder.add_meta_graph_and_variables(session, ["serve"])
    with pytest.raises(AssertionError, match="already exists"):
        sm.Builder(str(tmp_path / "model"))


def test_what_is_not_there_is_not_loaded(session: Any, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="SavedModel file does not exist"):
        sm.load(session, ["serve"], str(tmp_path / "none"))
    with pytest.raises(RuntimeError, match="could not be found in SavedModel"):
        sm.load(session, ["other"], _built(session, tmp_path / "model"))


def test_method_names_are_changed(session: Any, tmp_path: Path) -> None:
    updater = sm.signature_def_utils.MethodNameUpdater(_built(session, tmp_path / "model"))
    updater.replace_method_name("words", "other/method", tags="serve")
    for arguments in (("none", "m"), ("words", ""), ("", "m")):
        with pytest.raises(ValueError, match=r"signature|must be defined"):
            updater.replace_method_name(*arguments)
    updater.save(str(tmp_path / "changed"))
    updater.save()
    with tf.Graph().as_default(), v1.Session() as sess:
        meta_graph = sm.load(sess, ["serve"], str(tmp_path / "model"))
    assert meta_graph.signature_def["words"].method_name == "other/method"


def test_what_initializes_a_graph() -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        v = v1.get_variable("v", initializer=2.0)
        after = v1.assign_add(v, 1.0).op
        sess.run(sm.main_op_with_restore(after))
        assert sess.run(v) in (2.0, 3.0)
        sess.run(sm.main_op.main_op())
        assert sess.run(v) == 2.0


def test_assets_of_one_name_are_copied_once_for_each_content(tmp_path: Path) -> None:
    for folder, content in (("a", "first"), ("b", "second"), ("c", "first")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "words.txt").write_text(content)
    with tf.Graph().as_default(), v1.Session() as session:
        assets = [tf.constant(str(tmp_path / folder / "words.txt")) for folder in "abc"]
        builder = v1.saved_model.Builder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=assets)
        builder.save()
    copies = {path.name: path.read_text() for path in (tmp_path / "model" / "assets").iterdir()}
    assert copies == {"words.txt": "first", "words.txt_1": "second"}  # as TensorFlow names them
