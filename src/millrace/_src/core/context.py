"""The state of a thread that decides how an op call is run.

One thread-local object answers the questions that `execute` asks: is a graph being built, which tapes watch, which
device scope holds? Everything that changes the answer (`Graph.as_default`, `GradientTape`, `init_scope`) goes through
the context managers here. The context managers also keep `state.run` up to date: `state.run` is set only when nothing
watches, so the eager fast path tests one attribute.

`state.run(kernel, *arrays)` calls a kernel inside a `contextvars.Context` in which NumPy's floating-point warnings are
off. Such a call costs nothing, where `numpy.errstate` costs a microsecond, and never touches the user's settings.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.core.accelerator import Accelerator
    from millrace._src.core.engine import Engine


class _Base:
    """Where op calls at top level go."""

    graph_of_thread: Callable[[], Any] | None = None


def base_graph() -> Any:
    """Returns the graph that receives the ops at top level in this thread; None: they run at once."""
    return None if _Base.graph_of_thread is None else _Base.graph_of_thread()


class _State(threading.local):
    """Per-thread execution state; the class attributes are the defaults of a new thread."""

    graph: Any = None
    """The graph being built, or None in eager mode."""
    graph_stack: tuple[Any, ...] = ()
    """The graphs and eager contexts entered, outermost first; None means eager."""
    tapes: tuple[Any, ...] = ()
    """The recorders, which see every op; the innermost recorder comes last."""
    run: Callable[..., Any] | None = None
    """`quietly`, or None whenever the eager fast path is not allowed."""
    eager_scope: str = ""
    device: str | None = None
    logical_device: str | None = None
    """The logical device of new eager values; None for the first CPU."""
    functions_run_eagerly: bool = False
    streams: Any = None
    """The table of the random streams of kernels that are bound in this thread; None for the streams of the process."""
    cancellation: Any = None
    """What calls off the waiting of kernels that this thread runs (`core.waiting`); None: they wait on."""
    variable_creators: tuple[Callable[..., Any], ...] = ()
    """The variable creator scopes in force, outermost first."""
    is_between_replicas: bool = False
    """Whether a strategy is in force and none of its replicas runs; traces made then are kept apart."""
    calls_are_noted: bool = False
    """Whether calls of functions are noted, in all threads: see `function.noted_calls`."""
    needs_slow_path: bool = False
    """Whether calls of functions may not take the fast path: functions run eagerly, are noted, or no replica runs."""

    def __init__(self) -> None:
        quiet = contextvars.Context()
        quiet.run(np.seterr, all="ignore")
        self._quiet_context = quiet
        self.quietly: Callable[..., Any] = quiet.run
        """Calls a kernel with NumPy's warnings off; a RuntimeError where `runs_quietly` already."""
        self.graph = base_graph()
        self.refresh()

    def refresh(self) -> None:
        """Recomputes `run` after `graph`, `tapes` or `logical_device` changed."""
        self.run = self.quietly if self.graph is None and not self.tapes and self.logical_device is None else None

    def set_between_replicas(self, is_between: bool) -> None:
        """Notes whether a strategy is in force in this thread and none of its replicas runs."""
        self.is_between_replicas = is_between
        if is_between:
            self.needs_slow_path = True
        else:  # the value of the class, which is that of all threads, shows again
            self.__dict__.pop("needs_slow_path", None)

    def runs_quietly(self) -> bool:
        """Returns whether the caller runs inside a kernel: a finalizer, which cannot enter the quiet context again."""
        # Asked only after a failure; a variable that marked the context would make every kernel 20 ns slower.
        return contextvars.copy_context() == self._quiet_context


state = _State()


class streams_scope:
    """Lets kernels that are bound within the scope take their random streams from a table."""

    __slots__ = ("_before", "_streams")

    def __init__(self, streams: object) -> None:
        self._streams = streams

    def __enter__(self) -> None:
        self._before = state.streams
        state.streams = self._streams

    def __exit__(self, *exc: object) -> None:
        state.streams = self._before


def change_calls(*, run_eagerly: bool | None = None, are_noted: bool | None = None) -> None:
    """Changes for all threads how functions are called; None leaves things as they are.

    Args:
      run_eagerly: whether functions run eagerly.
      are_noted: whether calls are noted.
    """
    everywhere = type(state)
    if run_eagerly is not None:
        everywhere.functions_run_eagerly = run_eagerly
    if are_noted is not None:
        everywhere.calls_are_noted = are_noted
    everywhere.needs_slow_path = everywhere.functions_run_eagerly or everywhere.calls_are_noted


def executing_eagerly() -> bool:
    """Returns whether op calls compute at once in this thread (no graph is being built)."""
    return state.graph is None


def current_graph() -> Any:
    """Returns the graph being built in this thread, or None in eager mode."""
    return state.graph


@contextlib.contextmanager
def graph_scope(graph: object) -> Iterator[Any]:
    """Makes `graph` (None: eager mode) where op calls go.

    Raises: AssertionError: if another scope that began later is still open at the end.
    """
    previous_graph, previous_stack = state.graph, state.graph_stack
    stack = (*previous_stack, graph)
    state.graph, state.graph_stack = graph, stack
    state.refresh()
    try:
        yield graph
    finally:
        if state.graph_stack is not stack:  # a forgotten scope may be ended by the collector, even in another thread
            raise AssertionError(f"Nesting violated for default stack of {type(graph)} objects")
        state.graph, state.graph_stack = previous_graph if previous_stack else base_graph(), previous_stack
        state.refresh()


def set_base_graph(graph_of_thread: Callable[[], Any] | None) -> None:
    """Sets where op calls at top level go, in this thread and those that begin later; within a scope, after it.

    Args: graph_of_thread: returns the graph of the thread that asks; None: eager mode.
    """
    _Base.graph_of_thread = graph_of_thread
    if not state.graph_stack:
        state.graph = base_graph()
        state.refresh()


def outermost_context() -> Any:
    """Returns the innermost graph in this thread's stack that is not a function body; None for eager mode."""
    for graph in reversed(state.graph_stack):
        if graph is None or not graph.building_function:
            return graph
    return base_graph()


@export("__internal__.eager_context.eager_mode")
def eager_mode() -> contextlib.AbstractContextManager[Any]:
    """Makes a scope in which op calls compute at once, even while a graph is being built."""
    return graph_scope(None)


@contextlib.contextmanager
def tapes_scope(tapes: tuple[Any, ...]) -> Iterator[None]:
    """Replaces the recorders of this thread within the scope."""
    outer_tapes = state.tapes
    set_tapes(tapes)
    try:
        yield
    finally:
        set_tapes(outer_tapes)


def set_tapes(tapes: tuple[Any, ...]) -> None:
    """Replaces the recorders of this thread."""
    state.tapes = tapes
    state.refresh()


class kernels_scope:
    """Runs kernels in eager mode, without tapes, with a cancellation and random streams of their own.

    Args:
      cancellation: what calls off the waiting of the kernels (`core.waiting`).
      streams: the table of their random streams.

    Raises: AssertionError: if another scope of a graph that began later is still open at the end.
    """

    __slots__ = ("_before", "_cancellation", "_stack", "_streams")

    def __init__(self, cancellation: object, streams: object) -> None:
        self._cancellation, self._streams = cancellation, streams

    def __enter__(self) -> None:
        own = state
        stack = own.graph_stack
        self._before = own.graph, stack, own.tapes, own.cancellation, own.streams
        self._stack = own.graph_stack = (*stack, None)
        own.graph, own.tapes = None, ()
        own.cancellation, own.streams = self._cancellation, self._streams
        own.refresh()

    def __exit__(self, *exc: object) -> None:
        own = state
        graph, stack, own.tapes, own.cancellation, own.streams = self._before
        if own.graph_stack is not self._stack:
            raise AssertionError("Nesting violated for default stack of graphs: a scope within a run is still open")
        own.graph, own.graph_stack = graph if stack else base_graph(), stack
        own.refresh()


_EAGER_ENGINE = "millrace._src.engines.numpy.engine"


@functools.cache
def eager_engine() -> Engine:
    """Returns the engine that runs eager kernels, found by name because engines live above this layer."""
    engine: Engine = importlib.import_module(_EAGER_ENGINE).make_engine()
    return engine


class _EagerUse:
    has_begun = False


def note_eager_use() -> None:
    """Notes that the program computes something: from now on the devices that it sees stay as they are."""
    _EagerUse.has_begun = True


def eager_use_has_begun() -> bool:
    """Returns whether the program has made a tensor or a variable, called an op, or listed its logical devices."""
    return _EagerUse.has_begun or eager_engine.cache_info().currsize > 0


_ACCELERATORS = "millrace._src.engines.accelerators"


@functools.cache
def accelerators() -> tuple[Accelerator, ...]:
    """Returns the accelerators of the machine; an engine finds them, by name because engines live above this layer."""
    found: tuple[Accelerator, ...] = importlib.import_module(_ACCELERATORS).find_accelerators()
    return found


# --- name scopes -------------------------------------------------------------------------------------------------


class name_scope:
    """Enters a name scope in the current graph, or among eager names.

    `name` wins over `default_name`; a name that ends in "/" re-enters that
    scope without making it unique. Yields the scope's full name with "/".
    """

    __slots__ = ("_name", "_exits")

    def __init__(self, name: str | None, default_name: str | None = None) -> None:
        self._name = default_name if name is None else name
        self._exits: list[Any] = []

    def __enter__(self) -> str:
        graph = state.graph
        if graph is not None:
            scope = graph.name_scope(self._name)
            result: str = scope.__enter__()
            self._exits.append(scope)
            return result
        previous = state.eager_scope
        self._exits.append(previous)
        state.eager_scope = _eager_scope_name(previous, self._name)
        return state.eager_scope

    def __exit__(self, *exc: object) -> None:
        last = self._exits.pop()
        if isinstance(last, str):
            state.eager_scope = last
        else:
            last.__exit__(*exc)


def scope_of_operations(name: str | None, default_name: str) -> contextlib.AbstractContextManager[str]:
    """Returns a name scope of the graph being built; in eager mode, where operations have no names, an empty scope.

    For functions that call the user's functions: what those make in eager mode is named as if nothing were around.
    """
    return contextlib.nullcontext("") if state.graph is None else name_scope(name, default_name)


def _eager_scope_name(outer: str, name: str | None) -> str:
    if not name:
        return ""
    if name.endswith("/"):
        return name
    return f"{outer}{name}/"


def in_plain_graph() -> bool:
    """Returns whether a graph is being built that is not a function: a graph for the sessions of TensorFlow 1."""
    return state.graph is not None and not state.graph.building_function


# --- unique numbers ----------------------------------------------------------------------------------------------


class _Counter:
    """A thread-safe counter for ids of functions, tensors and resources."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._value = -1

    def __call__(self) -> int:
        with self._lock:
            self._value += 1
            return self._value


unique_id = _Counter()
"""Returns 0, 1, 2, ... over the whole process."""
