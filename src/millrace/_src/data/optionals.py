"""`tf.experimental.Optional`: an element that may be missing.

An optional lets a loop of the graph ask for the next element and find out whether there was one, where an exception
could not be caught.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import variant
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import TypeSpec
from millrace._src.core.wire_forms import wire_form
from millrace._src.data.optional_ops import optional_from_value, optional_get_value, optional_has_value, optional_none
from millrace._src.data.structure import ElementStructure, normalize, spec_of
from millrace._src.util.export import export


@export("experimental.Optional", "data.experimental.Optional")
class Optional(CompositeTensor, ABC):
    """An element of a dataset that may be missing.

    >>> optional = tf.experimental.Optional.from_value(42)
    >>> optional.has_value().numpy(), optional.get_value().numpy()
    (np.True_, np.int32(42))
    >>> tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).has_value().numpy()
    np.False_
    """

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The nest of specs of the element."""

    @abstractmethod
    def has_value(self, name: str | None = None) -> Any:
        """Returns a scalar of bool: whether there is an element."""

    @abstractmethod
    def get_value(self, name: str | None = None) -> Any:
        """Returns the element.

        Raises: tf.errors.InvalidArgumentError: if the element is missing, when that is found out.
        """

    @staticmethod
    def empty(element_spec: object) -> Optional:
        """Makes an optional without an element.

        Args:
          element_spec: the nest of specs that an element would have.

        Returns: An Optional.
        """
        return optional_of(optional_none(), element_spec)

    @staticmethod
    def from_value(value: TensorLike) -> Optional:
        """Makes an optional with an element.

        Args:
          value: the element, a nest of values that convert to tensors.

        Returns: An Optional.
        Raises:
          TypeError, ValueError: if a part of the value has no tensor form.
          tf.errors.InvalidArgumentError: if there are no tensors in the value.
        """
        element = normalize(value)
        structure = ElementStructure(spec_of(element))
        return optional_of(optional_from_value(structure.flatten(element)), structure.spec)


def optional_of(variant_tensor: object, element_spec: object, structure: ElementStructure | None = None) -> Optional:
    """Returns the optional to which a variant tensor refers.

    Args:
      variant_tensor: the handle.
      element_spec: the nest of specs of the element.
      structure: the structure of the element, where that is known.
    """
    return _OptionalImpl(variant_tensor, element_spec, structure)


class _OptionalImpl(Optional):
    """An optional that is a variant tensor.

    Args:
      variant_tensor: the handle.
      element_spec: the nest of specs of the element.
      structure: the structure of the element, where that is known.
    """

    def __init__(self, variant_tensor: Any, element_spec: Any, structure: ElementStructure | None = None) -> None:
        self._variant_tensor = variant_tensor
        self._structure = structure
        self._element_spec = element_spec
        """The spec of the element as given; Keras sets it when a trace has found it out. Until then it may be None."""

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the element."""
        return self._element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)

    def has_value(self, name: str | None = None) -> Any:
        """Returns a scalar of bool: whether there is an element."""
        return optional_has_value(self._variant_tensor, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Returns the element.

        Raises: tf.errors.InvalidArgumentError: if the element is missing, when that is found out.
        """
        structure = self._structure
        if structure is None or structure.spec is not self._element_spec:
            structure = self._structure = ElementStructure(self._element_spec)
        types, shapes = structure.dtypes, structure.shapes
        tensors = optional_get_value(self._variant_tensor, output_types=types, output_shapes=shapes, name=name)
        return structure.pack(tensors)


@wire_form("OPTIONAL_SPEC")
@export("OptionalSpec", v1=["OptionalSpec", "data.experimental.OptionalStructure"])
class OptionalSpec(TypeSpec):
    """The spec of an optional, as an argument of a `tf.function`.

    >>> tf.OptionalSpec.from_value(tf.experimental.Optional.from_value(1))
    OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)

    Args:
      element_spec: the nest of specs of the element.
    """

    __slots__ = ("_element_spec", "_structure")

    def __init__(self, element_spec: object) -> None:
        self._element_spec = element_spec
        self._structure: ElementStructure | None = None
        """The structure of the element, kept for all optionals that a function returns."""

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the element."""
        return self._element_spec

    @property
    def value_type(self) -> Any:
        """The class of optionals."""
        return _OptionalImpl

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([], variant)]

    def _to_components(self, value: Any) -> list[Any]:
        return [value._variant_tensor]

    def _from_components(self, components: Any) -> Optional:
        if self._structure is None and self._element_spec is not None:
            self._structure = ElementStructure(self._element_spec)
        return optional_of(components[0], self._element_spec, self._structure)

    def from_tensors(self, tensors: Iterator[Any]) -> Optional:
        """Makes an optional of its tensor, which `tensors` gives next."""
        return self._from_components((next(tensors),))

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """Returns the spec of an optional."""
        return OptionalSpec(value.element_spec)


__all__ = ["Optional", "OptionalSpec", "optional_of"]
