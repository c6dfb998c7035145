"""`FuncGraph`: the graph of a function's body, with inputs, outputs and captures.

Tensors that the body uses from outside become extra inputs, captures: `captures` pairs each outer tensor with the
placeholder that represents it. Small eager tensors are copied in as constants instead.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from millrace._src.core import context
from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Verdict
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.source_trace import user_frame
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, Tensor, tape_id
from millrace._src.graph.deferred_captures import DeferredCapture, placeholders_of
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_MAX_INLINE_ELEMENTS = 128
"""Eager tensors with at most so many elements become constants of the graph, not inputs (TensorFlow's own bound)."""


@export("__internal__.FuncGraph")
@tensorflow_home("python.framework.func_graph")
class FuncGraph(Graph):
    """The graph of a function body."""

    building_function = True
    copies_constants = False
    """Whether constants of outer graphs are copied rather than captured; the graphs of backward functions copy."""

    def __init__(self, name: str, outer_graph: Any = None) -> None:
        super().__init__()
        self.name = name
        self.outer_graph = context.current_graph() if outer_graph is None else outer_graph
        self.inputs: list[SymbolicTensor] = []
        self.outputs: list[Any] = []
        self.structured_input_signature: Any = None
        self.structured_outputs: Any = None
        self.control_outputs: list[Operation] = []
        self._captures: dict[int, tuple[Tensor, SymbolicTensor]] = {}
        self._constants: dict[int, tuple[Tensor, SymbolicTensor]] = {}
        self.deferred: dict[Any, DeferredCapture] = {}
        """The captures that are computed at each call, in order, by their keys."""
        self._watched_variables: dict[int, Any] = {}
        self.programs: dict[Any, Any] = {}
        """Compiled forms of the graph, by engine."""
        self.wire_names: tuple[Sequence[str], Sequence[str]] = ((), ())
        """The names of results and arguments in the file that the graph comes from; empty for any other graph."""
        self.verdict = Verdict()
        self.known_effects: Any = None
        """The number of operations and their effects when `control_deps` last looked at the graph."""
        self.known_writes: tuple[int, frozenset[int]] | None = None
        """The number of operations and the resources that they may write, in the same way."""
        if self.outer_graph is not None:
            self.seed = self.outer_graph.seed

    # --- captures ----------------------------------------------------------------------------------------------

    @property
    def captures(self) -> list[tuple[Tensor, SymbolicTensor]]:
        """Pairs of an outer tensor and the placeholder that represents it, in order."""
        return list(self._captures.values())

    @property
    def external_captures(self) -> list[Tensor]:
        """The outer tensors, in order."""
        return [outer for outer, _ in self._captures.values()]

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        """The placeholders of the captures, in order."""
        return [inner for _, inner in self._captures.values()]

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Returns the tensor of this graph that represents `tensor`, made on first use."""
        capture = self._captures.get(id(tensor))
        if capture is not None:
            return capture[1]
        if isinstance(tensor, EagerTensor):
            if tensor._eager_array.size <= _MAX_INLINE_ELEMENTS and not tensor.dtype.is_handle:
                if _can_have_gradient(tensor) and _is_open(self.outer_graph):
                    return self.capture(self.outer_graph.capture(tensor, name), name)
                return self._inline(tensor, name or "Const")
        elif isinstance(tensor, SymbolicTensor):
            if tensor.graph is self:
                return tensor
            tensor = self._current(tensor)
            if tensor.graph is self or id(tensor) in self._captures:
                return self.capture(tensor, name)
            if self.copies_constant(tensor.dtype) and _is_constant(tensor):
                return self.constant(tensor.op.static_values[tensor.value_index], tensor.dtype, tensor.op.name)
            self._check_accessible(tensor)
        return self._add_capture(tensor, name)

    def capture_call_time_value(
        self, closure: Callable[[], Any], spec: Any, key: Any = None, default_value: Any = None, placeholder: Any = None
    ) -> Any:
        """Returns a value of the graph that represents what `closure()` returns when the function is called.

        Args:
          closure: called without arguments before each run, outside the graph.
          spec: the type of the closure's value, a `TypeSpec` or a nested structure of `TypeSpec`s.
          key: captures with the same key share their placeholders.
          default_value: the value in a SavedModel of the function. Without one the function cannot be saved.
          placeholder: what represents the value, made already; None makes placeholders.
        """
        key = object() if key is None else key
        if key not in self.deferred:
            self.deferred[key] = self._deferred_capture(closure, spec, default_value, placeholder)
        return self.deferred[key].value

    def _deferred_capture(
        self, closure: Callable[[], Any], spec: object, default_value: object, placeholder: object
    ) -> DeferredCapture:
        """Makes a deferred capture; the placeholders do not count among the inputs."""
        with self.as_default(), context.tapes_scope(()):
            value = placeholders_of(self, spec) if placeholder is None else placeholder
        return DeferredCapture(closure, spec, value, (), default_value)

    @property
    def deferred_captures(self) -> Collection[DeferredCapture]:
        """The captures that are computed at each call, in order."""
        return self.deferred.values()

    @property
    def deferred_internal_captures(self) -> list[Any]:
        """What represents the deferred captures in the graph, in order."""
        return [capture.value for capture in self.deferred_captures]

    @property
    def deferred_external_captures(self) -> list[Callable[[], list[Any]]]:
        """For each deferred capture, in order, a function that returns the tensors of its value at the time."""
        return [capture.tensors for capture in self.deferred_captures]

    def copies_constant(self, dtype: DType) -> bool:
        """Returns whether a constant of an outer graph is copied rather than captured."""
        return self.copies_constants

    def _inline(self, tensor: EagerTensor, name: str) -> SymbolicTensor:
        """Makes the constant that holds the value of an eager tensor; tapes know both under one number."""
        copy = self._constants.get(id(tensor))
        if copy is None:
            constant = self.constant(tensor._eager_array, tensor.dtype, name)
            constant._tape_id = tape_id(tensor)
            copy = self._constants[id(tensor)] = (tensor, constant)
        return copy[1]

    def _add_capture(self, tensor: Tensor, name: str | None) -> SymbolicTensor:
        full_name, user_name = (self.number_of_capture(),) * 2 if name is None else _capture_name(tensor, name)
        placeholder = self.placeholder_like(tensor, tensor.shape, full_name, user_name)
        placeholder._tape_id = tape_id(tensor)
        self._captures[id(tensor)] = (tensor, placeholder)
        self.inputs.append(placeholder)
        return placeholder

    def number_of_capture(self) -> str:
        """Returns the name of a capture that no op's argument names: a number, the same whenever the graph is made."""
        return str(len(self.inputs))

    def let_go(self) -> None:
        """Forgets the tensors from outside, which live on otherwise until the cycles of a graph are collected."""
        self._captures.clear()
        self._constants.clear()

    def replace_capture(self, tensor: Tensor, placeholder: SymbolicTensor) -> None:
        """Declares that an existing placeholder of this graph represents `tensor`."""
        self._captures[id(tensor)] = (tensor, placeholder)

    def stand_in(self, tensor: SymbolicTensor) -> SymbolicTensor | None:
        """Returns the tensor that stands here for a tensor of the graph from which this graph was made, or None."""
        return None

    def _current(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Returns a tensor, or its stand-in where this graph or an outer one was made from the tensor's graph."""
        graph: Any = self
        while isinstance(graph, FuncGraph):
            stand_in = graph.stand_in(tensor)
            if stand_in is not None:
                return stand_in
            graph = graph.outer_graph
        return tensor

    def _check_accessible(self, tensor: SymbolicTensor) -> None:
        """Refuses a tensor of a graph that does not enclose this graph."""
        outer = self.outer_graph
        while outer is not None:
            if outer is tensor.graph:
                return
            outer = outer.outer_graph
        frame = tensor.op.source
        origin = f"\nThe tensor {tensor} cannot be accessed from {self!r}, because it was defined in {tensor.graph!r}."
        raise TypeError(
            f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python "
            "locals or TensorFlow "
            "collections to access it.\nPlease see "
            "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values "
            "for more "
            f"information.\n{f'{tensor} was defined here:{chr(10)}    {frame}' if frame is not None else ''}\n{origin}"
        )

    def add_placeholder(
        self, dtype: DType, shape: ShapeLike, name: str, user_name: str | None = None
    ) -> SymbolicTensor:
        """Adds a placeholder; the caller decides whether the placeholder is an input."""
        attrs: dict[str, Any] = {"dtype": dtype, "shape": as_shape(shape)}
        if user_name is not None:
            attrs["_user_specified_name"] = user_name
        operation = self.add_operation(
            get_op("Placeholder"), (), attrs, self._absolute_name(name), shapes=(as_shape(shape),), control_inputs=()
        )
        return operation.outputs[0]

    def placeholder_like(
        self, tensor: Tensor, shape: ShapeLike, name: str, user_name: str | None = None
    ) -> SymbolicTensor:
        """Adds a placeholder with the dtype and handle type of `tensor`; the caller decides whether it becomes an
        input.
        """
        placeholder = self.add_placeholder(tensor.dtype, shape, name, user_name)
        if tensor.dtype.is_handle:
            placeholder.handle_type = tensor.handle_type
        return placeholder

    def _wait_for(self, operation: Operation) -> Any:
        """Returns a tensor of this graph that is there when an operation of a graph around this one has run."""
        outer: Any = operation.graph
        if not any(entered is outer for entered in context.state.graph_stack):
            return operation
        if operation.outputs:
            return self.capture(operation.outputs[0])
        with outer.as_default(), outer.control_dependencies([operation]):
            token = convert_to_tensor(0)
        return self.capture(token)

    def _absolute_name(self, name: str) -> str:
        """Makes `name` unique, at the top level or, where the name holds a path, as a path."""
        return self._names.unique(name) if "/" in name else self._operation_name(name)

    # --- variables ---------------------------------------------------------------------------------------------

    def watch_variable(self, variable: object) -> None:
        """Notes that the body uses `variable`."""
        self._watched_variables[id(variable)] = variable
        if isinstance(self.outer_graph, FuncGraph):
            self.outer_graph.watch_variable(variable)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the body uses, in order of first use."""
        return tuple(self._watched_variables.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable variables among `variables`."""
        return tuple(v for v in self.variables if v.trainable)

    def __repr__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"


def _can_have_gradient(tensor: EagerTensor) -> bool:
    """Returns whether a tape may follow a tensor, so that the tensor's use in a branch or body must show outside."""
    return tensor.dtype.is_floating or tensor.dtype.is_complex


def _is_open(graph: Graph) -> bool:
    """Returns whether a graph is being traced and can get further inputs; False for a later sweep over the graph."""
    return isinstance(graph, FuncGraph) and any(entered is graph for entered in context.state.graph_stack)


def _is_constant(tensor: SymbolicTensor) -> bool:
    """Returns whether a tensor is a constant of its graph and no input of the graph."""
    operation = tensor.op
    if not operation.static_values or operation.inputs:
        return False
    return all(tensor is not placeholder for placeholder in getattr(operation.graph, "inputs", ()))


def _capture_name(tensor: Tensor, name: str) -> tuple[str, str]:
    """Returns the full name of a capture's placeholder and the name that the user knows.

    An eager tensor is called after the argument that takes it, a tensor of an outer graph after its operation.
    """
    scope, _, argument = name.rpartition("/")
    if isinstance(tensor, SymbolicTensor):
        argument = tensor.op.name
    return (f"{scope}/{argument}" if scope else argument), argument


@export("init_scope")
@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Lifts ops out of function bodies and control flow, into eager mode (or the outermost graph).

    Nothing within is recorded by gradient tapes, and no control dependency of the function applies.

    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         return tf.executing_eagerly()
    >>> f()
    <tf.Tensor: shape=(), dtype=bool, numpy=True>
    """
    graph = context.outermost_context()
    inner = context.current_graph()
    scope = inner.get_name_scope() if inner is not None else context.state.eager_scope
    with (
        context.graph_scope(graph),
        context.tapes_scope(()),
        context.name_scope(scope + "/" if scope and not scope.endswith("/") else scope or None),
    ):
        if graph is not None:
            with graph.control_dependencies(None):
                yield
        else:
            yield


__all__ = ["FuncGraph", "TensorShape", "init_scope", "user_frame"]
