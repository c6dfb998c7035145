"""The structure of elements: nests of specs, and the flat tensors of which an element consists.

Tuples, dictionaries, named tuples and attrs classes are structure; a list is not: it becomes one tensor. A leaf is
described by its spec, which also says by which tensors the leaf travels through a pipeline: a dense tensor by itself,
a ragged or sparse tensor by one variant, since only values of one form can be stacked.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import NoneTensorSpec, TensorSpec, type_spec_from_value
from millrace._src.core.type_specs import TypeSpec
from millrace._src.graph.scopes import name_scope
from millrace._src.util import nest


class ElementStructure:
    """The structure of the elements of a dataset.

    Args:
      spec: a nest of specs.
    """

    __slots__ = ("spec", "leaves", "tensor_specs", "dtypes", "shapes", "iterator_spec")

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.iterator_spec: Any = None
        """The spec of iterators over such elements, once one was asked for; kept, since it is a key of each call."""
        self.leaves: list[TypeSpec] = nest.flatten(spec)
        self.tensor_specs = [t for leaf in self.leaves for t in leaf._flat_tensor_specs]
        self.dtypes: tuple[DType, ...] = tuple(t.dtype for t in self.tensor_specs)
        self.shapes: tuple[TensorShape, ...] = tuple(t.shape for t in self.tensor_specs)

    def pack(self, tensors: Sequence[Any]) -> Any:
        """Returns the element that consists of flat tensors."""
        spec = self.spec
        if type(spec) is TensorSpec:
            return tensors[0]
        if type(spec) is tuple and all(type(leaf) is TensorSpec for leaf in spec):
            return tuple(tensors)
        if type(spec) is dict and all(type(leaf) is TensorSpec for leaf in spec.values()):
            by_key = dict(zip(sorted(spec), tensors, strict=True))
            return {key: by_key[key] for key in spec}
        remaining = iter(tensors)
        values = [
            leaf._from_compatible_tensor_list([next(remaining) for _ in leaf._flat_tensor_specs])
            for leaf in self.leaves
        ]
        return nest.pack_sequence_as(spec, values)

    def flatten(self, element: object) -> list[Any]:
        """Returns the tensors of an element of this structure.

        Raises:
          ValueError, TypeError: if the element is of another structure.
        """
        return [tensor for leaf, value in self._pairs(element) for tensor in _tensors(leaf, value)]

    def flatten_batch(self, batch: object) -> list[Any]:
        """Returns the tensors of a batch of this structure, each with the elements along its first axis.

        Raises:
          ValueError, TypeError: if the batch is of another structure, or a leaf is a scalar or cannot be a batch.
        """
        return [
            tensor
            for leaf, value in self._pairs(batch)
            for tensor in (_tensors(leaf, value) if type(leaf) is TensorSpec else leaf._to_batched_tensor_list(value))
        ]

    def _pairs(self, element: object) -> Iterator[tuple[Any, Any]]:
        """Returns pairs of a leaf's spec and its value."""
        nest.assert_same_structure(self.spec, element)
        return zip(self.leaves, nest.flatten(element), strict=True)


def _tensors(spec: Any, value: Any) -> list[Any]:
    """Returns the tensors of a leaf; refuses a value that is not of the spec."""
    if isinstance(spec, TensorSpec):
        return spec.to_tensors(value)
    if not spec.is_compatible_with(value):
        raise TypeError(f"{value!r} is not a value of {spec}.")
    tensors: list[Any] = spec._to_tensor_list(value)
    return tensors


def normalize(value: object) -> Any:
    """Returns a value with tensors for all that converts to tensors; lists become tensors too.

    Args:
      value: tensors, composite tensors and Python values in tuples and dictionaries.
    """
    return map_leaves(_convert, value)


def normalize_leaves(value: object, scope: str = "normalize_element") -> Any:
    """Does what `normalize` does; constants in a graph are named after their leaf, as `normalize_element/component_0`.

    Args:
      value: an element, or a batch of elements.
      scope: the name scope of the constants.
    """
    if state.graph is None:
        return normalize(value)
    numbers = itertools.count()
    with name_scope(scope):
        return map_leaves(lambda leaf: _convert(leaf, f"component_{next(numbers)}"), value)


def _convert(leaf: object, name: str | None = None) -> Any:
    if leaf is None or nest.is_nested_or_composite(leaf) and not nest.is_nested(leaf):
        return leaf
    return convert_to_tensor(leaf, name=name)


def map_leaves(function: Any, value: Any) -> Any:
    """Returns a value of the same structure with the result of `function` for each leaf; lists, ranges are leaves."""
    if not nest.is_nested(value) or isinstance(value, Sequence) and not isinstance(value, tuple):
        return function(value)
    return nest.with_children(value, [map_leaves(function, child) for child in nest.children(value)])


def spec_of(value: object) -> Any:
    """Returns the nest of specs of a normalized value."""
    return nest.map_structure(_leaf_spec, value)


def _leaf_spec(leaf: Any) -> TypeSpec:
    return NoneTensorSpec() if leaf is None else type_spec_from_value(leaf)


def common_spec(first: object, second: object) -> Any:
    """Returns the nest of specs that elements of either of two structures satisfy; None if there is no such nest."""
    try:
        nest.assert_same_structure(first, second)
        pairs = zip(nest.flatten(first), nest.flatten(second), strict=True)
        common = [a.most_specific_common_supertype([b]) for a, b in pairs]
    except (TypeError, ValueError):
        return None
    return None if any(spec is None for spec in common) else nest.pack_sequence_as(first, common)
