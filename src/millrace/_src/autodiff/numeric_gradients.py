"""`tf.test.compute_gradient`: the Jacobians of a function by its gradients, and by differences.

A complex number counts as two real numbers, so the Jacobians are always real: one row for each real number of the
result, one column for each real number of the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.autodiff.gradient_tape import GradientTape
from millrace._src.core.array_namespace import Array
from millrace._src.core.context import executing_eagerly
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import EagerTensor
from millrace._src.util.export import export

_DEFAULT_DELTA = 1.0 / 1024.0
"""A power of two: added to a number of ordinary size it is exact in every dtype but bfloat16."""


@export("test.compute_gradient", v1=[])
def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[tuple[Array, ...], ...]:
    """Computes the Jacobians of `f` at `x`: theoretical, from gradients, and numerical, from central differences.

    >>> theoretical, numerical = tf.test.compute_gradient(lambda a: a * a, [tf.constant([1.0, 3.0])])
    >>> theoretical[0].tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    >>> bool(abs(theoretical[0] - numerical[0]).max() < 1e-3)
    True

    Args:
      f: a function of tensors that returns one tensor of a floating or complex dtype.
      x: the arguments of `f`, a list or tuple of values that convert to floating or complex tensors of any shape.
      delta: the step of the differences, `(f(x + delta) - f(x - delta)) / (2 * delta)`; 1/1024 by default.

    Returns: A pair of tuples with one NumPy array per argument: the theoretical and the numerical Jacobians, each of
      shape [numbers in the result, numbers in the argument], of the (real) dtype of the argument. A complex number
      counts as two, real and imaginary part. Without arguments nothing: `()`.
    Raises:
      ValueError: if `x` is neither a list nor a tuple.
      AssertionError: if an argument or the result is not of a floating or complex dtype.
      RuntimeError: inside of a graph.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}"
        )
    if not executing_eagerly():
        raise RuntimeError("tf.test.compute_gradient computes with values and so works only in eager mode.")
    arguments = [convert_to_tensor(a) for a in x]
    for index, argument in enumerate(arguments):
        _check_dtype(argument.dtype, f"argument {index}")
    delta = _DEFAULT_DELTA if delta is None else delta
    pairs = [(_theoretical(f, arguments, p), _numerical(f, arguments, p, delta)) for p in range(len(arguments))]
    return tuple(zip(*pairs, strict=True))


def _check_dtype(dtype: Any, what: str) -> None:
    if not (dtype.is_floating or dtype.is_complex):
        raise AssertionError(f"Cannot compute gradient for unsupported type {dtype.name} of {what}")


def _reals(array: Array) -> Array:
    """Returns the real numbers in an array, in order; each complex number gives two."""
    elements = np.ascontiguousarray(array).reshape(-1)
    return elements.view(elements.real.dtype) if elements.dtype.kind == "c" else elements


def _like(reals: Array, tensor: Any) -> EagerTensor:
    """Makes a tensor of the shape and dtype of `tensor` of real numbers."""
    array = reals.view(tensor.dtype.np_dtype).reshape(tuple(tensor.shape.as_list()))
    return EagerTensor(array, tensor.dtype)


def _theoretical(f: Callable[..., Any], arguments: Sequence[Any], index: int) -> Array:
    """Returns one row for each real number of the result: the gradient of that number."""
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments[index])
        y = f(*arguments)
    _check_dtype(y.dtype, "y")
    columns, rows = _reals(arguments[index].numpy()), _reals(y.numpy())
    jacobian = np.zeros((rows.size, columns.size), columns.dtype)
    for row in range(rows.size):
        seed = np.zeros_like(rows)
        seed[row] = 1
        gradient = tape.gradient(y, arguments[index], output_gradients=_like(seed, y))
        if gradient is not None:
            jacobian[row] = _reals(convert_to_tensor(gradient).numpy())
    return jacobian


def _numerical(f: Callable[..., Any], arguments: Sequence[Any], index: int, delta: float) -> Array:
    """Returns one column for each real number of the argument: how the result changes with that number."""
    start = _reals(arguments[index].numpy())
    result = _reals(f(*arguments).numpy())
    jacobian = np.zeros((result.size, start.size), start.dtype)
    for column in range(start.size):
        ends = []
        for step in (delta, -delta):
            point = start.copy()
            point[column] += start.dtype.type(step)
            new_arguments = [*arguments[:index], _like(point, arguments[index]), *arguments[index + 1 :]]
            ends.append(_reals(f(*new_arguments).numpy()))
        with np.errstate(all="ignore"):
            jacobian[:, column] = (ends[0] - ends[1]) / ends[0].dtype.type(2 * delta)
    return jacobian
