"""Assertions about rank and dtype: decided while tracing wherever the static shape tells.

Where the static shape does not tell, an `Assert` operation compares the rank at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, float32, int32
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.debug.assertion import assert_that
from millrace._src.ops.debug.value_assertions import sentence
from millrace._src.util.export import export


def graph_name(tensor: Any) -> str:
    """Returns the name of a symbolic tensor; an empty string for an eager tensor."""
    return "" if isinstance(tensor, EagerTensor) else str(tensor.name)


class RankCheck(NamedTuple):
    """An assertion about a rank: the words before the wanted rank, and the test of static and of dynamic ranks."""

    words: str
    holds: Callable[[int, Sequence[int]], bool]
    condition: Callable[[Any, Sequence[Any]], Any]
    name: str


def _any_equal(rank: object, wanted: Sequence[Any]) -> Any:
    result = raw.Equal(x=wanted[0], y=rank)
    for other in wanted[1:]:
        result = raw.LogicalOr(x=result, y=raw.Equal(x=other, y=rank))
    return result


RANK = RankCheck("must have rank", lambda r, w: r == w[0], lambda r, w: raw.Equal(x=r, y=w[0]), "assert_rank")
AT_LEAST = RankCheck(
    "must have rank at least",
    lambda r, w: r >= w[0],
    lambda r, w: raw.GreaterEqual(x=r, y=w[0]),
    "assert_rank_at_least",
)
IN = RankCheck("must have rank in", lambda r, w: r in w, _any_equal, "assert_rank_in")


def assert_rank_check(
    check: RankCheck,
    x: Any,
    ranks: Sequence[Any],
    data: Any,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Any:
    """Asserts something about the rank of `x`, with TensorFlow's messages and node names."""
    with name_scope(name, check.name):
        x = convert_to_tensor(x, name="x")
        wanted_ranks = [convert_to_tensor(r, name="rank") for r in ranks]
        shape = None if state.graph is None else shape_of(x)
        for tensor in wanted_ranks:
            assert_type(tensor, int32)
            if tensor.shape.rank not in (0, None):
                raise ValueError("Rank must be a scalar.")
        static_ranks = [_static_scalar(t) for t in wanted_ranks]
        actual = x.shape.rank
        if actual is not None and None not in static_ranks:
            if not check.holds(actual, [int(s) for s in static_ranks if s is not None]):
                raise ValueError(_rank_message(check, x, static_ranks, message))
            return raw.NoOp(name="static_checks_determined_all_ok")
        condition = check.condition(rank_of(x), wanted_ranks)
        if data is None:
            data = [
                sentence(message),
                f"Tensor {graph_name(x)} {check.words}",
                *wanted_ranks,
                "Received shape: ",
                shape,
            ]
        return assert_that(condition, data, summarize=summarize)


def _static_scalar(tensor: Any) -> int | None:
    if isinstance(tensor, EagerTensor):
        return int(tensor._eager_array)
    return int(tensor.op.attrs["value"]) if tensor.op.type == "Const" else None


def _rank_message(check: RankCheck, x: Any, ranks: Sequence[int | None], message: str | None) -> str:
    shown_ranks = str(tuple(ranks)) if check is IN else str(ranks[0])
    statement = f"Tensor {graph_name(x)} {check.words} {shown_ranks}."
    return f"{sentence(message)}{statement}  Received rank {x.shape.rank}, shape {x.shape}"


@export("debugging.assert_rank", "assert_rank", v1=[])
def assert_rank(x: TensorLike, rank: object, message: str | None = None, name: str | None = None) -> Any:
    """Asserts that `x` has the given rank.

    >>> tf.debugging.assert_rank([[1, 2]], 2)

    Args:
      x: a Tensor.
      rank: an int or a scalar int32 Tensor.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; in a graph an operation that fails if the rank turns out to be another.
    Raises: ValueError: if the rank is known and wrong.
    """
    return assert_rank_check(RANK, x, [rank], None, None, message, name)


@export("debugging.assert_rank_at_least", v1=[])
def assert_rank_at_least(x: TensorLike, rank: object, message: str | None = None, name: str | None = None) -> Any:
    """Asserts that `x` has at least the given rank.

    >>> tf.debugging.assert_rank_at_least([[1, 2]], 1)

    Args: as in `tf.debugging.assert_rank`.
    Returns: None in eager mode; in a graph an operation that fails if the rank turns out to be less.
    Raises: ValueError: if the rank is known and less.
    """
    return assert_rank_check(AT_LEAST, x, [rank], None, None, message, name)


@export("debugging.assert_rank_in", v1=[])
def assert_rank_in(x: Any, ranks: Any, message: str | None = None, name: str | None = None) -> Any:
    """Asserts that the rank of `x` is one of `ranks`.

    >>> tf.debugging.assert_rank_in([[1, 2]], (1, 2))

    Args:
      x: a Tensor.
      ranks: ints or scalar int32 Tensors.
      message: a text for the error.
      name: name of the operation in a graph.

    Returns: None in eager mode; in a graph an operation that fails if the rank turns out to be another.
    Raises: ValueError: if the rank is known and none of `ranks`.
    """
    return assert_rank_check(IN, x, list(ranks), None, None, message, name)


@export("debugging.assert_scalar", v1=[])
def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Asserts that the static shape is the shape of a scalar.

    >>> tf.debugging.assert_scalar(3)

    Args:
      tensor: a Tensor.
      message: a text for the error.
      name: name of the scope in a graph.

    Returns: None.
    Raises: ValueError: if the shape is another, or unknown.
    """
    check_scalar(tensor, message, name)


def check_scalar(tensor: Any, message: str | None, name: str | None) -> Any:
    with name_scope(name, "assert_scalar") as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            whose = "" if isinstance(tensor, EagerTensor) else f" for {tensor.name}"
            raise ValueError(f"{sentence(message)}Expected scalar shape{whose}, saw shape: {tensor.shape}.")
        return tensor


@export("debugging.assert_type", v1=["assert_type", "debugging.assert_type"])
def assert_type(tensor: Any, tf_type: object, message: str | None = None, name: str | None = None) -> None:
    """Asserts the dtype of a tensor.

    >>> tf.debugging.assert_type(tf.constant(1), tf.int32)

    Args:
      tensor: a Tensor, RaggedTensor or SparseTensor, or a value that becomes a tensor.
      tf_type: the dtype.
      message: a text for the error.
      name: name of the scope in a graph.

    Raises: TypeError: if the dtype is another.
    """
    wanted_dtype = as_dtype(tf_type)
    with name_scope(name, "assert_type"):
        is_composite = isinstance(tensor, CompositeTensor)
        tensor = tensor if is_composite else convert_to_tensor(tensor, name="tensor")
        if tensor.dtype is not wanted_dtype:
            known_name = None if is_composite else graph_name(tensor)
            raise TypeError(
                f"{sentence(message)}{known_name or 'tensor'} must be of type {wanted_dtype!r}; got {tensor.dtype!r}"
            )
        raw.NoOp(name="statically_determined_correct_type")


@export("debugging.assert_integer", v1=["assert_integer", "debugging.assert_integer"])
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Asserts that the dtype is an integer type.

    >>> tf.debugging.assert_integer(tf.constant(1))

    Args:
      x: a Tensor, or a value that becomes one.
      message: a text for the error.
      name: name of the scope in a graph.

    Raises: TypeError: if the dtype is another.
    """
    with name_scope(name, "assert_integer"):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            shown_name = graph_name(x) or "tensor"
            raise TypeError(
                f'{sentence(message)}Expected "x" to be integer type.  Found: {shown_name} of dtype {x.dtype!s}'
            )
        raw.NoOp(name="statically_determined_was_integer")


@export("debugging.assert_same_float_dtype", v1=["assert_same_float_dtype", "debugging.assert_same_float_dtype"])
def assert_same_float_dtype(tensors: Any = None, dtype: object = None) -> DType:
    """Asserts that tensors share one floating point dtype.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), None])
    tf.float32

    Args:
      tensors: a list of tensors and None; None if only `dtype` is to be checked.
      dtype: the dtype that is expected.

    Returns: The dtype; float32 if nothing tells.
    Raises: ValueError: if dtypes differ or are not floating point.
    """
    first: Any = None
    expected_dtype = None if dtype is None else as_dtype(dtype).base_dtype
    for tensor in tensors if tensors is not None else ():
        if tensor is None:
            continue
        found_dtype = tensor.dtype.base_dtype
        if expected_dtype is None:
            expected_dtype, first = found_dtype, tensor
        elif found_dtype is not expected_dtype:
            than = "" if first is None else f" as {_format(first)}"
            raise ValueError(
                f"{_format(tensor)}, type={found_dtype!s}, must be of the same type ({expected_dtype!s}){than}."
            )
    if expected_dtype is None:
        return float32
    if not expected_dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {expected_dtype!s}.")
    return expected_dtype


def _format(tensor: Any) -> str:
    return str(tensor) if isinstance(tensor, EagerTensor) else str(tensor.name)


@export("debugging.assert_proper_iterable", v1=["assert_proper_iterable", "debugging.assert_proper_iterable"])
def assert_proper_iterable(values: TensorLike) -> None:
    """Asserts that `values` can be iterated over and is not a tensor, array or string.

    >>> tf.debugging.assert_proper_iterable([1, 2])

    Args: values: the object.
    Raises: TypeError: if `values` cannot be iterated over, or is a tensor, array or string.
    """
    if isinstance(values, (Tensor, str, bytes, np.ndarray)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export("debugging.is_numeric_tensor", v1=["is_numeric_tensor", "debugging.is_numeric_tensor"])
def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Returns whether `tensor` is a Tensor of numbers.

    >>> tf.debugging.is_numeric_tensor(tf.constant(1.5)), tf.debugging.is_numeric_tensor(1.5)
    (True, False)

    Args: tensor: any object.
    Returns: True for a Tensor of a floating point, integer or complex dtype.
    """
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric
