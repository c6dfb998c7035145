"""Answers that TensorFlow 2.21 gave about ragged tensors, and how calls are compared with them.

A call is made eagerly, in a function, and in a function that knows no size while tracing: `ragged` and `dense` make the
arguments, and hide their sizes in that last case, but those behind the ragged dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import millrace as tf


@dataclass(frozen=True)
class R:
    """A ragged tensor: dtype, elements as nested lists, static shape in eager mode."""

    dtype: str
    elements: list[Any]
    shape: list[int | None]


@dataclass(frozen=True)
class T:
    """A dense tensor: dtype and elements."""

    dtype: str
    elements: Any


_hides_sizes = [False]


@contextmanager
def _hidden_sizes() -> Iterator[None]:
    _hides_sizes[0] = True
    try:
        yield
    finally:
        _hides_sizes[0] = False


def _hidden(tensor: Any) -> Any:
    return tf.raw_ops.PlaceholderWithDefault(input=tensor, shape=[None] * tensor.shape.rank)


def dense(*args: Any, **kwargs: Any) -> Any:
    """Makes a dense tensor, as `tf.constant`."""
    tensor = tf.constant(*args, **kwargs)
    return _hidden(tensor) if _hides_sizes[0] else tensor


def ragged(*args: Any, **kwargs: Any) -> Any:
    """Makes a ragged tensor, as `tf.ragged.constant`."""
    tensor = tf.ragged.constant(*args, **kwargs)
    if not _hides_sizes[0]:
        return tensor
    if not isinstance(tensor, tf.RaggedTensor):
        return _hidden(tensor)
    splits = [_hidden(s) for s in tensor.nested_row_splits]
    inner_dims = tensor.flat_values.shape[1:]
    values = tf.raw_ops.PlaceholderWithDefault(input=tensor.flat_values, shape=[None, *inner_dims])
    return tf.RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def check_everywhere(call: Callable[[], Any], expected: Any) -> None:
    """A call gives the expected tensors in each mode; shapes that a graph knows are those of the results."""
    _check(call(), expected, is_eager=True)
    _check(tf.function(call, autograph=False)(), expected)
    with _hidden_sizes():
        _check(tf.function(call, autograph=False)(), expected)


def _check(found: Any, expected: Any, is_eager: bool = False) -> None:
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one_found, one_expected in zip(found, expected, strict=True):
            _check(one_found, one_expected, is_eager)
        return
    if isinstance(expected, (R, T)):
        assert isinstance(found, tf.RaggedTensor if isinstance(expected, R) else tf.Tensor), found
        assert found.dtype.name == expected.dtype
        _check_elements(
            found.to_list() if isinstance(expected, R) else np.asarray(found.numpy()).tolist(), expected.elements
        )
    else:
        assert found == expected
    if is_eager and isinstance(expected, R):
        assert found.shape.as_list() == expected.shape


def _check_elements(found: Any, expected: Any) -> None:
    if isinstance(expected, list):
        assert len(found) == len(expected), found
        for one_found, one_expected in zip(found, expected, strict=True):
            _check_elements(one_found, one_expected)
    elif isinstance(expected, float):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    else:
        assert found == expected


def check_refusal_everywhere(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    """A call is refused eagerly in TensorFlow's words, and in a graph, when it is traced or when it runs."""
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).split(" [Op:")[0].strip().startswith(words)
    with pytest.raises((error, ValueError, TypeError, tf.errors.InvalidArgumentError)):
        tf.function(call, autograph=False)()
