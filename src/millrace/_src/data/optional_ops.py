"""The ops on optionals: an element that may be missing, as one variant tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.handle_types import HandleType, OptionalHandle, Referent
from millrace._src.core.op_def import op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.variant_values import VariantValue, zeros_of
from millrace._src.data.nodes import ELEMENT_TYPES, declared_element_shapes
from millrace._src.ops import raw
from millrace._src.ops.shape_rules import scalar
from millrace._src.util.text import shape_brackets


class OptionalValue(VariantValue, Referent):
    """What the variant tensor of an optional refers to; never changed.

    Args:
      components: the arrays of the element; None if the element is missing.
      dtypes: the dtypes of the arrays.
    """

    __slots__ = ("components", "dtypes")

    def __init__(self, components: Sequence[Array] | None, dtypes: Sequence[DType]) -> None:
        self.components = components
        self.dtypes = tuple(dtypes)

    @property
    def handle_type(self) -> OptionalHandle:
        """The type of the optional; that of a missing element has no components."""
        shapes = () if self.components is None else tuple(TensorShape(a.shape) for a in self.components)
        return OptionalHandle(self.dtypes, shapes)

    def zeros_like(self) -> OptionalValue:
        """Makes an optional with zeros, missing if this one is."""
        if self.components is None:
            return self
        return OptionalValue([zeros_of(a) for a in self.components], self.dtypes)

    def __add__(self, other: OptionalValue) -> OptionalValue:
        """Adds the components of two optionals.

        Raises: InvalidArgumentError: if one is missing and the other is not.
        """
        if (self.components is None) != (other.components is None):
            raise InvalidArgumentError(None, None, "Cannot add optionals: one has a value and the other doesn't.")
        if self.components is None or other.components is None:
            return self
        sums = [np.add(a, b) for a, b in zip(self.components, other.components, strict=True)]
        return OptionalValue([np.asarray(a) for a in sums], self.dtypes)

    def __repr__(self) -> str:
        if self.components is None:
            return "<OptionalVariant<None>>"
        parts = [
            f"Tensor<type: {runtime_name(dtype)} shape: {shape_brackets(a.shape)} values: {a}>"
            for a, dtype in zip(self.components, self.dtypes, strict=True)
        ]
        return f"<OptionalVariant<values: ({', '.join(parts)})>>"


def _type_of_components(c: ShapeContext) -> OptionalHandle:
    return OptionalHandle(tuple(t.dtype for t in c.inputs), tuple(t.shape for t in c.inputs))


_OPTIONAL: dict[str, Any] = {
    "shape": scalar,
    "host_only": True,
    "refused_when_compiled": True,
    "not_batched": "an optional is a scalar",
}


@op(
    "OptionalFromValue",
    "components: Toutput_types -> optional: variant",
    Toutput_types=ELEMENT_TYPES,
    handles=_type_of_components,
    full_type="OPTIONAL[PRODUCT[TENSOR[Toutput_types]]]",
    **_OPTIONAL,
)
def optional_from_value(xp: Xp, components: list[Array], *, Toutput_types: list[DType]) -> Any:
    """Makes an optional with an element."""
    return OptionalValue(components, Toutput_types)


@optional_from_value.gradient
def optional_from_value_gradient(doptional: object, components: Any) -> tuple[list[Any]]:
    """Takes the gradients of the components out of the optional that holds them."""
    dtypes, shapes = [t.dtype for t in components], [t.shape for t in components]
    return (list(optional_get_value(doptional, output_types=dtypes, output_shapes=shapes)),)


def _type_of_missing(c: ShapeContext) -> HandleType | None:
    """Returns that nothing is known of the element."""
    return None


@op(
    "OptionalNone",
    "-> optional: variant",
    handles=_type_of_missing,
    not_differentiable="a missing element has no numbers",
    **_OPTIONAL,
)
def optional_none(xp: Xp) -> Any:
    """Makes an optional without an element."""
    return OptionalValue(None, ())


@op(
    "OptionalHasValue",
    "optional: variant -> has_value: bool",
    not_differentiable="whether there is an element is not a number",
    **_OPTIONAL,
)
def optional_has_value(xp: Xp, optional: Array) -> Array:
    """Returns whether an optional has an element."""
    return np.asarray(_optional_of(optional, "OptionalHasValue").components is not None)


@op(
    "OptionalGetValue",
    "optional: variant -> components: output_types",
    output_types=ELEMENT_TYPES,
    **{**_OPTIONAL, "shape": declared_element_shapes},
)
def optional_get_value(
    xp: Xp, optional: Array, *, output_types: list[DType], output_shapes: list[TensorShape]
) -> list[Array]:
    """Takes the element out of an optional."""
    value = _optional_of(optional, "OptionalGetValue")
    if value.components is None:
        raise InvalidArgumentError(None, None, "The given optional does not have a value.")
    _check_components(value, output_types, output_shapes)
    return list(value.components)


@optional_get_value.gradient
def optional_get_value_gradient(dcomponents: list[Any]) -> Any:
    """Puts the gradients of the components into an optional."""
    return raw.OptionalFromValue(components=dcomponents)


def _optional_of(handle: Array, op_name: str) -> OptionalValue:
    """Returns the optional behind a variant.

    Raises: InvalidArgumentError: if the variant is something else.
    """
    value = resource_of(handle)
    if not isinstance(value, OptionalValue):
        raise InvalidArgumentError(None, None, f"Input to {op_name} must be an OptionalVariant object.")
    return value


def _check_components(value: OptionalValue, dtypes: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
    """Refuses an element of other dtypes or shapes than declared."""
    assert value.components is not None
    if len(value.components) != len(dtypes):
        raise InvalidArgumentError(
            None, None, f"The given optional has {len(value.components)} components, expected {len(dtypes)}"
        )
    for index, (array, found, dtype, shape) in enumerate(zip(value.components, value.dtypes, dtypes, shapes)):
        if found is not dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"The given optional does not match the expected type for component {index}. Expected: "
                f"{runtime_name(dtype)}. Actual: {runtime_name(found)}.",
            )
        if not shape.is_compatible_with(array.shape):
            raise InvalidArgumentError(
                None,
                None,
                f"The given optional does not match the expected shape for component {index}. Expected: "
                f"{shape_brackets(shape)}. Actual: {shape_brackets(array.shape)}.",
            )
