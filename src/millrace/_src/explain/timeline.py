"""From `StepStats` to the JSON that chrome://tracing and Perfetto show: a process a device, a row a thread."""

from __future__ import annotations

import json
from typing import Any


def chrome_timeline(step_stats: Any) -> str:
    """Returns the timeline of a run as text.

    Args: step_stats: a `StepStats` message, as `RunMetadata.step_stats`.
    """
    events: list[dict[str, Any]] = []
    for process, device in enumerate(step_stats.dev_stats):
        name = f"{device.device} Compute"
        events.append({"name": "process_name", "ph": "M", "pid": process, "args": {"name": name}})
        events += [_event(node, process) for node in device.node_stats]
    return json.dumps({"traceEvents": events}, indent=4, separators=(",", ": "))


def _event(node: Any, process: int) -> dict[str, Any]:
    label = node.timeline_label
    op = label.partition(" = ")[2].partition("(")[0] or "unknown"
    inputs = [text for text in label.partition("(")[2].rstrip(")").split(", ") if text]
    arguments = {"name": node.node_name, "op": op, **{f"input{i}": text for i, text in enumerate(inputs)}}
    return {
        "name": op,
        "ph": "X",
        "cat": "Op",
        "pid": process,
        "tid": node.thread_id,
        "ts": node.all_start_micros,
        "dur": node.all_end_rel_micros,
        "args": arguments,
    }
