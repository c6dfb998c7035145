"""`ProfilerHook`: which runs get a timeline, and what is in its file."""

from __future__ import annotations

import json
from pathlib import Path

import millrace.compat.v1 as tf


def test_every_second_run_has_a_timeline(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        train = tf.train.get_or_create_global_step().assign_add(1)
        total = tf.reduce_sum(tf.constant([1.0, 2.0]), name="total")
        hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            for _ in range(5):
                session.run([train, total])
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["timeline-2.json", "timeline-4.json"]
    events = json.loads((tmp_path / "timeline-4.json").read_text())["traceEvents"]
    assert any(event.get("args", {}).get("name") == "AssignAddVariableOp" for event in events)
    tf.summary.FileWriterCache.clear()  # writes what waits in memory
    metadata = [
        event.tagged_run_metadata.tag
        for path in tmp_path.glob("events*")
        for event in tf.train.summary_iterator(str(path))
        if event.HasField("tagged_run_metadata")
    ]
    assert metadata == ["step_2", "step_4"]
