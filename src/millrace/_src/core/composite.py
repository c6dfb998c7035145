"""`CompositeTensor`: one value that represents several tensors.

Problem: ragged and sparse tensors, slices of a gradient, and the user's own classes travel through functions, loops and
datasets like one tensor, yet consist of several tensors.

Idea: such a value names its `TypeSpec`, and the spec takes the value apart and puts the value together. The base class
here only connects value and spec with `tf.nest` (`expand_composites=True`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from millrace._src.core.type_specs import TypeSpec, fitting_spec
from millrace._src.core.types import Tensor
from millrace._src.util import nest
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

if TYPE_CHECKING:
    pass


@export("__internal__.CompositeTensor")
@tensorflow_home("python.framework.composite_tensor")
class CompositeTensor:
    """Base of the classes whose values consist of tensors; a subclass defines `_type_spec`."""

    __slots__ = ()

    _stands_for_tensor: ClassVar[bool] = False
    """Whether `tf.is_tensor` holds: the value is one array in another form."""

    _can_be_field: ClassVar[bool] = True
    """Whether the class may be the annotation of a field of an extension type."""

    _has_rows: ClassVar[bool] = False
    """Whether iteration runs over rows: the method `nrows` counts the rows, and `value[index]` is a row."""

    __composite_gradient__: ClassVar[Any] = None
    """The `CompositeTensorGradient` of the class; None where no part of a value has a gradient."""

    @property
    def _type_spec(self) -> TypeSpec:
        """The spec of this value."""
        raise NotImplementedError(f"{type(self).__name__}._type_spec")

    def _shape_invariant_to_type_spec(self, shape: Any) -> TypeSpec:
        """Returns the spec of loop variables like this value that have a static shape.

        Raises: TypeError: if the class has no such spec.
        """
        name = type(self).__name__
        raise TypeError(f"To describe or constrain a {name}, use a {name}.Spec instead of a TensorShape.")

    def _nest_components(self) -> Any:
        return self._type_spec._to_components(self)

    def _nest_rebuild(self, components: object) -> Any:
        return fitting_spec(self._type_spec, components)._from_components(components)

    def _nest_spec(self) -> TypeSpec:
        return self._type_spec

    def __tf_tracing_type__(self, context: object) -> TypeSpec:
        return self._type_spec


def common_structure(first: object, others: Sequence[Any] = ()) -> Any:
    """Returns a nest to be filled with tensors: with a spec instead of each composite.

    Args:
        first: a nest of tensors and composites.
        others: nests of the same structure; a spec also describes the composites at the same position of these.
    """
    columns = zip(nest.flatten(first), *[nest.flatten(other) for other in others], strict=True)
    return nest.pack_sequence_as(first, [_common_leaf(column) for column in columns])


def _common_leaf(leaves: tuple[Any, ...]) -> Any:
    if not isinstance(leaves[0], CompositeTensor) or isinstance(leaves[0], Tensor):
        return leaves[0]
    specs = [leaf._type_spec for leaf in leaves]
    return specs[0].most_specific_common_supertype(specs[1:]) or specs[0]
