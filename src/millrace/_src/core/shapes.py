"""Static shapes: what is known of a tensor's shape before the tensor is computed.

Problem: while a graph is traced a shape may be known in full, in some dimensions only, or not even in its rank,
and shape rules combine such partial facts.

Idea: a `TensorShape` is an immutable wrapper of one field, `dim_sizes`: None (unknown rank) or a tuple whose entries
are ints or None (unknown dimension). Users build it with checks; rules that already hold a clean tuple use `of`. Shapes
are ordered by how much they promise (`is_subtype_of`); `merge_with` takes the facts of both shapes,
`most_specific_compatible_shape` the facts they share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, SupportsIndex, overload

import numpy as np

from millrace._src.core.dimension import Dimension, known_size
from millrace._src.core.fixed_types import FixedType
from millrace._src.util.export import export

_INT32_MAX = 2**31 - 1
Dims = tuple[int | None, ...] | None


@export("TensorShape")
class TensorShape(FixedType):
    """The shape of a tensor, known fully, partly, or not at all.

    >>> shape = tf.TensorShape([None, 256])
    >>> shape.rank, shape[1], shape.is_fully_defined()
    (2, 256, False)
    >>> shape.merge_with([32, None])
    TensorShape([32, 256])
    """

    __slots__ = ("__weakref__", "dim_sizes")
    dim_sizes: Dims

    def __init__(self, dims: Any) -> None:
        """Creates a shape.

        Args:
            dims: None for unknown rank; a dimension (an int) for a vector; or an iterable of dimensions, each an int,
                None when unknown, or something with `__index__`. Also a TensorShape or a `TensorShapeProto`.

        Raises:
            TypeError: a dimension is not an integer.
            ValueError: a dimension is negative.
        """
        self.dim_sizes = _dims_of(dims)

    @classmethod
    def of(cls, dims: Dims) -> TensorShape:
        """Wraps a tuple that is known to be clean (ints >= 0 and None), or None, without checks."""
        shape = cls.__new__(cls)
        shape.dim_sizes = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, None when unknown."""
        return None if self.dim_sizes is None else len(self.dim_sizes)

    @property
    def ndims(self) -> int | None:
        """The same as `rank`, NumPy's word."""
        return None if self.dim_sizes is None else len(self.dim_sizes)

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as a list of `Dimension` objects; None when the rank is unknown.

        `shape[i]`, iteration and `as_list` give ints and None.
        """
        return None if self.dim_sizes is None else [Dimension(dim) for dim in self.dim_sizes]

    def as_list(self) -> list[int | None]:
        """Returns the dimensions as a list, None where unknown.

        Raises:
            ValueError: the rank is unknown.
        """
        if self.dim_sizes is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self.dim_sizes)

    def is_fully_defined(self) -> bool:
        """Returns whether the rank and every dimension are known."""
        return self.dim_sizes is not None and None not in self.dim_sizes

    def num_elements(self) -> int | None:
        """Returns the number of elements, None unless the shape is fully defined."""
        if self.dim_sizes is None:
            return None
        known_dims = [dim for dim in self.dim_sizes if dim is not None]
        return math.prod(known_dims) if len(known_dims) == len(self.dim_sizes) else None

    def __len__(self) -> int:
        if self.dim_sizes is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self.dim_sizes)

    def __bool__(self) -> bool:
        return self.dim_sizes is not None

    def __iter__(self) -> Iterator[int | None]:
        if self.dim_sizes is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self.dim_sizes)

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @overload
    def __getitem__(self, key: SupportsIndex) -> int | None: ...
    def __getitem__(self, key: SupportsIndex | slice) -> TensorShape | int | None:
        if self.dim_sizes is None:
            return _unknown_slice(key) if isinstance(key, slice) else None
        if isinstance(key, slice):
            return TensorShape.of(self.dim_sizes[key])
        return self.dim_sizes[key]

    def merge_with(self, other: Any) -> TensorShape:
        """Returns the shape that knows what this shape and `other` know.

        >>> tf.TensorShape([None, 3]).merge_with([2, None])
        TensorShape([2, 3])

        Raises:
            ValueError: if the shapes contradict each other.
        """
        fact = as_shape(other)
        if self.dim_sizes is None:
            return fact
        if fact.dim_sizes is None:
            return self
        if not self.is_compatible_with(fact):
            raise ValueError(f"Shapes {self} and {fact} are not compatible")
        return TensorShape.of(
            tuple([b if a is None else a for a, b in zip(self.dim_sizes, fact.dim_sizes, strict=True)])
        )

    def concatenate(self, other: Any) -> TensorShape:
        """Returns the dimensions of this shape followed by those of `other`; unknown rank if either rank is unknown.

        >>> tf.TensorShape([2]).concatenate([None, 3])
        TensorShape([2, None, 3])
        """
        other = as_shape(other)
        if self.dim_sizes is None or other.dim_sizes is None:
            return TensorShape.of(None)
        return TensorShape.of(self.dim_sizes + other.dim_sizes)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __concat__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def with_rank(self, rank: int) -> TensorShape:
        """Returns this shape with `rank` dimensions, unknown dimensions if the rank was unknown.

        Raises:
            ValueError: if the shape has another rank.
        """
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns this shape, if it may have at least `rank` dimensions.

        Raises:
            ValueError: if the shape has fewer dimensions.
        """
        if self.dim_sizes is not None and len(self.dim_sizes) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Returns this shape, if it may have at most `rank` dimensions.

        Raises:
            ValueError: if the shape has more dimensions.
        """
        if self.dim_sizes is not None and len(self.dim_sizes) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def is_compatible_with(self, other: Any) -> bool:
        """Returns whether some fully defined shape fits both this shape and `other`.

        >>> tf.TensorShape([None, 3]).is_compatible_with([2, 3])
        True
        """
        if type(other) is tuple and other == self.dim_sizes:
            return True
        other = as_shape(other)
        if self.dim_sizes is None or other.dim_sizes is None:
            return True
        if len(self.dim_sizes) != len(other.dim_sizes):
            return False
        return all(a == b or a is None or b is None for a, b in zip(self.dim_sizes, other.dim_sizes, strict=True))

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError if this shape has another rank than `rank`."""
        if self.dim_sizes is not None and len(self.dim_sizes) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if self.dim_sizes is not None and other.dim_sizes is not None and len(self.dim_sizes) != len(other.dim_sizes):
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless every dimension is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Returns the shape that knows only what this shape and `other` agree on.

        >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4])
        TensorShape([2, None])
        """
        other = as_shape(other)
        if self.dim_sizes is None or other.dim_sizes is None or len(self.dim_sizes) != len(other.dim_sizes):
            return TensorShape.of(None)
        return TensorShape.of(
            tuple([a if a == b else None for a, b in zip(self.dim_sizes, other.dim_sizes, strict=True)])
        )

    def is_subtype_of(self, other: object) -> bool:
        """Returns whether every tensor of this shape also has shape `other` (trace type protocol).

        >>> tf.TensorShape([2, 3]).is_subtype_of(tf.TensorShape([None, 3]))
        True
        """
        if not isinstance(other, TensorShape):
            return False
        if other.dim_sizes is None:
            return True
        if self.dim_sizes is None or len(self.dim_sizes) != len(other.dim_sizes):
            return False
        return all(b is None or a == b for a, b in zip(self.dim_sizes, other.dim_sizes, strict=True))

    def most_specific_common_supertype(self, others: Sequence[object]) -> TensorShape | None:
        """Returns the most specific shape with this shape and all `others` as subtypes; None if some are not shapes."""
        result = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            result = result.most_specific_compatible_shape(other)
        return result

    def as_proto(self) -> Any:
        """Returns this shape as a `TensorShapeProto`: -1 for an unknown dimension."""
        from millrace._src.proto import tensor_shape_pb2  # protobuf costs 20 ms; most programs need none

        proto = tensor_shape_pb2.TensorShapeProto(unknown_rank=self.dim_sizes is None)
        for dim in self.dim_sizes or ():
            proto.dim.add(size=-1 if dim is None else dim)
        return proto

    experimental_as_proto = as_proto

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> TensorShape:
        """Returns the shape that `as_proto` wrote."""
        return cls(proto)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Returns the message class of `as_proto`."""
        from millrace._src.proto import tensor_shape_pb2  # protobuf costs 20 ms; most programs need none

        return tensor_shape_pb2.TensorShapeProto

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        """Returns the dimensions as an integer vector, for `tf.convert_to_tensor`.

        Raises:
            TypeError: a dtype other than int32 or int64 is asked for.
            ValueError: a dimension is unknown.
        """
        if self.dim_sizes is None or None in self.dim_sizes:
            raise ValueError(f"Cannot convert a partially known TensorShape {self} to a Tensor.")
        if dtype is not None and dtype not in ("int32", "int64"):
            raise TypeError(
                f"Cannot convert TensorShape {self} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64."
            )
        is_wide = any(dim is not None and dim > _INT32_MAX for dim in self.dim_sizes)
        return np.array(self.dim_sizes, np.int64 if is_wide or dtype == "int64" else np.int32)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self.dim_sizes == other.dim_sizes
        if type(other) is tuple:
            return self.dim_sizes == other
        try:
            return self.dim_sizes == as_shape(other).dim_sizes
        except TypeError:
            return NotImplemented
        except ValueError:  # a negative dimension
            return False

    def __hash__(self) -> int:
        return hash(self.dim_sizes)

    def __repr__(self) -> str:
        return f"TensorShape({None if self.dim_sizes is None else list(self.dim_sizes)})"

    def __str__(self) -> str:
        return "<unknown>" if self.dim_sizes is None else str(self.dim_sizes)

    def __reduce__(self) -> tuple[Callable[[Any], TensorShape], tuple[list[int | None] | None]]:
        return TensorShape, (None if self.dim_sizes is None else list(self.dim_sizes),)


UNKNOWN = TensorShape.of(None)
SCALAR = TensorShape.of(())


def _dims_of(dims: Any) -> Dims:
    if dims is None:
        return None
    if isinstance(dims, (tuple, list)):
        return tuple([dim if type(dim) is int and dim >= 0 else known_size(dim) for dim in dims])
    if isinstance(dims, TensorShape):
        return dims.dim_sizes
    if hasattr(dims, "unknown_rank") and hasattr(dims, "dim"):  # TensorShapeProto of any package
        return None if dims.unknown_rank else tuple(None if d.size == -1 else known_size(d.size) for d in dims.dim)
    try:
        iterator = iter(dims)
    except TypeError:  # a single dimension; 0-d arrays and tensors refuse iteration too
        return (known_size(dims),)
    return tuple([_dimension_of(dims, dim) for dim in iterator])


def _dimension_of(dims: Any, dim: Any) -> int | None:
    try:
        return known_size(dim)
    except TypeError as error:
        raise TypeError(
            f"Failed to convert '{dims!r}' to a shape: '{dim!r}'could not be converted to a dimension. "
            "A shape should either be single dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])."
        ) from error


def _unknown_slice(key: slice) -> TensorShape:
    """Returns a slice of a shape of unknown rank: the number of dimensions is known if counted from the front."""
    if key.step is not None:
        raise ValueError("Steps are not yet handled")
    start = key.start if key.start is not None else 0
    if key.stop is None or start < 0 or key.stop < 0:
        return UNKNOWN
    return unknown_shape(max(0, key.stop - start))


def as_shape(shape: Any) -> TensorShape:
    """Returns `shape` if it is a TensorShape, else a TensorShape of it."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """Makes a shape with unknown dimensions, and of unknown rank unless `rank` is given."""
    return UNKNOWN if rank is None else TensorShape.of((None,) * rank)


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Returns the static shape that results from broadcasting tensors of two shapes against each other.

    >>> tf.broadcast_static_shape(tf.TensorShape([1, 2, 3]), tf.TensorShape([5, 1, 3]))
    TensorShape([5, 2, 3])

    Args:
        shape_x: a shape, perhaps partly unknown.
        shape_y: a shape, perhaps partly unknown.

    Raises:
        ValueError: two known dimensions differ and neither is 1.
    """
    return broadcast_static_shapes(shape_x, shape_y)


def broadcast_static_shapes(*shapes: Any) -> TensorShape:
    """Returns the broadcast of any number of shapes; of unknown rank if one rank is unknown.

    Raises:
        ValueError: two known dimensions differ and neither is 1.
    """
    clean = [as_shape(shape) for shape in shapes]
    result = SCALAR
    for shape in clean:
        result = _broadcast_two(result, shape)
    return result


def _broadcast_two(x: TensorShape, y: TensorShape) -> TensorShape:
    if x.dim_sizes is None or y.dim_sizes is None:
        return UNKNOWN
    if x.dim_sizes == y.dim_sizes or not y.dim_sizes:
        return x
    longer, shorter = (x.dim_sizes, y.dim_sizes) if len(x.dim_sizes) >= len(y.dim_sizes) else (y.dim_sizes, x.dim_sizes)
    lead = len(longer) - len(shorter)
    dims: list[int | None] = list(longer[:lead])
    for a, b in zip(longer[lead:], shorter, strict=True):
        if a == b or b == 1:
            dims.append(a)
        elif a == 1:
            dims.append(b)
        elif a is None or b is None:  # a known dimension wins: an unknown dimension beside it is the same or 1
            dims.append(b if a is None else a)
        else:
            raise ValueError(
                "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are "
                f"either equal or one of them is 1. Received: {x} and {y}."
            )
    return TensorShape.of(tuple(dims))
