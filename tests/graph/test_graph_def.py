"""Graphs on the wire: versions, files, parts of a graph."""

from __future__ import annotations

import pathlib

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.graph.graph_def import PRODUCER


def _graph() -> tf.Graph:
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1.0, name="a")
        tf.constant(2.0, name="b")
    return graph


def test_only_operations_since_a_version() -> None:
    graph = _graph()
    version = graph.version
    with graph.as_default():
        tf.constant(3.0, name="c")
    assert [node.name for node in graph.as_graph_def(from_version=version).node] == ["c"]


def test_shapes_are_added_on_request_only() -> None:
    graph = _graph()
    assert "_output_shapes" not in graph.as_graph_def().node[0].attr
    assert "_output_shapes" in graph.as_graph_def(add_shapes=True).node[0].attr


def test_versions_are_tensorflows() -> None:
    versions = _graph().as_graph_def().versions
    assert (versions.producer, versions.min_consumer) == (PRODUCER, 0)


def test_imported_graph_lowers_the_producer() -> None:
    proto = tf.compat.v1.GraphDef()
    proto.versions.producer = 100
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(proto)
    assert graph.as_graph_def().versions.producer == 100


def test_empty_graph() -> None:
    assert not tf.Graph().as_graph_def().node


@pytest.mark.parametrize("as_text", [True, False])
def test_graph_is_written_to_a_file(tmp_path: pathlib.Path, as_text: bool) -> None:
    graph = _graph()
    path = tf.io.write_graph(graph, tmp_path / "new", "g.pb", as_text=as_text)
    assert path == str(tmp_path / "new" / "g.pb")
    proto = tf.compat.v1.GraphDef()
    if as_text:
        text_format.Parse(pathlib.Path(path).read_text(), proto)
    else:
        proto.ParseFromString(pathlib.Path(path).read_bytes())
    assert proto == graph.as_graph_def()
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["g.pb"]


def test_graph_def_itself_is_written_too(tmp_path: pathlib.Path) -> None:
    proto = _graph().as_graph_def()
    path = tf.io.write_graph(proto, str(tmp_path), "g.pbtxt")
    assert pathlib.Path(path).read_text() == text_format.MessageToString(proto)


def test_nan_and_infinity_survive_text() -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(float("nan"))
        tf.constant(float("-inf"))
    text = text_format.MessageToString(graph.as_graph_def())
    assert "float_val: nan" in text and "float_val: -inf" in text
