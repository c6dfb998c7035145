"""Public scopes and questions about where ops go: names, devices, control dependencies, eager or graph."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.core import context, types
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import base_graph, set_base_graph, state
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.core.devices import LogicalDevice, canonical_device, is_another_device, short_device
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.graph import Graph
from millrace._src.util.export import export


@export("name_scope")
class name_scope:
    """Prefixes the names of the operations and variables made within.

    >>> with tf.name_scope("layer"):
    ...     v = tf.Variable(1.0, name="w")
    >>> v.name
    'layer/w:0'

    Args: name: the prefix; one that ends in "/" re-enters an existing scope.
    Raises: ValueError: if `name` is not a string.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._scopes: list[Any] = []

    @property
    def name(self) -> str:
        """The prefix as given."""
        return self._name

    def __enter__(self) -> str:
        scope = context.name_scope(self._name)
        entered = scope.__enter__()
        self._scopes.append(scope)
        return entered

    def __exit__(self, *exc: object) -> None:
        self._scopes.pop().__exit__(*exc)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def scoped(*args: object, **kwargs: object) -> Any:
            with name_scope(self._name):
                return function(*args, **kwargs)

        return scoped


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """Returns the name scope in force, without a trailing "/".

    >>> with tf.name_scope("a"):
    ...     tf.get_current_name_scope()
    'a'
    """
    scope: str = state.graph.get_name_scope() if state.graph is not None else state.eager_scope
    return scope.rstrip("/")


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Returns whether ops compute at once in this thread: False inside a `tf.function` and in a `tf.Graph` scope.

    >>> tf.executing_eagerly()
    True
    """
    return state.graph is None


@export("inside_function")
def inside_function() -> bool:
    """Returns whether the body of a `tf.function` is being traced.

    >>> tf.inside_function()
    False
    """
    return state.graph is not None and state.graph.building_function


@export("control_dependencies")
def control_dependencies(control_inputs: Any) -> Any:
    """Makes operations created within run after `control_inputs`; in eager mode everything already runs in order.

    Args:
      control_inputs: Operations or Tensors, or None to drop outer dependencies; in eager mode also functions to call.
    """
    if state.graph is not None:
        return state.graph.control_dependencies(control_inputs)
    for control in control_inputs or ():
        if callable(control):
            control()
    return contextlib.nullcontext()


@export("device", v1=[])
def device(device_name: Any) -> Any:
    """Sets the device that the ops within request.

    Args: device_name: e.g. "/CPU:0", None, a `tf.DeviceSpec`, or a `tf.config.LogicalDevice`.

    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant(1.0)

    Raises: tf.errors.InvalidArgumentError: if no such device exists.
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    if isinstance(device_name, DeviceSpec):
        device_name = device_name.to_string()
    elif isinstance(device_name, LogicalDevice):
        device_name = device_name.name
    name = None if device_name is None else canonical_device(device_name, state.device)
    return _device_scope(name)


@contextlib.contextmanager
def _device_scope(name: str | None) -> Iterator[None]:
    previous = state.device, state.logical_device
    state.device, state.logical_device = name, name if is_another_device(name) else None
    state.refresh()
    try:
        asked = None if name is None else short_device(name)
        with state.graph.device(asked) if state.graph is not None else contextlib.nullcontext():
            yield
    finally:
        state.device, state.logical_device = previous
        state.refresh()


@export("is_tensor")
def is_tensor(x: TensorLike) -> bool:
    """Returns whether `x` is a tensor or represents one (a variable, a sparse or ragged tensor).

    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
    (True, False)
    """
    if isinstance(x, CompositeTensor):
        return x._stands_for_tensor
    return isinstance(x, types.Tensor)


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: TensorLike) -> bool:
    """Returns whether `tensor` is a tensor of a graph.

    >>> tf.is_symbolic_tensor(tf.constant(1))
    False

    Anything that is not a tensor is not symbolic.
    """
    return isinstance(tensor.handle if is_variable(tensor) else tensor, SymbolicTensor)


class _Default(threading.local):
    """The default graph of each thread."""

    graph: Graph | None = None


_default = _Default()


def top_level_graph() -> Graph:
    """Returns the default graph of code that is in no graph's scope, which is another one in each thread."""
    if _default.graph is None:
        _default.graph = Graph()
    return _default.graph


def forget_top_level_graph() -> None:
    """Lets `top_level_graph` make a new graph."""
    _default.graph = None


def leave_eager_mode() -> None:
    """Lets ops at top level go into the default graph of the thread that calls them."""
    set_base_graph(top_level_graph)


def enter_eager_mode() -> None:
    """Lets ops at top level run at once again.

    Raises: ValueError: if the default graph has operations that then would be lost.
    """
    if base_graph() is not None and top_level_graph().version:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    set_base_graph(None)
