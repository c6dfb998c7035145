"""Tensors filled with one value: zeros, ones, fill, and the `_like` forms of all three.

In eager mode such tensors are NumPy arrays at once. In a graph, a small tensor of known shape is a constant, a large
tensor is a Fill (which costs a graph nothing to store), and a tensor of unknown shape is a Fill whose dimensions are
computed.
"""

from __future__ import annotations

import contextlib
import operator
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dispatch import out_of_memory
from millrace._src.core.dtypes import DType, as_dtype, float32, int32
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import first_handle
from millrace._src.core.op_def import Effects, KnownValue, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor, new_tensor
from millrace._src.core.variant_values import VariantValue, zeros_of
from millrace._src.ops import raw
from millrace._src.ops.array import shape_batches
from millrace._src.ops.array.eager_arguments import index_tensor
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.shape_checks import dims_text, require_countable, require_scalar, uncountable, with_rank
from millrace._src.ops.array.shape_ops import scoped_shape, shape_op
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import ANY, BOOL, INDEX, NUMERIC
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)
_LARGEST_CONSTANT = 1000
"""Tensors of fewer elements become constants in a graph."""
_LARGEST_SIZE = 2**63 - 1


# --- ops ---------------------------------------------------------------------------------------------------------


def _fill_shape(c: ShapeContext) -> TensorShape:
    with_rank(c.shape("dims"), 1)
    require_scalar(c.shape("value"))
    if any(d is not None and d < 0 for d in c.partial("dims") or ()):
        raise ValueError("Fill dimensions must be >= 0")
    return c.value_as_shape("dims")


@op(
    "Fill",
    "dims: index_type, value: T -> output: T",
    only_moves_values=True,
    T=ANY,
    index_type=_INDEX,
    shape=_fill_shape,
    constant_inputs=("dims",),
    batching=shape_batches.fill,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
)
def fill_op(xp: Xp, dims: Array, value: Array) -> Array:
    """Makes a tensor of shape `dims` that repeats `value`."""
    if dims.ndim > 1:
        raise invalid(f"dims must represent a vector, got shape {dims_text(dims.shape)}")
    sizes = tuple(dims.reshape(-1).tolist())
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    if value.size != 1:
        raise invalid(f"value must represent a scalar, got shape {dims_text(value.shape)}")
    require_countable(sizes, value.dtype.itemsize)
    return xp.full(sizes, value.reshape(()), dtype=value.dtype)


@fill_op.gradient
def fill_gradient(dy: Tensor, value: Tensor) -> tuple[None, Tensor]:
    """Gives the value the sum of the gradient."""
    return None, raw.Sum(input=reshape(dy, [-1]), reduction_indices=[0])


def _like(xp: Xp, x: Any, value: int) -> Any:
    if isinstance(x, VariantValue):  # the engines pass a scalar variant as the object itself
        return x.zeros_like()
    return zeros_of(x) if x.dtype.kind == "O" else xp.full(x.shape, value, dtype=x.dtype)


@op(
    "ZerosLike",
    "x: T -> y: T",
    only_moves_values=True,
    T=ANY,
    shape=same_shape,
    handles=first_handle,
    not_differentiable="zeros do not vary with the values",
    exact_on_rows=True,
)
def zeros_like_op(xp: Xp, x: Array) -> Array:
    """Makes zeros of the shape and dtype of `x`."""
    return _like(xp, x, 0)


@zeros_like_op.kernel_for("xla")
def _zeros_like_for_xla(xp: CompilingXp, x: Any) -> Any:
    """Makes a constant without memory of its own: a list of XLA's marks a row of zeros, and writes none."""
    return x.zeros_like() if isinstance(x, VariantValue) else np.broadcast_to(np.zeros((), x.dtype), x.shape)


@zeros_like_op.specialize
def _specialize_zeros_like(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    dtype = dtypes[0].np_dtype
    return None if dtype.kind == "O" else lambda x: np.zeros(x.shape, dtype)


@op(
    "OnesLike",
    "x: T -> y: T",
    only_moves_values=True,
    T=NUMERIC | BOOL,
    shape=same_shape,
    reads_only_shapes=True,
    not_differentiable="ones do not vary with the values",
    exact_on_rows=True,
)
def ones_like_op(xp: Xp, x: Array) -> Array:
    """Makes ones of the shape and dtype of `x`."""
    return _like(xp, x, 1)


@op(
    "Empty",
    "shape: int32 -> output: dtype",
    dtype=ANY,
    shape=lambda c: c.value_as_shape("shape"),
    effects=Effects.RANDOM,
    constant_inputs=("shape",),
    not_differentiable="uninitialized memory depends on no values",
    not_batched="its shape is the same for all rows",
)
def empty_op(xp: Xp, shape: Array, *, dtype: DType, init: bool = False) -> Array:
    """Makes a tensor of shape `shape` whose contents do not matter; zeros here."""
    sizes = tuple(shape.tolist())
    return xp.full(sizes, b"" if dtype.np_dtype.kind == "O" else 0, dtype=dtype.np_dtype)


# --- public ------------------------------------------------------------------------------------------------------


@export("fill")
def fill(dims: TensorLike, value: TensorLike, name: str | None = None, layout: object = None) -> Any:
    """Makes a tensor of shape `dims` that repeats a scalar.

    >>> tf.fill([2, 2], 9).numpy()
    array([[9, 9],
           [9, 9]], dtype=int32)

    Args:
      dims: an int32 or int64 vector, the shape.
      value: a scalar of any dtype.
      name: name of the operation.
      layout: a DTensor layout; must be None.

    Returns: A Tensor of the dtype of `value`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if a dimension is negative.
    """
    _refuse_layout("fill", layout)
    return fill_op(index_tensor(dims), value, name=name)


@export("zeros")
def zeros(shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None, layout: object = None) -> Any:
    """Makes a tensor of zeros (False, empty strings).

    >>> tf.zeros([2, 3], tf.int32).numpy()
    array([[0, 0, 0],
           [0, 0, 0]], dtype=int32)

    Args:
      shape: a list of ints, a TensorShape, or an integer vector.
      dtype: the dtype.
      name: name of the operation.
      layout: a DTensor layout; must be None.

    Returns: A Tensor.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if a dimension is negative.
    """
    _refuse_layout("zeros", layout)
    return _fill(shape, as_dtype(dtype).base_dtype, 0, name, "zeros")


@export("ones")
def ones(shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None, layout: object = None) -> Any:
    """Makes a tensor of ones (True).

    >>> tf.ones([2]).numpy()
    array([1., 1.], dtype=float32)

    Args:
      shape: a list of ints, a TensorShape, or an integer vector.
      dtype: the dtype; a number or bool.
      name: name of the operation.
      layout: a DTensor layout; must be None.

    Returns: A Tensor.
    Raises:
      TypeError: if there is no one of that dtype.
      tf.errors.InvalidArgumentError: (ValueError while tracing) if a dimension is negative.
    """
    _refuse_layout("ones", layout)
    return _fill(shape, as_dtype(dtype).base_dtype, 1, name, "ones")


@export("zeros_like", v1=[], elementwise="unary")
def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: object = None) -> Any:
    """Makes a tensor of zeros of the shape of another.

    >>> tf.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.], dtype=float32)

    Args:
      input: a Tensor, or a value that converts to one.
      dtype: the dtype; None takes that of `input`.
      name: name of the operation.
      layout: a DTensor layout; must be None.

    Returns: A Tensor.
    """
    _refuse_layout("zeros_like", layout)
    return _fill_like(input, dtype, 0, name, "zeros_like")


@export("ones_like", v1=[], elementwise="unary")
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: object = None) -> Any:
    """Makes a tensor of ones with the shape of another tensor.

    >>> tf.ones_like([3, 4]).numpy()
    array([1, 1], dtype=int32)

    Args:
      input: a Tensor, or a value that converts to one.
      dtype: the dtype; None takes that of `input`.
      name: name of the operation.
      layout: a DTensor layout; must be None.

    Returns: A Tensor.
    Raises: TypeError: if there is no one of that dtype.
    """
    _refuse_layout("ones_like", layout)
    return _fill_like(input, dtype, 1, name, "ones_like")


def ones_like_static(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Makes ones of the shape of a tensor, with the arguments of TensorFlow 1.

    >>> tf.compat.v1.ones_like([3]).numpy()
    array([1], dtype=int32)

    Args:
      tensor: a Tensor, or a value that converts to one.
      dtype: the dtype; None takes that of `tensor`.
      name: name of the operation.
      optimize: whether to use in a graph what is statically known of `tensor`.

    Returns: A Tensor.
    """
    if state.graph is None:
        return ones_like(tensor, dtype, name)
    with name_scope(name, "ones_like") as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        dtype = tensor.dtype.base_dtype if dtype is None else as_dtype(dtype).base_dtype
        sizes = scoped_shape(tensor) if optimize else shape_op(tensor, out_type=int32)
        value = convert_to_tensor(_fill_value(dtype, 1), dtype=dtype, name=f"{scope}Const")
        return fill_op(sizes, value, name=scope)


# --- how ---------------------------------------------------------------------------------------------------------


def _refuse_layout(function: str, layout: object) -> None:
    if layout is not None:
        raise ValueError(f"tf.{function}: DTensor layouts are not supported; received layout={layout!r}. Leave it out.")


def _fill_value(dtype: DType, number: int) -> Any:
    """Returns zero or one of a dtype. Raises TypeError if the dtype has no such value."""
    kind = dtype.np_dtype.kind
    if kind != "O":
        return np.array(number).astype(dtype.np_dtype)
    if dtype.name == "string" and number == 0:
        return np.array(b"", dtype=object)
    if state.graph is not None:
        raise TypeError(f"Expected {dtype.name}, but got {number} of type 'int'.")
    raise TypeError(f"Cannot convert {number} to EagerTensor of dtype {dtype.name}")


def _fill(shape: ShapeLike, dtype: DType, number: int, name: str | None, default_name: str) -> Any:
    value = _fill_value(dtype, number)
    dims = _static_dims(shape)
    if state.graph is None and dims is not None:
        return new_tensor(_full(dims, value, dtype), dtype)
    with name_scope(name, default_name) as scope:
        if dims is not None:
            return _fill_static(dims, value, dtype, scope)
        sizes = _dims_tensor(shape)
        return fill_op(sizes, convert_to_tensor(value, dtype=dtype, name=f"{scope}Const"), name=scope or default_name)


def _full(dims: tuple[int, ...], value: object, dtype: DType) -> Array:
    for size in dims:
        if size < 0:
            raise errors.op_error("Fill", f"Dimension {size} must be >= 0")
        if size > _LARGEST_SIZE:
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    try:
        if dtype.np_dtype.kind != "O" and not value:
            return np.zeros(dims, dtype.np_dtype)
        return np.full(dims, value, dtype.np_dtype)
    except MemoryError as error:
        raise out_of_memory("Fill", error) from None
    except ValueError:  # more elements than NumPy can count
        if 0 in dims:
            raise errors.op_error("Fill", uncountable(dims)) from None
        text = f"OOM when allocating tensor with shape{dims_text(dims)} and type {dtype.name}"
        raise errors.op_error("Fill", text, errors.ResourceExhaustedError) from None


def _fill_static(dims: tuple[int, ...], value: Any, dtype: DType, scope: str) -> Any:
    """Fills a tensor of known shape in a graph: a constant for a small tensor, else a Fill."""
    count = 1
    for size in dims:
        count *= size
    if 0 <= count < _LARGEST_CONSTANT and all(size >= 0 for size in dims):
        require_countable(dims, dtype.np_dtype.itemsize)
        return state.graph.constant(np.broadcast_to(np.full((), value, dtype.np_dtype), dims), dtype, scope)
    index = np.int32 if all(size <= int32.max for size in dims) else np.int64
    sizes = convert_to_tensor(np.array(dims, index), name=f"{scope}shape_as_tensor")
    return fill_op(sizes, convert_to_tensor(value, dtype=dtype, name=f"{scope}Const"), name=scope)


def _static_dims(shape: ShapeLike) -> tuple[int, ...] | None:
    """Returns the dimensions if they are given as plain numbers, else None."""
    if isinstance(shape, TensorShape):
        if not shape.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
        return tuple(d for d in shape if d is not None)
    if isinstance(shape, (list, tuple)) and all(type(d) is int or isinstance(d, np.integer) for d in shape):
        return tuple(int(d) for d in shape)
    return None


def _dims_tensor(shape: Any) -> Any:
    """Returns the dimensions as a vector tensor."""
    if isinstance(shape, (int, np.integer)) and not isinstance(shape, bool):
        return convert_to_tensor(np.array([shape], np.int32), name="shape_as_tensor")
    is_tensor = isinstance(shape, (Tensor, np.ndarray, np.generic)) or hasattr(type(shape), "__tf_tensor__")
    if isinstance(shape, (list, tuple)):
        shape = [_bool_as_int(d) for d in shape]
        if state.graph is None:
            with contextlib.suppress(TypeError):
                shape = [operator.index(d) for d in shape]
    sizes = convert_to_tensor(shape) if is_tensor else convert_to_tensor(shape, dtype=int32, name="packed")
    if not sizes.dtype.is_integer:
        raise TypeError(f"Cannot convert {shape!r} to EagerTensor of dtype int32")
    if sizes.dtype not in INDEX:
        sizes = raw.Cast(x=sizes, DstT=int32)
    return reshape(sizes, [-1]) if sizes.shape.rank == 0 else sizes


def _bool_as_int(value: object) -> Any:
    """Returns a dimension that is given as a bool as a number."""
    return int(value) if isinstance(value, (bool, np.bool_)) else value


def _fill_like(input: Any, dtype: DTypeLike, number: int, name: str | None, default_name: str) -> Any:
    wanted_dtype = None if dtype is None else as_dtype(dtype).base_dtype
    if type(input) is EagerTensor and state.graph is None:
        actual = wanted_dtype or input.dtype
        if actual.name != "variant":
            return new_tensor(
                _full(input._eager_array.shape, _like_value(actual, number, wanted_dtype is None), actual), actual
            )
    with name_scope(name, default_name) as scope:
        tensor = convert_to_tensor(input, name="tensor")
        actual = wanted_dtype or tensor.dtype.base_dtype
        dims = tensor.shape.dim_sizes
        if dims is not None and None not in dims and actual.name != "variant":
            value = _like_value(actual, number, wanted_dtype is None)
            return (
                new_tensor(_full(dims, value, actual), actual)
                if state.graph is None
                else _fill_static(dims, value, actual, scope)
            )
        if actual is tensor.dtype:
            return (ones_like_op if number else zeros_like_op)(tensor, name=scope or default_name)
        shape = shape_op(tensor, out_type=int32)
        value = convert_to_tensor(_like_value(actual, number, wanted_dtype is None), dtype=actual, name=f"{scope}Const")
        return fill_op(shape, value, name=scope or default_name)


def _like_value(dtype: DType, number: int, is_own: bool) -> Any:
    """Returns zero or one of a dtype; an eager one of the tensor's own dtype is refused in the words of OnesLike."""
    if number and is_own and dtype.np_dtype.kind == "O" and state.graph is None:
        raise errors.op_error("OnesLike", f"Value for attr 'T' of {dtype.name} is not in the list of allowed values")
    return _fill_value(dtype, number)
