"""Composites as one variant: the op behind packed extension types.

A variant holds the component tensors of a composite and, as metadata, the composite's spec as a message. Taking the
components out checks that there are as many, of the same dtypes, as went in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.core.variant_values import VariantValue, zeros_of
from millrace._src.ops import raw
from millrace._src.ops.shape_rules import scalar
from millrace._src.ops.type_sets import ANY, TypeList
from millrace._src.util.text import shape_brackets


class CompositeVariant(VariantValue):
    """The components of a composite; never changed.

    Args:
      metadata: the spec as a message.
      components: the arrays.
      dtypes: their dtypes.
    """

    __slots__ = ("components", "dtypes", "metadata")

    def __init__(self, metadata: Any, components: Sequence[Array], dtypes: Sequence[DType]) -> None:
        self.metadata = metadata
        self.components, self.dtypes = tuple(components), tuple(dtypes)

    def zeros_like(self) -> CompositeVariant:
        """Makes a variant with zeros instead of the components."""
        return CompositeVariant(self.metadata, [zeros_of(array) for array in self.components], self.dtypes)

    def __add__(self, other: CompositeVariant) -> CompositeVariant:
        """Adds the components of two variants."""
        sums = [np.add(a, b) for a, b in zip(self.components, other.components, strict=True)]
        return CompositeVariant(self.metadata, [np.asarray(total) for total in sums], self.dtypes)

    def __repr__(self) -> str:
        parts = [
            f"Tensor<type: {runtime_name(dtype)} shape: {shape_brackets(array.shape)} values: "
            f"{' '.join(map(str, array.reshape(-1)[:3].tolist()))}{'...' if array.size > 3 else ''}>"
            for array, dtype in zip(self.components, self.dtypes, strict=True)
        ]
        return f"<<CompositeTensorVariant type=EXTENSION_TYPE_SPEC, components=[{', '.join(parts)}]>>"


def _unknown(c: ShapeContext) -> list[TensorShape]:
    return [TensorShape(None) for _ in c.attr("Tcomponents")]


_RULES: dict[str, Any] = {"host_only": True, "not_batched": "the components of all rows are in one variant"}


@op(
    "CompositeTensorVariantFromComponents",
    "components: Tcomponents -> encoded: variant",
    Tcomponents=TypeList(ANY),
    shape=scalar,
    **_RULES,
)
def composite_variant_from_components(
    xp: Xp, components: list[Array], *, metadata: str, Tcomponents: list[DType]
) -> Array:
    """Puts the components of a composite into one variant."""
    boxed = np.empty((), object)
    boxed[()] = CompositeVariant(metadata, components, Tcomponents)
    return boxed


@op(
    "CompositeTensorVariantToComponents",
    "encoded: variant -> components: Tcomponents",
    Tcomponents=TypeList(ANY),
    shape=_unknown,
    **_RULES,
)
def composite_variant_to_components(xp: Xp, encoded: Array, *, metadata: str, Tcomponents: list[DType]) -> list[Array]:
    """Takes the components of a composite out of a variant."""
    variant = encoded.item()
    if not isinstance(variant, CompositeVariant):
        raise invalid(f"The input variant does not hold the components of a composite tensor: {variant!r}")
    if list(variant.dtypes) != list(Tcomponents):
        expected, found = [[runtime_name(d) for d in dtypes] for dtypes in (Tcomponents, variant.dtypes)]
        raise invalid(f"The variant holds components of dtypes {found}; expected {expected}.")
    return list(variant.components)


@composite_variant_from_components.gradient
def composite_variant_from_components_gradient(
    dencoded: Tensor, components: list[Tensor], *, metadata: str
) -> tuple[list[Tensor]]:
    """Takes the gradients of the components out of the variant that holds them."""
    dtypes = [component.dtype for component in components]
    return (raw.CompositeTensorVariantToComponents(encoded=dencoded, metadata=metadata, Tcomponents=dtypes),)


@composite_variant_to_components.gradient
def composite_variant_to_components_gradient(
    dcomponents: list[Tensor], components: list[Tensor], *, metadata: str
) -> Tensor:
    """Puts the gradients of the components into one variant; zeros for a component without one."""
    pairs = zip(dcomponents, components, strict=True)
    gradients = [raw.ZerosLike(x=component) if d is None else d for d, component in pairs]
    return raw.CompositeTensorVariantFromComponents(components=gradients, metadata=metadata)
