"""What a `MetaGraphDef` says of itself: the same from both writers, and ops that are listed already stay."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace as tf
from millrace._src.proto.meta_graph_pb2 import MetaGraphDef
from millrace._src.saved_model.meta_info import state_meta_info
from millrace._src.saved_model.reading import parse_saved_model
from millrace._src.util.version import TENSORFLOW_VERSION


def test_the_writer_and_the_ops_of_the_graph_are_stated() -> None:
    meta_graph = MetaGraphDef()
    meta_graph.graph_def.node.add(name="a", op="Placeholder")
    state_meta_info(meta_graph, strips_defaults=True)
    info = meta_graph.meta_info_def
    assert info.tensorflow_version == TENSORFLOW_VERSION and info.tensorflow_git_version.startswith("millrace ")
    assert info.stripped_default_attrs and [op.name for op in info.stripped_op_list.op] == ["Placeholder"]


def test_ops_that_are_listed_already_stay() -> None:
    meta_graph = MetaGraphDef()
    meta_graph.graph_def.node.add(name="a", op="Placeholder")
    meta_graph.meta_info_def.stripped_op_list.op.add(name="Mine")
    state_meta_info(meta_graph, strips_defaults=False)
    assert [op.name for op in meta_graph.meta_info_def.stripped_op_list.op] == ["Mine"]


@pytest.mark.parametrize("version", [1, 2])
def test_writers_of_both_versions_state_the_same(version: int, tmp_path: Path) -> None:
    folder = str(tmp_path / "model")
    if version == 2:
        tf.saved_model.save(tf.Module(), folder)
    else:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            builder = tf.compat.v1.saved_model.Builder(folder)
            builder.add_meta_graph_and_variables(session, ["serve"], strip_default_attrs=True)
            builder.save()
    info = parse_saved_model(folder).meta_graphs[0].meta_info_def
    assert list(info.tags) == ["serve"] and info.stripped_default_attrs
    assert info.tensorflow_version == TENSORFLOW_VERSION and info.tensorflow_git_version.startswith("millrace ")
