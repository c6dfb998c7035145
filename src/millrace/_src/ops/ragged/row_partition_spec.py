"""`RowPartitionSpec`: what is known of a partition that does not exist yet.

Three sizes and a dtype. Where two of the sizes determine the third, the spec knows all three.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import TypeSpec
from millrace._src.core.wire_forms import wire_form
from millrace._src.util.class_homes import tensorflow_home


@wire_form("ROW_PARTITION_SPEC")
@tensorflow_home("python.ops.ragged.row_partition")
class RowPartitionSpec(TypeSpec):
    """The type of a `tf.experimental.RowPartition`.

    >>> from millrace._src.ops.ragged.row_partition_spec import RowPartitionSpec
    >>> RowPartitionSpec(nrows=3, uniform_row_length=2)
    RowPartitionSpec(nrows=3, nvals=6, uniform_row_length=2, dtype=tf.int64)
    """

    __slots__ = ("_nrows", "_nvals", "_uniform_row_length", "_dtype")

    partition_class: type[CompositeTensor]
    """`RowPartition`, which sets the attribute: its module imports this one."""

    def __init__(
        self, nrows: Any = None, nvals: Any = None, uniform_row_length: Any = None, dtype: object = int64
    ) -> None:
        """Creates the spec.

        Args:
          nrows: the number of rows: an int, a TensorShape of rank one, or None.
          nvals: the number of values, likewise.
          uniform_row_length: the length of all rows, likewise.
          dtype: int32 or int64.

        Raises: ValueError: if the sizes contradict each other, or the dtype is another.
        """
        self._dtype = as_dtype(dtype)
        if self._dtype not in (int32, int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        rows, values, length = _size(nrows), _size(nvals), _size(uniform_row_length)
        _refuse_contradiction(rows, values, length)
        if length is not None:
            if rows is not None:
                values = rows * length
            elif values is not None and length:
                rows = values // length
        self._nrows, self._nvals, self._uniform_row_length = (TensorShape([n]) for n in (rows, values, length))

    @property
    def value_type(self) -> type:
        """`RowPartition`."""
        return self.partition_class

    @property
    def nrows(self) -> int | None:
        """The number of rows, None if unknown."""
        return self._nrows[0]

    @property
    def nvals(self) -> int | None:
        """The number of values, None if unknown."""
        return self._nvals[0]

    @property
    def uniform_row_length(self) -> int | None:
        """The length of all rows, None if unknown or not uniform."""
        return self._uniform_row_length[0]

    @property
    def dtype(self) -> DType:
        """The dtype of the row splits."""
        return self._dtype

    @classmethod
    def from_value(cls, value: Any) -> RowPartitionSpec:
        """Returns the spec of a partition."""
        return cls(value.static_nrows, value.static_nvals, value.static_uniform_row_length, value.dtype)

    def with_dtype(self, dtype: DTypeLike) -> RowPartitionSpec:
        """Returns the spec with another dtype."""
        return RowPartitionSpec(self.nrows, self.nvals, self.uniform_row_length, dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._nrows, self._nvals, self._uniform_row_length, self._dtype

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec([None if self.nrows is None else self.nrows + 1], self._dtype)

    def _to_components(self, value: Any) -> Any:
        return value.row_splits()

    def _from_components(self, components: object) -> Any:
        partition: Any = self.partition_class
        return partition._of(components)._merge_with_spec(self)

    def _merge_with(self, other: RowPartitionSpec) -> RowPartitionSpec:
        """Returns the spec that knows what either spec knows.

        Raises: ValueError: if the specs contradict each other.
        """
        return RowPartitionSpec(
            self._nrows.merge_with(other._nrows)[0],
            self._nvals.merge_with(other._nvals)[0],
            self._uniform_row_length.merge_with(other._uniform_row_length)[0],
            self._dtype,
        )

    def __repr__(self) -> str:
        sizes = f"nrows={self.nrows}, nvals={self.nvals}, uniform_row_length={self.uniform_row_length}"
        return f"RowPartitionSpec({sizes}, dtype={self._dtype!r})"


def _size(size: object) -> int | None:
    shape = size if isinstance(size, TensorShape) else TensorShape([size])
    return shape.with_rank(1)[0]


def _refuse_contradiction(rows: int | None, values: int | None, length: int | None) -> None:
    if values is None or length is None:
        return
    if rows is not None:
        if rows * length != values:
            raise ValueError(f"nvals={values} is not compatible with nrows={rows} and uniform_row_length={length}")
    elif length and values % length:
        raise ValueError(f"nvals={values} is not compatible with uniform_row_length={length} (doesn't divide evenly)")
