"""`CompositeTensor`: one value that stands for several tensors.

Problem: ragged and sparse tensors, slices of a gradient, and the user's own classes travel through functions, loops and
datasets like one tensor, yet consist of several tensors.

Idea: such a value names its `TypeSpec`, and the spec takes the value apart and puts the value together. The base class
here only connects value and spec with `tf.nest` (`expand_composites=True`).
"""

from __future__ import annotations

from typing import Any, ClassVar

from millrace._src.core.type_specs import TypeSpec
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export("__internal__.CompositeTensor")
@tensorflow_home("python.framework.composite_tensor")
class CompositeTensor:
    """Base of the classes whose values consist of tensors; a subclass defines `_type_spec`."""

    __slots__ = ()

    _stands_for_tensor: ClassVar[bool] = False
    """Whether `tf.is_tensor` holds: the value is one array in another form."""

    _has_rows: ClassVar[bool] = False
    """Whether iteration runs over rows: the method `nrows` counts the rows, and `value[index]` is a row."""

    @property
    def _type_spec(self) -> TypeSpec:
        """The spec of this value."""
        raise NotImplementedError(f"{type(self).__name__}._type_spec")

    def _nest_components(self) -> Any:
        return self._type_spec._to_components(self)

    def _nest_rebuild(self, components: Any) -> Any:
        return self._type_spec._from_components(components)

    def _nest_spec(self) -> TypeSpec:
        return self._type_spec

    def __tf_tracing_type__(self, context: Any) -> TypeSpec:
        return self._type_spec
