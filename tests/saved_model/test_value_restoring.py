"""The values of a SavedModel: which object gets which, and what a damaged folder of variables says."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.proto import trackable_object_graph_pb2
from millrace._src.trackable.base import OBJECT_GRAPH_PROTO_KEY


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> str:
    module = tf.Module()
    module.parts = (tf.Variable(1.0), tf.Variable(2.0))
    tf.saved_model.save(module, str(tmp_path))
    return str(tmp_path)


def change_objects(folder: str, edit: Any) -> None:
    """Writes the checkpoint of a SavedModel again with other bytes for its objects."""
    prefix = f"{folder}/variables/variables"
    with BundleReader(prefix) as reader:
        arrays = {key: reader.read(key) for key in reader.keys()}  # noqa: SIM118  a reader is not a dict
    arrays[OBJECT_GRAPH_PROTO_KEY][()] = edit(arrays[OBJECT_GRAPH_PROTO_KEY][()])
    with BundleWriter(prefix) as writer:
        for key, array in arrays.items():
            writer.add(key, array)


def out_of_range(number: int) -> Any:
    def edit(content: bytes) -> bytes:
        proto = trackable_object_graph_pb2.TrackableObjectGraph.FromString(content)
        proto.nodes[0].children[0].node_id = number
        return proto.SerializeToString()

    return edit


def test_a_list_stands_for_a_saved_tuple(folder: str) -> None:
    loaded = tf.saved_model.load(folder)
    assert [float(part.numpy()) for part in loaded.parts] == [1.0, 2.0]


@pytest.mark.parametrize("number", [1000, -1])
def test_numbers_of_objects_that_are_not_there_are_damage(folder: str, number: int) -> None:
    change_objects(folder, out_of_range(number))
    with pytest.raises(tf.errors.DataLossError, match="refer to objects that are not there"):
        tf.saved_model.load(folder)


def test_objects_that_cannot_be_parsed_are_damage(folder: str) -> None:
    change_objects(folder, lambda content: b"\xff" * 9)
    with pytest.raises(tf.errors.DataLossError, match="these 9 bytes are not a serialized TrackableObjectGraph"):
        tf.saved_model.load(folder)
