"""The assertions of `tf.compat.v1`: as in `tf.debugging`, with `data` to show instead of the usual message.

Each function here only orders its arguments for the assertion of the same name in `comparisons` or `static_checks`.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.ops.debug import static_checks as s
from millrace._src.ops.debug import value_assertions as c
from millrace._src.ops.debug.numerics import assert_all_finite
from millrace._src.ops.debug.static_checks import check_scalar
from millrace._src.util.export import export


@export(v1=["assert_equal", "debugging.assert_equal"], elementwise="binary_assert")
def assert_equal(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x == y` for all pairs of elements.

    >>> tf.compat.v1.assert_equal([1, 2], [1, 2])

    Args:
      x: a Tensor.
      y: a Tensor of the same dtype; the two broadcast.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    with name_scope(name, "assert_equal"):
        pass  # TensorFlow opens this scope twice, as in value_assertions.assert_equal
    return c.assert_comparison(c.EQUAL, x, y, data, summarize, message, name)


@export(v1=["assert_none_equal", "debugging.assert_none_equal"], elementwise="binary_assert")
def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x != y` for all pairs of elements.

    >>> tf.compat.v1.assert_none_equal([1, 2], [2, 1])

    Args:
      x: a Tensor.
      y: a Tensor of the same dtype; the two broadcast.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return c.assert_comparison(c.NONE_EQUAL, x, y, data, summarize, message, name)


@export(v1=["assert_less", "debugging.assert_less"], elementwise="binary_assert")
def assert_less(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x < y` for all pairs of elements.

    >>> tf.compat.v1.assert_less([1, 2], 3)

    Args:
      x: a Tensor.
      y: a Tensor of the same dtype; the two broadcast.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return c.assert_comparison(c.LESS, x, y, data, summarize, message, name)


@export(v1=["assert_less_equal", "debugging.assert_less_equal"], elementwise="binary_assert")
def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x <= y` for all pairs of elements.

    >>> tf.compat.v1.assert_less_equal([1, 2], 2)

    Args:
      x: a Tensor.
      y: a Tensor of the same dtype; the two broadcast.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return c.assert_comparison(c.LESS_EQUAL, x, y, data, summarize, message, name)


@export(v1=["assert_greater", "debugging.assert_greater"], elementwise="binary_assert")
def assert_greater(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x > y` for all pairs of elements.

    >>> tf.compat.v1.assert_greater([1, 2], 0)

    Args:
      x: a Tensor.
      y: a Tensor of the same dtype; the two broadcast.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return c.assert_comparison(c.GREATER, x, y, data, summarize, message, name)


@export(v1=["assert_greater_equal", "debugging.assert_greater_equal"], elementwise="binary_assert")
def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x >= y` for all pairs of elements.

    >>> tf.compat.v1.assert_greater_equal([1, 2], 1)

    Args:
      x: a Tensor.
      y: a Tensor of the same dtype; the two broadcast.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if a pair fails; while tracing, if both tensors are constants.
    """
    return c.assert_comparison(c.GREATER_EQUAL, x, y, data, summarize, message, name)


@export(v1=["assert_positive", "debugging.assert_positive"])
def assert_positive(
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that all elements of `x` are greater than zero.

    >>> tf.compat.v1.assert_positive([1, 2])

    Args:
      x: a Tensor of a real dtype.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if an element fails; while tracing, if `x` is a constant.
    """
    return c.assert_sign(c.POSITIVE, x, data, summarize, message, name)


@export(v1=["assert_negative", "debugging.assert_negative"])
def assert_negative(
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that all elements of `x` are less than zero.

    >>> tf.compat.v1.assert_negative([-1, -2])

    Args:
      x: a Tensor of a real dtype.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if an element fails; while tracing, if `x` is a constant.
    """
    return c.assert_sign(c.NEGATIVE, x, data, summarize, message, name)


@export(v1=["assert_non_negative", "debugging.assert_non_negative"])
def assert_non_negative(
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that all elements of `x` are zero or greater.

    >>> tf.compat.v1.assert_non_negative([0, 2])

    Args:
      x: a Tensor of a real dtype.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if an element fails; while tracing, if `x` is a constant.
    """
    return c.assert_sign(c.NON_NEGATIVE, x, data, summarize, message, name)


@export(v1=["assert_non_positive", "debugging.assert_non_positive"])
def assert_non_positive(
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that all elements of `x` are zero or less.

    >>> tf.compat.v1.assert_non_positive([0, -2])

    Args:
      x: a Tensor of a real dtype.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if an element fails; while tracing, if `x` is a constant.
    """
    return c.assert_sign(c.NON_POSITIVE, x, data, summarize, message, name)


@export(v1=["assert_near", "debugging.assert_near"], elementwise="binary_assert")
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `|x - y| < atol + rtol * |y|` for all pairs of elements.

    >>> tf.compat.v1.assert_near([1.0], [1.0 + 1e-7])

    Args:
      x: a floating point or complex Tensor.
      y: a Tensor of the same dtype.
      rtol: the relative tolerance; None means ten times the machine epsilon of the dtype.
      atol: the absolute tolerance; None means the same.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; the operation in a graph.
    Raises: tf.errors.InvalidArgumentError: if elements are further apart.
    """
    return c.assert_closeness(x, y, rtol, atol, data, summarize, message, name)


@export(v1=["assert_rank", "debugging.assert_rank"])
def assert_rank(
    x: TensorLike,
    rank: object,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x` has the given rank.

    >>> tf.compat.v1.assert_rank([[1, 2]], 2)

    Args:
      x: a Tensor.
      rank: an int or a scalar int32 Tensor.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; in a graph an operation that fails if the rank turns out to be wrong.
    Raises: ValueError: if the rank is known and wrong.
    """
    return s.assert_rank_check(s.RANK, x, [rank], data, summarize, message, name)


@export(v1=["assert_rank_at_least", "debugging.assert_rank_at_least"])
def assert_rank_at_least(
    x: TensorLike,
    rank: object,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x` has at least the given rank.

    >>> tf.compat.v1.assert_rank_at_least([[1, 2]], 1)

    Args:
      x: a Tensor.
      rank: an int or a scalar int32 Tensor.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; in a graph an operation that fails if the rank turns out to be wrong.
    Raises: ValueError: if the rank is known and wrong.
    """
    return s.assert_rank_check(s.AT_LEAST, x, [rank], data, summarize, message, name)


@export(v1=["assert_rank_in", "debugging.assert_rank_in"])
def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x` has one of the given ranks.

    >>> tf.compat.v1.assert_rank_in([[1, 2]], (1, 2))

    Args:
      x: a Tensor.
      ranks: ints or scalar int32 Tensors.
      data: a list of values that the error shows; None shows the operands.
      summarize: how many elements of each value the error shows; None for 3.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; in a graph an operation that fails if the rank turns out to be wrong.
    Raises: ValueError: if the rank is known and wrong.
    """
    return s.assert_rank_check(s.IN, x, list(ranks), data, summarize, message, name)


@export(v1=["assert_scalar", "debugging.assert_scalar"])
def assert_scalar_v1(tensor: TensorLike, name: str | None = None, message: str | None = None) -> Any:
    """Asserts that the static shape is the shape of a scalar, and returns the tensor.

    >>> tf.compat.v1.assert_scalar(tf.constant(3)).numpy()
    np.int32(3)

    Args:
      tensor: a Tensor.
      name: name of the scope in a graph.
      message: a text for the error.

    Returns: `tensor`, as a Tensor.
    Raises: ValueError: if the shape is another, or unknown.
    """
    return check_scalar(tensor, message, name)


@export(v1=["verify_tensor_all_finite", "debugging.assert_all_finite"])
def verify_tensor_all_finite(
    t: Any = None, msg: str | None = None, name: str | None = None, x: Any = None, message: str | None = None
) -> Any:
    """Returns `x`; fails if `x` holds NaN or infinity.

    >>> tf.compat.v1.verify_tensor_all_finite([1.0, 2.0], "weights").numpy()
    array([1., 2.], dtype=float32)

    Args:
      t: the older name of `x`.
      msg: the older name of `message`.
      name: name of the scope in a graph.
      x: a floating point Tensor.
      message: the beginning of the error's text.

    Returns: `x`, as a Tensor.
    Raises: tf.errors.InvalidArgumentError: if an element is NaN or infinite.
    """
    tensor = t if x is None else x
    text = msg if message is None else message
    return assert_all_finite(tensor, str(text), name)
