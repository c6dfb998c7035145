"""`tf.summary.trace_on` and `trace_export`: the graphs of functions called in between, and a profile, for TensorBoard.

One trace is on at a time, in all threads. Beyond TensorFlow, the folder of a profile may be named at the end, as in its
earlier releases: programs written for them say `trace_on(profiler=True)` and `trace_export(..., profiler_outdir=...)`.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from millrace._src.core import errors
from millrace._src.core.context import state
from millrace._src.explain import profiler as profiles
from millrace._src.function import noted_calls
from millrace._src.proto import summary_pb2
from millrace._src.summary.run_metadata import run_metadata
from millrace._src.summary.writing import write
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_GRAPHS = "graph_run_metadata_graph"
_GRAPHS_AND_TIMES = "graph_run_metadata"
_VERSION = b"1"


class _GraphTrace(NamedTuple):
    """What is traced.

    Attributes:
      graph: whether graphs are.
      profiler: whether a profile is.
      folder: where the profile is to be written; None where the end states it.
    """

    graph: bool
    profiler: bool
    folder: Any


class _ActiveTrace:
    """The trace that is on."""

    lock = threading.Lock()
    trace: _GraphTrace | None = None


def _is_in_function() -> bool:
    return state.graph is not None and bool(state.graph.building_function)


@export("summary.trace_on", v1=[])
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Starts to note the functions that are called, and to profile, until `tf.summary.trace_export`.

    >>> import tempfile
    >>> @tf.function
    ... def double(x):
    ...     return x * 2.0
    >>> tf.summary.trace_on()
    >>> y = double(tf.constant(1.0))
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.trace_export("double", step=0)

    Does nothing but warn while a trace is on, and inside of a function.

    Args:
      graph: whether to note the graphs of functions.
      profiler: whether to profile.
      profiler_outdir: the folder of the profile; None if `trace_export` names it.

    Raises: tf.errors.AlreadyExistsError: if a profile is running.
    """
    if _is_in_function():
        get_logger().warning("Cannot enable trace inside a tf.function.")
        return
    with _ActiveTrace.lock:
        if _ActiveTrace.trace is not None:
            get_logger().warning("Trace already enabled")
            return
        if profiler:
            profiles.start("" if profiler_outdir is None else profiler_outdir)
        if graph:
            noted_calls.start()
        _ActiveTrace.trace = _GraphTrace(bool(graph), bool(profiler), profiler_outdir)


@export("summary.trace_export", v1=[])
def trace_export(name: Any, step: Any = None, profiler_outdir: Any = None) -> None:
    """Ends the trace: writes its graphs to the writer in force, and its profile to a folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.summary.trace_on(profiler=True)
    >>> y = tf.function(lambda x: x * 2.0)(tf.constant(1.0))
    >>> with tf.summary.create_file_writer(folder).as_default():
    ...     tf.summary.trace_export("double", step=0, profiler_outdir=folder)

    Args:
      name: the name of the summary.
      step: the step, as in `tf.summary.write`.
      profiler_outdir: the folder of the profile, where `tf.summary.trace_on` was given none.

    Raises:
      ValueError: if no trace is on, or there is no step.
      tf.errors.UnavailableError: if there is a profile and no folder is given.
    """
    if _is_in_function():
        get_logger().warning("Cannot export trace inside a tf.function.")
        return
    with _ActiveTrace.lock:
        trace, _ActiveTrace.trace = _ActiveTrace.trace, None
        if trace is None:
            raise ValueError("Must enable trace before export through tf.summary.trace_on.")
        graphs = [concrete.graph for concrete in noted_calls.stop()] if trace.graph else []
        if trace.profiler:
            _export_profile(trace.folder, profiler_outdir)
    plugin = _GRAPHS if trace.graph and not trace.profiler else _GRAPHS_AND_TIMES
    data = summary_pb2.SummaryMetadata.PluginData(plugin_name=plugin, content=_VERSION)
    metadata = summary_pb2.SummaryMetadata(plugin_data=data)
    write(name, lambda: run_metadata(graphs).SerializeToString(), step, metadata)


def _export_profile(folder: Any, folder_at_the_end: Any) -> None:
    """Ends the profile and writes it to the folder that was named, at the start or at the end."""
    profile, _ = profiles.end_profile()
    if folder is not None and folder_at_the_end is not None:
        get_logger().warning(
            "Ignoring `profiler_outdir` passed to trace_export(). Please pass it to trace_on() instead."
        )
    chosen = folder_at_the_end if folder is None else folder
    if chosen is None:
        raise errors.UnavailableError(
            None,
            None,
            "Cannot export profiling results. No profiler is running. Pass `profiler_outdir` to trace_on() or "
            "trace_export(), to say where the profile is to be written.",
        )
    profiles.write_profile(profile, chosen)


@export("summary.trace_off", v1=[])
def trace_off() -> None:
    """Ends the trace, if one is on, and forgets what it noted.

    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    with _ActiveTrace.lock:
        trace, _ActiveTrace.trace = _ActiveTrace.trace, None
        if trace is not None and trace.graph:
            noted_calls.stop()
        if trace is not None and trace.profiler and profiles.is_running():
            profiles.end_profile()
