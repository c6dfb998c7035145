"""Timelines of StepStats."""

from __future__ import annotations

import json

from millrace._src.explain.timeline import chrome_timeline
from millrace._src.proto import step_stats_pb2


def test_a_node_is_an_event_of_its_device() -> None:
    stats = step_stats_pb2.StepStats()
    device = stats.dev_stats.add(device="/device:CPU:0")
    device.node_stats.add(
        node_name="mm", timeline_label="mm = MatMul(a, b)", all_start_micros=5, all_end_rel_micros=3, thread_id=7
    )
    name, event = json.loads(chrome_timeline(stats))["traceEvents"]
    assert name["args"]["name"] == "/device:CPU:0 Compute"
    assert (event["name"], event["ts"], event["dur"], event["tid"]) == ("MatMul", 5, 3, 7)
    assert event["args"] == {"name": "mm", "op": "MatMul", "input0": "a", "input1": "b"}
