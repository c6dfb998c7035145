"""Structures of elements as TensorFlow 1 describes them: by three nests, of dtypes, of shapes and of classes."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_specs import TypeSpec
from millrace._src.ops.sparse.sparse_spec import SparseTensorSpec
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util import nest
from millrace._src.util.nest_paths import flatten_up_to


def legacy_types(spec: object) -> Any:
    """Returns the nest of the dtypes of specs; a spec of values without a dtype stays."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_types(), spec)


def legacy_shapes(spec: object) -> Any:
    """Returns the nest of the shapes of specs; a spec of values without a shape stays."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_shapes(), spec)


def legacy_classes(spec: object) -> Any:
    """Returns the nest of the classes of values; a spec of values that need one stays."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_classes(), spec)


def spec_of_legacy(types: object, shapes: object = None, classes: object = None) -> Any:
    """Returns the nest of specs that dtypes, shapes and classes describe.

    Args:
      types: a nest of dtypes, or of specs.
      shapes: a nest of shapes of the same structure; None for unknown shapes.
      classes: a nest of classes of the same structure; None for tensors.

    Raises:
      TypeError: for classes of composite tensors that need specs; or if the structures differ.
      ValueError: if the structures differ.
    """
    leaves = nest.flatten(types)
    shape_leaves = [TensorShape(None)] * len(leaves) if shapes is None else flatten_up_to(types, shapes)
    class_leaves = [Tensor] * len(leaves) if classes is None else flatten_up_to(types, classes)
    specs = [_spec(*three) for three in zip(leaves, shape_leaves, class_leaves, strict=True)]
    return nest.pack_sequence_as(types, specs)


def _spec(dtype: DTypeLike, shape: ShapeLike, kind: Any) -> TypeSpec:
    """Returns the spec of one component."""
    if isinstance(dtype, TypeSpec):
        return dtype
    if isinstance(kind, TypeSpec):
        return kind
    if issubclass(kind, SparseTensor):
        return SparseTensorSpec(shape, dtype)
    if not issubclass(kind, Tensor):
        raise TypeError(f"Elements of class {kind.__name__} are described by a spec: give it in place of the class.")
    return TensorSpec(shape if isinstance(shape, TensorShape) else as_shape(shape), as_dtype(dtype))


class LegacyStructure:
    """What describes elements in TensorFlow 1, derived from their spec; for datasets and iterators."""

    __slots__ = ()

    @property
    def element_spec(self) -> Any:
        """The nest of specs of an element."""
        raise NotImplementedError(f"{type(self).__name__}.element_spec")

    @property
    def output_types(self) -> Any:
        """The nest of dtypes of an element; of TensorFlow 1, as the other two."""
        return legacy_types(self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """The nest of static shapes of an element."""
        return legacy_shapes(self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The nest of classes of an element."""
        return legacy_classes(self.element_spec)
