"""`tf.CriticalSection`: functions of which only one runs at a time.

Two threads, or two calls of a function, may read a variable, both add one, and both write the same sum. Inside of
`execute` they cannot: the function's ops run between taking a mutex and letting it go. In a graph, control inputs say
so: every operation of the function waits for the lock, and the lock ends after all of them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.graph.graph import Graph
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export


class _Execution(NamedTuple):
    """One call of `execute` in a graph.

    Attributes:
      section: The mutex's handle, by identity.
      resources: The resources that the function uses.
      is_exclusive: Whether no other section may use them.
    """

    section: int
    resources: frozenset[Any]
    is_exclusive: bool


_executions: weakref.WeakKeyDictionary[Any, list[_Execution]] = weakref.WeakKeyDictionary()
"""By graph."""


class _RunningSections(threading.local):
    """The sections that this thread is in."""

    def __init__(self) -> None:
        self.sections: set[int] = set()


_running = _RunningSections()


@export("CriticalSection")
class CriticalSection:
    """Runs functions one at a time, in threads and in graphs.

    >>> v = tf.Variable(0)
    >>> section = tf.CriticalSection()
    >>> section.execute(lambda: v.assign(v + 1).read_value()).numpy()
    np.int32(1)

    Args:
      name: A name for the section.
      shared_name: The name under which several objects are one section.
      critical_section_def: Not supported.
      import_scope: Not supported.

    Raises: ValueError: if `critical_section_def` or `import_scope` is given.
    """

    _shared: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: object = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def is not None or import_scope is not None:
            raise ValueError("Restoring a CriticalSection from a CriticalSectionDef is not supported.")
        self._name = name or shared_name or "CriticalSection"
        self._handle = None if shared_name is None else self._shared.get(shared_name)
        if self._handle is None:
            with init_scope():
                self._handle = raw.MutexV2(shared_name=shared_name or "")
        if shared_name is not None:
            self._shared[shared_name] = self._handle

    @property
    def name(self) -> str:
        """Returns the section's name."""
        return self._name

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """Runs a function while no other runs in the section.

        Args:
          fn: A function without parameters.
          exclusive_resource_access: Whether other sections of the graph must not use the resources that `fn` uses.
          name: The name scope of the operations.

        Returns: What `fn` returns, with tensors for numbers.
        Raises: ValueError: if the section runs already in this thread, or in the graph another section has to itself
          a resource that `fn` uses.
        """
        graph = state.graph
        with self._enter():
            if graph is None:
                return self._execute_eagerly(fn)
            with graph.name_scope(name or "critical_section_execute"):
                return self._execute_in_graph(graph, fn, exclusive_resource_access)

    def _execute_eagerly(self, fn: Callable[[], Any]) -> Any:
        lock = raw.MutexLock(mutex=self._handle)
        try:
            return nest.map_structure(_as_tensor, fn())
        finally:
            raw.ConsumeMutexLock(mutex_lock=lock)

    def _execute_in_graph(self, graph: Graph, fn: Callable[[], Any], is_exclusive: bool) -> Any:
        lock = raw.MutexLock(mutex=self._handle)
        start = len(graph.get_operations())
        with graph.control_dependencies([lock]):
            results = nest.map_structure(_as_tensor, fn())
        made = graph.get_operations()[start:]
        self._note(graph, made, is_exclusive)
        with graph.control_dependencies(made):
            release = raw.ConsumeMutexLock(mutex_lock=lock)
        with graph.control_dependencies([release]):
            return nest.map_structure(lambda result: None if result is None else raw.Identity(input=result), results)

    def _note(self, graph: Graph, made: list[Any], is_exclusive: bool) -> None:
        """Remembers which resources an execution uses.

        Raises: ValueError: if another section of the graph uses one of them, and one of the two does not share it.
        """
        used = {tensor.ref() for op in made for tensor in op.inputs if tensor.dtype.is_resource}
        known = _executions.setdefault(graph, [])
        for other in known:
            shared = other.resources & used
            if other.section != id(self._handle) and shared and (is_exclusive or other.is_exclusive):
                tensors = [reference.deref() for reference in shared]
                raise ValueError(
                    f"This execution would access resources: {tensors}. Either this lock ({self._name}) "
                    "or another one of the graph requested exclusive resource access of this resource. Did you mean to "
                    "call execute with keyword argument exclusive_resource_access=False?"
                )
        known.append(_Execution(id(self._handle), frozenset(used), is_exclusive))

    @contextmanager
    def _enter(self) -> Iterator[None]:
        """Makes a context in which the section runs in this thread.

        Raises: ValueError: if it does already, and would wait for itself.
        """
        section = id(self._handle)
        if section in _running.sections:
            raise ValueError(
                f"Attempting to lock a CriticalSection ({self._name}) in which we are already running. This is illegal "
                "and may cause deadlocks."
            )
        _running.sections.add(section)
        try:
            yield
        finally:
            _running.sections.discard(section)


def _as_tensor(value: Any) -> Any:
    return None if value is None else convert_to_tensor(value)
