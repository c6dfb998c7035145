"""`tf.SparseTensorSpec`: the description of sparse tensors that do not exist yet.

A sparse tensor has two forms as plain tensors. Functions, loops and `tf.nest` take the value apart into indices, values
and dense shape. Datasets, queues and `tf.map_fn` stack values of unequal size, so there a sparse tensor is one tensor
of three variants, and a batch of rows of a sparse tensor a matrix of variants (`SerializeSparse`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core import dtypes
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_spec_registry import register
from millrace._src.core.type_specs import BatchableTypeSpec, register_type_spec_from_value_converter
from millrace._src.core.wire_forms import wire_form
from millrace._src.ops import raw
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@register("tf.SparseTensorSpec")
@wire_form("SPARSE_TENSOR_SPEC")
@export("SparseTensorSpec")
@tensorflow_home("python.framework.sparse_tensor")
class SparseTensorSpec(BatchableTypeSpec):
    """The type of `tf.SparseTensor`.

    >>> tf.SparseTensorSpec([None, 3], tf.int32)
    SparseTensorSpec(TensorShape([None, 3]), tf.int32)

    Args:
      shape: the dense shape; None for an unknown rank.
      dtype: the dtype of the values.

    Raises:
      TypeError: if `shape` is not a shape or `dtype` not a dtype.
    """

    __slots__ = ("_shape", "_dtype")

    def __init__(self, shape: object = None, dtype: object = dtypes.float32) -> None:
        self._shape: TensorShape = as_shape(shape)
        self._dtype: DType = as_dtype(dtype)

    @property
    def value_type(self) -> type:
        """`SparseTensor`."""
        return SparseTensor

    @property
    def shape(self) -> TensorShape:
        """The dense shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @classmethod
    def from_value(cls, value: object) -> SparseTensorSpec:
        """Returns the spec of a sparse tensor.

        Args:
          value: a `tf.SparseTensor` or a `tf.compat.v1.SparseTensorValue`.

        Raises:
          TypeError: if the value is neither.
        """
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            tensor = SparseTensor.from_value(value)
            return cls(tensor.shape, tensor.dtype)
        raise TypeError(
            f"Expected SparseTensor or SparseTensorValue. Received: {value} of type {type(value).__name__}."
        )

    # --- as indices, values and dense shape --------------------------------------------------------------------------

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> SparseTensor:
        value = SparseTensor(*components)
        value.set_shape(self._shape)
        return value

    # --- as variants -------------------------------------------------------------------------------------------------

    @property
    def _flat_tensor_specs(self) -> list[TensorSpec]:
        return [TensorSpec(None, dtypes.variant)]

    def _to_tensor_list(self, value: object) -> list[Any]:
        value = SparseTensor.from_value(value)
        return [
            raw.SerializeSparse(
                sparse_indices=value.indices,
                sparse_values=value.values,
                sparse_shape=value.dense_shape,
                out_type=dtypes.variant,
            )
        ]

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        if value.dense_shape.shape.num_elements() == 0:
            raise ValueError(f"Unbatching a sparse tensor is only supported for rank >= 1. Obtained input: {value}.")
        return [
            raw.SerializeManySparse(
                sparse_indices=value.indices,
                sparse_values=value.values,
                sparse_shape=value.dense_shape,
                out_type=dtypes.variant,
            )
        ]

    def _from_compatible_tensor_list(self, tensor_list: Sequence[Any]) -> SparseTensor:
        indices, values, dense_shape = raw.DeserializeSparse(serialized_sparse=tensor_list[0], dtype=self._dtype)
        rank = self._shape.rank
        indices.set_shape([None, rank])
        dense_shape.set_shape([rank])
        return self._from_components([indices, values, dense_shape])

    # --- variations --------------------------------------------------------------------------------------------------

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return SparseTensorSpec(self._shape[1:], self._dtype)

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        return self._shape

    def _to_legacy_output_classes(self) -> type:
        return SparseTensor


register_type_spec_from_value_converter(SparseTensorValue, SparseTensorSpec.from_value)
