"""`tf.compat.v1.test.compute_gradient`: Jacobians of tensors of a graph, by gradients and by differences, in a session.

A complex number counts as two real numbers, so the Jacobians are always real: one row for each real number of `x`, one
column for each real number of `y`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from millrace._src.autodiff.gradients import gradients
from millrace._src.compat_v1.session.session import get_default_session
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import executing_eagerly
from millrace._src.ops.array.filling import ones
from millrace._src.ops.array.identity import placeholder_with_default
from millrace._src.util.export import export

_DTYPES = (d.float16, d.bfloat16, d.float32, d.float64, d.complex64, d.complex128)
Jacobians = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


@export(v1=["test.compute_gradient"])
def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Any:
    """Computes the Jacobian of `y` with respect to `x`, by gradients and by differences, in the default session.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session():
    ...     x = tf.compat.v1.placeholder("float32", [2])
    ...     by_gradients, by_differences = tf.compat.v1.test.compute_gradient(
    ...         x, [2], x * x, [2], x_init_value=np.array([1.0, 3.0], np.float32))
    >>> by_gradients
    array([[2., 0.],
           [0., 6.]], dtype=float32)

    Args:
      x: A tensor that can be fed, or a list of tensors.
      x_shape: The shape of `x`, or a list of shapes.
      y: A tensor.
      y_shape: The shape of `y`.
      x_init_value: The value of `x`, or a list of values; random if None.
      delta: The step of the differences.
      init_targets: Operations to run first.
      extra_feed_dict: What else is fed.

    Returns: Both Jacobians, `[numbers in x, numbers in y]`; a list of such pairs for a list.
    Raises:
      AssertionError: for dtypes that have no gradients, or a value of another shape.
      ValueError: if there is no default session.
      RuntimeError: in eager mode.
    """
    session = _session()
    extra = dict(extra_feed_dict or {})
    if init_targets is not None:
        session.run(init_targets)
    if not isinstance(x, (list, tuple)):
        return _jacobians(session, (x, x_shape, x_init_value), (y, y_shape), delta, extra)
    values = [None] * len(x) if x_init_value is None else x_init_value
    parts = zip(x, x_shape, values, strict=True)
    return [_jacobians(session, part, (y, y_shape), delta, extra) for part in parts]


@export(v1=["test.compute_gradient_error"])
def compute_gradient_error(
    x: TensorLike,
    x_shape: object,
    y: TensorLike,
    y_shape: object,
    x_init_value: object = None,
    delta: float = 1e-3,
    init_targets: object = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> float:
    """Computes the largest difference between the two Jacobians of `tf.compat.v1.test.compute_gradient`.

    Args: x: As all arguments, see `tf.compat.v1.test.compute_gradient`.
    Returns: A number; 0 if the Jacobians are empty.
    """
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max((float(np.fabs(a - b).max()) for a, b in pairs if a.size), default=0.0)


def _session() -> Any:
    if executing_eagerly():
        raise RuntimeError("tf.compat.v1.test.compute_gradient needs a graph; tf.test.compute_gradient works eagerly.")
    session = get_default_session()
    if session is None:
        raise ValueError("tf.compat.v1.test.compute_gradient: No default session is registered.")
    return session


def _require_dtype(tensor: Any, name: str) -> None:
    if tensor.dtype.base_dtype not in _DTYPES:
        raise AssertionError(f"Don't support type {tensor.dtype.name} for {name}")


def _jacobians(
    session: object, source: tuple[Any, Any, Any], target: tuple[Any, Any], delta: float, extra: dict[Any, Any]
) -> Jacobians:
    (x, x_shape, value), (y, y_shape) = source, target
    _require_dtype(x, "x")
    _require_dtype(y, "y")
    dtype = x.dtype.as_numpy_dtype
    start = np.asarray(np.random.random_sample(tuple(x_shape)) if value is None else value, dtype)
    if start.shape != tuple(x_shape):
        raise AssertionError(f"x_shape = {list(x_shape)}, init_data shape = {list(start.shape)}")
    return (
        _by_gradients(session, (x, start), (y, y_shape), extra),
        _by_differences(session, (x, start), (y, y_shape), delta, extra),
    )


def _reals(array: object) -> np.ndarray[Any, Any]:
    """Returns the real numbers in an array; a complex number gives two."""
    elements = np.ascontiguousarray(array).reshape(-1)
    return elements.view(elements.real.dtype) if elements.dtype.kind == "c" else elements


def _unit(index: int, shape: Sequence[int], dtype: DTypeLike, size: float = 1.0) -> np.ndarray[Any, Any]:
    """Returns an array of zeros but for one of its real numbers."""
    array = np.zeros(tuple(shape), dtype)
    flat = array.reshape(-1)
    reals = flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat
    reals[index] = size
    return array


def _count(shape: Sequence[int], dtype: d.DType) -> int:
    return int(np.prod(tuple(shape), dtype=np.int64)) * (2 if dtype.is_complex else 1)


def _by_gradients(
    session: Any, source: tuple[Any, Any], target: tuple[Any, Any], extra: dict[Any, Any]
) -> np.ndarray[Any, Any]:
    """Returns one column for each real number of the target: the gradient of that number."""
    (x, start), (y, y_shape) = source, target
    with y.graph.as_default():
        weights = placeholder_with_default(ones(list(y_shape), y.dtype), list(y_shape))
        (slope,) = gradients(y, [x], [weights])
    columns = []
    for index in range(_count(y_shape, y.dtype)):
        fed = {**extra, x: start, weights: _unit(index, y_shape, y.dtype.as_numpy_dtype)}
        columns.append(np.zeros_like(_reals(start)) if slope is None else _dense(session.run(slope, fed), start))
    return np.stack(columns, 1) if columns else np.zeros((_reals(start).size, 0), _reals(start).dtype)


def _dense(gradient: Any, start: object) -> np.ndarray[Any, Any]:
    """Returns a gradient as real numbers; that of picked rows has zeros elsewhere."""
    if isinstance(gradient, np.ndarray | np.generic):
        return _reals(gradient)
    whole = np.zeros_like(start)
    np.add.at(whole, gradient.indices, gradient.values)
    return _reals(whole)


def _by_differences(
    session: Any, source: tuple[Any, Any], target: tuple[Any, Any], delta: float, extra: dict[Any, Any]
) -> np.ndarray[Any, Any]:
    """Returns one row for each real number of the source: how the target changes with that number."""
    (x, start), (y, y_shape) = source, target
    dtype = _reals(start).dtype
    rows = []
    for index in range(_reals(start).size):
        step = _unit(index, start.shape, start.dtype, delta)
        ends = [_reals(session.run(y, {**extra, x: point})) for point in (start + step, start - step)]
        rows.append(((ends[0] - ends[1]) / (2 * delta)).astype(dtype))
    return np.stack(rows) if rows else np.zeros((0, _count(y_shape, y.dtype)), dtype)
