"""The Fourier transform of complex numbers along the last one, two or three axes.

X[k] = sum over n of x[n] exp(-2 pi i k n / N); the inverse has the opposite sign and divides by N. The matrix of the
transform is symmetric. So the gradient is the inverse transform without its division, and the gradient of the inverse
is the transform with it.
"""

from __future__ import annotations

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import with_rank_at_least
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.signal.transforms import complex_transform, last_axes
from millrace._src.util.export import export

COMPLEX = TypeSet((d.complex64, d.complex128), default=d.complex64)


def _same_shape_of_rank_1(c: ShapeContext) -> TensorShape:
    return TensorShape.of(with_rank_at_least(c.shape("input"), 1))


def _same_shape_of_rank_2(c: ShapeContext) -> TensorShape:
    return TensorShape.of(with_rank_at_least(c.shape("input"), 2))


def _same_shape_of_rank_3(c: ShapeContext) -> TensorShape:
    return TensorShape.of(with_rank_at_least(c.shape("input"), 3))


def _transform(xp: Xp, x: Array, count: int, *, is_inverse: bool) -> Array:
    return complex_transform(xp, x, last_axes(x, count), is_inverse=is_inverse)


def _size(x: Tensor, count: int) -> Tensor:
    """Returns the number of elements in the last `count` axes, in the dtype of `x`."""
    dims = raw.Shape(input=x)[-count:]
    size: Tensor = raw.Cast(x=raw.Prod(input=dims, axis=[0]), DstT=x.dtype)
    return size


# --- one axis --------------------------------------------------------------------------------------------------------


@export("signal.fft", v1=["fft", "signal.fft", "spectral.fft"])
@op(
    "FFT",
    "input: Tcomplex -> output: Tcomplex",
    Tcomplex=COMPLEX,
    shape=_same_shape_of_rank_1,
    batching=leading("input"),
    library_bound=True,
)
def fft(xp: Xp, input: Array) -> Array:
    """Computes the Fourier transform along the last axis.

    >>> tf.signal.fft([1.0, 0.0, -1.0, 0.0]).numpy()
    array([0.+0.j, 2.+0.j, 0.+0.j, 2.+0.j], dtype=complex64)

    Args:
      input: A Tensor of complex64 or complex128 of at least one dimension.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if `input` is a scalar or of another dtype.
    """
    return _transform(xp, input, 1, is_inverse=False)


@fft.gradient
def fft_gradient(dy: Tensor) -> Tensor:
    return ifft(dy) * _size(dy, 1)


@export("signal.ifft", v1=["ifft", "signal.ifft", "spectral.ifft"])
@op(
    "IFFT",
    "input: Tcomplex -> output: Tcomplex",
    Tcomplex=COMPLEX,
    shape=_same_shape_of_rank_1,
    batching=leading("input"),
    library_bound=True,
)
def ifft(xp: Xp, input: Array) -> Array:
    """Computes the inverse Fourier transform along the last axis.

    >>> tf.signal.ifft(tf.signal.fft([1.0, 2.0, 4.0])).numpy().real.round(6)
    array([1., 2., 4.], dtype=float32)

    Args:
      input: A Tensor of complex64 or complex128 of at least one dimension.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if `input` is a scalar or of another dtype.
    """
    return _transform(xp, input, 1, is_inverse=True)


@ifft.gradient
def ifft_gradient(dy: Tensor) -> Tensor:
    return fft(dy) / _size(dy, 1)


# --- two axes --------------------------------------------------------------------------------------------------------


@export("signal.fft2d", v1=["fft2d", "signal.fft2d", "spectral.fft2d"])
@op(
    "FFT2D",
    "input: Tcomplex -> output: Tcomplex",
    Tcomplex=COMPLEX,
    shape=_same_shape_of_rank_2,
    batching=leading("input"),
    library_bound=True,
)
def fft2d(xp: Xp, input: Array) -> Array:
    """Computes the Fourier transform along the last two axes.

    >>> tf.signal.fft2d([[1.0, 1.0], [1.0, -1.0]]).numpy().real
    array([[ 2.,  2.],
           [ 2., -2.]], dtype=float32)

    Args:
      input: A Tensor of complex64 or complex128 of at least two dimensions.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if `input` has fewer dimensions or is of another dtype.
    """
    return _transform(xp, input, 2, is_inverse=False)


@fft2d.gradient
def fft2d_gradient(dy: Tensor) -> Tensor:
    return ifft2d(dy) * _size(dy, 2)


@export("signal.ifft2d", v1=["ifft2d", "signal.ifft2d", "spectral.ifft2d"])
@op(
    "IFFT2D",
    "input: Tcomplex -> output: Tcomplex",
    Tcomplex=COMPLEX,
    shape=_same_shape_of_rank_2,
    batching=leading("input"),
    library_bound=True,
)
def ifft2d(xp: Xp, input: Array) -> Array:
    """Computes the inverse Fourier transform along the last two axes.

    >>> tf.signal.ifft2d([[4.0, 0.0], [0.0, 0.0]]).numpy().real
    array([[1., 1.],
           [1., 1.]], dtype=float32)

    Args:
      input: A Tensor of complex64 or complex128 of at least two dimensions.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if `input` has fewer dimensions or is of another dtype.
    """
    return _transform(xp, input, 2, is_inverse=True)


@ifft2d.gradient
def ifft2d_gradient(dy: Tensor) -> Tensor:
    return fft2d(dy) / _size(dy, 2)


# --- three axes ------------------------------------------------------------------------------------------------------


@export("signal.fft3d", v1=["fft3d", "signal.fft3d", "spectral.fft3d"])
@op(
    "FFT3D",
    "input: Tcomplex -> output: Tcomplex",
    Tcomplex=COMPLEX,
    shape=_same_shape_of_rank_3,
    batching=leading("input"),
    library_bound=True,
)
def fft3d(xp: Xp, input: Array) -> Array:
    """Computes the Fourier transform along the last three axes.

    >>> tf.signal.fft3d(tf.ones([2, 2, 2], tf.complex64))[0, 0].numpy()
    array([8.+0.j, 0.+0.j], dtype=complex64)

    Args:
      input: A Tensor of complex64 or complex128 of at least three dimensions.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if `input` has fewer dimensions or is of another dtype.
    """
    return _transform(xp, input, 3, is_inverse=False)


@fft3d.gradient
def fft3d_gradient(dy: Tensor) -> Tensor:
    return ifft3d(dy) * _size(dy, 3)


@export("signal.ifft3d", v1=["ifft3d", "signal.ifft3d", "spectral.ifft3d"])
@op(
    "IFFT3D",
    "input: Tcomplex -> output: Tcomplex",
    Tcomplex=COMPLEX,
    shape=_same_shape_of_rank_3,
    batching=leading("input"),
    library_bound=True,
)
def ifft3d(xp: Xp, input: Array) -> Array:
    """Computes the inverse Fourier transform along the last three axes.

    >>> tf.signal.ifft3d(tf.ones([2, 2, 2], tf.complex64))[0, 0].numpy()
    array([1.+0.j, 0.+0.j], dtype=complex64)

    Args:
      input: A Tensor of complex64 or complex128 of at least three dimensions.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if `input` has fewer dimensions or is of another dtype.
    """
    return _transform(xp, input, 3, is_inverse=True)


@ifft3d.gradient
def ifft3d_gradient(dy: Tensor) -> Tensor:
    return fft3d(dy) / _size(dy, 3)
