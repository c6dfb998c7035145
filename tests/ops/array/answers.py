"""Checks against answers recorded from TensorFlow 2.21: values, refusals, names of nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import millrace as tf


def sample_array(shape: Sequence[int], dtype: Any = np.float64) -> np.ndarray[Any, Any]:
    """Distinct numbers in no order, the same every time."""
    count = int(np.prod(shape))
    values = np.random.default_rng(count).permutation(count) * 1.25 - count / 3
    if np.dtype(dtype).kind == "c":
        values = values + 1j * values[::-1]
    if np.dtype(dtype).kind in "bu":
        values = np.abs(values).astype(np.int64) % (2 if np.dtype(dtype).kind == "b" else 100)
    return values.reshape(shape).astype(dtype)


def check_answer(call: Callable[[], Any], expected: list[tuple[str, Any]]) -> None:
    """The tensors of a call have the expected dtypes and values."""
    tensors = tf.nest.flatten(call())
    assert len(tensors) == len(expected)
    for tensor, (dtype, value) in zip(tensors, expected, strict=True):
        assert tensor.dtype.name == dtype
        assert tensor.numpy().tolist() == value


def check_refusal(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    """A call raises `error` with a message that begins with `words`."""
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).split(" [Op:")[0].startswith(words.split(" [Op:")[0])


def check_refusal_while_tracing(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    """The same while a graph is built."""
    with tf.Graph().as_default():
        check_refusal(call, error, words)


def check_graph_names(build: Callable[..., Any], placeholders: Sequence[tuple[Any, Any]], names: list[str]) -> None:
    """The nodes that `build` makes have the expected names, in order."""
    graph = tf.Graph()
    with graph.as_default():
        inputs = [tf.compat.v1.placeholder(dtype, shape, name=f"p{i}") for i, (dtype, shape) in enumerate(placeholders)]
        build(*inputs)
    assert [op.name for op in graph.get_operations()][len(inputs) :] == names
