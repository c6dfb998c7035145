"""`tf.io.match_filenames_once`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import millrace as tf


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name in ("b", "a"):
        (tmp_path / name).write_text(name)
    return str(tmp_path)


def test_the_names_are_kept(folder: str) -> None:
    names = tf.io.match_filenames_once([f"{folder}/*", f"{folder}/q"])
    tf.io.gfile.remove(f"{folder}/a")
    assert [os.path.basename(name) for name in names.numpy()] == [b"a", b"b"]
    assert (names.name, names.trainable, names.shape, names.dtype) == ("Variable:0", False, (2,), tf.string)


def test_in_a_graph_the_variable_is_local(folder: str) -> None:
    with tf.Graph().as_default() as graph:
        names = tf.compat.v1.train.match_filenames_once(f"{folder}/*")
        assert (names.name, names.shape.as_list()) == ("matching_filenames:0", [None])
        assert graph.get_collection("variables") == []
        assert graph.get_collection("local_variables")[0] is names
        assert [operation.name for operation in graph.get_operations()][:3] == [
            *("matching_filenames/MatchingFiles/pattern", "matching_filenames/MatchingFiles", "matching_filenames"),
        ]
        assert tf.io.match_filenames_once(f"{folder}/*", name="mine").name == "mine:0"
