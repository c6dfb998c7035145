"""Deferred captures: values of a function's graph that are computed outside the graph at each call.

A closure gives the value; a `TypeSpec`, a nested structure of them, or a trace type is its type. In the graph
placeholders represent the value. What calls the graph asks the closure anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.util import nest

if TYPE_CHECKING:
    from millrace._src.graph.graph import Graph


class DeferredCapture:
    """A value that is computed outside the function at each call.

    Args:
      closure: called without arguments for each value.
      kind: the type of the value: specs in a nested structure, whose other leaves are constants.
      value: what represents the value in the graph.
      placeholders: the inputs of the graph that the value is made of, if they are inputs.
      default_value: the value in a SavedModel, which cannot hold the closure; None if there is none.
    """

    __slots__ = ("_saved", "closure", "default_value", "kind", "placeholders", "value")

    def __init__(
        self,
        closure: Callable[[], Any],
        kind: Any,
        value: object,
        placeholders: Sequence[SymbolicTensor] = (),
        default_value: object = None,
    ) -> None:
        self.closure = closure
        self.kind = kind
        self.value: Any = value
        self.placeholders = placeholders
        self.default_value = default_value
        self._saved: list[Any] | None = None

    def tensors(self) -> list[Any]:
        """Returns the tensors of the value that the closure returns now.

        Raises: ValueError or TypeError: if the value is not of the type `kind`.
        """
        return self.tensors_of(self.closure())

    def saved_tensors(self) -> list[Any]:
        """Returns the tensors of the default value, the same at each call.

        Raises: KeyError: if there is no default value.
        """
        if self.default_value is None:
            raise KeyError(
                f"A SavedModel cannot hold the closure of a deferred capture ({self.kind!r}). Pass `default_value=` to "
                "`capture_call_time_value`, or remove the function from the saved object."
            )
        if self._saved is None:
            self._saved = self.tensors_of(self.default_value)
        return self._saved

    def tensors_of(self, value: object) -> list[Any]:
        """Returns the tensors that a value of the type `kind` is made of."""
        nest.assert_same_structure(self.kind, value)
        tensors: list[Any] = []
        for spec, part in zip(nest.flatten(self.kind), nest.flatten(value), strict=True):
            if isinstance(spec, TypeSpec):
                tensors += spec.to_tensors(spec.cast(part, None))
        return tensors


def placeholders_of(graph: Graph, spec: object) -> Any:
    """Returns a value of the type of a nested structure of specs, made of new placeholders of a graph."""
    return nest.map_structure(lambda part: _placeholder(graph, part), spec)


def _placeholder(graph: Any, spec: Any) -> Any:
    if isinstance(spec, TensorSpec):
        return graph.add_placeholder(spec.dtype, spec.shape, spec.name or "Placeholder", spec.name)
    if isinstance(spec, TypeSpec):
        return spec.from_tensors(iter([_placeholder(graph, part) for part in spec.flatten()]))
    return spec
