"""The scopes of a graph, which decide the name, device, control inputs and groups of the next operation.

Problem: several threads may build one graph, each within scopes of its own, and what one thread enters must not show in
the operations of another.

Idea: one thread-local object holds the stacks of the thread that asks, so that an operation costs a single thread-local
read. Containers and gradient overrides belong to the graph and hold in all threads, as in TensorFlow. So do devices,
control dependencies and colocation where TensorFlow 2's behavior is turned off, until `switch_to_thread_local`: each
thread then goes on from what was in force at the switch.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from millrace._src.core.op_def import OpDef
from millrace._src.core.runtime_options import tensorflow_2_behavior_enabled
from millrace._src.graph.device_scopes import Request, with_device
from millrace._src.graph.graph_names import GraphNames, check_scope_name
from millrace._src.graph.operation import Operation


class ControlScope:
    """One entry of the control dependency stack: the controllers, and the operations made under the controllers."""

    __slots__ = ("controllers", "clears", "made")

    def __init__(self, controllers: list[Operation], clears: bool) -> None:
        self.controllers = controllers
        self.clears = clears
        self.made: set[Operation] = set()


class Requests:
    """The stacks of devices, control dependencies and colocation groups, innermost last.

    Args: start: the stacks to begin with; None for empty ones.
    """

    __slots__ = ("controls", "devices", "colocations")

    def __init__(self, start: Requests | None = None) -> None:
        self.controls: list[ControlScope] = [] if start is None else list(start.controls)
        self.devices: list[Request] = [] if start is None else list(start.devices)
        self.colocations: list[list[bytes]] = [] if start is None else list(start.colocations)

    def control_inputs(self, inputs: Sequence[Any]) -> list[Operation]:
        """Returns the control inputs of a new operation: the controllers that none of its inputs depends on already."""
        input_operations = {t.op for t in inputs}
        start = max((i for i, scope in enumerate(self.controls) if scope.clears), default=0)
        result: list[Operation] = []
        for scope in self.controls[start:]:
            if scope.made.isdisjoint(input_operations):
                result.extend(c for c in scope.controllers if c not in input_operations and c not in result)
        return result


class ThreadScopes(threading.local):
    """The name scope and the requests in force, in each thread its own.

    Args:
      start: the requests with which a thread begins.
      is_shared: whether all threads use `start` itself.
      names: where threads find their name scopes; None where they have none yet.
    """

    def __init__(self, start: Requests, is_shared: bool, names: ThreadScopes | None = None) -> None:
        self.requests = start if is_shared else Requests(start)
        self.name: str = "" if names is None else names.name


class GraphScopes:
    """The scopes that are in force in one graph."""

    __slots__ = ("thread", "add_attrs", "_container", "_gradient_overrides", "_is_shared")

    def __init__(self) -> None:
        self._is_shared = not tensorflow_2_behavior_enabled()
        self.thread = ThreadScopes(Requests(), self._is_shared)
        self.add_attrs = False
        """Whether a container or gradient overrides are in force."""
        self._container = ""
        self._gradient_overrides: dict[str, str] = {}

    def switch_to_thread_local(self) -> None:
        """Gives each thread requests of its own from now on, which begin with those in force."""
        if self._is_shared:
            self._is_shared = False
            self.thread = ThreadScopes(Requests(self.thread.requests), is_shared=False, names=self.thread)

    @contextlib.contextmanager
    def name_scope(self, name: str | None, names: GraphNames) -> Iterator[str]:
        """Enters a name scope, whose name is made unique unless it ends in "/"; yields the prefix of names."""
        outer = self.thread.name
        if name:
            check_scope_name(name, is_root=not outer)
        if not name:
            scope = ""
        elif name.endswith("/"):
            scope = name[:-1]
        else:
            scope = names.unique(f"{outer}/{name}" if outer else name)
        self.thread.name = scope
        try:
            yield scope + "/" if scope else ""
        finally:
            self.thread.name = outer

    @contextlib.contextmanager
    def control_dependencies(self, scope: ControlScope) -> Iterator[None]:
        """Makes the operations created within wait for the controllers of `scope`."""
        entered = self.thread.requests
        entered.controls.append(scope)
        try:
            yield
        finally:
            _leave(scope, entered.controls, self.thread.requests.controls)

    @contextlib.contextmanager
    def device(self, device: object) -> Iterator[None]:
        """Sets the device, by name or by a function, for the operations made within; None forgets outer scopes."""
        entered = self.thread.requests
        request = with_device(entered.devices[-1] if entered.devices else "", device)
        entered.devices.append(request)
        try:
            yield
        finally:
            _leave(request, entered.devices, self.thread.requests.devices)

    @contextlib.contextmanager
    def colocation_groups(self, groups: list[bytes]) -> Iterator[None]:
        """Puts the operations made within into colocation groups."""
        entered = self.thread.requests
        entered.colocations.append(groups)
        try:
            yield
        finally:
            _leave(groups, entered.colocations, self.thread.requests.colocations)

    def attrs_of(self, op: OpDef, attrs: dict[str, Any]) -> dict[str, Any]:
        """Returns the attributes of a new operation and those that the scopes in force give it."""
        added: dict[str, Any] = {}
        colocations = self.thread.requests.colocations
        if colocations and colocations[-1]:
            added["_class"] = tuple(sorted({group.decode() for group in colocations[-1]}))
        if op.name in self._gradient_overrides:
            added["_gradient_op_type"] = self._gradient_overrides[op.name]
        if self._container and "container" in op.attr_kinds and not attrs.get("container"):
            added["container"] = self._container
        return {**attrs, **added} if added else attrs

    @contextlib.contextmanager
    def container(self, name: str) -> Iterator[str]:
        """Puts the resources made within into a container, in all threads."""
        outer = self._container
        self._set_attrs(name, self._gradient_overrides)
        try:
            yield name
        finally:
            self._set_attrs(outer, self._gradient_overrides)

    @contextlib.contextmanager
    def gradient_override_map(self, overrides: dict[str, str]) -> Iterator[None]:
        """Gives the operations made within, by type, the gradient of another name, in all threads."""
        outer = self._gradient_overrides
        self._set_attrs(self._container, {**outer, **overrides})
        try:
            yield
        finally:
            self._set_attrs(self._container, outer)

    def _set_attrs(self, container: str, gradient_overrides: dict[str, str]) -> None:
        self._container, self._gradient_overrides = container, gradient_overrides
        self.add_attrs = bool(container or gradient_overrides)


def _leave(entry: object, entered: list[Any], current: list[Any]) -> None:
    """Removes the entry of a scope from the stack to which it was added, and from the present stack."""
    if entered and entered[-1] is entry:
        entered.pop()
    else:
        _drop(entry, entered)
    if current is not entered:
        _drop(entry, current)


def _drop(entry: object, stack: list[Any]) -> None:
    """Takes the innermost occurrence of an entry off a stack; scopes of threads that share it may end in any order."""
    for index in reversed(range(len(stack))):
        if stack[index] is entry:
            del stack[index]
            return
