"""The graph that a `tf.function` is traced into, and its captures.

A tensor is captured by value when the body first uses the tensor; a *deferred* capture is computed anew at each call.
Variables are captured through their handles: the storage stays alive with the trace, the Python object does not.
Nothing here keeps an argument of the traced call alive.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.core import context
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from millrace._src.function.placeholders import Placeholders
from millrace._src.function.trace_builder import from_value
from millrace._src.function.tracing_context import tensor_type
from millrace._src.graph.deferred_captures import DeferredCapture
from millrace._src.graph.func_graph import FuncGraph


class TypedCapture(DeferredCapture):
    """A deferred capture whose type is a trace type."""

    __slots__ = ()

    def tensors_of(self, value: object) -> list[Any]:
        """Returns the tensors that a value of the trace type `kind` is made of.

        Raises: TypeError: if the value is of another type.
        """
        actual = from_value(value)
        if not actual.is_subtype_of(self.kind):
            raise TypeError(f"Expect type {self.kind!r} from the captured closure, but got {actual!r} ({value!r}).")
        return list(self.kind.to_tensors(self.kind.cast(value, None)))


class TracedGraph(FuncGraph):
    """A `FuncGraph` with deferred captures and weakly held variables.

    Args:
      name: The graph's name.
      inline_integers: Whether small eager tensors of dtypes without gradients are constants and not captures, so that a
        compiler may use their values (as shapes, axes ...).
    """

    def __init__(self, name: str, inline_integers: bool = False) -> None:
        super().__init__(name)
        self.inline_integers = inline_integers
        self.argument_handles: set[int] = set()
        """The ids of the handles of variables that came in as arguments."""
        self.describe_arguments: Callable[[], Any] = lambda: None

    @property
    def structured_input_signature(self) -> Any:
        """The arguments as `(args, kwargs)`, made on request because the arguments may hold the caller's objects."""
        return self.describe_arguments()

    @structured_input_signature.setter
    def structured_input_signature(self, value: object) -> None:
        self.describe_arguments = lambda: value

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Returns the tensor of this graph that represents `tensor`.

        A small eager tensor becomes a constant, whose value is known while tracing, and is an input at the same time:
        a tape may watch it.
        """
        known_capture = self._captures.get(id(tensor))
        if known_capture is not None:
            return known_capture[1]
        name = name or self.number_of_capture()
        placeholder = super().capture(tensor, name)
        is_constant = isinstance(tensor, EagerTensor) and id(tensor) not in self._captures
        if is_constant and not (self.inline_integers and not is_trainable(tensor.dtype)):
            assert isinstance(placeholder, SymbolicTensor)
            self._captures[id(tensor)] = (tensor, placeholder)
            self.inputs.append(placeholder)
        return placeholder

    def placeholders_of_call(self, capture: DeferredCapture) -> Sequence[SymbolicTensor]:
        """Returns the tensors that represent a deferred capture of a function that this graph calls."""
        self.capture_call_time_value(capture.closure, capture.kind, capture, capture.default_value)
        return self.deferred[capture].placeholders

    def _deferred_capture(
        self, closure: Callable[[], Any], spec: object, default_value: object, placeholder: Any
    ) -> DeferredCapture:
        """Makes a deferred capture, whose placeholders are inputs."""
        first, kind = len(self.inputs), from_value(spec)
        with self.as_default(), context.tapes_scope(()):
            value = placeholder if placeholder is not None else Placeholders(self).make(kind, None, None)
        if placeholder is not None:
            self.inputs.append(placeholder)
        return TypedCapture(closure, kind, value, self.inputs[first:], default_value)

    def watch_variable(self, variable: Any) -> None:
        """Notes that the body uses `variable`, without keeping the Python object alive."""
        handle = id(variable.handle)  # the result of an assignment is another object with the same handle
        if handle in self.argument_handles:
            return
        self._watched_variables.setdefault(handle, weakref.ref(variable))
        if isinstance(self.outer_graph, FuncGraph):
            self.outer_graph.watch_variable(variable)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the body uses, in order of first use.

        Raises: AssertionError: if a variable is gone.
        """
        live_variables = tuple(ref() for ref in self._watched_variables.values())
        if any(variable is None for variable in live_variables):
            raise AssertionError(
                "Called a function referencing variables which have been deleted. This likely means that "
                "function-local variables were created and not referenced elsewhere in the program. This is "
                "generally a mistake; consider storing variables in an object attribute on first call."
            )
        return live_variables

    def release_outer_graph(self) -> None:
        """Drops the reference to the outer graph, unless this graph uses tensors of the outer graph."""
        if not any(isinstance(outer, SymbolicTensor) for outer, _ in self._captures.values()):
            self.outer_graph = None

    def forget_argument_captures(self) -> None:
        """Ends the tracing state: variables passed as arguments are inputs, not captures."""
        for handle in self.argument_handles:
            self._captures.pop(handle, None)
        self.argument_handles.clear()


def call_time_tensors(capture: DeferredCapture) -> list[Any]:
    """Returns the tensors of a deferred capture for a call in the current context.

    A call inside another function's trace leaves the value to the calls of that function.
    """
    graph = context.state.graph
    while isinstance(graph, FuncGraph) and not isinstance(graph, TracedGraph):
        graph = graph.outer_graph
    return capture.tensors() if not isinstance(graph, TracedGraph) else list(graph.placeholders_of_call(capture))


def capture_sources(graph: FuncGraph, argument_count: int) -> list[Tensor | DeferredCapture]:
    """Lists the source of each graph input after the arguments: an outer tensor or a deferred capture."""
    by_placeholder: dict[int, Any] = {id(inner): outer for outer, inner in graph.captures}
    for deferred in graph.deferred_captures:
        by_placeholder.update((id(placeholder), deferred) for placeholder in deferred.placeholders)
    sources: list[Any] = []
    for placeholder in graph.inputs[argument_count:]:
        source = by_placeholder[id(placeholder)]
        if not (isinstance(source, DeferredCapture) and source in sources):
            sources.append(source)
    return sources


def capture_types(sources: list[Any]) -> OrderedDict[Any, Any]:
    """Returns the types of captures by the ids that a function type shows."""
    return OrderedDict(
        (id(source), source.kind if isinstance(source, DeferredCapture) else tensor_type(source)) for source in sources
    )
