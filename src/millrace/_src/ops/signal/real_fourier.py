"""The Fourier transform between real numbers and the half of the spectrum that determines them.

The spectrum of N real numbers is symmetric, X[N - k] = conj(X[k]); along the last axis only X[0] ... X[N / 2] are kept.
Of the inverse, every element between the first and the middle one counts twice, for the element left out too. The
gradients follow: the one of the transform halves these elements and transforms back, the other doubles them.

`fft_length` says how many elements take part: the public functions fill up with zeros, the ops cut.
"""

from __future__ import annotations

from collections.abc import Callable
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
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import UNKNOWN, with_rank, with_rank_at_least
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.signal.fourier import COMPLEX
from millrace._src.ops.signal.transforms import crop, half, last_axes, real_inverse, real_transform, validate_lengths
from millrace._src.util.export import export

REAL = TypeSet((d.float32, d.float64), default=d.float32)
_TO_COMPLEX = "input: Treal, fft_length: int32 -> output: Tcomplex"
_TO_REAL = "input: Tcomplex, fft_length: int32 -> output: Treal"
COMPLEX_OF = {d.float32: d.complex64, d.float64: d.complex128}
REAL_OF = {complex_type: real for real, complex_type in COMPLEX_OF.items()}

# --- kernels and shapes ----------------------------------------------------------------------------------------------


def check_types(real: DType, complex_type: DType, *, is_inverse: bool) -> None:
    """Raises InvalidArgumentError if the dtypes of a transform are not of one precision."""
    if COMPLEX_OF[real] is not complex_type:
        source, target = (complex_type, real) if is_inverse else (real, complex_type)
        kind = "backward" if is_inverse else "forward"
        numbers = f"in={source.as_datatype_enum} out={target.as_datatype_enum}"
        raise invalid(f"Wrong types for {kind} real FFT: {numbers}")


def _forward(xp: Xp, x: Array, fft_length: Array, count: int, real: DType, complex_type: DType) -> Array:
    axes = last_axes(x, count)
    lengths = validate_lengths(fft_length, count)
    x = crop(x, lengths, axes)
    check_types(real, complex_type, is_inverse=False)
    return real_transform(xp, x, axes, complex_type.np_dtype)


def _backward(xp: Xp, x: Array, fft_length: Array, count: int, real: DType, complex_type: DType) -> Array:
    axes = last_axes(x, count)
    lengths = validate_lengths(fft_length, count)
    x = crop(x, [*lengths[:-1], half(lengths[-1])], axes)
    check_types(real, complex_type, is_inverse=True)
    return real_inverse(xp, x, lengths[-1], axes, real.np_dtype)


def _shape(count: int, *, is_inverse: bool) -> Callable[[ShapeContext], TensorShape]:
    """Makes the shape rule of a transform of the last `count` axes."""

    def rule(c: ShapeContext) -> TensorShape:
        dims = with_rank_at_least(c.shape("input"), count)
        (given_count,) = with_rank(c.shape("fft_length"), 1)
        if given_count not in (None, count):
            raise ValueError(f"Dimension must be {count} but is {given_count}")
        if dims is None:
            return UNKNOWN
        value = c.value("fft_length")
        lengths: list[Any] = [None] * count if value is None else value.tolist()
        if value is not None and not is_inverse:
            lengths[-1] = half(lengths[-1])
        return TensorShape.of((*dims[: len(dims) - count], *lengths))

    return rule


# --- gradients -------------------------------------------------------------------------------------------------------


def half_weights(count: Tensor, length: Tensor, inner: float, dtype: DType) -> Tensor:
    """Returns 1 for the first element of half a spectrum and for the middle one of an even length, else `inner`.

    Args:
      count: how many elements the half has.
      length: how many elements were transformed.
      inner: the weight of the elements that represent two.
      dtype: the dtype of the spectrum.
    """
    k = raw.Range(start=0, limit=count, delta=1)
    is_single = raw.LogicalOr(x=raw.Equal(x=k, y=0), y=raw.Equal(x=2 * k, y=length))
    one, other = (np.array(value, REAL_OF[dtype].np_dtype) for value in (1, inner))
    weights: Tensor = raw.Cast(x=raw.SelectV2(condition=is_single, t=one, e=other), DstT=dtype)
    return weights


def _weights(spectrum: Tensor, fft_length: Tensor, inner: float) -> Tensor:
    return half_weights(raw.Shape(input=spectrum)[-1], fft_length[-1], inner, spectrum.dtype)


def size_of(fft_length: Tensor, dtype: DType) -> Tensor:
    """Returns the number of elements that a transform takes, in a dtype."""
    size: Tensor = raw.Cast(x=raw.Prod(input=fft_length, axis=[0]), DstT=dtype)
    return size


def pad_like(x: Tensor, example: Tensor) -> Tensor:
    """Fills up a gradient with zeros, for the elements that were cut off."""
    if x.shape.is_fully_defined() and x.shape == example.shape:
        return x
    missing = raw.Shape(input=example) - raw.Shape(input=x)
    result: Tensor = raw.Pad(input=x, paddings=raw.Pack(values=[raw.ZerosLike(x=missing), missing], axis=1))
    return result


def _forward_gradient(inverse: Any, dy: Tensor, input: Tensor, fft_length: Tensor) -> tuple[Tensor, None]:
    scale = size_of(fft_length, input.dtype)
    dx = inverse(dy * _weights(dy, fft_length, 0.5), fft_length, Treal=input.dtype) * scale
    return pad_like(dx, input), None


def _backward_gradient(forward: Any, dy: Tensor, input: Tensor, fft_length: Tensor) -> tuple[Tensor, None]:
    spectrum = forward(dy, fft_length, Tcomplex=input.dtype)
    dx = spectrum * _weights(spectrum, fft_length, 2.0) / size_of(fft_length, input.dtype)
    return pad_like(dx, input), None


# --- the public functions --------------------------------------------------------------------------------------------


def as_transformable(value: Any, op_name: str, *, is_real: bool) -> Tensor:
    """Converts the input of a transform.

    Raises: ValueError: if the input is of another dtype.
    """
    default, allowed = (d.float32, COMPLEX_OF) if is_real else (d.complex64, REAL_OF)
    x = convert_to_tensor(value, dtype_hint=default)
    if x.dtype not in allowed:
        choices = " or ".join(f"tf.{t.name}" for t in allowed)
        raise ValueError(f"{op_name} requires {choices} inputs, got: {x!s}")
    return x


def _default_lengths(x: Tensor, count: int, *, is_inverse: bool) -> Any:
    """Returns the lengths of a transform of all elements along the last axes: NumPy's, if a trace knows them."""
    dims = x.shape.dim_sizes
    tail: tuple[Any, ...] = (None,) if dims is None else dims[len(dims) - count :]
    if None in tail:
        lengths = raw.Shape(input=x)[-count:]
        if not is_inverse:
            return lengths
        last = raw.Maximum(x=2 * (lengths[-1:] - 1), y=0)
        return raw.ConcatV2(values=[lengths[:-1], last], axis=0)
    last_length = max(0, 2 * (tail[-1] - 1)) if is_inverse else tail[-1]
    return np.array([*tail[:-1], last_length], np.int32)


def _fill_up(x: Tensor, fft_length: Tensor, count: int, *, is_inverse: bool) -> Tensor:
    """Appends zeros along the last axes, up to the elements that a transform needs."""
    lengths, dims = static_value(fft_length), x.shape.dim_sizes
    if lengths is not None and lengths.shape != (count,):
        return x  # the op says what is wrong
    if lengths is not None and dims is not None and None not in dims[-count:]:
        needed = [*lengths[:-1].tolist(), half(int(lengths[-1])) if is_inverse else int(lengths[-1])]
        missing = [max(0, n - dim) for n, dim in zip(needed, dims[-count:], strict=True)]
        if not any(missing):
            return x
        paddings: Any = np.array([(0, 0)] * (len(dims) - count) + [(0, m) for m in missing], np.int32)
    else:
        last = fft_length[-1:] // 2 + 1 if is_inverse else fft_length[-1:]
        needed_lengths = raw.ConcatV2(values=[fft_length[:-1], last], axis=0)
        shape = raw.Shape(input=x)
        behind = raw.Maximum(x=needed_lengths - shape[-count:], y=0)
        after = raw.ConcatV2(values=[raw.ZerosLike(x=shape[:-count]), behind], axis=0)
        paddings = raw.Pack(values=[raw.ZerosLike(x=after), after], axis=1)
    result: Tensor = raw.Pad(input=x, paddings=paddings)
    return result


def _transform(op: Any, value: object, fft_length: Any, name: str | None, count: int, *, is_inverse: bool) -> Tensor:
    op_name = op.op_def.name
    with name_scope(name, op_name.lower()) as scope:
        x = as_transformable(value, op_name, is_real=not is_inverse)
        x.shape.with_rank_at_least(count)
        if fft_length is None:
            lengths = convert_to_tensor(_default_lengths(x, count, is_inverse=is_inverse))
        else:
            lengths = convert_to_tensor(fft_length, dtype=d.int32)
            x = _fill_up(x, lengths, count, is_inverse=is_inverse)
        if is_inverse:
            result: Tensor = op(x, lengths, Treal=REAL_OF[x.dtype], name=scope)
        else:
            result = op(x, lengths, Tcomplex=COMPLEX_OF[x.dtype], name=scope)
        return result


# --- one axis ---------------------------------------------------------------------------------------------------------


_FACTS: dict[str, Any] = {
    "Treal": REAL,
    "Tcomplex": COMPLEX,
    "constant_inputs": ("fft_length",),
    "batching": leading("input"),
    "library_bound": True,
}


@op(
    "RFFT",
    _TO_COMPLEX,
    shape=_shape(1, is_inverse=False),
    **_FACTS,
)
def rfft_op(xp: Xp, input: Array, fft_length: Array, *, Treal: DType, Tcomplex: DType) -> Array:
    """Transforms real numbers along the last axis; the op behind `tf.signal.rfft`."""
    return _forward(xp, input, fft_length, 1, Treal, Tcomplex)


@rfft_op.gradient
def rfft_gradient(dy: Tensor, input: Tensor, fft_length: Tensor) -> tuple[Tensor, None]:
    return _forward_gradient(irfft_op, dy, input, fft_length)


@op(
    "IRFFT",
    _TO_REAL,
    shape=_shape(1, is_inverse=True),
    **_FACTS,
)
def irfft_op(xp: Xp, input: Array, fft_length: Array, *, Treal: DType, Tcomplex: DType) -> Array:
    """Transforms half a spectrum back along the last axis; the op behind `tf.signal.irfft`."""
    return _backward(xp, input, fft_length, 1, Treal, Tcomplex)


@irfft_op.gradient
def irfft_gradient(dy: Tensor, input: Tensor, fft_length: Tensor) -> tuple[Tensor, None]:
    return _backward_gradient(rfft_op, dy, input, fft_length)


@export("signal.rfft", v1=["signal.rfft", "spectral.rfft"])
def rfft(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Computes the Fourier transform of real numbers along the last axis: the half that determines the rest.

    >>> tf.signal.rfft([1.0, 0.0, -1.0, 0.0]).numpy()
    array([0.+0.j, 2.+0.j, 0.+0.j], dtype=complex64)

    Args:
      input_tensor: A Tensor of float32 or float64 of at least one dimension.
      fft_length: int32 vector of 1: how many elements are transformed; zeros are appended, or elements cut.
      name: name of the operation in a graph.

    Returns: A complex Tensor; its last dimension has `fft_length[-1] // 2 + 1` elements.
    Raises: ValueError: if `input_tensor` is of another dtype, or has fewer dimensions.
    """
    return _transform(rfft_op, input_tensor, fft_length, name, 1, is_inverse=False)


@export("signal.irfft", v1=["signal.irfft", "spectral.irfft"])
def irfft(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Computes the real numbers, along the last axis, that have half a spectrum.

    >>> tf.signal.irfft([0.0, 2.0, 0.0]).numpy()
    array([ 1.,  0., -1.,  0.], dtype=float32)

    Args:
      input_tensor: A Tensor of complex64 or complex128 of at least one dimension.
      fft_length: int32 vector of 1: the dimensions of the result. By default the last is `2 * (n - 1)` for n elements.
      name: name of the operation in a graph.

    Returns: A Tensor of float32 or float64.
    Raises: ValueError: if `input_tensor` is of another dtype, or has fewer dimensions.
    """
    return _transform(irfft_op, input_tensor, fft_length, name, 1, is_inverse=True)


# --- two axes ---------------------------------------------------------------------------------------------------------


@op(
    "RFFT2D",
    _TO_COMPLEX,
    shape=_shape(2, is_inverse=False),
    **_FACTS,
)
def rfft2d_op(xp: Xp, input: Array, fft_length: Array, *, Treal: DType, Tcomplex: DType) -> Array:
    """Transforms real numbers along the last two axes; the op behind `tf.signal.rfft2d`."""
    return _forward(xp, input, fft_length, 2, Treal, Tcomplex)


@rfft2d_op.gradient
def rfft2d_gradient(dy: Tensor, input: Tensor, fft_length: Tensor) -> tuple[Tensor, None]:
    return _forward_gradient(irfft2d_op, dy, input, fft_length)


@op(
    "IRFFT2D",
    _TO_REAL,
    shape=_shape(2, is_inverse=True),
    **_FACTS,
)
def irfft2d_op(xp: Xp, input: Array, fft_length: Array, *, Treal: DType, Tcomplex: DType) -> Array:
    """Transforms half a spectrum back along the last two axes; the op behind `tf.signal.irfft2d`."""
    return _backward(xp, input, fft_length, 2, Treal, Tcomplex)


@irfft2d_op.gradient
def irfft2d_gradient(dy: Tensor, input: Tensor, fft_length: Tensor) -> tuple[Tensor, None]:
    return _backward_gradient(rfft2d_op, dy, input, fft_length)


@export("signal.rfft2d", v1=["signal.rfft2d", "spectral.rfft2d"])
def rfft2d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Computes the Fourier transform of real numbers along the last two axes: the half that determines the rest.

    >>> tf.signal.rfft2d([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)

    Args:
      input_tensor: A Tensor of float32 or float64 of at least two dimensions.
      fft_length: int32 vector of 2: how many elements are transformed; zeros are appended, or elements cut.
      name: name of the operation in a graph.

    Returns: A complex Tensor; its last dimension has `fft_length[-1] // 2 + 1` elements.
    Raises: ValueError: if `input_tensor` is of another dtype, or has fewer dimensions.
    """
    return _transform(rfft2d_op, input_tensor, fft_length, name, 2, is_inverse=False)


@export("signal.irfft2d", v1=["signal.irfft2d", "spectral.irfft2d"])
def irfft2d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Computes the real numbers, along the last two axes, that have half a spectrum.

    >>> tf.signal.irfft2d([[10.0, -2.0], [-4.0, 0.0]]).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
      input_tensor: A Tensor of complex64 or complex128 of at least two dimensions.
      fft_length: int32 vector of 2: the dimensions of the result. By default the last is `2 * (n - 1)` for n elements.
      name: name of the operation in a graph.

    Returns: A Tensor of float32 or float64.
    Raises: ValueError: if `input_tensor` is of another dtype, or has fewer dimensions.
    """
    return _transform(irfft2d_op, input_tensor, fft_length, name, 2, is_inverse=True)


# --- three axes -------------------------------------------------------------------------------------------------------


@op(
    "RFFT3D",
    _TO_COMPLEX,
    shape=_shape(3, is_inverse=False),
    **_FACTS,
)
def rfft3d_op(xp: Xp, input: Array, fft_length: Array, *, Treal: DType, Tcomplex: DType) -> Array:
    """Transforms real numbers along the last three axes; the op behind `tf.signal.rfft3d`."""
    return _forward(xp, input, fft_length, 3, Treal, Tcomplex)


@rfft3d_op.gradient
def rfft3d_gradient(dy: Tensor, input: Tensor, fft_length: Tensor) -> tuple[Tensor, None]:
    return _forward_gradient(irfft3d_op, dy, input, fft_length)


@op(
    "IRFFT3D",
    _TO_REAL,
    shape=_shape(3, is_inverse=True),
    **_FACTS,
)
def irfft3d_op(xp: Xp, input: Array, fft_length: Array, *, Treal: DType, Tcomplex: DType) -> Array:
    """Transforms half a spectrum back along the last three axes; the op behind `tf.signal.irfft3d`."""
    return _backward(xp, input, fft_length, 3, Treal, Tcomplex)


@irfft3d_op.gradient
def irfft3d_gradient(dy: Tensor, input: Tensor, fft_length: Tensor) -> tuple[Tensor, None]:
    return _backward_gradient(rfft3d_op, dy, input, fft_length)


@export("signal.rfft3d", v1=["signal.rfft3d", "spectral.rfft3d"])
def rfft3d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Computes the Fourier transform of real numbers along the last three axes: the half that determines the rest.

    >>> tf.signal.rfft3d(tf.ones([2, 2, 4])).numpy()[0, 0]
    array([16.+0.j,  0.+0.j,  0.+0.j], dtype=complex64)

    Args:
      input_tensor: A Tensor of float32 or float64 of at least three dimensions.
      fft_length: int32 vector of 3: how many elements are transformed; zeros are appended, or elements cut.
      name: name of the operation in a graph.

    Returns: A complex Tensor; its last dimension has `fft_length[-1] // 2 + 1` elements.
    Raises: ValueError: if `input_tensor` is of another dtype, or has fewer dimensions.
    """
    return _transform(rfft3d_op, input_tensor, fft_length, name, 3, is_inverse=False)


@export("signal.irfft3d", v1=["signal.irfft3d", "spectral.irfft3d"])
def irfft3d(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Computes the real numbers, along the last three axes, that have half a spectrum.

    >>> tf.signal.irfft3d(tf.ones([2, 2, 3], tf.complex64)).numpy()[0, 0]
    array([1., 0., 0., 0.], dtype=float32)

    Args:
      input_tensor: A Tensor of complex64 or complex128 of at least three dimensions.
      fft_length: int32 vector of 3: the dimensions of the result. By default the last is `2 * (n - 1)` for n elements.
      name: name of the operation in a graph.

    Returns: A Tensor of float32 or float64.
    Raises: ValueError: if `input_tensor` is of another dtype, or has fewer dimensions.
    """
    return _transform(irfft3d_op, input_tensor, fft_length, name, 3, is_inverse=True)
