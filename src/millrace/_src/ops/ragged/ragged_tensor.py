"""`tf.RaggedTensor`: a tensor with rows of different lengths.

Problem: sentences, sets of tags, and events of a user differ in number from one example to the next; padding wastes
memory and makes every op care for the padding.

Idea: the rows lie end to end in one tensor, `values`; a `RowPartition` says where each row begins. The values may be
ragged again: a ragged tensor of ragged rank `k` is one dense tensor, `flat_values`, and `k` partitions. Ops
that work element by element never see more than the flat values. The parts of the class stand in files of their own:
the factories (`ragged_factories`, `ragged_conversions`), the operators (`ragged_operators`), `[]` (`ragged_getitem`).
"""

from __future__ import annotations

from typing import Any, NoReturn

from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.composite_gradients import WithValuesCompositeTensorGradient
from millrace._src.core.context import in_plain_graph, name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.overloads import switch_on
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged import ragged_dims
from millrace._src.ops.ragged.ragged_conversions import RaggedConversions
from millrace._src.ops.ragged.ragged_factories import RaggedFactories
from millrace._src.ops.ragged.ragged_getitem import ragged_getitem
from millrace._src.ops.ragged.ragged_operators import RaggedOperators
from millrace._src.ops.ragged.ragged_spec import RaggedTensorSpec
from millrace._src.ops.ragged.ragged_text import array_text, nested_arrays, nested_lists
from millrace._src.ops.ragged.ragged_value import RaggedTensorValue
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export("RaggedTensor")
@tensorflow_home("python.ops.ragged.ragged_tensor")
class RaggedTensor(RaggedFactories, RaggedConversions, RaggedOperators, CompositeTensor):
    """A tensor with one or more dimensions whose slices differ in length.

    >>> x = tf.ragged.constant([[3, 1, 4], [], [5, 9]])
    >>> x
    <tf.RaggedTensor [[3, 1, 4], [], [5, 9]]>
    >>> x.shape, x.values.numpy().tolist(), x.row_splits.numpy().tolist()
    (TensorShape([3, None]), [3, 1, 4, 5, 9], [0, 3, 3, 5])

    A ragged tensor is made by `tf.ragged.constant` or one of the factories: `from_row_splits`, `from_row_lengths`,
    `from_value_rowids`, `from_tensor` and so on.
    """

    __slots__ = ("_values", "_row_partition", "__dict__", "__weakref__")

    _stands_for_tensor = True
    _has_rows = True
    __composite_gradient__ = WithValuesCompositeTensorGradient()
    __array_priority__ = 100

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                "RaggedTensor.from_row_lengths())"
            )
        if not is_supported_value(values):
            raise TypeError(f"type(values) must be one of: {_supported_names()}, got {values}.")
        if not isinstance(row_partition, RowPartition):
            raise TypeError(f"Argument `row_partition` must be a RowPartition. Received {row_partition}.")
        values.shape.with_rank_at_least(1)
        if isinstance(values, RaggedTensor) and values._row_partition.dtype is not row_partition.dtype:
            raise ValueError("values and row_partition must have the same row_splits dtype")
        self._values = values
        self._row_partition = row_partition
        if not _overloads_are_on:
            _switch_overloads_on()

    @classmethod
    def _of(cls, values: object, row_partition: RowPartition) -> RaggedTensor:
        return cls(values, row_partition, internal=True)

    @classmethod
    def _values_of(cls, values: object, name: str = "values") -> Any:
        return convert_to_tensor_or_ragged_tensor(values, name=name)

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        dtype: DType = self._values.dtype
        return dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape; ragged dimensions are None."""
        partition = self._row_partition
        outer = TensorShape([partition.static_nrows, partition.static_uniform_row_length])
        return outer.concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """Returns the static shape; the same as `shape`."""
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """The number of partitions: 1, and those of the values if the values are ragged."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def values(self) -> Any:
        """The rows end to end: a Tensor or RaggedTensor of one dimension less."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The innermost values: a Tensor."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def row_splits(self) -> Any:
        """Where the rows begin and end: an integer vector of size `nrows + 1`."""
        return self._row_partition.row_splits()

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows, a scalar; None where the rows may differ in length."""
        return self._row_partition.uniform_row_length()

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions, outermost first."""
        inner = self._values._nested_row_partitions if isinstance(self._values, RaggedTensor) else ()
        return (self._row_partition, *inner)

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all partitions, outermost first.

        >>> [splits.numpy().tolist() for splits in tf.ragged.constant([[[7]], [[8, 9], []]]).nested_row_splits]
        [[0, 1, 3], [0, 1, 3, 3]]
        """
        return tuple(partition.row_splits() for partition in self._nested_row_partitions)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the row lengths of all partitions, outermost first."""
        with name_scope(name, "RaggedNestedRowLengths"):
            return tuple(partition.row_lengths() for partition in self._nested_row_partitions)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """Returns the row numbers of the values for all partitions, outermost first."""
        with name_scope(name, "RaggedNestedValueRowIds"):
            return tuple(partition.value_rowids() for partition in self._nested_row_partitions)

    def value_rowids(self, name: str | None = None) -> Any:
        """Returns the row number of each of `values`, an integer vector.

        >>> tf.ragged.constant([[3, 1], [], [4]]).value_rowids().numpy()
        array([0, 0, 2])
        """
        with name_scope(name, "RaggedValueRowIds"):
            return self._row_partition.value_rowids()

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Any:
        """Returns the number of rows, a scalar of `out_type`: the dtype of the row splits if None."""
        with name_scope(name, "RaggedNRows"):
            nrows = self._row_partition.nrows()
            return nrows if out_type is None else cast(nrows, out_type)

    def row_starts(self, name: str | None = None) -> Any:
        """Returns the index in `values` where each row begins, an integer vector."""
        with name_scope(name, "RaggedRowStarts"):
            return self._row_partition.row_starts()

    def row_limits(self, name: str | None = None) -> Any:
        """Returns the index in `values` after the end of each row, an integer vector."""
        with name_scope(name, "RaggedRowLimits"):
            return self._row_partition.row_limits()

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Returns the lengths of the slices along an axis.

        >>> x = tf.ragged.constant([[[7], []], [[8, 9]]])
        >>> x.row_lengths().numpy(), x.row_lengths(axis=2)
        (array([2, 1]), <tf.RaggedTensor [[1, 0], [2]]>)

        Args:
          axis: the dimension; a negative number counts from the end.
          name: name of the scope in a graph.

        Returns: An integer tensor with `axis` dimensions, ragged where the dimensions before `axis` are.
        Raises: ValueError: if `axis` is out of range.
        """
        with name_scope(name, "RaggedRowLengths"):
            return ragged_dims.row_lengths(self, axis)

    def bounding_shape(
        self, axis: TensorLike | None = None, name: str | None = None, out_type: DTypeLike | None = None
    ) -> Any:
        """Returns the shape of the smallest dense tensor into which the ragged tensor fits.

        >>> tf.ragged.constant([[1, 2, 3], [4]]).bounding_shape().numpy()
        array([2, 3])

        Args:
          axis: None for the whole shape; an integer, or a vector of integers, for some of its dimensions.
          name: name of the scope in a graph.
          out_type: int32 or int64; the dtype of the row splits if None.

        Returns: An integer vector, or a scalar where `axis` is one.
        """
        out_type = self._row_partition.dtype if out_type is None else as_dtype(out_type)
        with name_scope(name, "RaggedBoundingBox"):
            return ragged_dims.bounding_shape(self, axis, out_type)

    # --- variations --------------------------------------------------------------------------------------------------

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Returns a ragged tensor with the same rows of other values.

        >>> tf.ragged.constant([[3, 1], [4]]).with_values(["a", "b", "c"])
        <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

        Raises: ValueError: if the number of values is known to differ.
        """
        new_values = convert_to_tensor_or_ragged_tensor(new_values, name="values")
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedTensor) and new_values._row_partition.dtype is not self._row_partition.dtype:
            raise ValueError(
                "self and new_values have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
                "convert them to compatible dtypes."
            )
        return RaggedTensor._of(new_values, self._row_partition)

    def with_flat_values(self, new_values: object) -> RaggedTensor:
        """Returns a ragged tensor with the same partitions of other innermost values.

        Raises: ValueError: if the number of values is known to differ.
        """
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: object) -> RaggedTensor:
        """Returns the ragged tensor with row splits of another dtype.

        Raises: ValueError: if `dtype` is neither int32 nor int64.
        """
        dtype = as_dtype(dtype)
        if dtype not in (int32, int64):
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {dtype!r}.")
        if dtype is self._row_partition.dtype:
            return self
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor._of(values, self._row_partition.with_dtype(dtype))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Returns the tensor with the dimensions from `outer_axis` to `inner_axis` merged into one.

        >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>

        Args:
          outer_axis: the first dimension; a negative number counts from the end.
          inner_axis: the last dimension, likewise.

        Returns: A RaggedTensor, or a Tensor where no ragged dimension is left.
        Raises: ValueError: if an axis is out of range, or `outer_axis` comes after `inner_axis`.
        """
        return ragged_dims.merge_dims(self, outer_axis, inner_axis)

    # --- Python's protocols ------------------------------------------------------------------------------------------

    def __getitem__(self, key: object) -> Any:
        """Returns the part of the ragged tensor that a key means; see `ragged_getitem`."""
        return ragged_getitem(self, key)

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        """Refuses: ragged tensors compare element-wise and cannot be keys, but in a plain graph, as tensors do."""
        if self.row_splits._is_of_plain_graph or in_plain_graph():
            return id(self)
        raise TypeError("RaggedTensor is unhashable.")

    def numpy(self) -> Any:
        """Returns an array of the rows: a plain one if all rows have one length, else an array of arrays.

        >>> tf.ragged.constant([[1, 2], [3]]).numpy()
        array([array([1, 2], dtype=int32), array([3], dtype=int32)], dtype=object)

        Raises: ValueError: in a graph.
        """
        if not self._is_eager():
            raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
        return nested_arrays(self._values.numpy(), self.row_splits.numpy())

    def to_list(self) -> list[Any]:
        """Returns the elements as nested Python lists.

        >>> tf.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]

        Raises: ValueError: in a graph.
        """
        if not self._is_eager():
            raise ValueError("to_list can only be used in eager mode.")
        return nested_lists(self.flat_values.numpy(), [splits.numpy() for splits in self.nested_row_splits])

    def _is_eager(self) -> bool:
        return all(isinstance(part, EagerTensor) for part in (self.flat_values, *self.nested_row_splits))

    def __repr__(self) -> str:
        if self._is_eager():
            return f"<tf.RaggedTensor {array_text(self.numpy())}>"
        return f"tf.RaggedTensor(values={self._values!s}, row_splits={self.row_splits!s})"

    def consumers(self) -> list[Any]:
        """Lists the operations of the graph that read a part of the ragged tensor; none in eager mode."""
        parts = (self.flat_values, *self.nested_row_splits)
        return [operation for part in parts if not isinstance(part, EagerTensor) for operation in part.consumers()]

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    def _set_shape(self, shape: ShapeLike) -> None:
        """Notes what is known of the static shape.

        Raises: ValueError: if the shapes are incompatible.
        """
        merged = self.shape.merge_with(as_shape(shape))
        if merged.rank is None:
            return
        spec = RaggedTensorSpec(merged, self.dtype, self.ragged_rank, self._row_partition.dtype)
        known = spec._from_components([self.flat_values, *self.nested_row_splits])
        self._values, self._row_partition = known._values, known._row_partition

    def _shape_invariant_to_type_spec(self, shape: ShapeLike) -> RaggedTensorSpec:
        """Returns the type of a loop variable of which only a shape is promised.

        Raises: ValueError: if the shape is of another rank.
        """
        return RaggedTensorSpec(as_shape(shape), self.dtype, self.ragged_rank, self._row_partition.dtype)


_overloads_are_on = False


def _switch_overloads_on() -> None:
    """Lets the public functions ask for the overloads of ragged tensors; called when the first one is made."""
    global _overloads_are_on
    switch_on(RaggedTensor)
    _overloads_are_on = True


_supported_values: list[type] = []
"""The classes of values beside tensors; see `add_supported_value_type`."""


def add_supported_value_type(cls: type) -> None:
    """Lets instances of a class, which has `shape` and `dtype`, be the values of a ragged tensor."""
    if cls not in _supported_values:
        _supported_values.append(cls)


def is_supported_value(value: object) -> bool:
    """Returns whether an object may be the values of a ragged tensor."""
    return isinstance(value, (Tensor, RaggedTensor, *_supported_values))


def _supported_names() -> str:
    return ", ".join(cls.__name__ for cls in (Tensor, RaggedTensor, *_supported_values))


def is_ragged(value: object) -> bool:
    """Returns whether a value is a ragged tensor, or a `RaggedTensorValue`."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Any:
    """Converts a value to a tensor, unless the value is a ragged tensor.

    Args:
      value: a RaggedTensor, a RaggedTensorValue, or what `tf.convert_to_tensor` takes.
      dtype: the dtype of the result; None takes the dtype of the value.
      preferred_dtype: a dtype to use where `value` allows it.
      name: name of the constant in a graph.

    Raises: ValueError: if a ragged tensor has another dtype than `dtype`.
    """
    if isinstance(value, RaggedTensor):
        if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {as_dtype(dtype).name} for RaggedTensor with dtype "
                f"{value.dtype.name}: {value}."
            )
        return value
    if isinstance(value, RaggedTensorValue):
        with name_scope(name, "ConvertToTensorOrRaggedTensor"):
            flat_values = convert_to_tensor(value.flat_values, dtype, preferred_dtype, name="flat_values")
            return RaggedTensor.from_nested_row_splits(flat_values, value.nested_row_splits, validate=False)
    if isinstance(value, tuple(_supported_values)):
        return value
    return convert_to_tensor(value, dtype, preferred_dtype, name)
