"""`tf.RaggedTensorSpec`: the type of a ragged tensor that does not exist yet.

The components of a value are its flat values and its row splits, outermost first. A spec of ragged rank 0 describes
dense tensors: such specs come about where a batch of ragged tensors is taken apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, float32, int64, variant
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.core.type_spec_registry import register
from millrace._src.core.type_specs import BatchableTypeSpec, TypeSpec
from millrace._src.core.wire_forms import wire_form
from millrace._src.ops import raw
from millrace._src.ops.ragged.ragged_factories import RaggedFactories
from millrace._src.ops.ragged.ragged_value import ragged_value
from millrace._src.ops.ragged.row_partition import RowPartition, with_static_size
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@register("tf.RaggedTensorSpec")
@wire_form("RAGGED_TENSOR_SPEC")
@export("RaggedTensorSpec")
@tensorflow_home("python.ops.ragged.ragged_tensor")
class RaggedTensorSpec(BatchableTypeSpec):
    """The description of a `tf.RaggedTensor`: shape, dtype, ragged rank and the dtype of the row splits.

    >>> tf.RaggedTensorSpec([None, None], tf.int32)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)
    """

    __slots__ = ("_shape", "_dtype", "_ragged_rank", "_row_splits_dtype", "_flat_values_spec")

    @property
    def ragged_class(self) -> type:
        """`RaggedTensor`, whose module imports this one."""
        from millrace._src.ops.ragged.ragged_tensor import RaggedTensor  # a spec may be used before any ragged tensor

        return RaggedTensor

    def __init__(
        self,
        shape: object = None,
        dtype: object = float32,
        ragged_rank: object = None,
        row_splits_dtype: object = int64,
        flat_values_spec: object = None,
    ) -> None:
        """Creates the spec.

        Args:
          shape: anything `tf.TensorShape` accepts; None for unknown rank. Ragged dimensions are None.
          dtype: the dtype of the values; None to take the dtype of `flat_values_spec`.
          ragged_rank: the number of partitions; None for one less than the rank.
          row_splits_dtype: the dtype of the row splits.
          flat_values_spec: the spec of flat values of a class of their own; None for a Tensor.

        Raises:
          TypeError: if `ragged_rank` is not an int.
          ValueError: if the arguments contradict each other.
        """
        self._shape = as_shape(shape)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        self._flat_values_spec = flat_values_spec
        self._dtype = _values_dtype(dtype, flat_values_spec)
        self._ragged_rank = _known_ragged_rank(ragged_rank, self._shape.rank)

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def ragged_rank(self) -> int:
        """The number of partitions."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The dtype of the row splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of flat values of a class of their own; None for a Tensor."""
        return self._flat_values_spec

    @property
    def value_type(self) -> type:
        """`RaggedTensor`, or `Tensor` where the ragged rank is 0."""
        return self.ragged_class if self._ragged_rank > 0 else Tensor

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """Returns the spec of a ragged tensor, or of a `RaggedTensorValue`.

        >>> tf.RaggedTensorSpec.from_value(tf.ragged.constant([[1], [2, 3]]))
        RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
        """
        flat_values, splits_dtype = value.flat_values, as_dtype(value.row_splits.dtype)
        if isinstance(flat_values, Tensor) or not isinstance(getattr(flat_values, "_type_spec", None), TypeSpec):
            return cls(value.shape, as_dtype(value.dtype), value.ragged_rank, splits_dtype)
        return cls(value.shape, value.dtype, value.ragged_rank, splits_dtype, flat_values._type_spec)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Returns whether a value could be described by both this spec and `spec_or_value`, a spec or a value."""
        if self._ragged_rank == 0:
            described = spec_or_value if isinstance(spec_or_value, (Tensor, TensorSpec)) else None
            if described is not None:
                return TensorSpec(self._shape, self._dtype).is_compatible_with(described)
        return super().is_compatible_with(spec_or_value)

    # --- components --------------------------------------------------------------------------------------------------

    def _serialize(self) -> tuple[Any, ...]:
        fields = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return fields if self._flat_values_spec is None else (*fields, self._flat_values_spec)

    @property
    def _component_specs(self) -> list[Any]:
        rank = self._ragged_rank
        if rank <= 0:
            return [self._flat_values_spec or TensorSpec(self._shape, self._dtype)]
        values_shape = TensorShape([None]).concatenate(self._shape[rank + 1 :])
        rows = [None if size is None else size + 1 for size in self._static_rows()]
        splits = [TensorSpec([size], self._row_splits_dtype) for size in rows]
        return [self._flat_values_spec or TensorSpec(values_shape, self._dtype), *splits]

    def _static_rows(self) -> list[int | None]:
        """Returns the number of rows of each partition where it is known: of the outermost alone."""
        outer = self._shape[0] if self._shape.rank else None
        return [outer, *([None] * (self._ragged_rank - 1))]

    def _to_components(self, value: object) -> list[Any]:
        if isinstance(value, RaggedFactories):
            ragged: Any = value
            return [ragged.flat_values, *ragged.nested_row_splits]
        return [value]

    def _from_components(self, components: Any) -> Any:
        flat_values, *splits = components
        if self._ragged_rank <= 0:
            return self._dense(flat_values)
        if all(isinstance(part, np.ndarray) for part in components):
            return ragged_value(flat_values, splits)
        kind: Any = self.ragged_class
        result = flat_values if self._flat_values_spec else _with_shape(flat_values, self._component_specs[0].shape)
        for axis in range(self._ragged_rank - 1, -1, -1):
            result = kind._of(result, self._partition(axis, splits[axis]))
        return result

    def _dense(self, flat_values: TensorLike) -> Any:
        return _with_shape(flat_values, self._shape) if self._flat_values_spec is None else flat_values

    def _partition(self, axis: int, splits: Any) -> RowPartition:
        """Returns the partition of one dimension, with what the shape says of the partition."""
        rows = self._static_rows()[axis]
        if rows is not None:
            splits = with_static_size(splits, rows + 1)
        dims = self._shape.dim_sizes
        length = None if dims is None else dims[axis + 1]
        uniform = None if length is None else convert_to_tensor(length, dtype=splits.dtype)
        return RowPartition._of(splits, uniform_row_length=uniform)

    # --- as variants -------------------------------------------------------------------------------------------------

    @property
    def _flat_tensor_specs(self) -> list[TensorSpec]:
        return [TensorSpec(None, variant)]

    def _to_tensor_list(self, value: TensorLike) -> list[Any]:
        return [self._encode(value, batched_input=False)]

    def _to_batched_tensor_list(self, value: object) -> list[Any]:
        return [self._encode(value, batched_input=True)]

    def _encode(self, value: Any, batched_input: bool) -> Any:
        """Returns the variant of a value, or a vector with the variants of its rows."""
        self._refuse_own_values()
        is_ragged = isinstance(value, RaggedFactories)
        if self._ragged_rank > 0 and not is_ragged:
            raise ValueError(
                f"Expected a RaggedTensor if ragged rank={self._ragged_rank} but got {type(value).__name__}."
            )
        if is_ragged and value.ragged_rank != self._ragged_rank:
            raise ValueError(
                f"Ragged rank of value {value.ragged_rank} does not match ragged rank of type {self._ragged_rank}."
            )
        values, *splits = self._to_components(value if is_ragged else convert_to_tensor(value, self._dtype))
        with name_scope(None, "RaggedToVariant"):
            return raw.RaggedTensorToVariant(
                rt_nested_splits=splits, rt_dense_values=values, batched_input=batched_input
            )

    def _from_compatible_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        """Makes the value that a variant, or a tensor of variants, holds."""
        self._refuse_own_values()
        with name_scope(None, "RaggedFromVariant"):
            splits, values = raw.RaggedTensorFromVariant(
                encoded_ragged=tensor_list[0],
                input_ragged_rank=-1,
                output_ragged_rank=max(self._ragged_rank, 0),
                Tvalues=self._dtype,
                Tsplits=self._row_splits_dtype,
            )
        if self._ragged_rank > 0:
            values = _with_shape(values, self._component_specs[0].shape)
        return self._from_components([values, *splits])

    # --- batches -----------------------------------------------------------------------------------------------------

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        self._refuse_own_values()
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        self._refuse_own_values()
        return RaggedTensorSpec(self._shape[1:], self._dtype, self._ragged_rank - 1, self._row_splits_dtype)

    def _refuse_own_values(self) -> None:
        if self._flat_values_spec is not None:
            raise ValueError("Customized value_type is not supported.")

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        return self._shape

    def _to_legacy_output_classes(self) -> RaggedTensorSpec:
        return self


def _values_dtype(dtype: object, flat_values_spec: Any) -> DType:
    if flat_values_spec is None:
        if dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        return as_dtype(dtype)
    if dtype is not None and as_dtype(dtype) is not flat_values_spec.dtype:
        raise ValueError("dtype must be the same as flat_values_spec.dtype")
    own_dtype: DType = flat_values_spec.dtype
    return own_dtype


def _known_ragged_rank(ragged_rank: object, rank: int | None) -> int:
    if ragged_rank is None:
        if rank is None:
            raise ValueError("Must specify ragged_rank or a shape with a known rank.")
        return rank - 1
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if rank is not None and ragged_rank >= rank:
        raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
    return ragged_rank


def _with_shape(tensor: Any, shape: TensorShape) -> Any:
    """Returns a tensor of which a shape is known.

    Raises: ValueError: if the tensor is known to have another shape.
    """
    if tensor.shape.is_subtype_of(shape):
        return tensor
    if not isinstance(tensor, EagerTensor):
        tensor = raw.Identity(input=tensor)
    tensor.set_shape(shape)
    return tensor
