"""Fetches: from the structure that a program asks for to tensors and operations, and back to a structure of values.

A fetch is a tensor, an operation, a name, a variable or a composite, in lists, tuples, named tuples, mappings and attrs
classes. A plan says which tensors are needed, each once, and how their values become the structure.

Tests: tests/compat_v1/session/test_session.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.compat_v1.session.composite_fetches import kind_of
from millrace._src.compat_v1.session.tensor_handles import TensorHandle, gives_handle
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.operation import Operation
from millrace._src.ops.session_tensors import TensorStore

Pack = Callable[[Sequence[Any]], Any]


class FetchPlan:
    """What a structure of fetches needs.

    Args:
      graph: the graph of the session.
      fetches: the structure.
      store: where the session keeps tensors.

    Attributes:
      fetches: the structure, which is kept so that nothing else gets its identity.
      tensors: the tensors, each once.
      targets: the operations, each once.
      pack: makes the structure of values of the values of the tensors.

    Raises:
      TypeError: if something is not a fetch.
      ValueError: if something is of another graph, or must not be fetched.
    """

    def __init__(self, graph: Any, fetches: Any, store: TensorStore) -> None:
        self.fetches = fetches
        self._store = store
        self._graph = graph
        self._indices: dict[int, int] = {}
        self.tensors: list[SymbolicTensor] = []
        self._targets: dict[Operation, None] = {}
        self.pack: Pack = self._packer(fetches)
        self.targets = list(self._targets)

    def _packer(self, fetch: object) -> Pack:
        """Notes what a fetch needs; returns what makes its value."""
        if fetch is None:
            raise TypeError(f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be None')
        if isinstance(fetch, (list, tuple)):
            return self._sequence_packer(fetch)
        if isinstance(fetch, Mapping):
            return self._mapping_packer(fetch)
        fields = getattr(type(fetch), "__attrs_attrs__", None)
        if fields is not None:
            packers = [self._packer(getattr(fetch, field.name)) for field in fields]
            return lambda values: type(fetch)(*[pack(values) for pack in packers])
        kind = kind_of[type(fetch)]
        if kind is None:
            return self._element_packer(fetch)
        tensors, join = kind.fetched(fetch)
        packers = [self._packer(tensor) for tensor in tensors]
        return lambda values: join([pack(values) for pack in packers])

    def _sequence_packer(self, fetches: Any) -> Pack:
        packers = [self._packer(fetch) for fetch in fetches]
        if isinstance(fetches, list):
            return lambda values: [pack(values) for pack in packers]
        if hasattr(fetches, "_fields"):  # a named tuple is known by nothing else
            return lambda values: type(fetches)(*[pack(values) for pack in packers])
        return lambda values: tuple([pack(values) for pack in packers])

    def _mapping_packer(self, fetches: Mapping[Any, Any]) -> Pack:
        packers = {key: self._packer(fetch) for key, fetch in fetches.items()}
        default_factory = getattr(fetches, "default_factory", None)
        first_arguments = (default_factory,) if default_factory is not None else ()
        make: Any = type(fetches)
        return lambda values: make(*first_arguments, {key: pack(values) for key, pack in packers.items()})

    def _element_packer(self, fetch: object) -> Pack:
        element = self._element(fetch)
        if isinstance(element, Operation):
            self._targets[element] = None
            return lambda values: None
        index = self._indices.setdefault(id(element), len(self.tensors))
        if index == len(self.tensors):
            self.tensors.append(element)
        if gives_handle(element):
            return lambda values: TensorHandle(values[index].decode(), self._store)
        return lambda values: values[index]

    def _element(self, fetch: Any) -> Any:
        """Returns the tensor or operation of the graph that a fetch names."""
        try:
            element = self._graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a string or Tensor. '
                f"({error})"
            ) from None
        except (ValueError, KeyError) as error:
            raise ValueError(f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})") from None
        if not self._graph.is_fetchable(element):
            operation = element if isinstance(element, Operation) else element.op
            raise ValueError(
                f"Operation {operation.name!r} has been marked as not fetchable. Typically this happens when it is "
                "defined in another function or code block. Use return values, explicit Python locals or TensorFlow "
                "collections to access it."
            )
        return element


def fetch_key(fetches: Any) -> Any:
    """Returns a key by which a plan can be found again, as long as the plan keeps the fetches alive; None for none.

    The key of a list names its elements: the list may change.
    """
    if isinstance(fetches, (SymbolicTensor, Operation)):
        return id(fetches)
    kind = type(fetches)
    if kind is str:
        return fetches
    if kind is list or kind is tuple:
        keys = [fetch_key(fetch) for fetch in fetches]
        return None if None in keys else (kind, *keys)
    if kind is dict:
        keys = [fetch_key(fetch) for fetch in fetches.values()]
        return None if None in keys else (kind, *fetches, *keys)
    return None
