"""What a session's configuration and the options of a run ask for."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from millrace._src.compat_v1.session.steps import SessionStep
from millrace._src.core import errors
from millrace._src.core.waiting import Cancellation
from millrace._src.proto import config_pb2


def stays_on_host(config: object) -> bool:
    """Returns whether the host runs all steps of a session; else the engine that measures fastest runs a step.

    Args: config: a `ConfigProto`, or None.
    Raises: TypeError: if it is something else.
    """
    if config is None:
        return False
    if not isinstance(config, config_pb2.ConfigProto):
        raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
    level: int = config.graph_options.optimizer_options.global_jit_level
    return level == config_pb2.OptimizerOptions.OFF


def check_options(options: object, run_metadata: object) -> None:
    """Refuses what are not messages.

    Raises: TypeError: if `options` is not a `RunOptions`, or `run_metadata` not a `RunMetadata`.
    """
    if options is not None and not isinstance(options, config_pb2.RunOptions):
        raise TypeError(f"Argument `options` must be a tf.RunOptions, but got {type(options).__name__!r}")
    if run_metadata is not None and not isinstance(run_metadata, config_pb2.RunMetadata):
        raise TypeError(f"Argument `run_metadata` must be a tf.RunMetadata, but got {type(run_metadata).__name__!r}")


def is_traced(options: Any, run_metadata: Any) -> bool:
    """Returns whether the run measures its operations."""
    return run_metadata is not None and options is not None and options.trace_level != config_pb2.RunOptions.NO_TRACE


def describe_run(step: SessionStep, options: Any, run_metadata: Any) -> None:
    """Fills in the metadata of a run what its options ask for besides times: the graph that ran."""
    if run_metadata is None:
        return
    run_metadata.Clear()
    if options is not None and options.output_partition_graphs:
        run_metadata.partition_graphs.append(step.graph.as_graph_def())


@contextlib.contextmanager
def cancel_after(options: Any, session_cancellation: Cancellation) -> Iterator[Cancellation]:
    """Gives the cancellation of a run, which calls the run off when its time is over.

    Args:
      options: the `RunOptions` message, or None.
      session_cancellation: what calls off all runs of the session.
    """
    milliseconds = 0 if options is None else options.timeout_in_ms
    if not milliseconds:
        yield session_cancellation
        return
    error = errors.DeadlineExceededError(None, None, "Timed out waiting for notification")
    own = session_cancellation.child()
    timer = threading.Timer(milliseconds / 1000, own.cancel, [error])
    timer.daemon = True
    timer.start()
    try:
        yield own
    finally:
        timer.cancel()
        session_cancellation.forget_child(own)
