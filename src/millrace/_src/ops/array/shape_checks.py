"""How the ops of this family check shapes, in TensorFlow's words.

Shape rules raise `ValueError` with the texts of TensorFlow's shape functions ("Shape must be rank 1 but is rank 2").
Kernels, which see the arrays, raise `InvalidArgumentError` with the texts of TensorFlow's kernels, which differ. Both
kinds of helper live here, so that a rule or a kernel states a demand in one line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from millrace._src.core.errors import invalid
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape

Dim: TypeAlias = "int | None"
Dims: TypeAlias = "tuple[int | None, ...]"

_LARGEST_ARRAY = 2**63 - 1
UNKNOWN = TensorShape(None)
SCALAR = TensorShape([])


def dims_text(dims: Any) -> str:
    """Writes dimensions as TensorFlow's runtime does: `[2,?]`; an unknown rank is `<unknown>`.

    >>> from millrace._src.ops.array.shape_checks import dims_text
    >>> dims_text((2, None))
    '[2,?]'
    """
    if isinstance(dims, TensorShape):
        dims = dims.dim_sizes
    if dims is None:
        return "<unknown>"
    return f"[{','.join('?' if d is None else str(d) for d in dims)}]"


def uncountable(dims: Iterable[int]) -> str:
    """Says that an empty shape has dimensions that no array can have: NumPy multiplies those that are not 0."""
    return f"Shape {dims_text(dims)} would have more than 2**63 - 1 elements: an empty array counts them as if 0 were 1"


def require_countable(dims: Sequence[int], itemsize: int) -> None:
    """Refuses an empty shape whose other dimensions are too large for an array."""
    if 0 in dims and math.prod(dim for dim in dims if dim) * itemsize > _LARGEST_ARRAY:
        raise invalid(uncountable(dims))


def vector(*dims: Dim) -> TensorShape:
    """Makes a shape of the given dimensions, which the caller has checked."""
    return TensorShape.of(dims)


def unknown_dims(rank: int | None) -> TensorShape:
    """Makes a shape of the given rank with unknown dimensions."""
    return UNKNOWN if rank is None else TensorShape.of((None,) * rank)


def with_rank(shape: TensorShape, rank: int) -> Dims:
    """Returns the dimensions of a shape that must have `rank` of them; unknown dimensions if the rank is unknown.

    Raises: ValueError: if the rank is known and different.
    """
    dims = shape.dim_sizes
    if dims is None:
        return (None,) * rank
    if len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
    return dims


def with_rank_at_least(shape: TensorShape, rank: int) -> Dims | None:
    """Returns the dimensions of a shape that must have `rank` or more of them; None if the rank is unknown.

    Raises: ValueError: if the rank is known and smaller.
    """
    dims = shape.dim_sizes
    if dims is not None and len(dims) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(dims)}")
    return dims


def with_rank_at_most(shape: TensorShape, rank: int) -> Dims | None:
    """Returns the dimensions of a shape that must have `rank` or fewer of them; None if the rank is unknown.

    Raises: ValueError: if the rank is known and larger.
    """
    dims = shape.dim_sizes
    if dims is not None and len(dims) > rank:
        raise ValueError(f"Shape must be at most rank {rank} but is rank {len(dims)}")
    return dims


def merge_dim(a: Dim, b: Dim) -> Dim:
    """Returns the dimension known from either of two equal dimensions.

    Raises: ValueError: if both are known and differ.
    """
    if a is None or a == b:
        return b
    if b is None:
        return a
    raise ValueError(f"Dimensions must be equal, but are {a} and {b}")


def merge_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    """Returns the dimensions known from either of two equal shapes.

    Raises: ValueError: if the ranks or two known dimensions differ.
    """
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b):
        raise ValueError(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
    merged_dims: list[Dim] = []
    for i, (m, n) in enumerate(zip(a, b, strict=True)):
        if m is not None and n is not None and m != n:
            raise ValueError(
                f"Dimension {i} in both shapes must be equal, but are {m} and {n}. "
                f"Shapes are {dims_text(a)} and {dims_text(b)}."
            )
        merged_dims.append(n if m is None else m)
    return tuple(merged_dims)


def merge(a: TensorShape, b: TensorShape) -> TensorShape:
    """Merges two equal shapes: each dimension is known if it is known from either shape."""
    return TensorShape.of(merge_dims(a.dim_sizes, b.dim_sizes))


def require_scalar(shape: TensorShape) -> None:
    """Raises ValueError if the shape is known not to be a scalar's."""
    if shape.dim_sizes:
        raise ValueError(f"Shape must be rank 0 but is rank {len(shape.dim_sizes)}")


def divide(dim: Dim, divisor: int) -> Dim:
    """Divides a dimension by `divisor`.

    Raises: ValueError: if the quotient is not a whole number.
    """
    if dim is None:
        return None
    if divisor <= 0 or dim % divisor:
        raise ValueError(f"Dimension size must be evenly divisible by {divisor} but is {dim}")
    return dim // divisor


def multiply(*dims: Dim) -> Dim:
    """Multiplies dimensions; the product is unknown if a dimension is unknown, unless another dimension is 0."""
    product: Dim = 1
    for dim in dims:
        if dim == 0:
            return 0
        product = None if dim is None or product is None else product * dim
    return product


def add(*dims: Dim) -> Dim:
    """Adds dimensions; the sum is unknown if a dimension is unknown."""
    return None if None in dims else sum(d for d in dims if d is not None)


def known_int(c: ShapeContext, name: str) -> int | None:
    """Returns the value of the integer scalar `name` if a trace knows it, be it only as an element of a shape."""
    elements = c.partial(name)
    return elements[0] if elements is not None and len(elements) == 1 else None


def first_bad(flags: Any) -> tuple[int, ...] | None:
    """Finds the position of the first true element of a NumPy array; None if there is none."""
    if not flags.any():
        return None
    flat_position = int(flags.reshape(-1).argmax())
    position = []
    for size in reversed(flags.shape):
        flat_position, index = divmod(flat_position, size)
        position.append(index)
    return tuple(reversed(position))


def position_text(position: Sequence[int]) -> str:
    """Writes `[1,2]` for a position inside an array; nothing for the position of a scalar's only element."""
    return f"[{','.join(str(i) for i in position)}]" if len(position) else ""


def list_text(values: Iterable[Any]) -> str:
    """Writes `[1, 2]`: an index as TensorFlow's gather and scatter kernels print indices."""
    return f"[{', '.join(str(int(v)) for v in values)}]"
