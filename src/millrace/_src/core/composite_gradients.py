"""Which parts of a composite tensor have gradients.

Problem: `tape.gradient(loss, ragged)` is a ragged tensor: the gradient of the values, in the same rows. Of other
composites it is unknown which of their tensors are numbers to be differentiated.

Idea: a class states a `CompositeTensorGradient` as `__composite_gradient__`, which takes these parts out of a value and
puts gradients in instead. A class without one is refused.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import Any

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.indexed_slices import IndexedSlices, dense
from millrace._src.core.types import Tensor
from millrace._src.util import nest
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.class_table import ClassTable

_HOME = "python.framework.composite_tensor_gradient"


@tensorflow_home(_HOME)
class CompositeTensorGradient(abc.ABC):
    """Takes the parts that have gradients out of composite tensors of a class, and puts gradients in instead."""

    @abc.abstractmethod
    def get_gradient_components(self, value: object) -> Any:
        """Returns the nest of tensors and composites in `value` that have gradients."""

    @abc.abstractmethod
    def replace_gradient_components(self, value: object, component_grads: object) -> Any:
        """Returns a value like `value` with gradients, a nest of the same structure, in place of these parts."""


@tensorflow_home(_HOME)
class WithValuesCompositeTensorGradient(CompositeTensorGradient):
    """For classes with a property `values` and a method `with_values`."""

    def get_gradient_components(self, value: Any) -> Any:
        """Returns the values."""
        return value.values

    def replace_gradient_components(self, value: Any, component_grads: Any) -> Any:
        """Returns `value` with other values."""
        return value.with_values(component_grads)


consists_of_parts: ClassTable[bool] = ClassTable(
    lambda cls: issubclass(cls, CompositeTensor) and not issubclass(cls, (IndexedSlices, Tensor))
)
"""For each class, whether its objects are differentiated part by part. Variables and slices are tensors here."""


def gradient_parts(leaves: list[Any]) -> list[Any]:
    """Returns leaves with composites replaced by their parts that have gradients.

    Raises: ValueError: for a composite of a class that names no such parts.
    """
    if not any(map(consists_of_parts.__getitem__, map(type, leaves))):
        return leaves
    return [part for leaf in leaves for part in _parts(leaf)]


def _parts(leaf: object) -> list[Any]:
    if not consists_of_parts[type(leaf)]:
        return [leaf]
    return [part for item in nest.flatten(_rule_of(leaf).get_gradient_components(leaf)) for part in _parts(item)]


def _rule_of(composite: Any) -> Any:
    rule = composite.__composite_gradient__
    if rule is None:
        name = type(composite).__name__
        raise ValueError(f"Type {name} is not supported as a gradient source or gradient target.")
    return rule


def gradients_of_leaves(leaves: list[Any], gradients: list[Any]) -> list[Any]:
    """Returns one gradient for each leaf, given those of `gradient_parts(leaves)`; None for a composite without any."""
    if not any(map(consists_of_parts.__getitem__, map(type, leaves))):
        return gradients
    remaining = iter(gradients)
    return [_gradient(leaf, remaining) for leaf in leaves]


def _gradient(leaf: object, gradients: Iterator[Any]) -> Any:
    if not consists_of_parts[type(leaf)]:
        return next(gradients)
    rule = _rule_of(leaf)
    parts = rule.get_gradient_components(leaf)
    found_gradients = [dense(_gradient(part, gradients)) for part in nest.flatten(parts)]
    if any(gradient is None for gradient in found_gradients):
        return None
    return rule.replace_gradient_components(leaf, nest.pack_sequence_as(parts, found_gradients))
