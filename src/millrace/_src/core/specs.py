"""`TensorSpec`: shape, dtype and name of a tensor that is not there yet.

Problem: every call of a `tf.function` describes its tensors, so the spec of a dense tensor must be cheap to make and to
compare.

Idea: the three fields in slots, and direct versions of the questions that `TypeSpec` answers by walking fields. Names
take part: a spec without a name fits a spec with a name, not the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.core import dtypes
from millrace._src.core.array_namespace import Array
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.shapes import TensorShape, as_shape, broadcast_static_shapes
from millrace._src.core.tensor import SymbolicTensor, Tensor
from millrace._src.core.type_spec_registry import register
from millrace._src.core.type_specs import (
    BatchableTypeSpec,
    TypeSpec,
    register_type_spec_from_value_converter,
    type_spec_from_value,
)
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike

__all__ = [
    "BatchableTypeSpec",
    "BoundedTensorSpec",
    "DenseSpec",
    "NoneTensorSpec",
    "TensorSpec",
    "TypeSpec",
    "register_type_spec_from_value_converter",
    "type_spec_from_value",
]


class DenseSpec(TypeSpec):
    """A spec with a shape, a dtype and a name: of tensors, and of values that behave like tensors."""

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: Any = None) -> None:
        """Creates the spec.

        Args:
            shape: anything `tf.TensorShape` accepts; None for unknown rank.
            dtype: anything `tf.as_dtype` accepts.
            name: a name for the tensor, or None.

        Raises:
            TypeError: `shape` is not a shape or `dtype` not a dtype.
        """
        self._shape: TensorShape = shape if type(shape) is TensorShape else as_shape(shape)
        self._dtype: DType = dtype if type(dtype) is DType else as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The static shape of the described tensors."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> Any:
        """The name, or None."""
        return self._name

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        return self._shape

    def _to_legacy_output_classes(self) -> Any:
        return self.value_type

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and self._dtype is other._dtype
            and self._shape == other._shape
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._shape.dim_sizes, self._dtype.enum))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


@register("tf.TensorSpec")
@export("TensorSpec")
class TensorSpec(DenseSpec, BatchableTypeSpec):
    """The description of a `tf.Tensor`: shape, dtype and name.

    >>> tf.TensorSpec([None, 3], tf.float32, name="x")
    TensorSpec(shape=(None, 3), dtype=tf.float32, name='x')
    """

    __slots__ = ()
    _nest_components = None  # type: ignore[assignment]  # a tensor is a leaf, and so is its spec

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Any:
        """Returns a spec with the shape and dtype of another spec.

        >>> tf.TensorSpec.from_spec(tf.TensorSpec([8, 3], tf.int32, name="x"), name="y")
        TensorSpec(shape=(8, 3), dtype=tf.int32, name='y')
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> Any:
        """Returns the spec of a tensor, under the name of the tensor's operation if the tensor has one.

        >>> tf.TensorSpec.from_tensor(tf.constant([1, 2]))
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)

        Raises:
            ValueError: if `tensor` is not a Tensor.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        if name is None and isinstance(tensor, SymbolicTensor):
            name = tensor.op.name
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def value_type(self) -> Any:
        """`tf.Tensor`."""
        return Tensor

    def is_compatible_with(self, spec_or_tensor: object) -> bool:
        """Returns whether `spec_or_tensor`, a TensorSpec or Tensor, has a compatible dtype and shape.

        >>> tf.TensorSpec([None, 3]).is_compatible_with(tf.zeros([2, 3]))
        True
        """
        return (
            isinstance(spec_or_tensor, (Tensor, TensorSpec))
            and self._dtype.is_compatible_with(spec_or_tensor.dtype)
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: object) -> bool:
        """Returns whether every tensor of this spec fits `other`; a name in this spec must be `other`'s too."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and (not self._name or self._name == other._name)
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Returns the spec of all tensors of this spec and `others`: equal dtypes and names, the common shape."""
        shape = self._shape
        for other in others:
            if type(other) is not type(self) or other._dtype is not self._dtype or other._name != self._name:
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return type(self)(shape, self._dtype, self._name)

    # --- tensors ---------------------------------------------------------------------------------------------------

    @property
    def _component_specs(self) -> TensorSpec:
        return self

    def _to_components(self, value: object) -> Any:
        return convert_to_tensor(value, self._dtype)

    def _from_components(self, components: object) -> Any:
        return components

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return [self]

    def _to_tensor_list(self, value: TensorLike) -> list[Any]:
        return [self._to_components(value)]

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        (tensor,) = tensor_list
        if hasattr(tensor, "set_shape"):
            tensor.set_shape(self._shape)
        return tensor

    def flatten(self) -> list[Any]:
        """Returns this spec alone."""
        return [self]

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns a list with `value` as its only tensor.

        Raises:
            TypeError: if `value` does not fit this spec.
        """
        return [self.cast(value, None)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Returns the next tensor of the iterator."""
        return next(tensors)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Makes a placeholder in the context's graph; returns this spec itself when there is no graph."""
        graph = placeholder_context.context_graph
        if graph is None:
            return self
        name = self._name or placeholder_context.naming_scope or "Placeholder"
        return graph.add_placeholder(self._dtype, self._shape, name)

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Casts `value` to a tensor of this spec.

        Raises:
            TypeError: if dtype or shape do not fit.
        """
        if isinstance(value, TensorSpec) and cast_context is not None and cast_context.allow_specs:
            if not value.is_subtype_of(self):
                raise TypeError(f"Can not cast {value!r} to {self!r}")
            return self
        if not isinstance(value, Tensor):
            value = convert_to_tensor(value, self._dtype)
        if value.dtype is not self._dtype or not value.shape.is_subtype_of(self._shape):
            found_spec = TensorSpec(value.shape, value.dtype, self._name)
            raise TypeError(f"Can not cast {found_spec!r} to {self!r}")
        return value

    # --- variations ------------------------------------------------------------------------------------------------

    def _without_tensor_names(self) -> TensorSpec:
        return self if self._name is None else TensorSpec(self._shape, self._dtype)

    def _batch(self, batch_size: int | None) -> TensorSpec:
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> TensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return TensorSpec(self._shape[1:], self._dtype)

    def experimental_as_proto(self) -> Any:
        """Returns this spec as a `TensorSpecProto`."""
        from millrace._src.proto import struct_pb2  # protobuf costs 20 ms; most programs need none

        shape: Any = self._shape.as_proto()
        dtype: Any = self._dtype.enum
        return struct_pb2.TensorSpecProto(name=self._name or "", shape=shape, dtype=dtype)

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> Any:
        """Returns the spec that `experimental_as_proto` wrote."""
        return cls(TensorShape(proto.shape), as_dtype(proto.dtype), proto.name or None)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Returns the message class of `experimental_as_proto`."""
        from millrace._src.proto import struct_pb2  # protobuf costs 20 ms; most programs need none

        return struct_pb2.TensorSpecProto


class BoundedTensorSpec(TensorSpec):
    """A `TensorSpec` with the least and greatest value of the elements, such as the actions of an agent.

    >>> from millrace._src.core.specs import BoundedTensorSpec
    >>> BoundedTensorSpec([3], tf.float32, minimum=0, maximum=[1, 2, 3]).maximum
    array([1., 2., 3.], dtype=float32)
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: Any = None) -> None:
        """Creates the spec.

        Args:
            shape: anything `tf.TensorShape` accepts.
            dtype: anything `tf.as_dtype` accepts.
            minimum: inclusive lower bounds: a number or an array that broadcasts to `shape`.
            maximum: inclusive upper bounds, likewise.
            name: a name for the tensor, or None.

        Raises:
            ValueError: if a bound is missing or does not broadcast to `shape`.
        """
        super().__init__(shape, dtype, name)
        self._minimum = self._validate_bound("minimum", minimum)
        self._maximum = self._validate_bound("maximum", maximum)

    def _validate_bound(self, which: str, value: object) -> Array:
        if value is None:
            raise ValueError(f"`{which}` can not be None.")
        bound = np.array(value, self._dtype.np_dtype)
        try:
            broadcast_static_shapes(bound.shape, self._shape)
        except ValueError as error:
            raise ValueError(f"`{which}` {value} is not compatible with shape {self._shape}.") from error
        bound.setflags(write=False)
        return bound

    @property
    def minimum(self) -> Array:
        """The inclusive lower bounds, read-only."""
        return self._minimum

    @property
    def maximum(self) -> Array:
        """The inclusive upper bounds, read-only."""
        return self._maximum

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Any:
        """Returns a bounded spec like `spec`, with the bounds of `spec` or of the dtype of `spec`.

        Raises:
            TypeError: if the dtype has no bounds.
        """
        minimum = getattr(spec, "minimum", None)
        maximum = getattr(spec, "maximum", None)
        dtype = as_dtype(spec.dtype)
        return cls(
            spec.shape,
            dtype,
            dtype.min if minimum is None else minimum,
            dtype.max if maximum is None else maximum,
            name or spec.name,
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Returns this spec with the shape that it shares with `others`; None unless all bounds are the same."""
        shape = self._shape
        for other in others:
            if type(other) is not type(self) or other._tail() != self._tail():
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return type(self)(shape, self._dtype, self._minimum, self._maximum, self._name)

    def _tail(self) -> tuple[Any, ...]:
        return self._dtype, self._name, self._minimum.tolist(), self._maximum.tolist()

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundedTensorSpec) and self._shape == other._shape and self._tail() == other._tail()

    __hash__ = DenseSpec.__hash__

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


@export("NoneTensorSpec")
class NoneTensorSpec(BatchableTypeSpec):
    """Describes None, as an element of a dataset."""

    @property
    def value_type(self) -> Any:
        """`type(None)`."""
        return type(None)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> list[Any]:
        return []

    def _to_components(self, value: object) -> list[Any]:
        return []

    def _from_components(self, components: object) -> None:
        return None

    def _batch(self, batch_size: int | None) -> NoneTensorSpec:
        return self

    def _unbatch(self) -> NoneTensorSpec:
        return self

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Returns whether `spec_or_value` is None or describes None."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)


def _spec_of_tensor(tensor: Any) -> TensorSpec:
    return TensorSpec(tensor.shape, tensor.dtype)


def _spec_of_convertible(value: Any) -> TensorSpec | None:
    try:
        return _spec_of_tensor(convert_to_tensor(value))
    except (ValueError, TypeError):
        return None


register_type_spec_from_value_converter(object, _spec_of_convertible)
register_type_spec_from_value_converter(type(None), lambda _: NoneTensorSpec())
register_type_spec_from_value_converter(Tensor, _spec_of_tensor)
