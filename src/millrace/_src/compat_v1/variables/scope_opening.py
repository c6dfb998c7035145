"""`tf.compat.v1.variable_scope`: opens a scope of variables' names, and a name scope along with it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.compat_v1.variables.scope_state import current_scope, variables_of_graph
from millrace._src.compat_v1.variables.variable_scope import AUTO_REUSE, VariableScope
from millrace._src.core import context
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import state
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.graph.scopes import get_current_name_scope
from millrace._src.util.export import export


@export(v1=["get_variable_scope"])
def get_variable_scope() -> VariableScope:
    """Returns the variable scope in force.

    >>> with tf.Graph().as_default(), tf.compat.v1.variable_scope("layer"):
    ...     tf.compat.v1.get_variable_scope().name
    'layer'
    """
    return current_scope()


@export(v1=["variable_scope"])
class variable_scope:  # TensorFlow's name
    """Opens a scope in which `tf.compat.v1.get_variable` makes and finds variables.

    >>> def layer():
    ...     with tf.compat.v1.variable_scope("layer", reuse=tf.compat.v1.AUTO_REUSE):
    ...         return tf.compat.v1.get_variable("w", [2])
    >>> with tf.Graph().as_default():
    ...     layer() is layer(), layer().name
    (True, 'layer/w:0')

    What is None is taken from the scope around, or for a scope that is given as an object, from that scope.

    Args:
      name_or_scope: The scope's name, which is appended to that of the scope around; or a `VariableScope` that is
        opened again; or None.
      default_name: The name where `name_or_scope` is None; it is made unique among the scopes in the scope around.
      values: Tensors whose graph becomes the default graph.
      initializer: The default initializer of variables.
      regularizer: The default regularizer.
      caching_device: The default device of copies.
      partitioner: The default partitioner.
      custom_getter: A function that gets variables. It is called before that of the scope around, which is its first
        argument.
      reuse: True to use variables that are there, `tf.compat.v1.AUTO_REUSE` to make those that are not. False and None
        take what the scope around says.
      dtype: The default dtype.
      use_resource: The default kind of variables; see `tf.compat.v1.Variable`.
      constraint: The default constraint.
      auxiliary_name_scope: Whether a name scope for operations is opened along with the scope.

    Raises:
      TypeError: If there is neither a name nor a default, or `name_or_scope` is something else.
      ValueError: If `reuse` is none of its values, or tensors are of different graphs.
    """

    def __init__(
        self,
        name_or_scope: str | VariableScope | None,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Callable[..., Any] | None = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._values = list(values or ())
        self._reuse = False if reuse is None else reuse
        self._custom_getter = custom_getter
        self._opens_name_scope = auxiliary_name_scope
        self._stated = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._entered: list[contextlib.ExitStack] = []

    def __enter__(self) -> VariableScope:
        with contextlib.ExitStack() as stack:
            graph = _graph_of(self._values)
            if graph is not None and graph is not state.graph:
                stack.enter_context(graph.as_default())
            scope = stack.enter_context(self._open())
            self._entered.append(stack.pop_all())
        return scope

    def __exit__(self, *exc: Any) -> bool | None:
        return self._entered.pop().__exit__(*exc)

    @contextlib.contextmanager
    def _open(self) -> Iterator[VariableScope]:
        """Opens the name scope and the variable scope."""
        known = variables_of_graph()
        given = self._name_or_scope
        if given is not None and not isinstance(given, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if self._reuse not in (True, False, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        with self._name_scope() as name_scope:
            scope = self._scope(known.scope, name_scope, self._scope_to_open())
            with known.open(scope, anew=not isinstance(given, VariableScope)):
                yield scope

    def _scope_to_open(self) -> str | VariableScope:
        """Returns the scope to open, or the name of a new one."""
        if self._name_or_scope is not None:
            return self._name_or_scope
        return variables_of_graph().unique_scope_name(self._default_name or "")

    @contextlib.contextmanager
    def _name_scope(self) -> Iterator[str]:
        """Opens the name scope that belongs to the scope, and gives the scope's full name, with "/" at its end."""
        given = self._name_or_scope
        name = given.name.rpartition("/")[2] if isinstance(given, VariableScope) else given
        if name is None:
            name = self._default_name
        if not name or not self._opens_name_scope:
            present = get_current_name_scope()
            yield present + "/" if present else ""
            return
        with context.name_scope(name) as opened:
            yield opened

    def _scope(self, outer: VariableScope, name_scope: str, given: str | VariableScope) -> VariableScope:
        """Makes the scope that is put in force."""
        if isinstance(given, VariableScope):
            base, name, name_scope = given, given.name, given.original_name_scope
        else:
            base, name = outer, outer.full_name(given)
        stated = {field: getattr(base, field) if value is None else value for field, value in self._stated.items()}
        reuse = self._reuse or base.reuse
        getter = _combine(self._custom_getter, base.custom_getter)
        return VariableScope(reuse, name=name, name_scope=name_scope, custom_getter=getter, **stated)


def _combine(inner: Callable[..., Any] | None, outer: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """Returns a custom getter that calls one getter, whose own getter is another."""
    if inner is None or outer is None:
        return inner or outer
    return lambda getter, *args, **kwargs: inner(_bind(outer, getter), *args, **kwargs)


def _bind(custom_getter: Callable[..., Any], getter: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: custom_getter(getter, *args, **kwargs)


def _graph_of(values: list[Any]) -> Graph | None:
    """Returns the plain graph of tensors; None where they have none, or a function is being built.

    Raises: ValueError: if the tensors are of different graphs.
    """
    if state.graph is not None and state.graph.building_function:
        return None
    elements = [value.handle if is_variable(value) else value for value in values]
    owned = [element for element in elements if isinstance(element, (SymbolicTensor, Operation))]
    for element in owned:
        if element.graph is not owned[0].graph:
            raise ValueError(f"{element} must be from the same graph as {owned[0]}.")
    return owned[0].graph if owned else None


@export(v1=["variable_op_scope"])
@contextlib.contextmanager
def variable_op_scope(
    values: TensorLike,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: object = None,
    regularizer: object = None,
    caching_device: object = None,
    partitioner: object = None,
    custom_getter: Callable[..., Any] | None = None,
    reuse: object = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: object = None,
) -> Iterator[VariableScope]:
    """Opens a variable scope; the older order of the arguments of `tf.compat.v1.variable_scope`.

    Args: values: As all arguments, see `tf.compat.v1.variable_scope`.
    """
    with variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    ) as scope:
        yield scope


@export(v1=["op_scope"])
@contextlib.contextmanager
def op_scope(values: Any, name: str | None, default_name: str | None = None) -> Iterator[str]:
    """Opens a name scope; the older order of the arguments of `tf.compat.v1.name_scope`.

    Args:
      values: Tensors whose graph becomes the default graph.
      name: The name of the scope.
      default_name: The name where `name` is None.
    """
    graph = _graph_of(list(values or ()))
    with graph.as_default() if graph is not None and graph is not state.graph else contextlib.nullcontext():
        with context.name_scope(name, default_name) as scope:
            yield scope
