"""Broadcasting: to a given shape, of two shapes, and the axes over which the gradient sums.

Shapes are aligned at the right; a size of 1, or a missing dimension, is repeated. The gradient of a broadcast is the
sum over the repeated axes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int32
from millrace._src.core.errors import invalid
from millrace._src.core.op_algebra import ElementOrder
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array import shape_batches
from millrace._src.ops.array.eager_arguments import index_tensor
from millrace._src.ops.array.shape_checks import dims_text, require_countable, vector, with_rank, with_rank_at_most
from millrace._src.ops.gradient_rules import unbroadcast, values_for
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)


def _broadcast_to_shape(c: ShapeContext) -> TensorShape:
    with_rank(c.shape("shape"), 1)
    wanted_shape = c.value_as_shape("shape")
    given_shape = c.shape("input")
    if wanted_shape.rank is None or given_shape.rank is None:
        return wanted_shape
    with_rank_at_most(given_shape, wanted_shape.rank)
    dims = list(wanted_shape.dim_sizes or ())
    for i in range(-1, -given_shape.rank - 1, -1):
        size, target = given_shape[i], dims[i]
        if target is None and size is not None and size > 1:
            dims[i] = size
        elif target is not None and size not in (None, 1, target):
            raise ValueError(f"Dimensions must be equal, but are {size} and {target}")
    return TensorShape.of(tuple(dims))


@op(
    "BroadcastTo",
    "input: T, shape: Tidx -> output: T",
    T=ANY,
    Tidx=_INDEX,
    shape=_broadcast_to_shape,
    constant_inputs=("shape",),
    batching=shape_batches.broadcast_to,
    exact_on_rows=True,
    element_order=ElementOrder.REPEATED,
    shape_argument=1,
)
def broadcast_to_op(xp: Xp, input: Array, shape: Array) -> Array:
    """Repeats `input` along dimensions of size 1, and along new leading dimensions, to reach `shape`."""
    wanted_sizes = tuple(shape.reshape(-1).tolist())
    for size in wanted_sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    try:
        return xp.broadcast_to(input, wanted_sizes)
    except ValueError:
        if input.ndim > len(wanted_sizes):
            rank = f"Rank of input ({input.ndim}) must be no greater than rank of output shape ({len(wanted_sizes)})."
            raise invalid(rank) from None
        require_countable(wanted_sizes, input.dtype.itemsize)
        raise invalid(_misfit(input.shape, wanted_sizes)) from None


def _misfit(given: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Says why a tensor cannot be broadcast: its shape contradicts the wanted shape, or is larger than the wanted
    shape.
    """
    try:
        np.broadcast_shapes(given, wanted)
    except ValueError:
        return f"Incompatible shapes: {dims_text(given)} vs. {dims_text(wanted)}"
    return f"Unable to broadcast tensor of shape {dims_text(given)} to tensor of shape {dims_text(wanted)}"


@broadcast_to_op.gradient
@values_for(input=())
def broadcast_to_gradient(dy: Tensor, input: Tensor) -> tuple[Tensor, None]:
    """Sums the gradient over the repeats."""
    return unbroadcast(dy, input), None


@export("broadcast_to")
def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Any:
    """Repeats `input` along dimensions of size 1, and along new leading dimensions, to reach `shape`.

    >>> tf.broadcast_to([1, 2, 3], [2, 3]).numpy()
    array([[1, 2, 3],
           [1, 2, 3]], dtype=int32)

    Args:
      input: A Tensor of any dtype.
      shape: An int32 or int64 vector.
      name: name of the operation.

    Returns: A Tensor of shape `shape`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `input` does not fit `shape`.
    """
    return broadcast_to_op(input, index_tensor(shape), name=name)


# --- shapes as values --------------------------------------------------------------------------------------------


def _broadcast_args_shape(c: ShapeContext) -> TensorShape:
    (a,), (b,) = with_rank(c.shape("s0"), 1), with_rank(c.shape("s1"), 1)
    return vector(None if a is None or b is None else max(a, b))


@op(
    "BroadcastArgs",
    "s0: T, s1: T -> r0: T",
    T=_INDEX,
    shape=_broadcast_args_shape,
    constant_inputs=("s0", "s1"),
    not_differentiable="shapes are integers",
    not_batched="a shape is the same for all rows",
)
def broadcast_args(xp: Xp, s0: Array, s1: Array) -> Array:
    """Computes the shape to which two tensors of shapes `s0` and `s1` broadcast."""
    for i, s in enumerate((s0, s1)):
        if s.ndim != 1:
            raise invalid(f"In[{i}] must be a vector.{dims_text(s.shape)}")
    return np.array(_broadcast_sizes(s0.tolist(), s1.tolist()), dtype=s0.dtype)


def _broadcast_sizes(a: list[int], b: list[int]) -> list[int]:
    rank = max(len(a), len(b))
    x, y = [1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b
    sizes = []
    for m, n in zip(x, y, strict=True):
        if m != n and m != 1 and n != 1:
            raise invalid(f"Incompatible shapes: {dims_text(a)} vs. {dims_text(b)}")
        sizes.append(n if m == 1 else m)
    return sizes


def _unknown_vectors(c: ShapeContext) -> list[TensorShape]:
    with_rank(c.shape("s0"), 1)
    with_rank(c.shape("s1"), 1)
    return [vector(None), vector(None)]


def _axes_of_sizes(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[list[int], list[int]] | None:
    """Returns the axes over which each of two shapes is repeated; None where an unknown size may be 1.

    A sum over an axis of size 1 changes nothing, so that an unknown size beside 1 tells enough.
    """
    rank = max(len(a), len(b))
    first, second = [1] * (rank - len(a)) + list(a), [1] * (rank - len(b)) + list(b)
    if any(x != y and x != 1 and y != 1 for x, y in zip(first, second, strict=True)):
        return None
    is_repeated = [x != y or x == y == 1 and a != b for x, y in zip(first, second, strict=True)]
    return (
        [axis for axis in range(rank) if first[axis] == 1 and is_repeated[axis]],
        [axis for axis in range(rank) if second[axis] == 1 and is_repeated[axis]],
    )


@op(
    "BroadcastGradientArgs",
    "s0: T, s1: T -> r0: T, r1: T",
    T=_INDEX,
    shape=_unknown_vectors,
    results_of_sizes=_axes_of_sizes,
    constant_inputs=("s0", "s1"),
    not_differentiable="axes are integers",
    not_batched="a shape is the same for all rows",
)
def broadcast_gradient_args(xp: Xp, s0: Array, s1: Array) -> tuple[Array, Array]:
    """Finds, for each of the shapes `s0` and `s1`, the axes over which broadcasting repeated its tensor."""
    a, b = s0.tolist(), s1.tolist()
    if a == b:
        no_axes = np.zeros([0], s0.dtype)
        return no_axes, no_axes
    rank = len(_broadcast_sizes(a, b))
    x, y = [1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b
    r0 = [i for i in range(rank) if x[i] == 1 and (y[i] != 1 or _both_one(x, y, i))]
    r1 = [i for i in range(rank) if y[i] == 1 and (x[i] != 1 or _both_one(x, y, i))]
    return np.array(r0, s0.dtype), np.array(r1, s0.dtype)


def _both_one(x: list[int], y: list[int], i: int) -> bool:
    """Returns whether both sizes are 1: a sum over such an axis changes nothing, but TensorFlow lists it for both."""
    return x[i] == y[i] == 1


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Any:
    """Computes the shape of a broadcast of two shapes that are tensors.

    >>> tf.broadcast_dynamic_shape(tf.constant([1, 2, 3]), tf.constant([5, 1, 3])).numpy()
    array([5, 2, 3], dtype=int32)

    Args:
      shape_x: An int32 or int64 vector; an empty one, as `[]`, is the shape of a scalar.
      shape_y: A vector of the same dtype.

    Returns: A vector of that dtype.
    Raises: tf.errors.InvalidArgumentError: if two sizes differ and neither is 1.
    """
    return broadcast_args(shape_x, shape_y)
