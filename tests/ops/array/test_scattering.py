"""Scatter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("ScatterNd", [np.int32([[1], [3], [1]]), x([3, 2]), np.int32([4, 2])], grad=True),
    Sample("ScatterNd", [np.zeros([0, 1], np.int64), x([0], np.int8), np.int64([3])]),
    Sample("ScatterNdNonAliasingAdd", [x([4]), np.int32([[1], [1]]), x([2])], grad=True),
    Sample("TensorScatterUpdate", [x([4, 2]), np.int32([[1], [3]]), x([2, 2])], grad=True),
    Sample("TensorScatterUpdate", [x([2, 2], bool), np.uint16([[1, 0]]), x([1], bool)]),
    Sample("TensorScatterAdd", [x([4]), np.int64([[1], [1]]), x([2])], grad=True),
    Sample("TensorScatterSub", [x([4]), np.int32([[1], [1]]), x([2])], grad=True),
    Sample("TensorScatterMin", [x([4]), np.int32([[1], [0]]), x([2])], grad=True),
    Sample("TensorScatterMax", [x([4]), np.int32([[1], [0]]), x([2])], grad=True),
    Sample("TensorScatterMax", [x([4], np.uint16), np.int32([[1], [1]]), x([2], np.uint16)]),
    Sample("InplaceUpdate", [x([3, 2]), np.int32([1]), x([1, 2])]),
    Sample("InplaceAdd", [x([3, 2], np.int32), np.int32([1, 1]), x([2, 2], np.int32)]),
    Sample("InplaceSub", [x([3]), np.int32([2]), x([1])]),
]

_BEYOND = {"bad_indices_policy": "IGNORE"}

GRADIENT_SAMPLES = [
    Sample("ScatterNd", [np.int32([[1], [9], [1]]), x([3, 2]), np.int32([4, 2])], _BEYOND, grad=True),
    *(
        Sample(op, [x([4, 2]), np.int32([[1], [9]]), x([2, 2])], _BEYOND, grad=True)
        for op in (
            "TensorScatterUpdate",
            "TensorScatterAdd",
            "TensorScatterSub",
            "TensorScatterMin",
            "TensorScatterMax",
        )
    ),
    Sample("ScatterNdNonAliasingAdd", [x([4]), np.int32([[1], [9]]), x([2])], _BEYOND, grad=True),
    *(
        Sample(op, [x([4, 2]), np.int32([[1, 0], [3, 1], [0, 0]]), x([3])], grad=True)
        for op in (
            "TensorScatterUpdate",
            "TensorScatterAdd",
            "TensorScatterSub",
            "TensorScatterMin",
            "TensorScatterMax",
        )
    ),
    Sample("ScatterNdNonAliasingAdd", [x([4, 2]), np.int32([[1, 0], [1, 0]]), x([2])], grad=True),
]


ANSWERS = [
    (lambda: tf.scatter_nd([[0], [0]], [1.0, 2.0], [3]), [("float32", [3.0, 0.0, 0.0])]),
    (lambda: tf.scatter_nd([[5], [1]], [1.0, 2.0], [3], bad_indices_policy="IGNORE"), [("float32", [0.0, 2.0, 0.0])]),
    (lambda: tf.scatter_nd([[0]], ["a"], [3]), [("string", [b"a", b"", b""])]),
    (lambda: tf.scatter_nd([[0], [0]], ["a", "b"], [3]), [("string", [b"ab", b"", b""])]),
    (lambda: tf.scatter_nd([[0], [0]], [True, True], [3]), [("bool", [True, False, False])]),
    (lambda: tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [3]), [("float32", [0.0, 0.0, 0.0])]),
    (lambda: tf.tensor_scatter_nd_update(["a", "b"], [[1]], ["c"]), [("string", [b"a", b"c"])]),
    (lambda: tf.tensor_scatter_nd_update([1, 2, 3], [[0], [0]], [5, 6]), [("int32", [6, 2, 3])]),
    (lambda: tf.tensor_scatter_nd_sub([1, 2, 3], [[0], [0]], [5, 6]), [("int32", [-10, 2, 3])]),
    (lambda: tf.raw_ops.InplaceAdd(x=[1, 2], i=[0], v=[3]), [("int32", [4, 2])]),
    (lambda: tf.raw_ops.InplaceUpdate(x=[1, 2], i=[0], v=[3]), [("int32", [3, 2])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.scatter_nd([[5]], [1.0], [3]),
        tf.errors.InvalidArgumentError,
        "indices[0] = [5] does not index into shape [3]",
    ),
    (
        lambda: tf.scatter_nd([[0, 0]], [1.0], [3]),
        tf.errors.InvalidArgumentError,
        "Dimensions [2,1) of input[shape=[3]] must match dimensions [1,1) of updates[shape=[1]",
    ),
    (
        lambda: tf.scatter_nd([[0]], [1.0, 2.0], [3]),
        tf.errors.InvalidArgumentError,
        "Dimensions [0,1) of indices[shape=[1,1]] must match dimensions [0,1) of updates[shape",
    ),
    (
        lambda: tf.scatter_nd([0], [1.0], [3]),
        tf.errors.InvalidArgumentError,
        "Dimensions [1,1) of input[shape=[3]] must match dimensions [0,1) of updates[shape=[1]",
    ),
    (
        lambda: tf.scatter_nd([[5], [1]], [1.0, 2.0], [3], bad_indices_policy="ERROR"),
        tf.errors.InvalidArgumentError,
        "indices[0] = [5] does not index into shape [3]",
    ),
    (lambda: tf.scatter_nd([[0]], [1.0], [-3]), tf.errors.InvalidArgumentError, "Dimension -3 must be >= 0"),
    (
        lambda: tf.scatter_nd([[0]], [1.0], [0]),
        tf.errors.InvalidArgumentError,
        "Indices and updates specified for empty output.  indices shape: [1,1]",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([3]), [[3]], [1.0]),
        tf.errors.InvalidArgumentError,
        "indices[0] = [3] does not index into shape [3]",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([3]), [[0]], [1.0, 2.0]),
        tf.errors.InvalidArgumentError,
        "Outer dimensions of indices and update must match. Indices shape: [1,1], updates shap",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([3, 2]), [[0]], [1.0]),
        tf.errors.InvalidArgumentError,
        "Inner dimensions of output shape must match inner dimensions of updates shape. Output",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([3, 2]), [[0]], [[1.0]]),
        tf.errors.InvalidArgumentError,
        "The inner 1 dimensions of output.shape=[3,2] must match the inner 1 dimensions of upd",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([3]), [[0, 0]], [1.0]),
        tf.errors.InvalidArgumentError,
        "Inner dimensions of output shape must match inner dimensions of updates shape. Output",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([]), [[0]], [1.0]),
        tf.errors.InvalidArgumentError,
        "Inner dimensions of output shape must match inner dimensions of updates shape. Output",
    ),
    (
        lambda: tf.tensor_scatter_nd_add(tf.zeros([3]), [[-1]], [1.0]),
        tf.errors.InvalidArgumentError,
        "indices[0] = [-1] does not index into shape [3]",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([0, 3]), [[0]], tf.zeros([1, 3])),
        tf.errors.InvalidArgumentError,
        "Indices and updates specified for empty output shape",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.scatter_nd([[0]], [1.0, 2.0], [3]),
        ValueError,
        "Dimensions [0,1) of indices[shape=[1,1]] = [1] must match dimensions [0,1) of updates",
    ),
    (lambda: tf.scatter_nd([[0]], [1.0], [0]), ValueError, "Indices and updates specified for empty input"),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([3]), [[0]], [1.0, 2.0]),
        ValueError,
        "Dimensions [0,1) of indices[shape=[1,1]] = [1] must match dimensions [0,1) of updates",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([3, 2]), [[0]], [1.0]),
        ValueError,
        "Dimensions [1,2) of input[shape=[3,2]] = [2] must match dimensions [1,1) of updates[s",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([3, 2]), [[0]], [[1.0]]),
        ValueError,
        "Dimensions [1,2) of input[shape=[3,2]] = [2] must match dimensions [1,2) of updates[s",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([]), [[0]], [1.0]),
        ValueError,
        "Shape must be at least rank 1 but is rank 0",
    ),
    (
        lambda: tf.tensor_scatter_nd_update(tf.zeros([0, 3]), [[0]], tf.zeros([1, 3])),
        ValueError,
        "Indices and updates specified for empty input",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (
        lambda a, u: tf.scatter_nd(a, u, [4, 5]),
        [(tf.int32, [3, 1]), (tf.float32, [3, 5])],
        ["ScatterNd/shape", "ScatterNd"],
    ),
    (
        lambda a, u, s: tf.scatter_nd(a, u, s),
        [(tf.int32, [3, 1]), (tf.float32, [3, 5]), (tf.int32, [2])],
        ["ScatterNd"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize("name", ["update", "add", "sub", "max", "min"])
def test_a_scatter_into_a_tensor_refuses_in_tensorflows_words(name: str) -> None:
    scatter, zeros = getattr(tf, f"tensor_scatter_nd_{name}"), tf.zeros([4, 4])
    for indices, updates, words in (
        ([[0, 9]], [1.0], "indices[0] = [0, 9] does not index into shape [4,4]"),
        ([[[0, 9]]], [[1.0]], "indices[0,0] = [0, 9] does not index into shape [4,4]"),
        ([[0]], 1.0, "Updates shape must have rank at least one. Found:[]"),
        (0, [1.0], "Indices shape must have rank at least one. Found:[]"),
        (tf.zeros([0, 2], tf.int32), [1.0, 2.0], "Indices and updates specified for empty output shape"),
    ):
        check_refusal(lambda i=indices, u=updates: scatter(zeros, i, u), tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize(
    ("indices", "updates", "shape"),
    [([0, 1], [2], [4]), ([2, 1], [0], [4]), ([0, 1], [2, 3], [4, 3])],
)
def test_indices_without_updates_and_updates_without_indices_are_refused(
    indices: list[int], updates: list[int], shape: list[int]
) -> None:
    words = "Indices and updates specified for empty output shape"
    positions = tf.zeros(indices, tf.int32)
    check_refusal(lambda: tf.scatter_nd(positions, tf.zeros(updates), shape), tf.errors.InvalidArgumentError, words)
    nothing = tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [4])
    assert nothing.numpy().tolist() == [0.0] * 4


def test_a_position_of_no_dimensions_is_the_whole_tensor() -> None:
    found = tf.scatter_nd(tf.zeros([2, 0], tf.int32), [[1.0, 2.0], [3.0, 4.0]], [2])
    assert found.numpy().tolist() == [4.0, 6.0]
