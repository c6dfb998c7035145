"""Reshape, squeeze, expand_dims: other dimensions for the same elements.

The kernels are NumPy's `reshape`, which makes a view. Only where NumPy refuses a shape, or would take any negative size
for -1, is the shape checked by hand and the error worded as TensorFlow does.
"""

from __future__ import annotations

import functools
from typing import Any

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
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, multiply, with_rank_at_most
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)


# --- reshape -----------------------------------------------------------------------------------------------------


def _reshape_shape(c: ShapeContext) -> TensorShape:
    rank = c.shape("shape").rank
    if rank is not None and rank != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {rank}")
    wanted_dims = c.partial("shape")
    if wanted_dims is None:
        return UNKNOWN
    for size in wanted_dims:
        if size is not None and size < -1:
            raise ValueError(f"Invalid value in tensor used for shape: {size}")
    element_count = c.shape("tensor").num_elements()
    if element_count is None:
        return TensorShape.of(tuple(None if s == -1 else s for s in wanted_dims))
    return TensorShape.of(_fill_in(wanted_dims, element_count))


def _fill_in(wanted: list[int | None], given: int) -> tuple[int | None, ...]:
    """Fills in the one missing dimension (-1 or unknown) of a reshape of `given` elements."""
    missing_axes = [i for i, size in enumerate(wanted) if size is None or size == -1]
    known_product = multiply(*(s for i, s in enumerate(wanted) if i not in missing_axes)) or 0
    dims = [None if i in missing_axes else s for i, s in enumerate(wanted)]
    if not missing_axes:
        if known_product != given:
            shape = dims_text(wanted)
            raise ValueError(
                f"Cannot reshape a tensor with {given} elements to shape {shape} ({known_product} elements)"
            )
    elif len(missing_axes) == 1 and known_product > 0:
        if given % known_product:
            raise ValueError(f"Dimension size must be evenly divisible by {known_product} but is {given}")
        dims[missing_axes[0]] = given // known_product
    return tuple(dims)


@op(
    "Reshape",
    "tensor: T, shape: Tshape -> output: T",
    only_moves_values=True,
    T=ANY,
    Tshape=_INDEX,
    shape=_reshape_shape,
    constant_inputs=("shape",),
    is_cheap=True,
    batching=shape_batches.reshape,
    exact_on_rows=True,
    element_order=ElementOrder.SAME,
    shape_argument=1,
)
def reshape_op(xp: Xp, tensor: Array, shape: Array) -> Array:
    """Puts the elements of `tensor`, in row-major order, into another shape."""
    wanted_sizes = shape.tolist()
    try:
        if (
            type(wanted_sizes) is not list or not wanted_sizes or min(wanted_sizes) >= -1
        ):  # NumPy takes any negative size for -1
            return tensor.reshape(wanted_sizes)
    except (ValueError, TypeError):
        pass
    return tensor.reshape(_validate_shape(tensor.shape, wanted_sizes, shape))


def _validate_shape(given: tuple[int, ...], wanted: Any, shape: Array) -> tuple[int, ...]:
    """Returns the shape that the fast path could not read; raises unless the shape is legal after all."""
    if shape.ndim > 1:
        raise invalid(f"sizes input must be 1-D, not {dims_text(shape.shape)}")
    wanted = wanted if isinstance(wanted, list) else [wanted]
    unknown = [i for i, size in enumerate(wanted) if size == -1]
    for i, size in enumerate(wanted):
        if size < -1:
            raise invalid(f"Size {i} must be non-negative, not {size}")
    if len(unknown) > 1:
        raise invalid(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    size = functools.reduce(lambda a, b: a * b, given, 1)
    known_product = multiply(*(s for s in wanted if s != -1)) or 0
    if not unknown and size == known_product:
        shown_shape = f"[{', '.join(map(str, wanted))}]"
        raise invalid(f"Shape {shown_shape} has too many elements: an empty array counts them as if 0 were 1")
    if not unknown:
        raise invalid(f"Input to reshape is a tensor with {size} values, but the requested shape has {known_product}")
    if known_product == 0 and size == 0:  # the zeros match each other; -1 takes what is left of the rest
        given_product = functools.reduce(lambda a, b: a * b, (d for d in given if d), 1)
        wanted_product = functools.reduce(lambda a, b: a * b, (s for s in wanted if s > 0), 1)
        return tuple(given_product // wanted_product if s == -1 else s for s in wanted)
    raise invalid(
        f"Input to reshape is a tensor with {size} values, but the requested shape requires a multiple of "
        f"{known_product}"
    )


@reshape_op.gradient
@values_for(tensor=())
def reshape_gradient(dy: Tensor, tensor: Tensor) -> tuple[Tensor, None]:
    """Gives the gradient the shape of the input."""
    return reshape(dy, shape_tensor(tensor)), None


@export("reshape", v1=["reshape", "manip.reshape"])
def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Any:
    """Gives the elements of `tensor`, in row-major order, the shape `shape`.

    >>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)

    Args:
      tensor: A Tensor of any dtype.
      shape: An int32 or int64 vector; one element may be -1 and is then computed.
      name: name of the operation.

    Returns: A Tensor with the elements of `tensor`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the sizes differ.
    """
    return reshape_op(tensor, index_tensor(shape), name=name)


# --- squeeze -----------------------------------------------------------------------------------------------------


def _squeeze_shape(c: ShapeContext) -> TensorShape:
    axes = c.attr("squeeze_dims")
    dims = c.shape("input").dim_sizes
    if dims is None:
        return UNKNOWN
    rank = len(dims)
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            raise ValueError(f"squeeze_dims[{i}] not in [-{rank},{rank}).")
    if not axes:
        return UNKNOWN if None in dims else TensorShape.of(tuple(d for d in dims if d != 1))
    removed_axes = {axis % rank for axis in axes}
    for axis in sorted(removed_axes):
        if dims[axis] not in (None, 1):
            raise ValueError(f"Can not squeeze dim[{axis}], expected a dimension of 1, got {dims[axis]}")
    return TensorShape.of(tuple(d for i, d in enumerate(dims) if i not in removed_axes))


@op(
    "Squeeze",
    "input: T -> output: T",
    only_moves_values=True,
    T=ANY,
    shape=_squeeze_shape,
    is_cheap=True,
    batching=shape_batches.squeeze,
    exact_on_rows=True,
    element_order=ElementOrder.SAME,
    public_argument_names={"axis": "squeeze_dims"},
)
def squeeze_op(xp: Xp, input: Array, *, squeeze_dims: list[int] = []) -> Array:  # noqa: B006  (never changed)
    """Removes dimensions of size 1: the listed dimensions, or all."""
    rank, dims = input.ndim, input.shape
    if not squeeze_dims:
        return input.reshape(tuple(d for d in dims if d != 1))
    removed_axes = set()
    for axis in squeeze_dims:
        if not -rank <= axis < rank:
            raise invalid(f"Tried to squeeze dim index {axis} for tensor with {rank} dimensions.")
        axis %= rank
        if dims[axis] != 1:
            raise invalid(f"Can not squeeze dim[{axis}], expected a dimension of 1, got {dims[axis]}")
        removed_axes.add(axis)
    return input.reshape(tuple(d for i, d in enumerate(dims) if i not in removed_axes))


@squeeze_op.gradient
@values_for(input=())
def squeeze_gradient(dy: Tensor, input: Tensor) -> Tensor:
    """Gives the gradient the shape of the input."""
    return reshape(dy, shape_tensor(input))


@export("squeeze", v1=[])
def squeeze(input: TensorLike, axis: Any = None, name: str | None = None) -> Any:
    """Removes dimensions of size 1 from the shape of a tensor.

    >>> tf.squeeze(tf.zeros([1, 2, 1, 3])).shape
    TensorShape([2, 3])
    >>> tf.squeeze(tf.zeros([1, 2, 1, 3]), axis=[2]).shape
    TensorShape([1, 2, 3])

    Args:
      input: A Tensor of any dtype.
      axis: an int or a list of ints, the dimensions to remove; None (or an empty list) removes all of size 1.
      name: name of the operation.

    Returns: A Tensor with the elements of `input`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if a listed dimension is not of size 1.
    """
    if axis is None:
        axis = []
    elif not isinstance(axis, (list, tuple)):
        axis = [int(axis)] if not hasattr(axis, "__iter__") or getattr(axis, "ndim", 1) == 0 else list(axis)
    return squeeze_op(input, squeeze_dims=tuple(int(a) for a in axis), name=name)


# --- expand_dims -------------------------------------------------------------------------------------------------


def _expand_dims_shape(c: ShapeContext) -> TensorShape:
    if (c.shape("dim").num_elements() or 1) != 1:
        raise ValueError("'dim' input must be a tensor with a single value")
    with_rank_at_most(c.shape("dim"), 1)
    axis, dims = c.value("dim"), c.shape("input").dim_sizes
    if axis is None or dims is None:
        return UNKNOWN
    at, rank = int(axis.reshape(-1)[0]), len(dims)
    if not -rank - 1 <= at <= rank:
        raise ValueError(f"dim {at} not in the interval [{-rank - 1}, {rank}].")
    at = at + rank + 1 if at < 0 else at
    return TensorShape.of((*dims[:at], 1, *dims[at:]))


@op(
    "ExpandDims",
    "input: T, dim: Tdim -> output: T",
    only_moves_values=True,
    T=ANY,
    Tdim=_INDEX,
    shape=_expand_dims_shape,
    constant_inputs=("dim",),
    is_cheap=True,
    batching=shape_batches.expand,
    exact_on_rows=True,
    element_order=ElementOrder.SAME,
    public_argument_names={"axis": "dim"},
)
def expand_dims_op(xp: Xp, input: Array, dim: Array) -> Array:
    """Inserts a dimension of size 1 at `dim`."""
    if dim.size != 1:
        raise invalid("'dim' must be a tensor with a single value")
    at, dims = int(dim.reshape(-1)[0]), input.shape
    rank = len(dims)
    if not -rank - 1 <= at <= rank:
        raise invalid(f"Tried to expand dim index {at} for tensor with {rank} dimensions.")
    at = at + rank + 1 if at < 0 else at
    return input.reshape((*dims[:at], 1, *dims[at:]))


@expand_dims_op.gradient
@values_for(input=())
def expand_dims_gradient(dy: Tensor, input: Tensor) -> tuple[Tensor, None]:
    """Gives the gradient the shape of the input."""
    return reshape(dy, shape_tensor(input)), None


@export("expand_dims", v1=[])
def expand_dims(input: TensorLike, axis: TensorLike, name: str | None = None) -> Any:
    """Inserts a dimension of size 1 into the shape of a tensor.

    >>> tf.expand_dims([1, 2], 0).shape, tf.expand_dims([1, 2], -1).shape
    (TensorShape([1, 2]), TensorShape([2, 1]))

    Args:
      input: A Tensor of any dtype.
      axis: where the new dimension goes, in [-rank - 1, rank]: an int, or an integer Tensor of one element.
      name: name of the operation.

    Returns: A Tensor with the elements of `input`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `axis` is out of range.
    """
    return expand_dims_op(input, index_tensor(axis), name=name)
