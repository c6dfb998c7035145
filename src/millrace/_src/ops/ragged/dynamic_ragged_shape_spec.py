"""`DynamicRaggedShape.Spec`: what is known of a ragged shape that does not exist yet."""

from __future__ import annotations

from typing import Any

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import TypeSpec
from millrace._src.ops.ragged.row_partition_spec import RowPartitionSpec
from millrace._src.util.class_homes import tensorflow_home


@tensorflow_home("python.ops.ragged.dynamic_ragged_shape")
class DynamicRaggedShapeSpec(TypeSpec):
    """The type of a `tf.experimental.DynamicRaggedShape`.

    >>> tf.experimental.DynamicRaggedShape.Spec(row_partitions=[], static_inner_shape=[2, None], dtype=tf.int64).rank
    2
    """

    __slots__ = ("_row_partitions", "_static_inner_shape", "_dtype")
    __qualname__ = "DynamicRaggedShape.Spec"

    shape_class: type[CompositeTensor]
    """`DynamicRaggedShape`, which sets the attribute: its module imports this one."""

    def __init__(self, row_partitions: Any, static_inner_shape: Any, dtype: Any) -> None:
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
        self._static_inner_shape = TensorShape(static_inner_shape)
        self._dtype = as_dtype(dtype)
        if self._dtype not in (int32, int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")

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

    def with_dtype(self, dtype: Any) -> DynamicRaggedShapeSpec:
        """Returns the spec with another dtype."""
        partitions = [partition.with_dtype(dtype) for partition in self._row_partitions]
        return DynamicRaggedShapeSpec(partitions, self._static_inner_shape, dtype)

    @classmethod
    def _from_tensor_shape(cls, shape: Any, num_row_partitions: int, dtype: Any) -> DynamicRaggedShapeSpec:
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
        return (*self._row_partitions, inner)

    def _to_components(self, value: Any) -> Any:
        return (*value.row_partitions, value.inner_shape)

    def _from_components(self, components: Any) -> Any:
        *partitions, inner_shape = components
        make: Any = self.shape_class
        return make(partitions, inner_shape, self._dtype, static_inner_shape=self._static_inner_shape)

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self._dtype!r})"
        )
