"""Scopes with TensorFlow 1's arguments: names with defaults and values, colocation, containers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.operation import Operation
from millrace._src.util.export import export


@export(v1=["name_scope"])
class name_scope:
    """Prefixes the names of the operations made within, in the graph of given tensors.

    >>> with tf.compat.v1.name_scope(None, default_name="layer") as scope:
    ...     scope
    'layer/'

    Args:
      name: the prefix; one that ends in "/" re-enters an existing scope.
      default_name: the prefix where `name` is None.
      values: the tensors that the operations will use; their graph is entered.

    Raises:
      TypeError: if `default_name` is not a string.
      ValueError: if the values are of several graphs.
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: object = None) -> None:
        self._name = name
        self._default_name = default_name
        self._values = values
        self._exits: list[ExitStack] = []

    @property
    def name(self) -> str | None:
        """The prefix as given."""
        return self._default_name if self._name is None else self._name

    def __enter__(self) -> str:
        with ExitStack() as scopes:
            graph = None if state.graph is None else _graph_of(self._values or ())
            if graph is not None and graph is not state.graph:
                scopes.enter_context(graph.as_default())
            self._check()
            entered: str = scopes.enter_context(context.name_scope(self._name, self._default_name))
            self._exits.append(scopes.pop_all())
        return entered

    def __exit__(self, *exc: Any) -> bool | None:
        return self._exits.pop().__exit__(*exc)

    def _check(self) -> None:
        name = self.name
        if state.graph is None:
            if name is not None and not isinstance(name, str):
                raise ValueError("name for name_scope must be a string.")
        elif self._name is None and self._default_name is not None and not isinstance(self._default_name, str):
            raise TypeError(
                f"`default_name` type ({type(self._default_name)}) is not a string type. You likely meant to pass this "
                "into the `values` kwarg."
            )
        elif name is not None and not isinstance(name, str):
            raise TypeError(f"expected string or bytes-like object, got {type(name).__name__!r}")
        elif name is None and self._values is not None:
            raise ValueError("At least one of name (None) and default_name (None) must be provided.")


def _graph_of(values: Any) -> Any:
    """Returns the one graph of all tensors and operations of graphs among the values; None if there are none."""
    first = None
    for value in values:
        if not isinstance(value, (SymbolicTensor, Operation)):
            continue
        if first is None:
            first = value
        elif first.graph is not value.graph:
            raise ValueError(
                f"{value} must be from the same graph as {first} (graphs are {value.graph} and {first.graph})."
            )
    return None if first is None else first.graph


@export(v1=["colocate_with"])
def colocate_with(op: object, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """Asks that the operations made within are where another operation is.

    >>> with tf.Graph().as_default():
    ...     a = tf.constant(1)
    ...     with tf.compat.v1.colocate_with(a):
    ...         b = tf.constant(2)
    >>> b.op.colocation_groups()
    [b'loc:@Const']

    Args:
      op: An operation, a tensor or a variable. Values of eager mode say nothing: this process holds them all.
      ignore_existing: Whether requests of outer scopes end.
    """
    if state.graph is None:
        return contextlib.nullcontext()
    scope: AbstractContextManager[None] = state.graph.colocate_with(op, ignore_existing)
    return scope


@export(v1=["container"])
def container(container_name: str) -> AbstractContextManager[Any]:
    """Puts the variables, queues and tables that are made within into a container.

    >>> with tf.Graph().as_default(), tf.compat.v1.container("first"):
    ...     queue = tf.queue.FIFOQueue(2, ["float32"])
    >>> queue.queue_ref.op.get_attr("container")
    b'first'

    Args: container_name: The name of the container; a session shares resources of one container and name.
    """
    return _container(container_name)


@contextlib.contextmanager
def _container(container_name: str) -> Iterator[str]:
    with get_default_graph().container(container_name) as entered:
        yield entered
