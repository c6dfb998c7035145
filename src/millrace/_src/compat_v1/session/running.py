"""The scope in which a session runs kernels, and the errors of kernels that a closed session stops.

Tests: tests/compat_v1/session/test_session.py
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from millrace._src.compat_v1.session.resources import SessionResources
from millrace._src.compat_v1.session.steps import step_error
from millrace._src.core import errors
from millrace._src.core.context import kernels_scope
from millrace._src.core.waiting import Cancellation
from millrace._src.ops.session_tensors import running_store

_CLOSED = "Session has been closed."


def closed_error() -> errors.CancelledError:
    """Returns the error of a run that begins too late."""
    return errors.CancelledError(None, None, f"Graph execution error:\n\n{_CLOSED}")


def cancelled_error() -> errors.CancelledError:
    """Returns the error of kernels that wait while the session is closed; the error will name their operation."""
    return errors.CancelledError(None, None, _CLOSED)


@contextlib.contextmanager
def running_kernels(
    graph: Any, resources: SessionResources, session: Cancellation, run: Cancellation | None
) -> Iterator[None]:
    """Runs kernels of a graph in eager mode; an error names the operation of the graph.

    Args:
      graph: the graph.
      resources: what the session keeps.
      session: the cancellation of the session.
      run: the cancellation of the run; None for that of the session.

    Raises: tf.errors.CancelledError: if the session is closed.
    """
    if session.error is not None:
        raise closed_error()
    try:
        with kernels_scope(run or session, resources.streams), running_store.set_to(resources.tensors):
            yield
    except errors.OpError as error:
        operation = graph._by_name.get(error.failed_node)
        if operation is None or error.node_complaint is None:
            raise
        raise step_error(type(error), operation, error.node_complaint) from error
