"""Merging summaries: an empty description, and writers that an initializer opens in their order."""

from __future__ import annotations

from pathlib import Path

import millrace as tf

v1 = tf.compat.v1


def test_a_summary_without_a_description_has_an_empty_one() -> None:
    assert v1.summary.get_summary_description(v1.NodeDef(op="TensorSummary")).type_hint == ""


def test_all_writers_of_a_graph_are_opened(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        writers = [tf.summary.create_file_writer(str(tmp_path / name)) for name in "ab"]
        with writers[0].as_default(1):
            v1.summary.initialize()
        for writer in writers:
            session.run(writer.flush())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
