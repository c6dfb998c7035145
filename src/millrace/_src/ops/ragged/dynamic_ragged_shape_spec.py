"""`DynamicRaggedShape.Spec`: what is known of a ragged shape that does not exist yet.

The values of one partition are the rows of the next, and those of the last are the first inner dimension. So what one
part of a spec knows, its neighbours know too.

Shapes are stacked, as elements of datasets are, in the form of tensors of these shapes whose elements are empty rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int8, int32, int64
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import BatchableTypeSpec
from millrace._src.ops import raw
from millrace._src.ops.ragged.ragged_spec import RaggedTensorSpec
from millrace._src.ops.ragged.row_partition_spec import RowPartitionSpec
from millrace._src.util.class_homes import tensorflow_home


@tensorflow_home("python.ops.ragged.dynamic_ragged_shape")
class DynamicRaggedShapeSpec(BatchableTypeSpec):
    """The type of a `tf.experimental.DynamicRaggedShape`.

    >>> tf.experimental.DynamicRaggedShape.Spec(row_partitions=[], static_inner_shape=[2, None], dtype=tf.int64).rank
    2
    """

    __slots__ = ("_row_partitions", "_static_inner_shape", "_dtype")

    shape_class: type[CompositeTensor]
    """`DynamicRaggedShape`, which sets the attribute: its module imports this one."""

    def __init__(self, row_partitions: Any, static_inner_shape: Any, dtype: object) -> None:
        """Creates the spec.

        Args:
          row_partitions: the specs of the partitions, outermost first.
          static_inner_shape: what is known of the inner shape.
          dtype: int32 or int64.

        Raises:
          TypeError: if a partition's spec is none.
          ValueError: if the dtype is another.
        """
        self._row_partitions = tuple(row_partitions)
        for partition in self._row_partitions:
            if not isinstance(partition, RowPartitionSpec):
                raise TypeError(f"row_partitions contains {partition} which is not a RowPartitionSpec")
        self._dtype = as_dtype(dtype)
        if self._dtype not in (int32, int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        inner_shape = TensorShape(static_inner_shape)
        self._row_partitions, self._static_inner_shape = _align(self._row_partitions, inner_shape)

    @property
    def value_type(self) -> type:
        """`DynamicRaggedShape`."""
        return self.shape_class

    @property
    def dtype(self) -> DType:
        """The dtype of the row splits and of the inner shape."""
        return self._dtype

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self._row_partitions)

    @property
    def inner_rank(self) -> int | None:
        """The number of elements of the inner shape, None if unknown."""
        return self._static_inner_shape.rank

    @property
    def rank(self) -> int | None:
        """The number of dimensions, None if unknown."""
        return None if self.inner_rank is None else self.inner_rank + self.num_row_partitions

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShapeSpec:
        """Returns the spec with another dtype."""
        partitions = [partition.with_dtype(dtype) for partition in self._row_partitions]
        return DynamicRaggedShapeSpec(partitions, self._static_inner_shape, dtype)

    @classmethod
    def _from_tensor_shape(cls, shape: ShapeLike, num_row_partitions: int, dtype: DTypeLike) -> DynamicRaggedShapeSpec:
        """Makes the spec of the shapes of tensors with a static shape, of which None is ragged or unknown."""
        shape = TensorShape(shape)
        if shape.rank is None:
            if num_row_partitions:
                raise ValueError("rank must be known to have row partitions")
            return cls((), shape, dtype)
        dims = shape.as_list()
        if num_row_partitions >= max(len(dims), 1):
            raise ValueError("num_row_partitions must be less than rank")
        partitions, nrows = [], dims[0] if dims else None
        for length in dims[1 : num_row_partitions + 1]:
            partitions.append(RowPartitionSpec(nrows=nrows, uniform_row_length=length, dtype=dtype))
            nrows = partitions[-1].nvals
        return cls(partitions, [nrows, *dims[num_row_partitions + 1 :]] if dims else [], dtype)

    def _to_tensor_shape(self) -> TensorShape:
        """Returns the static shape of tensors with such a shape."""
        if not self._row_partitions:
            return self._static_inner_shape
        lengths = [partition.uniform_row_length for partition in self._row_partitions]
        outer = TensorShape([self._row_partitions[0].nrows, *lengths])
        return outer.concatenate(self._static_inner_shape[1:])

    def _serialize(self) -> Any:
        return self._row_partitions, self._static_inner_shape, self._dtype

    @property
    def _component_specs(self) -> Any:
        inner = TensorSpec([self._static_inner_shape.rank], self._dtype)
        return (inner, *self._row_partitions)

    def _to_components(self, value: Any) -> Any:
        return (value.inner_shape, *value.row_partitions)

    def _from_components(self, components: Any) -> Any:
        inner_shape, *partitions = components
        make: Any = self.shape_class
        return make(partitions, inner_shape, self._dtype, static_inner_shape=self._static_inner_shape)

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self._dtype!r})"
        )

    # --- batches -----------------------------------------------------------------------------------------------------

    def _batch(self, batch_size: int | None) -> DynamicRaggedShapeSpec:
        """Returns the spec of a batch of values, whose first dimension is the batch."""
        if not self._row_partitions:
            return DynamicRaggedShapeSpec(
                (), TensorShape([batch_size]).concatenate(self._static_inner_shape), self._dtype
            )
        rows = self._row_partitions[0].nrows
        outer = RowPartitionSpec(nrows=batch_size, uniform_row_length=rows, dtype=self._dtype)
        repeated = [
            RowPartitionSpec(
                _product(batch_size, p.nrows), _product(batch_size, p.nvals), p.uniform_row_length, self._dtype
            )
            for p in self._row_partitions
        ]
        first, *others = self._static_inner_shape.as_list()
        return DynamicRaggedShapeSpec([outer, *repeated], [_product(batch_size, first), *others], self._dtype)

    def _unbatch(self) -> DynamicRaggedShapeSpec:
        """Returns the spec of one value of a batch.

        Raises: ValueError: if there is no first dimension.
        """
        if self.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        if not self._row_partitions:
            return DynamicRaggedShapeSpec((), self._static_inner_shape[1:], self._dtype)
        outer, *others = self._row_partitions
        rows = outer.uniform_row_length
        partitions = []
        for partition in others:
            partitions.append(RowPartitionSpec(rows, None, partition.uniform_row_length, self._dtype))
            rows = partitions[-1].nvals
        return DynamicRaggedShapeSpec(partitions, [rows, *self._static_inner_shape.as_list()[1:]], self._dtype)

    @property
    def _stacked_spec(self) -> RaggedTensorSpec:
        """The spec of the tensors that represent shapes in a stack: those of the shapes, with rows of no elements."""
        shape = self._to_tensor_shape()
        may_differ = [axis for axis, dim in enumerate(shape.as_list()) if dim is None]
        partitions = max([self.num_row_partitions, *may_differ])
        return RaggedTensorSpec(shape.concatenate([0]), int8, partitions, self._dtype)

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return self._stacked_spec._flat_tensor_specs

    def _to_tensor_list(self, value: Any) -> list[Any]:
        spec = self._stacked_spec
        return spec._to_tensor_list(_tensor_of_shape(value, spec._ragged_rank))

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        spec = self._stacked_spec
        return spec._to_batched_tensor_list(_tensor_of_shape(value, spec._ragged_rank))

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        make: Any = self.shape_class
        stacked = make.from_tensor(self._stacked_spec._from_compatible_tensor_list(tensor_list), dtype=self._dtype)
        return stacked[: stacked.rank - 1]


def _tensor_of_shape(shape: Any, ragged_rank: int) -> Any:
    """Returns a tensor of a shape whose elements are rows of no elements."""
    shape = shape._with_num_row_partitions(max(ragged_rank, shape.num_row_partitions))
    sizes = raw.ConcatV2(values=[shape.inner_shape, raw.Cast(x=[0], DstT=shape.dtype)], axis=0)
    return shape._add_row_partitions(raw.Fill(dims=sizes, value=convert_to_tensor(0, dtype=int8)))


def _product(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a * b


def _align(
    partitions: Sequence[RowPartitionSpec], inner_shape: TensorShape
) -> tuple[tuple[RowPartitionSpec, ...], TensorShape]:
    """Returns the parts of a spec with what their neighbours know.

    Raises: ValueError: if two neighbours contradict each other.
    """
    known = list(partitions)
    for i in range(len(known) - 1):  # from the outermost in: the values of one are the rows of the next
        known[i + 1] = known[i + 1]._merge_with(RowPartitionSpec(nrows=known[i].nvals, dtype=known[i].dtype))
    values = inner_shape[0] if known and inner_shape.rank else None
    for i in reversed(range(len(known))):  # and back
        known[i] = known[i]._merge_with(RowPartitionSpec(nvals=values, dtype=known[i].dtype))
        values = known[i].nrows
    if not known or not inner_shape.rank:
        return tuple(known), inner_shape
    return tuple(known), TensorShape([known[-1].nvals, *inner_shape.as_list()[1:]])


DynamicRaggedShapeSpec.__name__ = "DynamicRaggedShape.Spec"  # pickle finds the class by __qualname__
