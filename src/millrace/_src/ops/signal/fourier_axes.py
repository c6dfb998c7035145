"""The Fourier transform along any axes.

TensorFlow declares these ops, but has no kernels for them on a CPU. The values here are NumPy's: `fft_length[i]` is the
length along `axes[i]`, and a transform of real numbers halves the last of the axes. The public functions fill up with
zeros, the ops cut; both count axes from the front or from the back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import UNKNOWN, merge_dims, with_rank
from millrace._src.ops.batching_rules import along
from millrace._src.ops.signal.fourier import COMPLEX
from millrace._src.ops.signal.real_fourier import (
    COMPLEX_OF,
    REAL,
    REAL_OF,
    as_transformable,
    check_types,
    half_weights,
    pad_like,
    size_of,
)
from millrace._src.ops.signal.transforms import (
    Axes,
    complex_transform,
    crop,
    half,
    real_inverse,
    real_transform,
    validate_lengths,
)
from millrace._src.util.export import export

# --- axes and shapes -------------------------------------------------------------------------------------------------


def _canonical(axes: Sequence[int], rank: int) -> Axes:
    """Counts axes from the front.

    Raises: InvalidArgumentError: if an axis is out of range or listed twice.
    """
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            raise invalid(f"axes[{i}] = {axis} is out of range [{-rank}, {rank}) for an input of rank {rank}")
    canonical = tuple(axis % rank for axis in axes)
    if len(set(canonical)) != len(canonical):
        raise invalid(f"axes must differ, but got: {list(axes)}")
    return canonical


def _operands(x: Array, fft_length: Array, axes: Array) -> tuple[list[int], Axes]:
    """Reads the operands of a kernel.

    Raises: InvalidArgumentError: if they do not fit the input or each other.
    """
    if axes.ndim != 1:
        raise invalid(f"axes must be a vector, but got shape: {list(axes.shape)}")
    return validate_lengths(fft_length, axes.size), _canonical(axes.tolist(), x.ndim)


def _transformed_shape(c: ShapeContext, last: Any = int) -> TensorShape:
    merge_dims(with_rank(c.shape("fft_length"), 1), with_rank(c.shape("axes"), 1))
    dims, lengths, axes = c.shape("input").dim_sizes, c.value("fft_length"), c.value("axes")
    if dims is None:
        return UNKNOWN
    if lengths is None or axes is None:
        return TensorShape([None] * len(dims))
    result = list(dims)
    transformed_axes = _canonical(axes.tolist(), len(dims))
    for axis, length in zip(transformed_axes, lengths.tolist(), strict=True):
        result[axis] = length
    if transformed_axes:
        result[transformed_axes[-1]] = last(result[transformed_axes[-1]])
    return TensorShape(result)


def _half_shape(c: ShapeContext) -> TensorShape:
    return _transformed_shape(c, half)


# --- complex numbers -------------------------------------------------------------------------------------------------


@export("fftnd", v1=["fftnd"])
@op(
    "FFTND",
    "input: Tcomplex, fft_length: int32, axes: int32 -> output: Tcomplex",
    Tcomplex=COMPLEX,
    shape=_transformed_shape,
    constant_inputs=("fft_length", "axes"),
    batching=along("axes", "input"),
    library_bound=True,
)
def fftnd_op(xp: Xp, input: Array, fft_length: Array, axes: Array) -> Array:
    """Computes the Fourier transform of the first `fft_length` elements along axes.

    >>> tf.fftnd([[1.0, 2.0], [3.0, 4.0]], fft_length=[2], axes=[0]).numpy().real
    array([[ 4.,  6.],
           [-2., -2.]], dtype=float32)

    Args:
      input: A Tensor of complex64 or complex128.
      fft_length: int32 vector: how many elements along each of the axes.
      axes: int32 vector of the same size.
      name: name of the operation in a graph.

    Returns: A Tensor of the same dtype.
    Raises: tf.errors.InvalidArgumentError: if an axis is out of range or has fewer elements.
    """
    lengths, transformed_axes = _operands(input, fft_length, axes)
    return complex_transform(xp, crop(input, lengths, transformed_axes), transformed_axes, is_inverse=False)


@fftnd_op.gradient
def fftnd_gradient(dy: Tensor, input: Tensor, fft_length: Tensor, axes: Tensor) -> tuple[Tensor, None, None]:
    dx = ifftnd_op(dy, fft_length, axes) * size_of(fft_length, dy.dtype)
    return pad_like(dx, input), None, None


@export("ifftnd", v1=["ifftnd"])
@op(
    "IFFTND",
    "input: Tcomplex, fft_length: int32, axes: int32 -> output: Tcomplex",
    Tcomplex=COMPLEX,
    shape=_transformed_shape,
    constant_inputs=("fft_length", "axes"),
    batching=along("axes", "input"),
    library_bound=True,
)
def ifftnd_op(xp: Xp, input: Array, fft_length: Array, axes: Array) -> Array:
    """Computes the inverse Fourier transform of the first `fft_length` elements along axes.

    >>> tf.ifftnd([[4.0, 6.0], [-2.0, -2.0]], fft_length=[2], axes=[0]).numpy().real
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
      input: A Tensor of complex64 or complex128.
      fft_length: int32 vector: how many elements along each of the axes.
      axes: int32 vector of the same size.
      name: name of the operation in a graph.

    Returns: A Tensor of the same dtype.
    Raises: tf.errors.InvalidArgumentError: if an axis is out of range or has fewer elements.
    """
    lengths, transformed_axes = _operands(input, fft_length, axes)
    return complex_transform(xp, crop(input, lengths, transformed_axes), transformed_axes, is_inverse=True)


@ifftnd_op.gradient
def ifftnd_gradient(dy: Tensor, input: Tensor, fft_length: Tensor, axes: Tensor) -> tuple[Tensor, None, None]:
    dx = fftnd_op(dy, fft_length, axes) / size_of(fft_length, dy.dtype)
    return pad_like(dx, input), None, None


# --- real numbers ----------------------------------------------------------------------------------------------------


@export("rfftnd", v1=["rfftnd"])
@op(
    "RFFTND",
    "input: Treal, fft_length: int32, axes: int32 -> output: Tcomplex",
    Treal=REAL,
    Tcomplex=COMPLEX,
    shape=_half_shape,
    constant_inputs=("fft_length", "axes"),
    batching=along("axes", "input"),
    library_bound=True,
)
def rfftnd_op(xp: Xp, input: Array, fft_length: Array, axes: Array, *, Treal: DType, Tcomplex: DType) -> Array:
    """Computes the Fourier transform of the first `fft_length` real numbers along axes.

    >>> tf.rfftnd([[1.0, 2.0], [3.0, 4.0]], fft_length=[2], axes=[0]).numpy().real
    array([[ 4.,  6.],
           [-2., -2.]], dtype=float32)

    Args:
      input: A Tensor of float32 or float64.
      fft_length: int32 vector: how many elements along each of the axes.
      axes: int32 vector of the same size, at least one; of the last of them half the spectrum is kept.
      Tcomplex: the dtype of the result, of the precision of `input`.
      name: name of the operation in a graph.

    Returns: A complex Tensor.
    Raises: tf.errors.InvalidArgumentError: if an axis is out of range or has fewer elements.
    """
    lengths, transformed_axes = _operands(input, fft_length, axes)
    _require_axis(transformed_axes)
    check_types(Treal, Tcomplex, is_inverse=False)
    return real_transform(xp, crop(input, lengths, transformed_axes), transformed_axes, Tcomplex.np_dtype)


def _require_axis(axes: Axes) -> None:
    if not axes:
        raise invalid("axes must have at least one element for a transform of real numbers")


@rfftnd_op.gradient
def rfftnd_gradient(dy: Tensor, input: Tensor, fft_length: Tensor, axes: Tensor) -> tuple[Tensor, None, None]:
    half_dy = dy * _weights(dy, fft_length, axes, 0.5)
    dx = irfftnd_op(half_dy, fft_length, axes, Treal=input.dtype) * size_of(fft_length, input.dtype)
    return pad_like(dx, input), None, None


@export("irfftnd", v1=["irfftnd"])
@op(
    "IRFFTND",
    "input: Tcomplex, fft_length: int32, axes: int32 -> output: Treal",
    Treal=REAL,
    Tcomplex=COMPLEX,
    shape=_transformed_shape,
    constant_inputs=("fft_length", "axes"),
    batching=along("axes", "input"),
    library_bound=True,
)
def irfftnd_op(xp: Xp, input: Array, fft_length: Array, axes: Array, *, Treal: DType, Tcomplex: DType) -> Array:
    """Computes the `fft_length` real numbers along axes that have half a spectrum.

    >>> tf.irfftnd([[4.0, 6.0], [-2.0, -2.0]], fft_length=[2], axes=[0]).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
      input: A Tensor of complex64 or complex128.
      fft_length: int32 vector: the dimensions of the result along the axes.
      axes: int32 vector of the same size, at least one; of the last of them `input` has half the spectrum.
      Treal: the dtype of the result, of the precision of `input`.
      name: name of the operation in a graph.

    Returns: A Tensor of float32 or float64.
    Raises: tf.errors.InvalidArgumentError: if an axis is out of range or has fewer elements.
    """
    lengths, transformed_axes = _operands(input, fft_length, axes)
    _require_axis(transformed_axes)
    x = crop(input, [*lengths[:-1], half(lengths[-1])], transformed_axes)
    check_types(Treal, Tcomplex, is_inverse=True)
    return real_inverse(xp, x, lengths[-1], transformed_axes, Treal.np_dtype)


@irfftnd_op.gradient
def irfftnd_gradient(dy: Tensor, input: Tensor, fft_length: Tensor, axes: Tensor) -> tuple[Tensor, None, None]:
    spectrum = rfftnd_op(dy, fft_length, axes, Tcomplex=input.dtype)
    dx = spectrum * _weights(spectrum, fft_length, axes, 2.0) / size_of(fft_length, input.dtype)
    return pad_like(dx, input), None, None


def _weights(spectrum: Tensor, fft_length: Tensor, axes: Tensor, inner: float) -> Tensor:
    """Returns `half_weights` along the last of the axes, with dimensions of one element for all other axes."""
    dims = raw.Shape(input=spectrum)
    rank = raw.Size(input=dims)
    axis = raw.FloorMod(x=axes[-1], y=rank)
    count = raw.GatherV2(params=dims, indices=axis, axis=0)
    weights = half_weights(count, fft_length[-1], inner, spectrum.dtype)
    at_axis = raw.Equal(x=raw.Range(start=0, limit=rank, delta=1), y=axis)
    shape = raw.SelectV2(condition=at_axis, t=count, e=1)
    result: Tensor = raw.Reshape(tensor=weights, shape=shape)
    return result


# --- the public functions --------------------------------------------------------------------------------------------

_NORMS = (None, "backward", "ortho", "forward")


def _static_axes(x: Tensor, fft_length: Any, axes: Any) -> Axes:
    """Returns the axes of a transform, counted from the front: all, or as many of the last as there are lengths."""
    rank = x.shape.rank
    if rank is None:
        raise ValueError("Cannot take the length of shape with unknown rank.")
    if axes is None:
        count = rank if fft_length is None else with_rank(convert_to_tensor(fft_length).shape, 1)[0]
        if count is None or count > rank:
            raise ValueError(f"fft_length must have at most {rank} elements, got: {fft_length!s}")
        return tuple(range(rank - count, rank))
    value = static_value(convert_to_tensor(axes, dtype=d.int32))
    if value is None:
        raise ValueError(f"The axes of a Fourier transform must be known while tracing, got: {axes!s}")
    return _canonical(value.reshape(-1).tolist(), rank)


def _default_lengths(x: Tensor, axes: Axes, *, halves: bool) -> Tensor:
    """Returns the lengths of a transform of all elements; `halves` says that the last axis holds half a spectrum."""
    dims: list[Any] = [x.shape[axis] for axis in axes]
    if None in dims:
        shape = raw.Shape(input=x)
        dims = [shape[axis] for axis in axes]
        if halves:
            dims[-1] = raw.Maximum(x=2 * (dims[-1] - 1), y=0)
        packed: Tensor = raw.Pack(values=dims)
        return packed
    if halves and dims:
        dims[-1] = max(0, 2 * (dims[-1] - 1))
    return convert_to_tensor(np.array(dims, np.int32))


def _fill_up(x: Tensor, fft_length: Tensor, axes: Axes, *, halves: bool) -> Tensor:
    """Appends zeros along axes, up to the elements that a transform needs."""
    lengths = static_value(fft_length)
    dims: list[Any] = x.shape.as_list()
    missing: list[Any] = [0] * len(dims)
    is_static = lengths is not None and None not in [dims[axis] for axis in axes]
    shape = None if is_static else raw.Shape(input=x)
    for i, axis in enumerate(axes):
        length = int(lengths[i]) if lengths is not None else fft_length[i]
        needed = length // 2 + 1 if halves and i == len(axes) - 1 else length
        missing[axis] = max(0, needed - dims[axis]) if shape is None else raw.Maximum(x=needed - shape[axis], y=0)
    if shape is None and not any(missing):
        return x
    behind = np.array(missing, np.int32) if shape is None else raw.Pack(values=missing)
    paddings = raw.Pack(values=[np.zeros(len(dims), np.int32), behind], axis=1)
    result: Tensor = raw.Pad(input=x, paddings=paddings)
    return result


def _scale(x: Tensor, fft_length: Tensor, norm: str | None, *, is_inverse: bool) -> Tensor:
    """Multiplies what an op computed, whose inverse divides by the size, as `norm` asks."""
    if norm in (None, "backward"):
        return x
    size = size_of(fft_length, REAL_OF.get(x.dtype, x.dtype))
    root = raw.Sqrt(x=size) if norm == "ortho" else size
    factor = raw.Cast(x=root if is_inverse else 1 / root, DstT=x.dtype)
    return x * factor


def _validate_norm(norm: str | None) -> None:
    if norm not in _NORMS:
        raise ValueError(f"norm must be None, 'backward', 'ortho' or 'forward', got: {norm!r}")


def _lengths(x: Tensor, fft_length: Any, axes: Axes, *, halves: bool = False) -> tuple[Tensor, Tensor]:
    """Returns the input, filled up, and the lengths along axes."""
    if fft_length is None:
        return x, _default_lengths(x, axes, halves=halves)
    lengths = convert_to_tensor(fft_length, dtype=d.int32)
    if not lengths.shape.is_compatible_with([len(axes)]):
        raise ValueError(f"fft_length must have one element for each of the axes {list(axes)}, got: {fft_length!s}")
    return _fill_up(x, lengths, axes, halves=halves), lengths


def _along(
    axes: object,
    op_function: Any,
    x: Tensor,
    fft_length: object,
    norm: str | None,
    scope: str,
    attrs: dict[str, Any],
    *,
    is_inverse: bool,
    halves: bool = False,
) -> Tensor:
    """Transforms a tensor along axes, and divides by what `norm` says."""
    transformed_axes = _static_axes(x, fft_length, axes)
    x, lengths = _lengths(x, fft_length, transformed_axes, halves=halves)
    result = op_function(x, lengths, np.array(transformed_axes, np.int32), **attrs, name=scope)
    return _scale(result, lengths, norm, is_inverse=is_inverse)


@export("signal.fftnd", v1=["signal.fftnd"])
def fftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: TensorLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the Fourier transform along axes.

    >>> tf.signal.fftnd([[1.0, 2.0], [3.0, 4.0]], axes=[1]).numpy().real
    array([[ 3., -1.],
           [ 7., -1.]], dtype=float32)

    Args:
      input_tensor: A Tensor of complex64 or complex128 of known rank.
      fft_length: int32 vector: how many elements are transformed along each axis; zeros are appended, or elements cut.
        All by default.
      axes: the axes, counted from the front or from the back. By default as many of the last as `fft_length` has
        elements, or all.
      norm: "backward" or None: the inverse is divided by the number of elements. "forward": the transform is divided.
        "ortho": both are divided by the root of this number.
      name: name of the operation in a graph.

    Returns: A Tensor of the same dtype.
    Raises:
      ValueError: if `norm` is another word, `fft_length` does not fit the axes, or the dtype is another.
      tf.errors.InvalidArgumentError: if an axis is out of range or listed twice.
    """
    _validate_norm(norm)
    with name_scope(name, "fftnd") as scope:
        x = convert_to_tensor(input_tensor, dtype_hint=d.complex64)
        return _along(axes, fftnd_op, x, fft_length, norm, scope, {}, is_inverse=False)


@export("signal.ifftnd", v1=["signal.ifftnd"])
def ifftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: TensorLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the inverse Fourier transform along axes.

    >>> tf.signal.ifftnd([[3.0, -1.0], [7.0, -1.0]], axes=[1]).numpy().real
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
      input_tensor: A Tensor of complex64 or complex128 of known rank.
      fft_length: int32 vector: how many elements are transformed along each axis; zeros are appended, or elements cut.
        All by default.
      axes: the axes, counted from the front or from the back. By default as many of the last as `fft_length` has
        elements, or all.
      norm: "backward" or None: the inverse is divided by the number of elements. "forward": the transform is divided.
        "ortho": both are divided by the root of this number.
      name: name of the operation in a graph.

    Returns: A Tensor of the same dtype.
    Raises:
      ValueError: if `norm` is another word, `fft_length` does not fit the axes, or the dtype is another.
      tf.errors.InvalidArgumentError: if an axis is out of range or listed twice.
    """
    _validate_norm(norm)
    with name_scope(name, "ifftnd") as scope:
        x = convert_to_tensor(input_tensor, dtype_hint=d.complex64)
        return _along(axes, ifftnd_op, x, fft_length, norm, scope, {}, is_inverse=True)


@export("signal.rfftnd", v1=["signal.rfftnd"])
def rfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: TensorLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the Fourier transform of real numbers along axes; of the last axis, half the spectrum.

    >>> tf.signal.rfftnd([[1.0, 2.0, 3.0]], axes=[1], norm="forward").numpy().real
    array([[ 2. , -0.5]], dtype=float32)

    Args:
      input_tensor: A Tensor of float32 or float64 of known rank.
      fft_length: int32 vector: how many elements are transformed along each axis; zeros are appended, or elements cut.
        All by default.
      axes: the axes, counted from the front or from the back. By default as many of the last as `fft_length` has
        elements, or all.
      norm: "backward" or None: the inverse is divided by the number of elements. "forward": the transform is divided.
        "ortho": both are divided by the root of this number.
      name: name of the operation in a graph.

    Returns: A complex Tensor.
    Raises:
      ValueError: if `norm` is another word, `fft_length` does not fit the axes, or the dtype is another.
      tf.errors.InvalidArgumentError: if an axis is out of range or listed twice.
    """
    _validate_norm(norm)
    with name_scope(name, "rfftnd") as scope:
        x = as_transformable(input_tensor, "RFFT", is_real=True)
        attrs = {"Tcomplex": COMPLEX_OF[x.dtype]}
        return _along(axes, rfftnd_op, x, fft_length, norm, scope, attrs, is_inverse=False)


@export("signal.irfftnd", v1=["signal.irfftnd"])
def irfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: TensorLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the real numbers, along axes, that have half a spectrum along the last of the axes.

    >>> tf.signal.irfftnd([[6.0, -2.0, 2.0]], axes=[1]).numpy()
    array([[1., 1., 3., 1.]], dtype=float32)

    Args:
      input_tensor: A Tensor of complex64 or complex128 of known rank.
      fft_length: int32 vector: the dimensions of the result along the axes; zeros are appended, or elements cut.
        By default all, and along the last axis `2 * (n - 1)` for n elements.
      axes: the axes, counted from the front or from the back. By default as many of the last as `fft_length` has
        elements, or all.
      norm: "backward" or None: the inverse is divided by the number of elements. "forward": the transform is divided.
        "ortho": both are divided by the root of this number.
      name: name of the operation in a graph.

    Returns: A Tensor of float32 or float64.
    Raises:
      ValueError: if `norm` is another word, `fft_length` does not fit the axes, or the dtype is another.
      tf.errors.InvalidArgumentError: if an axis is out of range or listed twice.
    """
    _validate_norm(norm)
    with name_scope(name, "irfftnd") as scope:
        x = as_transformable(input_tensor, "IRFFT", is_real=False)
        attrs = {"Treal": REAL_OF[x.dtype]}
        return _along(axes, irfftnd_op, x, fft_length, norm, scope, attrs, is_inverse=True, halves=True)
