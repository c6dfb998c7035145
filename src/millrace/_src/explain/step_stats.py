"""`StepStats`: what one call of a graph run, node by node, in the message that TensorFlow 1 programs read.

`Session.run` with `trace_level=FULL_TRACE` returns it in its `RunMetadata`, and `ProfilerHook` makes timelines of it.
Only the thread of the call is looked at. What XLA runs is in the message too, under a device of its own, by the
names of XLA's instructions where no node is known.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.devices import FIRST_CPU
from millrace._src.core.watching import Kernel, Watcher, add_watcher, remove_watcher
from millrace._src.explain.events import DEVICE, Event
from millrace._src.explain.recorder import Recorder
from millrace._src.explain.xla_events import XlaEvents
from millrace._src.proto import step_stats_pb2

_XLA_DEVICE = f"{FIRST_CPU}/stream:XLA"
_ALLOCATOR = "cpu"


class _OpRun(NamedTuple):
    """One run of a kernel: times of `time.perf_counter_ns`, the nodes, and the results by output."""

    start: int
    end: int
    nodes: Sequence[Any]
    sizes: Sequence[tuple[tuple[int, ...], int]]


class StepRecorder(Watcher):
    """Notes the nodes that one thread runs."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self.runs: list[_OpRun] = []

    def watch_nodes(self, nodes: Sequence[Any], kernel: Kernel) -> Kernel:
        """Returns the kernel of a node with notes around it."""

        def run_and_note(*arrays: object, **options: object) -> Any:
            start = time.perf_counter_ns()
            result = kernel(*arrays, **options)
            end = time.perf_counter_ns()
            if threading.get_ident() == self._thread:
                self.runs.append(_OpRun(start, end, nodes, list(_sizes(result))))
            return result

        return run_and_note


def _sizes(result: Any) -> Iterable[tuple[tuple[int, ...], int]]:
    """Yields shape and bytes of the arrays of a result, lists in order."""
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from _sizes(part)
    elif result is not None:
        yield np.shape(result), int(getattr(result, "nbytes", 0))


def record_call(run: Callable[[], Any], clock: Callable[[], int] = time.time_ns) -> tuple[Any, Any]:
    """Calls a function, and returns its result and the `StepStats` of the graphs that the call run.

    Args:
      run: takes no arguments.
      clock: returns the nanoseconds since 1970.
    """
    steps, recorder = StepRecorder(), Recorder(with_ops=False)
    xla = XlaEvents(recorder)
    offset = clock() - time.perf_counter_ns()
    recorder.start(watches=False)
    xla.start()
    add_watcher(steps)
    try:
        result = run()
    finally:
        remove_watcher(steps)
        profile = recorder.stop()
        xla.stop(profile)
    return result, _message(steps.runs, [e for e in profile.events if e.subject.category == DEVICE], offset)


def _message(runs: Sequence[_OpRun], device_events: Sequence[Event], offset: int) -> Any:
    message = step_stats_pb2.StepStats()
    host = message.dev_stats.add(device=FIRST_CPU)
    for run in runs:
        _add_node(host.node_stats.add(), run, offset)
    if device_events:
        device = message.dev_stats.add(device=_XLA_DEVICE)
        for event in device_events:
            stats = device.node_stats.add(node_name=event.subject.name)
            stats.timeline_label = f"{event.subject.name} = {event.subject.op}()"
            _set_times(stats, event.start + offset, event.duration)
    return message


def _add_node(stats: Any, run: _OpRun, offset: int) -> None:
    node = run.nodes[-1]
    stats.node_name = node.name
    makers = ", ".join(v.node.name for v in node.inputs if v.node is not None)
    ops = "+".join(dict.fromkeys(n.type for n in run.nodes))
    stats.timeline_label = f"{node.name} = {ops}({makers})"
    stats.thread_id = threading.get_native_id()
    _set_times(stats, run.start + offset, run.end - run.start)
    total = sum(size for _, size in run.sizes)
    if total:
        stats.memory.add(allocator_name=_ALLOCATOR, total_bytes=total, peak_bytes=total, live_bytes=total)
    for slot, (value, (shape, size)) in enumerate(zip(node.outputs, run.sizes, strict=False)):
        description = stats.output.add(slot=slot).tensor_description
        description.dtype = value.dtype.as_datatype_enum
        for dim in shape:
            description.shape.dim.add(size=dim)
        description.allocation_description.requested_bytes = size
        description.allocation_description.allocated_bytes = size
        description.allocation_description.allocator_name = _ALLOCATOR


def _set_times(stats: Any, start: int, duration: int) -> None:
    """Sets the times of a node, in both units that the message has."""
    stats.all_start_nanos = stats.scheduled_nanos = start
    stats.op_end_rel_nanos = stats.all_end_rel_nanos = duration
    stats.all_start_micros = stats.scheduled_micros = start // 1000
    stats.op_end_rel_micros = stats.all_end_rel_micros = max(duration // 1000, 1)
