from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import meta_graph_pb2, op_def_pb2, saved_model_pb2
from millrace._src.saved_model.reading import (
    as_tags,
    asset_definitions,
    asset_paths,
    choose_meta_graph,
    declared_ops,
    parse_saved_model,
    read_debug_info,
    unknown_ops,
)


def message(*tag_sets: list[str], has_objects: bool = False) -> saved_model_pb2.SavedModel:
    saved = saved_model_pb2.SavedModel()
    for tags in tag_sets:
        meta_graph = saved.meta_graphs.add()
        meta_graph.meta_info_def.tags.extend(tags)
        if has_objects:
            meta_graph.object_graph_def.SetInParent()
    return saved


# --- the file --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["saved_model.pb", "saved_model.pbtxt", "saved_model.cpb"])
def test_a_folder_with_a_file_of_the_name_holds_a_saved_model(name: str, tmp_path: pathlib.Path) -> None:
    assert not tf.saved_model.contains_saved_model(str(tmp_path))
    (tmp_path / name).write_bytes(b"")
    assert tf.saved_model.contains_saved_model(tmp_path)
    assert tf.compat.v1.saved_model.contains_saved_model(str(tmp_path))


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(TypeError):
        tf.saved_model.contains_saved_model(3)


def test_the_binary_file_goes_before_the_text(tmp_path: pathlib.Path) -> None:
    (tmp_path / "saved_model.pbtxt").write_text("saved_model_schema_version: 7")
    assert parse_saved_model(tmp_path).saved_model_schema_version == 7
    binary = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    (tmp_path / "saved_model.pb").write_bytes(binary.SerializeToString())
    assert parse_saved_model(str(tmp_path)).saved_model_schema_version == 1


def test_a_missing_file_is_named_in_the_words_of_tensorflow(tmp_path: pathlib.Path) -> None:
    words = rf"SavedModel file does not exist at: {tmp_path}/\{{saved_model\.pbtxt\|saved_model\.pb\}}"
    with pytest.raises(OSError, match=words):
        tf.saved_model.load(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "content"),
    [("saved_model.pb", b"\xff\xff x"), ("saved_model.pbtxt", b"x{"), ("saved_model.pbtxt", b"\xff")],
)
def test_a_file_that_cannot_be_parsed_is_named(name: str, content: bytes, tmp_path: pathlib.Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(OSError, match=f"Cannot parse file b'{tmp_path}/{name}'"):
        parse_saved_model(tmp_path)


def test_a_file_in_chunks_is_refused_in_words(tmp_path: pathlib.Path) -> None:
    (tmp_path / "saved_model.cpb").write_bytes(b"")
    with pytest.raises(NotImplementedError, match="is split into chunks"):
        parse_saved_model(tmp_path)


def test_an_interrupted_save_in_a_folder_that_cannot_be_written_is_said_so(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: str) -> None:
        raise tf.errors.PermissionDeniedError(None, None, folder)

    monkeypatch.setattr("millrace._src.saved_model.reading.finish_interrupted_save", refuse)
    with pytest.raises(tf.errors.FailedPreconditionError, match="was cut off before all files were in place"):
        parse_saved_model(tmp_path)


def test_debug_information_may_be_missing_and_must_be_readable(tmp_path: pathlib.Path) -> None:
    assert not read_debug_info(str(tmp_path)).files
    (tmp_path / "debug").mkdir()
    (tmp_path / "debug" / "saved_model_debug_info.pb").write_bytes(b"\xff\xff x")
    with pytest.raises(OSError, match="Cannot parse file"):
        read_debug_info(str(tmp_path))


# --- tags ------------------------------------------------------------------------------------------------------------


def test_a_tag_may_come_alone() -> None:
    assert (as_tags(None), as_tags("serve"), as_tags({"serve"})) == (None, ["serve"], ["serve"])


def test_the_graph_with_the_very_tags_is_chosen() -> None:
    saved = message(["serve"], ["serve", "gpu"])
    assert choose_meta_graph(saved, ["gpu", "serve"], "d") is saved.meta_graphs[1]
    assert choose_meta_graph(message(["serve"]), None, "d").meta_info_def.tags == ["serve"]
    with pytest.raises(ValueError, match="there are 2 MetaGraphs in the SavedModel with tag sets"):
        choose_meta_graph(saved, None, "d")
    with pytest.raises(ValueError, match="there are 0 MetaGraphs"):
        choose_meta_graph(message(), None, "d")
    with pytest.raises(RuntimeError, match="MetaGraphDef associated with tags 'gpu' could not be found"):
        choose_meta_graph(saved, ["gpu"], "d")
    with pytest.raises(ValueError, match="Got an incompatible argument to `tags`"):
        choose_meta_graph(message(["serve"], has_objects=True), ["gpu"], "d")


# --- ops and assets --------------------------------------------------------------------------------------------------


def test_unknown_ops_come_from_the_declarations_or_from_the_nodes() -> None:
    meta_graph = meta_graph_pb2.MetaGraphDef()
    for op in ("Neg", "f", "B"):
        meta_graph.graph_def.node.add(op=op)
    meta_graph.graph_def.library.function.add().signature.name = "f"
    meta_graph.graph_def.library.function[0].node_def.add(op="A")
    assert unknown_ops(meta_graph, ()) == ("A", "B") and unknown_ops(meta_graph, ["A"]) == ("B",)
    meta_graph.meta_info_def.stripped_op_list.op.extend([op_def_pb2.OpDef(name="Neg"), op_def_pb2.OpDef(name="C")])
    assert unknown_ops(meta_graph, ()) == ("C",) and list(declared_ops(meta_graph)) == ["Neg", "C"]


def asset(name: str) -> Any:
    return meta_graph_pb2.AssetFileDef(filename=name)


def test_assets_stand_in_their_folder(tmp_path: pathlib.Path) -> None:
    (tmp_path / "assets").mkdir()
    paths = asset_paths([asset("a.txt"), asset("deep/b.txt")], str(tmp_path), False)
    assert paths == [f"{tmp_path}/assets/a.txt", f"{tmp_path}/assets/deep/b.txt"]


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../x", "a/../../x", "..\\x", "C:x", "a\0b", "a//b"])
def test_names_that_lead_elsewhere_are_refused(name: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(tf.errors.DataLossError, match="names a file that is not in its folder of assets"):
        asset_paths([asset(name)], str(tmp_path), True)


def test_a_link_out_of_the_folder_is_followed_only_on_request(tmp_path: pathlib.Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "secret").write_text("x")
    os.symlink(tmp_path / "secret", tmp_path / "assets" / "link")
    os.symlink("inside", tmp_path / "assets" / "fine")
    assert asset_paths([asset("fine")], str(tmp_path), False)
    assert asset_paths([asset("link")], str(tmp_path), True)
    with pytest.raises(tf.errors.PermissionDeniedError, match="allow_file_reads=True"):
        asset_paths([asset("link")], str(tmp_path), False)


def test_assets_of_tensorflow_1_are_in_a_collection_once_or_twice() -> None:
    meta_graph = meta_graph_pb2.MetaGraphDef()
    definition = meta_graph_pb2.AssetFileDef(filename="words.txt")
    definition.tensor_info.name = "Const:0"
    values = meta_graph.collection_def["saved_model_assets"].any_list.value
    for _ in range(2):
        values.add(value=definition.SerializeToString())
    assert asset_definitions(meta_graph) == [definition]
    values[1].value = b"\xff\xff x"
    with pytest.raises(
        tf.errors.DataLossError, match=r"An asset of the SavedModel: these .* bytes are not a serialized AssetFileDef"
    ):
        asset_definitions(meta_graph)
