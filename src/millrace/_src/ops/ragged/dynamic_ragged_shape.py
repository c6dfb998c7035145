"""`tf.experimental.DynamicRaggedShape`: the shape of a dense or ragged tensor, as a value of a program.

The shape of a dense tensor is a vector. That of a ragged tensor is the row partitions of its ragged dimensions, and a
vector for the dense tensor of values within: the first element of `inner_shape` counts the rows of the innermost
partition's values. The shape of a dense tensor is the case without partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.overloads import switch_on
from millrace._src.core.shape_context import static_shape
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.broadcasting import ShapeParts, as_size, nest_partitions
from millrace._src.ops.ragged.dynamic_ragged_shape_spec import DynamicRaggedShapeSpec
from millrace._src.ops.ragged.partition_checks import check, depend_on_checks
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export("experimental.DynamicRaggedShape")
@tensorflow_home("python.ops.ragged.dynamic_ragged_shape")
class DynamicRaggedShape(CompositeTensor):
    """The shape of a dense or ragged tensor, known when the program runs.

    >>> shape = tf.experimental.DynamicRaggedShape.from_tensor(tf.ragged.constant([[1, 2], [3]]))
    >>> shape
    <DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>
    >>> tf.ones(shape)
    <tf.RaggedTensor [[1.0, 1.0], [1.0]]>

    `tf.zeros`, `tf.ones`, `tf.fill`, `tf.reshape`, `tf.broadcast_to` and `tf.broadcast_dynamic_shape` take such shapes.
    """

    __slots__ = ("_partitions", "_inner_shape", "_known_inner_shape", "__weakref__")
    __hash__ = None  # type: ignore[assignment]  # equality is a tensor

    Spec = DynamicRaggedShapeSpec

    def __init__(
        self,
        row_partitions: Iterable[RowPartition],
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: object = None,
    ) -> None:
        """Creates the shape.

        Args:
          row_partitions: the partitions of the ragged dimensions, outermost first.
          inner_shape: the shape of the values within the innermost partition, an integer vector.
          dtype: int32 or int64; None takes that of the partitions, or of `inner_shape`.
          validate: whether to check that the partitions and the inner shape fit.
          static_inner_shape: what is known of `inner_shape` while tracing.

        Raises:
          TypeError: if a partition is none.
          ValueError: if the dtype is neither int32 nor int64, or `inner_shape` is not a vector.
        """
        partitions = tuple(row_partitions)
        for partition in partitions:
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions contains {partition} which is not a RowPartition")
        dtype = _shape_dtype(partitions, inner_shape, dtype)
        self._partitions = tuple(partition.with_dtype(dtype) for partition in partitions)
        inner = convert_to_tensor(inner_shape, dtype_hint=dtype, name="inner_shape")
        inner.shape.assert_has_rank(1)
        self._inner_shape = cast(inner, dtype)
        self._known_inner_shape = static_shape(self._inner_shape).merge_with(TensorShape(static_inner_shape))
        if partitions and self._known_inner_shape.rank == 0:
            raise ValueError("If there are row partitions, `inner_shape` must have at least one element.")
        if validate:
            self._validate()
        _first_value()

    def _validate(self) -> None:
        """Makes the shape wait for checks that each partition ends where the next one begins."""
        counts = [partition.nrows() for partition in self._partitions[1:]]
        counts += [self._inner_shape[0]] if self._partitions else []
        checks = []
        for partition, count in zip(self._partitions, counts, strict=True):
            checks += check("==", partition.nvals(), count, "Row partitions do not match.")
        self._inner_shape = depend_on_checks(self._inner_shape, checks)

    # --- factories ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_lengths(
        cls, lengths: Sequence[Any], num_row_partitions: int | None = None, dtype: DTypeLike = int64
    ) -> DynamicRaggedShape:
        """Makes the shape with dimensions of these lengths: an int for a uniform dimension, a tuple for a ragged one.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2), 3])
        <DynamicRaggedShape lengths=[2, (1, 2), 3] num_row_partitions=1>

        Args:
          lengths: the lengths, outermost first; a tuple has one length for each row.
          num_row_partitions: how many dimensions to state as partitions; None for as few as possible.
          dtype: int32 or int64.

        Raises: ValueError: if the lengths do not fit each other, or there are too many partitions.
        """
        if not isinstance(lengths, list):
            raise ValueError("lengths should be a list")
        for length in lengths:
            if not _is_length(length):
                raise ValueError(f"element of lengths should be int or tuple of ints: instead {length!r}")
        needed = max((i for i, length in enumerate(lengths) if isinstance(length, tuple)), default=0)
        count = needed if num_row_partitions is None else num_row_partitions
        if count >= max(len(lengths), 1):
            raise ValueError("num_row_partitions should be less than `len(lengths)` if shape is not scalar.")
        if count < needed or lengths and isinstance(lengths[0], tuple):
            raise ValueError(f"num_row_partitions ({count}) leaves no partition for the ragged lengths of {lengths}.")
        nrows, partitions = lengths[0] if lengths else 1, []
        for length in lengths[1 : count + 1]:
            partitions.append(_partition_of_length(length, nrows, as_dtype(dtype)))
            nrows = sum(length) if isinstance(length, tuple) else nrows * length
        inner_shape = [nrows, *lengths[count + 1 :]] if lengths else []
        return cls(partitions, convert_to_tensor(inner_shape, dtype=as_dtype(dtype)), dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Any, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """Makes the shape of a ragged tensor with these partitions of a vector.

        >>> partition = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> tf.experimental.DynamicRaggedShape.from_row_partitions([partition])
        <DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>

        Raises: ValueError: if there is no partition.
        """
        partitions = tuple(row_partitions)
        if not partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(partitions, _vector_of([partitions[-1].nvals()], partitions[-1].dtype), dtype)

    @classmethod
    def from_tensor(cls, t: TensorLike, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """Returns the shape of a dense or ragged tensor.

        >>> tf.experimental.DynamicRaggedShape.from_tensor(tf.ragged.constant([[1], [], [2, 3]]))
        <DynamicRaggedShape lengths=[3, (1, 0, 2)] num_row_partitions=1>

        Args:
          t: a Tensor, RaggedTensor, or what converts to a tensor.
          dtype: int32 or int64; None for the dtype of the row splits, int32 for a dense tensor.
        """
        if isinstance(t, RaggedTensor):
            inner_shape = shape_tensor(t.flat_values, out_type=t._row_partition.dtype)
            return cls(t._nested_row_partitions, inner_shape, dtype, static_inner_shape=t.flat_values.shape)
        tensor = convert_to_tensor(t)
        inner_shape = shape_tensor(tensor, out_type=as_dtype(dtype or int32))
        return cls((), inner_shape, dtype, static_inner_shape=tensor.shape)

    @classmethod
    def _from_inner_shape(cls, inner_shape: TensorLike, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """Makes the shape of a dense tensor."""
        return cls((), inner_shape, dtype)

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions of the ragged dimensions, outermost first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Any:
        """The shape of the values within the innermost partition, an integer vector."""
        return self._inner_shape

    @property
    def _static_inner_shape(self) -> TensorShape:
        """What is known of `inner_shape` while tracing."""
        return self._known_inner_shape

    @property
    def inner_rank(self) -> int | None:
        """The number of elements of `inner_shape`, None if unknown."""
        return self._known_inner_shape.rank

    @property
    def rank(self) -> int | None:
        """The number of dimensions, None if unknown."""
        inner_rank = self.inner_rank
        return None if inner_rank is None else inner_rank + len(self._partitions)

    @property
    def dtype(self) -> DType:
        """The dtype of the row splits and of `inner_shape`: int32 or int64."""
        dtype: DType = self._inner_shape.dtype
        return dtype

    def is_uniform(self, axis: int) -> bool:
        """Returns whether all slices along a dimension have one length.

        Raises:
          TypeError: if `axis` is not an int.
          IndexError: if there is no such dimension.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise IndexError(f"Negative axis values are not supported, axis={axis}")
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        return not 0 < axis <= len(self._partitions) or self._partitions[axis - 1].is_uniform()

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Returns what is known of the lengths: ints, tuples of row lengths, None; `...` means an unknown rest.

        Args: ragged_lengths: whether to give the lengths of ragged rows, where they are known.
        """
        lengths: list[Any] = []
        if self._partitions:
            lengths.append(self._partitions[0].static_nrows)
            lengths += [_static_length(partition, ragged_lengths) for partition in self._partitions]
        if self.inner_rank is None:
            return [*lengths, ...]
        return [*lengths, *self._known_inner_shape.as_list()[1 if self._partitions else 0 :]]

    def _parts(self) -> ShapeParts:
        """Returns the shape in the form that broadcasting works with."""
        if self.inner_rank is None:
            raise ValueError("Unable to broadcast: the rank of a shape is unknown.")
        known = self._known_inner_shape.as_list()
        sizes = [self._inner_shape[i] if dim is None else dim for i, dim in enumerate(known)]
        if self._partitions:
            sizes[0] = as_size(self._partitions[0].nrows())
        return ShapeParts(self._partitions, tuple(sizes))

    def _num_elements(self) -> Any:
        """Returns how many values a tensor of this shape has, a scalar."""
        return raw.Prod(input=self._inner_shape, reduction_indices=[0])

    def _to_tensor_shape(self) -> TensorShape:
        """Returns the static shape of a tensor of this shape."""
        return self._type_spec._to_tensor_shape()

    # --- dimensions --------------------------------------------------------------------------------------------------

    def _dimension(self, index: int) -> Any:
        """Returns the length of a uniform dimension, a scalar.

        Raises: ValueError: if the dimension is ragged.
        """
        count = len(self._partitions)
        if index == 0 and count:
            return self._partitions[0].nrows()
        if 0 < index <= count:
            length = self._partitions[index - 1].uniform_row_length()
            if length is None:
                raise ValueError(f"Index {index} is not uniform")
            return length
        return self._inner_shape[index - count]

    def __getitem__(self, index: object) -> Any:
        """Returns the length of a uniform dimension, or the shape of some neighbouring dimensions.

        >>> shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2), 3])
        >>> shape[0].numpy(), shape[:2]
        (2, <DynamicRaggedShape lengths=[2, (1, 2)] num_row_partitions=1>)

        Raises:
          TypeError: if `index` is neither an int nor a slice.
          IndexError: if there is no such dimension, or the slice has a step.
          ValueError: if a ragged dimension is asked for alone.
        """
        if isinstance(index, slice):
            return self._slice(index)
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        if index < 0:
            if self.rank is None:
                raise ValueError("Rank must be known to use a negative index.")
            if index < -self.rank:
                raise IndexError(f"Index is too small: {index}<-{self.rank}")
            index += self.rank
        if self.rank is not None and index >= self.rank:
            raise IndexError(f"Index is too big: {index}>={self.rank}")
        return self._dimension(index)

    def _slice(self, index: slice) -> DynamicRaggedShape:
        if index.step not in (None, 1):
            raise IndexError("Cannot stride through a shape")
        if self.rank is None:
            raise ValueError("Rank must be known to slice a shape.")
        start, stop, _ = index.indices(self.rank)
        stop = max(start, stop)
        if start == 0:
            return self._truncate(stop)
        if not all(self.is_uniform(axis) for axis in range(self.rank)):
            raise ValueError("All relevant dimensions must be uniform")
        return self._from_inner_shape(_vector_of([self._dimension(i) for i in range(start, stop)], self.dtype))

    def _truncate(self, rank: int) -> DynamicRaggedShape:
        """Returns the shape of the first `rank` dimensions."""
        count = len(self._partitions)
        if rank > count:
            return DynamicRaggedShape(self._partitions, self._inner_shape[: rank - count], self.dtype)
        partitions = self._partitions[: max(rank - 1, 0)]
        nvals = partitions[-1].nvals() if partitions else self._dimension(0)
        return DynamicRaggedShape(partitions, _vector_of([nvals] if rank else [], self.dtype), self.dtype)

    # --- variations --------------------------------------------------------------------------------------------------

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """Returns the shape with row splits and sizes of another dtype.

        Raises: ValueError: if `dtype` is neither int32 nor int64.
        """
        return DynamicRaggedShape(self._partitions, self._inner_shape, _legal(dtype))

    def _with_num_row_partitions(self, num_row_partitions: int) -> DynamicRaggedShape:
        """Returns the same shape with another number of its uniform dimensions stated as partitions.

        Raises: ValueError: if a ragged dimension would be left without a partition, or there are too few dimensions.
        """
        if self.rank is None:
            raise ValueError("Rank must be known to adjust num_row_partitions")
        if not 0 <= num_row_partitions < max(self.rank, 1):
            raise ValueError("num_row_partitions must be less than rank")
        partitions, inner_shape = list(self._partitions), self._inner_shape
        while len(partitions) < num_row_partitions:
            length = inner_shape[1]
            partitions.append(
                RowPartition.from_uniform_row_length(length, inner_shape[0] * length, inner_shape[0], validate=False)
            )
            merged = raw.ExpandDims(input=inner_shape[0] * length, axis=0)
            inner_shape = raw.ConcatV2(values=[merged, inner_shape[2:]], axis=0)
        while len(partitions) > num_row_partitions:
            dropped = partitions.pop()
            length = dropped.uniform_row_length()
            if length is None:
                raise ValueError("All relevant dimensions must be uniform")
            head = raw.Pack(values=[dropped.nrows(), length])
            inner_shape = raw.ConcatV2(values=[head, inner_shape[1:]], axis=0)
        return DynamicRaggedShape(partitions, inner_shape, self.dtype)

    def _with_inner_rank(self, inner_rank: int) -> DynamicRaggedShape:
        """Returns the same shape with an `inner_shape` of another size; see `_with_num_row_partitions`."""
        if self.rank is None:
            raise ValueError("Rank must be known to adjust inner_rank")
        return self._with_num_row_partitions(self.rank - inner_rank)

    def _as_row_partitions(self) -> tuple[RowPartition, ...]:
        """Returns a partition for each dimension but the first."""
        if self.rank is None:
            raise ValueError("rank must be known for _as_row_partitions")
        return self._with_num_row_partitions(self.rank - 1)._partitions if self.rank > 1 else ()

    def _add_row_partitions(self, flat_values: TensorLike, validate: bool = False) -> Any:
        """Returns the dense or ragged tensor of this shape with the given values."""
        tensor = convert_to_tensor(flat_values)
        if validate:
            checks = check("==", self._inner_shape, shape_tensor(tensor, out_type=self.dtype), "Shapes do not match.")
            tensor = depend_on_checks(tensor, checks)
        return nest_partitions(tensor, self._partitions)

    # --- Python's protocols ------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        """Returns whether two shapes are equal: a boolean scalar, or False for what is not a shape of the same rank."""
        if not isinstance(other, DynamicRaggedShape) or self.rank is None or self.rank != other.rank:
            return False
        count = max(len(self._partitions), len(other._partitions))
        mine, others = self._with_num_row_partitions(count), other._with_num_row_partitions(count)
        pairs = [
            (a.row_splits(), b.with_dtype(a.dtype).row_splits())
            for a, b in zip(mine._partitions, others._partitions, strict=True)
        ]
        pairs.append((mine._inner_shape, cast(others._inner_shape, self.dtype)))
        equal: Any = convert_to_tensor(True)
        for a, b in pairs:
            sizes = raw.Equal(x=raw.Shape(input=a), y=raw.Shape(input=b))
            same = raw.Equal(x=a, y=b, incompatible_shape_error=False)
            axes = raw.Range(start=0, limit=raw.Rank(input=same), delta=1)
            equal = raw.LogicalAnd(x=equal, y=raw.All(input=sizes, reduction_indices=[0]))
            equal = raw.LogicalAnd(x=equal, y=raw.All(input=same, reduction_indices=axes))
        return equal

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return not equal if isinstance(equal, bool) else raw.LogicalNot(x=equal)

    def __repr__(self) -> str:
        lengths = ", ".join("..." if length is ... else str(length) for length in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"

    @property
    def _type_spec(self) -> DynamicRaggedShapeSpec:
        specs = tuple(partition._type_spec for partition in self._partitions)
        return DynamicRaggedShapeSpec(specs, self._known_inner_shape, self.dtype)


DynamicRaggedShapeSpec.shape_class = DynamicRaggedShape


_seen_values: set[type] = set()


def _first_value() -> None:
    """Switches on the overloads for shapes when the first one is made."""
    if DynamicRaggedShape not in _seen_values:
        _seen_values.add(DynamicRaggedShape)
        switch_on(DynamicRaggedShape)


def _legal(dtype: DTypeLike) -> DType:
    dtype = as_dtype(dtype)
    if dtype not in (int32, int64):
        raise ValueError(f"Illegal dtype: {dtype}")
    return dtype


def _shape_dtype(partitions: Sequence[RowPartition], inner_shape: Any, dtype: Any) -> DType:
    if dtype is not None:
        return _legal(dtype)
    if partitions:
        return int64 if any(partition.dtype is int64 for partition in partitions) else int32
    return _legal(inner_shape.dtype) if isinstance(inner_shape, Tensor) else int64


def _is_length(length: object) -> bool:
    return isinstance(length, int) or isinstance(length, tuple) and all(isinstance(n, int) for n in length)


def _partition_of_length(length: Any, nrows: int, dtype: DType) -> RowPartition:
    if isinstance(length, tuple):
        if len(length) != nrows:
            raise ValueError("Shape not consistent.")
        return RowPartition.from_row_lengths(convert_to_tensor(list(length), dtype=dtype))
    return RowPartition.from_uniform_row_length(length, nrows * length, nrows, dtype=dtype)


def _vector_of(sizes: Sequence[Any], dtype: DType) -> Any:
    if not sizes:
        return convert_to_tensor([], dtype=dtype)
    return raw.Pack(values=[cast(size, dtype) for size in sizes])


def _static_length(partition: RowPartition, ragged_lengths: bool) -> Any:
    if partition.static_uniform_row_length is not None:
        return partition.static_uniform_row_length
    if ragged_lengths and isinstance(partition.row_splits(), EagerTensor):
        return tuple(partition.row_lengths().numpy().tolist())
    return None
