"""The type of structured tensors: the specs of the fields, and what is known of the shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.core.dtypes import int32, int64
from millrace._src.core.extension_types.batching import BatchableExtensionTypeSpec
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.ragged.dynamic_ragged_shape_spec import DynamicRaggedShapeSpec
from millrace._src.ops.ragged.ragged_spec import RaggedTensorSpec


class StructuredTensorSpec(BatchableExtensionTypeSpec):
    """The type of a `tf.experimental.StructuredTensor`."""

    _fields: Mapping[str, Any]
    _ragged_shape: DynamicRaggedShapeSpec

    @classmethod
    def _from_shape(cls, shape: DynamicRaggedShapeSpec) -> Any:
        """Returns the spec of structured tensors without fields."""
        return cls(_fields={}, _ragged_shape=shape)  # type: ignore[call-arg]  # the generated constructor takes the fields

    @classmethod
    def _from_fields_and_rank(cls, fields: Mapping[str, Any], rank: int) -> Any:
        """Returns the spec of structured tensors with fields of given specs."""
        if not fields:
            raise ValueError("Must provide at least one field")
        shape = TensorShape(None)
        for spec in fields.values():
            shape = shape.merge_with(spec.shape[:rank])
        dtypes = {spec._row_splits_dtype for spec in fields.values() if isinstance(spec, RaggedTensorSpec)}
        dtype = int32 if dtypes == {int32} else int64
        ragged_shape = DynamicRaggedShapeSpec._from_tensor_shape(shape, max(rank - 1, 0), dtype)
        return cls(_fields=fields, _ragged_shape=ragged_shape)  # type: ignore[call-arg]  # as above

    @property
    def _field_specs(self) -> Mapping[str, Any]:
        """The specs of the fields."""
        return self._fields

    @property
    def _shape(self) -> TensorShape:
        return self.shape

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._ragged_shape._to_tensor_shape()

    @property
    def rank(self) -> int | None:
        """The number of dimensions."""
        return self._ragged_shape.rank
