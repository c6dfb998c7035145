"""The names of the copies of assets."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import millrace as tf
from millrace._src.core.errors import NotFoundError
from millrace._src.proto import meta_graph_pb2
from millrace._src.saved_model.asset_files import add_assets


class Path:
    """Stands for the placeholder of an asset's name."""

    name = "path:0"


def names_of(*paths: pathlib.Path) -> list[str]:
    meta_graph = meta_graph_pb2.MetaGraphDef()
    add_assets(meta_graph, [(0, tf.saved_model.Asset(path), Path) for path in paths])
    return [asset.filename for asset in meta_graph.asset_file_def]


@pytest.fixture
def files(tmp_path: pathlib.Path) -> dict[str, pathlib.Path]:
    contents = {"a/text": "first", "b/text": "second", "c/text": "second", "d/other": "first"}
    for name, content in contents.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return {name: tmp_path / name for name in contents}


def test_a_copy_has_the_name_of_the_file(files: dict[str, Any]) -> None:
    assert names_of(files["a/text"], files["d/other"]) == ["text", "other"]


def test_other_files_of_that_name_have_numbers(files: dict[str, Any]) -> None:
    assert names_of(files["a/text"], files["b/text"]) == ["text", "text_1"]


def test_a_file_of_that_name_and_content_is_the_same_copy(files: dict[str, Any]) -> None:
    assert names_of(files["b/text"], files["c/text"]) == ["text", "text"]
    assert names_of(files["a/text"], files["a/text"]) == ["text", "text"]


def test_tensorflow_compares_with_the_first_file_of_the_name_only(files: dict[str, Any]) -> None:
    assert names_of(files["b/text"], files["a/text"], files["a/text"]) == ["text", "text_1", "text_2"]


def test_a_file_that_is_not_there_is_not_found(tmp_path: pathlib.Path) -> None:
    module = tf.Module()
    module.asset = tf.saved_model.Asset(tmp_path / "nothing")
    with pytest.raises(NotFoundError, match="nothing"):
        tf.saved_model.save(module, str(tmp_path / "m"))
    assert not (tmp_path / "m" / "saved_model.pb").exists()
