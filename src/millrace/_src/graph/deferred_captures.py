"""Deferred captures: values of a function's graph that are computed outside the graph at each call.

A closure gives the value and a `TypeSpec`, or a nested structure of them, its type. In the graph placeholders represent
the value. What calls the graph asks the closure anew each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.util import nest

if TYPE_CHECKING:
    from millrace._src.graph.graph import Graph


class SpecifiedCapture:
    """A deferred capture whose type is given by specs.

    Args:
      closure: called without arguments for each value.
      spec: the type of the value; leaves that are not a `TypeSpec` are constants.
      value: what represents the value in the graph.
    """

    __slots__ = ("closure", "spec", "value")

    def __init__(self, closure: Callable[[], Any], spec: object, value: object) -> None:
        self.closure = closure
        self.spec = spec
        self.value = value

    def tensors(self) -> list[Any]:
        """Returns the tensors of the value that the closure returns now.

        Raises: ValueError or TypeError: if the value does not fit the spec.
        """
        value = self.closure()
        nest.assert_same_structure(self.spec, value)
        tensors: list[Any] = []
        for spec, part in zip(nest.flatten(self.spec), nest.flatten(value), strict=True):
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
