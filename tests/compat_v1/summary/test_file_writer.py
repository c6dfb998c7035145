"""`tf.compat.v1.summary.FileWriter`: what is Millrace's own; TensorFlow's answers are in the oracle's programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1


def _summary(value: float = 1.0) -> Any:
    return v1.Summary(value=[v1.Summary.Value(tag="loss", simple_value=value)])


def _steps(folder: Path) -> list[list[int]]:
    files = sorted(folder.iterdir())
    return [[event.step for event in v1.train.summary_iterator(str(path))][1:] for path in files]


def test_a_writer_that_is_reopened_at_once_loses_nothing(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        writer = v1.summary.FileWriter(str(tmp_path))
        for step in (1, 2):
            writer.add_summary(_summary(), step)
            writer.close()
            writer.reopen()
    assert _steps(tmp_path) == [[1], [2]]


def test_what_is_no_event_is_refused_at_once(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.summary.FileWriter(str(tmp_path)) as writer:
        with pytest.raises(TypeError, match="not a valid proto"):
            writer.add_event("x")


def test_a_writer_with_a_session_writes_through_the_graph(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        writer = v1.summary.FileWriter(str(tmp_path), session=session)
        for step in (1, 2):
            writer.add_summary(_summary(), step)
            writer.close()
            writer.reopen()
        assert "ImportEvent" in {operation.type for operation in graph.get_operations()}
    assert _steps(tmp_path) == [[1], [2], []]


def test_events_of_a_finalized_graph_are_written(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        writer = v1.summary.FileWriter(str(tmp_path), session=session)
        graph.finalize()
        writer.add_summary(_summary(), 4)
        writer.close()
    assert _steps(tmp_path) == [[4]]


def test_a_graph_is_written_with_the_shapes_of_its_tensors(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.zeros([2, 3], name="z")
        v1.summary.FileWriter(str(tmp_path), graph).close()
    (path,) = tmp_path.iterdir()
    (node,) = next(
        v1.GraphDef.FromString(event.graph_def).node
        for event in v1.train.summary_iterator(str(path))
        if event.WhichOneof("what") == "graph_def"
    )
    dims = node.attr["_output_shapes"].list.shape[0].dim
    assert [dim.size for dim in dims] == [2, 3]
