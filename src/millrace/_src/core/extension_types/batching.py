"""Extension types whose values can be stacked: elements of datasets, rows of `tf.map_fn`.

Problem: a batch of masked tensors is again a masked tensor, with one more dimension in each of its tensors; of another
type a batch may look quite different.

Idea: an encoder says how specs gain and lose the batch dimension, and how a value becomes a nest of tensors that can be
stacked one by one. The default encoder stacks the components.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, ClassVar

from millrace._src.core.extension_types.extension_spec import ExtensionTypeSpec
from millrace._src.core.extension_types.extension_type import ExtensionType
from millrace._src.core.extension_types.immutable_fields import make_bare
from millrace._src.core.shapes import TensorShape
from millrace._src.core.type_specs import BatchableTypeSpec
from millrace._src.util import nest
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.nest_paths import flatten_up_to

_HOME = "python.framework.extension_type"


class TypeSpecBatchEncoder(abc.ABC):
    """How the values of a spec are stacked; see `ExtensionTypeBatchEncoder`."""

    @abc.abstractmethod
    def batch(self, spec: object, batch_size: int | None) -> Any:
        """Returns the spec of a batch of values."""

    @abc.abstractmethod
    def unbatch(self, spec: object) -> Any:
        """Returns the spec of one value of a batch."""

    @abc.abstractmethod
    def encode(self, spec: object, value: object, minimum_rank: int = 0) -> Any:
        """Returns a nest of tensors and composites that can be stacked."""

    @abc.abstractmethod
    def decode(self, spec: object, encoded_value: object) -> Any:
        """Returns the value of such a nest."""

    @abc.abstractmethod
    def encoding_specs(self, spec: object) -> Any:
        """Returns the nest of specs of what `encode` returns."""


@export("experimental.ExtensionTypeBatchEncoder")
@tensorflow_home(_HOME)
class ExtensionTypeBatchEncoder(TypeSpecBatchEncoder):
    """How the values of an extension type are stacked; by default, field by field.

    A type whose batches look otherwise derives from this class, and has an instance as its `__batch_encoder__`.

    >>> class Box(tf.experimental.BatchableExtensionType):
    ...     corners: tf.Tensor
    >>> spec = Box([1.0, 2.0])._type_spec
    >>> tf.experimental.ExtensionTypeBatchEncoder().batch(spec, 5).corners
    TensorSpec(shape=(5, 2), dtype=tf.float32, name=None)
    """

    def batch(self, spec: object, batch_size: int | None) -> Any:
        """Returns the spec of a batch of values.

        Args:
            spec: the spec of one value.
            batch_size: the number of values, or None if unknown.

        Returns:
            A spec with a first dimension of that size in each `tf.TensorShape` and each spec that can be batched.
        """
        first = TensorShape([batch_size])
        return _with_fields(spec, lambda part: part._batch(batch_size), first.concatenate)

    def unbatch(self, spec: object) -> Any:
        """Returns the spec of one value of a batch.

        Args:
            spec: the spec of the batch.

        Returns:
            A spec without the first dimension of each `tf.TensorShape` and each spec that can be batched.

        Raises:
            ValueError: if a tensor has no first dimension.
        """
        return _with_fields(spec, lambda part: part._unbatch(), lambda shape: shape[1:])

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """Returns a nest of tensors and composites that can be stacked, sliced and concatenated.

        Args:
            spec: the spec of the value.
            value: one value, or a batch of values.
            minimum_rank: how many dimensions will be taken away; each result must have that many.

        Returns:
            The components of the value, field by field.
        """
        return spec._to_components(value)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """Returns the value of a nest that was stacked of such as `encode` returns, or is a part of one.

        Args:
            spec: the spec of the result.
            encoded_value: the nest.
        """
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: Any) -> Any:
        """Returns the nest of specs of what `encode` returns.

        Args:
            spec: the spec of the value.
        """
        return spec._component_specs


def _with_fields(spec: Any, of_spec: Callable[[Any], Any], of_shape: Callable[[Any], Any]) -> Any:
    """Returns a spec with other specs and shapes in its fields."""

    def change(leaf: object) -> Any:
        if isinstance(leaf, BatchableTypeSpec):
            return of_spec(leaf)
        return of_shape(leaf) if isinstance(leaf, TensorShape) else leaf

    return make_bare(
        type(spec), {name: nest.map_structure(change, v) for name, v in spec._tf_extension_type_values().items()}
    )


class BatchableExtensionTypeSpec(ExtensionTypeSpec, BatchableTypeSpec):
    """Base of the specs of batchable extension types."""

    @property
    def _encoder(self) -> TypeSpecBatchEncoder:
        encoder: TypeSpecBatchEncoder = self.value_type.__batch_encoder__
        return encoder

    def _batch(self, batch_size: int | None) -> Any:
        return self._encoder.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self._encoder.unbatch(self)

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        specs = nest.flatten(self._encoder.encoding_specs(self))
        return [tensor_spec for spec in specs for tensor_spec in spec._flat_tensor_specs]

    def _to_tensor_list(self, value: object) -> list[Any]:
        return [tensor for spec, part in self._encode(value, 0) for tensor in spec._to_tensor_list(part)]

    def _to_batched_tensor_list(self, value: object) -> list[Any]:
        return [tensor for spec, part in self._encode(value, 1) for tensor in spec._to_batched_tensor_list(part)]

    def _encode(self, value: object, minimum_rank: int) -> list[tuple[Any, Any]]:
        specs = self._encoder.encoding_specs(self)
        parts = flatten_up_to(specs, self._encoder.encode(self, value, minimum_rank))
        return list(zip(nest.flatten(specs), parts, strict=True))

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        remaining = iter(tensor_list)
        specs = self._encoder.encoding_specs(self)
        parts = [
            spec._from_compatible_tensor_list([next(remaining) for _ in spec._flat_tensor_specs])
            for spec in nest.flatten(specs)
        ]
        return self._encoder.decode(self, nest.pack_sequence_as(specs, parts))


@export("experimental.BatchableExtensionType")
@tensorflow_home(_HOME)
class BatchableExtensionType(ExtensionType):
    """Base of extension types whose values can be batched, sliced and mapped over.

    >>> class Box(tf.experimental.BatchableExtensionType):
    ...     low: tf.Tensor
    ...     high: tf.Tensor
    >>> boxes = Box([1.0, 2.0, 3.0], [2.0, 3.0, 5.0])
    >>> tf.map_fn(lambda box: box.high - box.low, boxes, fn_output_signature=tf.float32).numpy().tolist()
    [1.0, 1.0, 2.0]
    >>> [box.low.numpy().tolist() for box in tf.data.Dataset.from_tensor_slices(boxes).batch(2)]
    [[1.0, 2.0], [3.0]]

    A class attribute `__batch_encoder__`, an `ExtensionTypeBatchEncoder`, says otherwise how values are stacked.
    """

    _tf_extension_type_do_not_transform_this_class = True
    _tf_extension_type_spec_base = BatchableExtensionTypeSpec

    __batch_encoder__: ClassVar[TypeSpecBatchEncoder] = ExtensionTypeBatchEncoder()
