"""The state of a session: the variables, queues, tables and iterators of its graph.

A graph says which objects there are; a session holds them. Two sessions of one graph have variables of their own. Two
operations of a graph mean the same object if container, shared name and kind of object agree; an operation without a
shared name means an object of its own.

Tests: tests/compat_v1/session/test_session.py
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from millrace._src.core.context import eager_mode, tapes_scope, unique_id
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.execute import execute
from millrace._src.core.handle_types import ObjectHandle
from millrace._src.core.tensor import EagerTensor
from millrace._src.graph.operation import Operation
from millrace._src.ops.random.seeds import StreamTable
from millrace._src.ops.session_tensors import TensorStore

_DEFAULT_CONTAINER = "localhost"


class SessionResources:
    """The objects behind the resource handles of a graph, and the random streams of its operations."""

    def __init__(self) -> None:
        self._handles: dict[tuple[str, str, object], EagerTensor] = {}
        self._lock = threading.RLock()
        self.streams: StreamTable = {}
        self.tensors = TensorStore()

    def handle(self, operation: Operation, compute_inputs: Callable[[], list[Any]]) -> EagerTensor:
        """Returns the eager handle of the object that an operation refers to; the object is made on first use.

        Args:
          operation: the operation.
          compute_inputs: returns its inputs as eager tensors.

        Raises: InvalidArgumentError: if the object of that name has elements or values of other types.
        """
        container = operation.attrs.get("container") or _DEFAULT_CONTAINER
        key = container, operation.attrs.get("shared_name") or operation.name, _kind(operation)
        handle = self._handles.get(key)
        if handle is None:
            inputs = compute_inputs()  # without the lock: they may wait for another thread of the session
            with self._lock:
                if key not in self._handles:
                    self._handles[key] = _make(operation, inputs)
                handle = self._handles[key]
        _check_type(operation, handle)
        return handle

    def forget(self, containers: list[str]) -> None:
        """Drops the objects of some containers, of all if none is named."""
        with self._lock:
            self.tensors.clear()
            for key in [key for key in self._handles if not containers or key[0] in containers]:
                del self._handles[key]


def _check_type(operation: Operation, handle: EagerTensor) -> None:
    """Refuses an object that is not of the type that an operation declares."""
    declared, actual = operation.outputs[0].handle_type, handle.handle_type
    if declared is not None and actual is not None and declared.join(actual) is None:
        name = operation.attrs.get("shared_name") or operation.name
        raise InvalidArgumentError(
            None, None, f"Shared object '{name}' is {actual} but {declared} was requested by '{operation.name}'."
        )


def _kind(operation: Operation) -> object:
    """Returns what an object is: a variable, a queue, a table... Objects of two kinds may have the same name."""
    handle_type = operation.outputs[0].handle_type
    return handle_type.kind if isinstance(handle_type, ObjectHandle) else type(handle_type)


def _make(operation: Operation, inputs: list[Any]) -> EagerTensor:
    """Makes the object that an operation refers to."""
    op = operation.op_def
    attrs = {key: value for key, value in operation.attrs.items() if key in op.attr_kinds}
    name = attrs.get("shared_name") or operation.name
    if "debug_name" in op.attr_kinds:  # a variable: nothing finds it by its name, which errors show
        attrs["shared_name"] = attrs["debug_name"] = name
    elif "shared_name" in op.attr_kinds:  # a name that no code outside of the session knows
        attrs["shared_name"] = f"_{unique_id()}_{name}"
    with eager_mode(), tapes_scope(()):
        handle: EagerTensor = execute(op, op.signature.split_inputs(inputs, operation.attrs), attrs)
    return handle
