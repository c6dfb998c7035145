"""Broadcasting, and shapes of broadcasts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("BroadcastTo", [x([3, 1]), np.int32([2, 3, 2])], grad=True),
    Sample("BroadcastTo", [x([], bool), np.int64([2, 0])]),
    Sample("BroadcastArgs", [np.int32([2, 1]), np.int32([3])]),
    Sample("BroadcastGradientArgs", [np.int64([2, 1]), np.int64([1, 3])]),
]


ANSWERS = [
    (lambda: tf.raw_ops.BroadcastGradientArgs(s0=[2, 3], s1=[3]), [("int32", []), ("int32", [0])]),
    (lambda: tf.raw_ops.BroadcastGradientArgs(s0=[2, 1], s1=[1, 3]), [("int32", [1]), ("int32", [0])]),
    (lambda: tf.raw_ops.BroadcastGradientArgs(s0=[1], s1=[]), [("int32", [0]), ("int32", [0])]),
    (lambda: tf.raw_ops.BroadcastGradientArgs(s0=[1, 1], s1=[1]), [("int32", [0, 1]), ("int32", [0, 1])]),
    (lambda: tf.raw_ops.BroadcastGradientArgs(s0=[2, 3], s1=[2, 3]), [("int32", []), ("int32", [])]),
    (lambda: tf.raw_ops.BroadcastGradientArgs(s0=[5, 1, 3], s1=[2, 1]), [("int32", [1]), ("int32", [0, 2])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.broadcast_to(tf.zeros([2, 3]), [3, 2]),
        tf.errors.InvalidArgumentError,
        "Incompatible shapes: [2,3] vs. [3,2]",
    ),
    (
        lambda: tf.broadcast_to(tf.zeros([2, 3]), [3]),
        tf.errors.InvalidArgumentError,
        "Rank of input (2) must be no greater than rank of output shape (1).",
    ),
    (lambda: tf.broadcast_to(tf.zeros([2, 3]), [-1, 3]), tf.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (lambda: tf.broadcast_to(tf.zeros([2, 1]), [2, -1]), tf.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (
        lambda: tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3])),
        ValueError,
        "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension",
    ),
    (
        lambda: tf.raw_ops.BroadcastGradientArgs(s0=[2, 3], s1=[4]),
        tf.errors.InvalidArgumentError,
        "Incompatible shapes: [2,3] vs. [4]",
    ),
    (
        lambda: tf.raw_ops.BroadcastArgs(s0=[2, 3], s1=[[3]]),
        tf.errors.InvalidArgumentError,
        "In[1] must be a vector.[1,1]",
    ),
    (
        lambda: tf.raw_ops.BroadcastArgs(s0=[2, 3], s1=[4]),
        tf.errors.InvalidArgumentError,
        "Incompatible shapes: [2,3] vs. [4]",
    ),
    (lambda: tf.raw_ops.BroadcastArgs(s0=2, s1=[4]), tf.errors.InvalidArgumentError, "In[0] must be a vector.[]"),
    (
        lambda: tf.raw_ops.BroadcastArgs(s0=[-1], s1=[4]),
        tf.errors.InvalidArgumentError,
        "Incompatible shapes: [-1] vs. [4]",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.broadcast_to(tf.zeros([2, 3]), [3, 2]), ValueError, "Dimensions must be equal, but are 3 and 2"),
    (lambda: tf.broadcast_to(tf.zeros([2, 3]), [3]), ValueError, "Shape must be at most rank 1 but is rank 2"),
    (
        lambda: tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3])),
        ValueError,
        "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension",
    ),
    (lambda: tf.raw_ops.BroadcastArgs(s0=[2, 3], s1=[[3]]), ValueError, "Shape must be rank 1 but is rank 2"),
    (lambda: tf.raw_ops.BroadcastArgs(s0=2, s1=[4]), ValueError, "Shape must be rank 1 but is rank 0"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.broadcast_to(x, [2, 3]), [(tf.float32, [3])], ["BroadcastTo/shape", "BroadcastTo"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize(
    ("given", "shape", "words"),
    [
        ([1, 2], [1], "Unable to broadcast tensor of shape [2] to tensor of shape [1]"),
        ([[1, 2]], [2, 1], "Unable to broadcast tensor of shape [1,2] to tensor of shape [2,1]"),
        ([1, 2, 3], [2], "Incompatible shapes: [3] vs. [2]"),
        ([[1]], [1], "Rank of input (2) must be no greater than rank of output shape (1)."),
    ],
)
def test_a_shape_that_cannot_be_reached_is_refused_in_tensorflows_words(given: Any, shape: Any, words: str) -> None:
    check_refusal(lambda: tf.broadcast_to(given, shape), tf.errors.InvalidArgumentError, words)
