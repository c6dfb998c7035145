"""Assertions about values: `assert_equal`, `assert_less`, `assert_positive`, `assert_near` and their kin.

In eager mode a failure raises at once and shows the differing elements. In a graph an `Assert` operation is added;
where both sides are constants, a failure raises while tracing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import assert_that
from millrace._src.ops.math.comparison import equal_op, greater, greater_equal, less, less_equal, not_equal_op
from millrace._src.ops.math.reduce import reduce_all
from millrace._src.ops.math.unary import abs_
from millrace._src.util.export import export

_SHOWN = 3


class ComparisonAssertion(NamedTuple):
    """One of the six assertions that compare: its op, NumPy's function for the same, and its name."""

    op: OpFunction
    on_arrays: Callable[..., Any]
    name: str

    @property
    def sign(self) -> str:
        """The sign of the comparison, for messages."""
        comparison = self.op.op_def.traits.comparison
        assert comparison is not None  # the six ops compare
        return comparison.value


EQUAL = ComparisonAssertion(equal_op, np.equal, "assert_equal")
NONE_EQUAL = ComparisonAssertion(not_equal_op, np.not_equal, "assert_none_equal")
LESS = ComparisonAssertion(less, np.less, "assert_less")
LESS_EQUAL = ComparisonAssertion(less_equal, np.less_equal, "assert_less_equal")
GREATER = ComparisonAssertion(greater, np.greater, "assert_greater")
GREATER_EQUAL = ComparisonAssertion(greater_equal, np.greater_equal, "assert_greater_equal")


def describe(tensor: Any) -> str:
    """Returns a tensor's text in messages: its name in a graph, its shape and dtype in eager mode."""
    if isinstance(tensor, EagerTensor):
        return f"shape={tensor.shape} dtype={tensor.dtype.name}"
    return str(tensor.name)


def sentence(message: str | None) -> str:
    """Returns a user's message as the beginning of a longer message."""
    return f"{message}.  " if message else ""


def assert_comparison(
    kind: ComparisonAssertion, x: Any, y: Any, data: Any, summarize: int | None, message: str | None, name: str | None
) -> Any:
    """Asserts a comparison of two tensors, element by element, with TensorFlow's messages and node names."""
    with name_scope(name, kind.name):
        x, y = convert_to_tensor(x, name="x"), convert_to_tensor(y, name="y")
        comparison = kind.op(x, y)
        if state.graph is None:
            if not comparison._eager_array.all():
                raise _failure(_eager_text(kind, x, y, comparison._eager_array, data, summarize, message))
            return None
        condition = reduce_all(comparison)
        shown_data = _data(kind, x, y, message) if data is None else [message, *data] if message else data
        if _is_false(kind, comparison):
            raise _failure("\n".join(_text(item, summarize) for item in shown_data))
        return assert_that(condition, shown_data, summarize=summarize)


def _failure(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(node_def=None, op=None, message=text)


def _data(kind: ComparisonAssertion, x: object, y: object, message: str | None) -> list[Any]:
    condition = f"Condition x {kind.sign} y did not hold element-wise:"
    shown_data = [condition, f"x ({describe(x)}) = ", x, f"y ({describe(y)}) = ", y]
    return [message, *shown_data] if message else shown_data


def _is_false(kind: ComparisonAssertion, passed: Any) -> bool:
    """Returns whether a comparison of constants is known to fail."""
    operands = [t.op.attrs["value"] for t in passed.op.inputs if t.op.type == "Const"]
    if len(operands) != 2:
        return False
    with np.errstate(all="ignore"):
        return not kind.on_arrays(*operands).all()


def _text(item: Any, summarize: int | None) -> str:
    """Returns a piece of a message: a tensor's value as far as it is known, or the text itself."""
    if isinstance(item, EagerTensor):
        value = item._eager_array
        if not value.ndim:
            return str(value.item() if value.dtype.kind == "O" else value[()])
        limit = _SHOWN if summarize is None else summarize
        elements = [str(v) for v in value.reshape(-1)[:limit]]
        return str(elements + ["..."] if len(elements) < value.size else elements)
    if isinstance(item, Tensor):
        operation = item.op  # type: ignore[attr-defined]  # a symbolic tensor
        return str(operation.attrs["value"]) if operation.type == "Const" else str(item)
    return str(item)


def _eager_text(
    kind: ComparisonAssertion, x: Any, y: Any, passed: Array, data: Any, summarize: int | None, message: str | None
) -> str:
    if data is not None:
        pieces = [_text(item, summarize) for item in data]
        return "\n".join([message, *pieces] if message else pieces)
    limit = (
        _SHOWN if summarize is None else summarize if summarize >= 0 else max(x._eager_array.size, y._eager_array.size)
    )
    lines = [message] if message else []
    lines.append(f"Condition x {kind.sign} y did not hold.")
    if x._eager_array.shape == y._eager_array.shape and x._eager_array.ndim:
        lines += _differences(x._eager_array, y._eager_array, passed, limit)
    for letter, value in (("x", x._eager_array), ("y", y._eager_array)):
        elements = value.reshape(-1)[:limit]
        lines.append(f"First {len(elements)} elements of {letter}:\n{elements}")
    return "\n".join(lines)


def _differences(x: Array, y: Array, passed: Array, limit: int) -> list[str]:
    indices = np.argwhere(~passed)[:limit]
    mismatches = tuple(indices.T)
    return [
        f"Indices of first {len(indices)} different values:\n{indices}",
        f"Corresponding x values:\n{x[mismatches]}",
        f"Corresponding y values:\n{y[mismatches]}",
    ]


# --- two tensors -----------------------------------------------------------------------------------------------------


@export("debugging.assert_equal", "assert_equal", v1=[], elementwise="binary_assert")
def assert_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that `x == y` for all pairs of elements.

    >>> tf.debugging.assert_equal([1, 2], [1, 2])

    Args:
      x: a Tensor.
      y: a Tensor of the same dtype and a shape that broadcasts with the shape of `x`.
      message: a text for the error.
      summarize: how many elements the error shows; -1 for all, None for 3.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if `x` and `y` differ; while tracing, if both are constants.
    """
    with name_scope(name, "assert_equal"):
        pass  # TensorFlow opens this scope twice, so TensorFlow's operations are in "assert_equal_1"
    return assert_comparison(EQUAL, x, y, None, summarize, message, name)


@export("debugging.assert_none_equal", v1=[], elementwise="binary_assert")
def assert_none_equal(
    x: TensorLike, y: TensorLike, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts that `x != y` for all pairs of elements.

    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])

    Args: as in `tf.debugging.assert_equal`.
    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return assert_comparison(NONE_EQUAL, x, y, None, summarize, message, name)


@export("debugging.assert_less", "assert_less", v1=[], elementwise="binary_assert")
def assert_less(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that `x < y` for all pairs of elements.

    >>> tf.debugging.assert_less([1, 2], 3)

    Args: as in `tf.debugging.assert_equal`.
    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return assert_comparison(LESS, x, y, None, summarize, message, name)


@export("debugging.assert_less_equal", v1=[], elementwise="binary_assert")
def assert_less_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that `x <= y` for all pairs of elements.

    >>> tf.debugging.assert_less_equal([1, 2], 2)

    Args: as in `tf.debugging.assert_equal`.
    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return assert_comparison(LESS_EQUAL, x, y, None, summarize, message, name)


@export("debugging.assert_greater", "assert_greater", v1=[], elementwise="binary_assert")
def assert_greater(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that `x > y` for all pairs of elements.

    >>> tf.debugging.assert_greater([1, 2], 0)

    Args: as in `tf.debugging.assert_equal`.
    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return assert_comparison(GREATER, x, y, None, summarize, message, name)


@export("debugging.assert_greater_equal", v1=[], elementwise="binary_assert")
def assert_greater_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that `x >= y` for all pairs of elements.

    >>> tf.debugging.assert_greater_equal([1, 2], 1)

    Args: as in `tf.debugging.assert_equal`.
    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return assert_comparison(GREATER_EQUAL, x, y, None, summarize, message, name)


# --- signs -----------------------------------------------------------------------------------------------------------


class Sign(NamedTuple):
    """An assertion about the sign: the claim, the comparison with zero, and on which side zero stands."""

    condition: str
    comparison: ComparisonAssertion
    zero_first: bool
    name: str


POSITIVE = Sign("x > 0", LESS, True, "assert_positive")
NEGATIVE = Sign("x < 0", LESS, False, "assert_negative")
NON_NEGATIVE = Sign("x >= 0", LESS_EQUAL, True, "assert_non_negative")
NON_POSITIVE = Sign("x <= 0", LESS_EQUAL, False, "assert_non_positive")


def assert_sign(kind: Sign, x: Any, data: Any, summarize: int | None, message: str | None, name: str | None) -> Any:
    """Asserts the sign of all elements, with TensorFlow's messages and node names."""
    with name_scope(name, kind.name):
        x = convert_to_tensor(x, name="x")
        if data is None:
            condition, value = f"Condition {kind.condition} did not hold element-wise:", f"x ({describe(x)}) = "
            middle = [condition + value] if kind is NON_POSITIVE else [condition, value]
            data = [sentence(message), *middle, x]
        if kind is NON_NEGATIVE and x.dtype.is_unsigned and state.graph is None:
            return None
        zero = convert_to_tensor(0, dtype=x.dtype)
        sides = (zero, x) if kind.zero_first else (x, zero)
        return assert_comparison(kind.comparison, *sides, data, summarize, None, None)


@export("debugging.assert_positive", v1=[])
def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that all elements of `x` are greater than zero.

    >>> tf.debugging.assert_positive([1, 2])

    Args:
      x: a Tensor of a real dtype.
      message: a text for the error.
      summarize: how many elements the error shows; None for 3.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if an element is not positive; while tracing, if `x` is a constant.
    """
    return assert_sign(POSITIVE, x, None, summarize, message, name)


@export("debugging.assert_negative", v1=[])
def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that all elements of `x` are less than zero.

    >>> tf.debugging.assert_negative([-1, -2])

    Args: as in `tf.debugging.assert_positive`.
    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if an element fails; while tracing, if `x` is a constant.
    """
    return assert_sign(NEGATIVE, x, None, summarize, message, name)


@export("debugging.assert_non_negative", v1=[])
def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that all elements of `x` are zero or greater.

    >>> tf.debugging.assert_non_negative([0, 2])

    Args: as in `tf.debugging.assert_positive`.
    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if an element fails; while tracing, if `x` is a constant.
    """
    return assert_sign(NON_NEGATIVE, x, None, summarize, message, name)


@export("debugging.assert_non_positive", v1=[])
def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Asserts that all elements of `x` are zero or less.

    >>> tf.debugging.assert_non_positive([0, -2])

    Args: as in `tf.debugging.assert_positive`.
    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if an element fails; while tracing, if `x` is a constant.
    """
    return assert_sign(NON_POSITIVE, x, None, summarize, message, name)


# --- closeness -------------------------------------------------------------------------------------------------------


@export("debugging.assert_near", v1=[], elementwise="binary_assert")
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `|x - y| < atol + rtol * |y|` for all pairs of elements.

    >>> tf.debugging.assert_near([1.0], [1.0 + 1e-7])

    Args:
      x: a floating point or complex Tensor.
      y: a Tensor of the same dtype.
      rtol: relative tolerance; None means ten times the machine epsilon of the dtype.
      atol: absolute tolerance; likewise.
      message: a text for the error.
      summarize: how many elements the error shows; None for 3.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if elements are further apart.
    """
    return assert_closeness(x, y, rtol, atol, None, summarize, message, name)


def assert_closeness(
    x: Any, y: Any, rtol: Any, atol: Any, data: Any, summarize: int | None, message: str | None, name: str | None
) -> Any:
    """Asserts as `assert_near` does, with `data` to show instead of the usual message."""
    with name_scope(name, "assert_near"):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype=x.dtype, name="y")
        real = x.dtype.real_dtype
        default = None if rtol is not None and atol is not None else 10 * _epsilon(x.dtype)
        rtol = convert_to_tensor(default if rtol is None else rtol, dtype=real, name="rtol")
        atol = convert_to_tensor(default if atol is None else atol, dtype=real, name="atol")
        tolerance = atol + rtol * abs_(y)
        condition = reduce_all(raw.Less(x=abs_(x - y), y=tolerance))
        if data is None:
            words = f"x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}"
            data = [sentence(message), words, f"x ({describe(x)}) = ", x, f"y ({describe(y)}) = ", y]
        return assert_that(condition, data, summarize=summarize)


def _epsilon(dtype: DType) -> float:
    if not (dtype.is_floating or dtype.is_complex):
        raise ValueError(f"data type {dtype.as_numpy_dtype!r} not inexact")
    return float(ml_dtypes.finfo(dtype.real_dtype.np_dtype).eps)  # NumPy's own and bfloat16 alike
