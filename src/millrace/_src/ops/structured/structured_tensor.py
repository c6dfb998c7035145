"""`tf.experimental.StructuredTensor`: a tensor whose elements are dictionaries.

Problem: an event has a time, a user with a name and an age, and any number of items, each with a price. A batch of
events is a nest of records of unequal number.

Idea: a structured tensor of shape `[D1 ... Dn]` keeps one tensor for each field, whose outer dimensions are
`[D1 ... Dn]` too: the fields of all records together, ready for any op. A field may be a structured tensor again. The
shape is kept beside the fields, as a `DynamicRaggedShape` with a partition for each dimension but the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.context import state
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.extension_types.batching import BatchableExtensionType
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.ragged.dynamic_ragged_shape import DynamicRaggedShape
from millrace._src.ops.ragged.ragged_dims import known_axis, merge_dims
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.ops.structured.field_shapes import (
    common_dtype,
    common_shape,
    given_shape,
    merged_shape,
    ragged_rank_of,
    sliced_shape,
    validate_fields,
)
from millrace._src.ops.structured.field_updates import update_fields
from millrace._src.ops.structured.python_values import PythonValues, nested_dictionaries
from millrace._src.ops.structured.structured_spec import StructuredTensorSpec
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

Name = Union[str, Sequence[str]]  # noqa: UP007  # as an attribute of an extension type, `X | Y` would be a field


@export("experimental.StructuredTensor")
@tensorflow_home("python.ops.structured.structured_tensor")
class StructuredTensor(PythonValues, BatchableExtensionType):
    """A multidimensional collection of structures with the same fields.

    >>> events = tf.experimental.StructuredTensor.from_pyval([
    ...     {"user": "ann", "prices": [2.5, 4.0]},
    ...     {"user": "bob", "prices": []}])
    >>> events.shape, events.field_names()
    (TensorShape([2]), ('user', 'prices'))
    >>> tf.reduce_sum(events.field_value("prices"), axis=1).numpy()
    array([6.5, 0. ], dtype=float32)
    >>> events[0].to_pyval()["user"]
    b'ann'

    Args:
      fields: a dictionary from names to Tensors, RaggedTensors and StructuredTensors.
      ragged_shape: the shape of the collection, which the shapes of the fields begin with.

    Use `from_fields` or `from_pyval` where the shape is to be found in the fields.
    """

    _fields: Mapping[str, Tensor | RaggedTensor | StructuredTensor]
    _ragged_shape: DynamicRaggedShape

    __name__ = "tf.StructuredTensor"
    FieldName = Name
    Spec = StructuredTensorSpec

    def __init__(self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape) -> None:
        self._fields = fields
        self._ragged_shape = ragged_shape

    # --- factories ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_fields(
        cls,
        fields: Mapping[str, Any],
        shape: ShapeLike = (),
        nrows: TensorLike | None = None,
        row_partitions: Sequence[RowPartition] | None = None,
        validate: bool = False,
    ) -> StructuredTensor:
        """Makes a structured tensor of its fields.

        >>> tf.experimental.StructuredTensor.from_fields({"x": [1, 2]}, shape=[2]).to_pyval()
        [{'x': 1}, {'x': 2}]

        Args:
          fields: a dictionary from names to Tensors, RaggedTensors and StructuredTensors; the shape of each begins with
            the shape of the result.
          shape: what is known of the shape: a `tf.TensorShape` of known rank.
          nrows: the size of the first dimension, if there are no fields to tell; a scalar.
          row_partitions: the partitions of the other dimensions, if there are no fields to tell.
          validate: whether to check, also in a graph, that the shapes agree.

        Raises:
          TypeError: if `fields` is not a dictionary, or a name or value is of another type.
          ValueError: if a name is not allowed, or shapes disagree or are not known.
        """
        values = validate_fields(fields, StructuredTensor)
        dtype = common_dtype(values.values(), row_partitions)
        values = {name: _with_dtype(value, dtype) for name, value in values.items()}
        ragged_shape = given_shape(shape, nrows, row_partitions, dtype, has_fields=bool(values))
        rank = TensorShape(shape).rank or 0
        return cls(values, common_shape(values, rank, ragged_shape, TensorShape(shape), dtype, validate))

    @classmethod
    def from_fields_and_rank(
        cls, fields: Mapping[str, Any], rank: int, validate: bool = False, dtype: DType | None = None
    ) -> StructuredTensor:
        """Makes a structured tensor of its fields, of which the first `rank` dimensions are the shape.

        Args:
          fields: as for `from_fields`; at least one.
          rank: the number of dimensions of the result.
          validate: whether to check, also in a graph, that the shapes agree.
          dtype: the dtype of the sizes, int32 or int64; by default that of the row splits.

        Raises: ValueError: if there are no fields, `rank` is negative or too large, or shapes disagree.
        """
        if not fields:
            raise ValueError("Must provide at least one field")
        if rank < 0:
            raise ValueError("rank must be nonnegative")
        values = validate_fields(fields, StructuredTensor)
        dtype = common_dtype(values.values(), None) if dtype is None else dtype
        values = {name: _with_dtype(value, dtype) for name, value in values.items()}
        return cls(values, common_shape(values, rank, None, TensorShape([None] * rank), dtype, validate))

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Makes a structured tensor without fields.

        Raises: TypeError: if `ragged_shape` is not a `tf.experimental.DynamicRaggedShape`.
        """
        if isinstance(ragged_shape, DynamicRaggedShape):
            ragged_shape = ragged_shape._with_num_row_partitions(max((ragged_shape.rank or 0) - 1, 0))
        return cls({}, ragged_shape)

    # --- facts -------------------------------------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        rank = self._ragged_shape.rank
        assert rank is not None, "a structured tensor is only made with a known rank"
        return rank

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape, with None for ragged dimensions."""
        return self._ragged_shape._to_tensor_shape()

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """A `tf.experimental.RowPartition` for each dimension but the first."""
        return self._ragged_shape._as_row_partitions()

    def nrows(self) -> Any:
        """Returns the size of the first dimension, an integer scalar; None for a single structure."""
        return self._ragged_shape._dimension(0) if self.rank else None

    def field_names(self) -> tuple[str, ...]:
        """Returns the names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name: Name) -> Any:
        """Returns the values of a field of all structures: a Tensor, RaggedTensor or StructuredTensor.

        >>> st = tf.experimental.StructuredTensor.from_pyval([{"a": {"b": 1}}, {"a": {"b": 2}}])
        >>> st.field_value(("a", "b")).numpy()
        array([1, 2], dtype=int32)

        Args: field_name: the name of a field, or a path of names that goes through structured fields.
        Raises: KeyError: if there is no such field.
        """
        path = field_name if isinstance(field_name, (list, tuple)) else (field_name,)
        value: Any = self
        for name in path:
            if not isinstance(value, StructuredTensor):
                raise KeyError(f"Field path {tuple(path)} not found in {self}")
            value = value._fields[name]
        return value

    # --- other shapes ------------------------------------------------------------------------------------------------

    def partition_outer_dimension(self, row_partition: RowPartition) -> StructuredTensor:
        """Splits the first dimension into rows.

        >>> st = tf.experimental.StructuredTensor.from_pyval([{"x": 1}, {"x": 2}, {"x": 3}])
        >>> st.partition_outer_dimension(tf.experimental.RowPartition.from_row_lengths([2, 0, 1])).to_pyval()
        [[{'x': 1}, {'x': 2}], [], [{'x': 3}]]

        Args: row_partition: the rows, a `tf.experimental.RowPartition`.
        Raises:
          TypeError: if `row_partition` is not a partition.
          ValueError: if this is a single structure.
          tf.errors.InvalidArgumentError: if the partition has more or fewer values than there are structures.
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError("row_partition must be a RowPartition.")
        if self.rank == 0:
            raise ValueError("Shape () must have rank at least 1")
        if row_partition.dtype is not self._ragged_shape.dtype:
            return self.with_shape_dtype(int64).partition_outer_dimension(row_partition.with_dtype(int64))

        def partitioned(value: object) -> Any:
            if isinstance(value, StructuredTensor):
                return value.partition_outer_dimension(row_partition)
            return RaggedTensor._from_row_partition(value, row_partition)

        partitions = [row_partition, *self.row_partitions]
        return self._with(partitioned, DynamicRaggedShape.from_row_partitions(partitions))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """Merges neighbouring dimensions into one.

        >>> st = tf.experimental.StructuredTensor.from_pyval([[{"x": 1}, {"x": 2}], [], [{"x": 3}]])
        >>> st.merge_dims(0, 1).to_pyval()
        [{'x': 1}, {'x': 2}, {'x': 3}]

        Args:
          outer_axis: the first of the dimensions; may be negative.
          inner_axis: the last of the dimensions; may be negative.

        Raises: ValueError: if there is no such dimension, or the last comes before the first.
        """
        outer = known_axis(outer_axis, self.rank, "outer_axis")
        inner = known_axis(inner_axis, self.rank, "inner_axis")
        if outer > inner:
            raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner})")
        if outer == inner:
            return self

        def merged(value: Any) -> Any:
            is_structured = isinstance(value, StructuredTensor)
            return value.merge_dims(outer, inner) if is_structured else merge_dims(value, outer, inner)

        return self._with(merged, merged_shape(self.row_partitions, outer, inner))

    def with_shape_dtype(self, dtype: DType) -> StructuredTensor:
        """Returns the structured tensor with row splits and sizes of another dtype, int32 or int64."""
        return self._with(lambda value: _with_dtype(value, dtype), self._ragged_shape.with_dtype(dtype))

    def _with(self, function: Callable[[Any], Any], ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Returns a structured tensor of another shape, with a function applied to each field."""
        return StructuredTensor({name: function(value) for name, value in self._fields.items()}, ragged_shape)

    # --- other fields ------------------------------------------------------------------------------------------------

    def with_updates(self, updates: Mapping[Name, Any], validate: bool = False) -> StructuredTensor:
        """Returns the structured tensor with fields set, computed anew, or left out.

        >>> st = tf.experimental.StructuredTensor.from_pyval([{"a": 1, "b": 2}, {"a": 3, "b": 4}])
        >>> st.with_updates({"a": lambda a: a * 10, "b": None, "c": [5, 6]}).to_pyval()
        [{'a': 10, 'c': 5}, {'a': 30, 'c': 6}]

        Args:
          updates: a dictionary from names, or paths of names, to values; a function takes the old value of the field;
            None leaves the field out.
          validate: whether to check, also in a graph, that the shapes agree.

        Raises: ValueError: if a path does not exist, one path lies within another, or a shape does not fit.
        """
        fields = update_fields(self, updates, validate)
        try:
            return StructuredTensor.from_fields(fields, self.shape, self.nrows(), self.row_partitions, validate)
        except (TypeError, ValueError) as error:
            raise ValueError("`StructuredTensor.with_updates` failed") from error

    def promote(self, source_path: Sequence[str], new_name: str) -> StructuredTensor:
        """Copies a field to the structure above the one that holds it; the values of one structure above make one row.

        >>> st = tf.experimental.StructuredTensor.from_pyval([{"docs": [{"words": [1, 2]}, {"words": [3]}]}])
        >>> st.promote(("docs", "words"), "all_words").field_value("all_words")
        <tf.RaggedTensor [[1, 2, 3]]>

        Args:
          source_path: the path of the field, at least two names.
          new_name: the name of the new field, beside the structure that holds the old one.

        Raises:
          ValueError: if `source_path` or `new_name` is of another form.
          KeyError: if there is no such field.
        """
        if not isinstance(new_name, str):
            raise ValueError("new_name is not a string")
        if not isinstance(source_path, (list, tuple)):
            raise ValueError("source_path must be a list or tuple")
        if len(source_path) < 2:
            raise ValueError("source_path must have length at least two")
        grandparent, parent = self.field_value(source_path[:-2]), self.field_value(source_path[:-1])
        value = self.field_value(source_path)
        inner_axis = min(parent.rank, ragged_rank_of(value) - 1)
        if inner_axis > grandparent.rank:
            is_structured = isinstance(value, StructuredTensor)
            merge = value.merge_dims if is_structured else lambda outer, inner: merge_dims(value, outer, inner)
            value = merge(grandparent.rank, inner_axis)
        return self.with_updates({(*source_path[:-2], new_name): value})

    # --- items -------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: object) -> Any:
        """Returns some of the structures, or a part of one of the fields.

        >>> st = tf.experimental.StructuredTensor.from_pyval([{"x": [1, 2]}, {"x": [3]}])
        >>> st[1, "x"].numpy(), st[:, "x"]
        (array([3], dtype=int32), <tf.RaggedTensor [[1, 2], [3]]>)

        Args: key: for each dimension an int, a scalar tensor or a slice; then the name of a field; then an index into
          the values of that field.
        Returns: A StructuredTensor, or with the name of a field what `field_value` returns.
        Raises:
          ValueError: if something else stands where the name of a field belongs.
          KeyError: if there is no such field.
        """
        keys = key if isinstance(key, tuple) else (key,)
        if not keys:
            return self
        return self._items(keys) if self.rank else self._field_items(keys)

    def _field_items(self, keys: tuple[Any, ...]) -> Any:
        """Returns a part of a single structure."""
        name, *others = keys
        if isinstance(name, slice) and name == slice(None):
            return self[tuple(others)] if others else self
        if not isinstance(name, str):
            raise ValueError("Key for indexing a StructuredTensor must be a string or a full slice (':')")
        value = self.field_value(name)
        return value[tuple(others)] if others else value

    def _items(self, keys: tuple[Any, ...]) -> Any:
        for refused, name in ((None, "tf.newaxis"), (Ellipsis, "Ellipsis")):
            if keys[0] is refused:
                raise ValueError(f"Slicing not supported for {name}")
        outer, inner = keys[: self.rank], keys[self.rank :]
        if inner:
            if not isinstance(inner[0], str):
                raise ValueError("Key for indexing a StructuredTensor must be a string")
            return self.field_value(inner[0])[outer + inner[1:]]
        if not self._fields:
            return StructuredTensor.from_shape(sliced_shape(self._ragged_shape, outer))
        fields = {name: value[outer] for name, value in self._fields.items()}
        rank = self.rank - sum(not isinstance(k, slice) for k in outer)
        return StructuredTensor.from_fields_and_rank(fields, rank, dtype=self._ragged_shape.dtype)

    def __iter__(self) -> Iterator[Any]:
        """Yields the structures along the first dimension.

        Raises: ValueError: if this is a single structure, or the number of structures is not known while tracing.
        """
        if self.rank == 0:
            raise ValueError("Key for indexing a StructuredTensor must be a string or a full slice (':')")
        count = self.shape[0]
        if count is None:
            raise ValueError("Cannot iterate over a StructuredTensor with an unknown number of rows.")
        return (self[i] for i in range(count))

    # --- Python ------------------------------------------------------------------------------------------------------

    def to_pyval(self) -> Any:
        """Returns the structures as nested lists of dictionaries; a single structure as a dictionary.

        >>> tf.experimental.StructuredTensor.from_pyval({"a": [1, 2], "b": {"c": "x"}}).to_pyval()
        {'a': [1, 2], 'b': {'c': b'x'}}

        Raises: ValueError: in a graph.
        """
        if state.graph is not None:
            raise ValueError("StructuredTensor.to_pyval() is only supported in eager mode.")
        flat = self.merge_dims(0, self.rank - 1) if self.rank > 1 else self
        values = {name: _field_pyval(value) for name, value in flat._fields.items()}
        if self.rank == 0:
            return values
        return nested_dictionaries(values, int(flat.nrows()), self.row_partitions)

    def __repr__(self) -> str:
        indent = "\n" + 12 * " "
        fields = sorted(self._fields.items())
        shown = ",\n        ".join(f'"{name}": {value!s}'.replace("\n", indent) for name, value in fields)
        return f"<StructuredTensor(\n    fields={{\n        {shown}}},\n    shape={self.shape})>"


def _with_dtype(value: object, dtype: DType) -> Any:
    """Returns a field with row splits of a dtype."""
    if isinstance(value, StructuredTensor):
        return value if value._ragged_shape.dtype is dtype else value.with_shape_dtype(dtype)
    return value.with_row_splits_dtype(dtype) if isinstance(value, RaggedTensor) else value


def _field_pyval(value: Any) -> Any:
    if isinstance(value, StructuredTensor):
        return value.to_pyval()
    if isinstance(value, RaggedTensor):
        return value.to_list()
    array = value.numpy()
    return array.tolist() if value.shape.rank else array
