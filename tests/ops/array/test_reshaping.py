"""Reshape, squeeze, expand_dims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Reshape", [x([2, 3]), np.int32([3, -1])], grad=True),
    Sample("Reshape", [x([1], np.complex64), np.zeros([0], np.int64)]),
    Sample("Reshape", [x([0, 3], bool), np.int32([-1])]),
    Sample("Squeeze", [x([1, 2, 1])], grad=True),
    Sample("Squeeze", [x([1, 2, 1], np.int16)], {"squeeze_dims": [-1]}),
    Sample("ExpandDims", [x([2, 3]), np.int32(-1)], grad=True),
    Sample("ExpandDims", [x([], np.uint8), np.int64([0])]),
]

GRADIENT_SAMPLES = [
    Sample("Squeeze", [x([1, 2, 1])], {"squeeze_dims": [-1]}, grad=True),
    Sample("Squeeze", [x([1, 1])], {"squeeze_dims": [0, 1]}, grad=True),
    Sample("ExpandDims", [x([2]), np.int64(0)], grad=True),
]


ANSWERS = [
    (lambda: tf.reshape(tf.zeros([0, 3]), [-1, 0]), [("float32", [[], [], []])]),
    (lambda: tf.reshape(tf.zeros([0, 3]), [-1]), [("float32", [])]),
    (lambda: tf.reshape(tf.zeros([2, 3]), 6), [("float32", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])]),
    (lambda: tf.squeeze(tf.zeros([1, 3]), [0, 0]), [("float32", [0.0, 0.0, 0.0])]),
    (lambda: tf.expand_dims(tf.zeros([2, 3]), [1]), [("float32", [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.reshape(tf.zeros([2, 3]), [4]),
        tf.errors.InvalidArgumentError,
        "Input to reshape is a tensor with 6 values, but the requested shape has 4",
    ),
    (
        lambda: tf.reshape(tf.zeros([2, 3]), [-1, 4]),
        tf.errors.InvalidArgumentError,
        "Input to reshape is a tensor with 6 values, but the requested shape requires a multip",
    ),
    (
        lambda: tf.reshape(tf.zeros([2, 3]), [-1, -1]),
        tf.errors.InvalidArgumentError,
        "Only one input size may be -1, not both 0 and 1",
    ),
    (
        lambda: tf.reshape(tf.zeros([2, 3]), [-2, 3]),
        tf.errors.InvalidArgumentError,
        "Size 0 must be non-negative, not -2",
    ),
    (lambda: tf.reshape(tf.zeros([2, 3]), [[6]]), tf.errors.InvalidArgumentError, "sizes input must be 1-D, not [1,1]"),
    (
        lambda: tf.reshape(tf.zeros([2, 3]), [3.0, 2.0]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'Tshape' of float is not in the list of allowed values: int32, int64",
    ),
    (
        lambda: tf.squeeze(tf.zeros([2, 3]), 0),
        tf.errors.InvalidArgumentError,
        "Can not squeeze dim[0], expected a dimension of 1, got 2",
    ),
    (
        lambda: tf.squeeze(tf.zeros([1, 3]), 5),
        tf.errors.InvalidArgumentError,
        "Tried to squeeze dim index 5 for tensor with 2 dimensions.",
    ),
    (
        lambda: tf.squeeze(tf.zeros([1, 3]), -3),
        tf.errors.InvalidArgumentError,
        "Tried to squeeze dim index -3 for tensor with 2 dimensions.",
    ),
    (
        lambda: tf.expand_dims(tf.zeros([2, 3]), 4),
        tf.errors.InvalidArgumentError,
        "Tried to expand dim index 4 for tensor with 2 dimensions.",
    ),
    (
        lambda: tf.expand_dims(tf.zeros([2, 3]), -4),
        tf.errors.InvalidArgumentError,
        "Tried to expand dim index -4 for tensor with 2 dimensions.",
    ),
    (
        lambda: tf.expand_dims(tf.zeros([2, 3]), [0, 1]),
        tf.errors.InvalidArgumentError,
        "'dim' must be a tensor with a single value",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.reshape(tf.zeros([2, 3]), [4]),
        ValueError,
        "Cannot reshape a tensor with 6 elements to shape [4] (4 elements)",
    ),
    (
        lambda: tf.reshape(tf.zeros([2, 3]), [-1, 4]),
        ValueError,
        "Dimension size must be evenly divisible by 4 but is 6",
    ),
    (lambda: tf.reshape(tf.zeros([2, 3]), [-2, 3]), ValueError, "Invalid value in tensor used for shape: -2"),
    (lambda: tf.reshape(tf.zeros([2, 3]), [[6]]), ValueError, "Shape must be rank 1 but is rank 2"),
    (lambda: tf.reshape(tf.zeros([2, 3]), 6), ValueError, "Shape must be rank 1 but is rank 0"),
    (lambda: tf.squeeze(tf.zeros([2, 3]), 0), ValueError, "Can not squeeze dim[0], expected a dimension of 1, got 2"),
    (lambda: tf.squeeze(tf.zeros([1, 3]), 5), ValueError, "squeeze_dims[0] not in [-2,2)."),
    (lambda: tf.squeeze(tf.zeros([1, 3]), -3), ValueError, "squeeze_dims[0] not in [-2,2)."),
    (lambda: tf.expand_dims(tf.zeros([2, 3]), 4), ValueError, "dim 4 not in the interval [-3, 2]."),
    (lambda: tf.expand_dims(tf.zeros([2, 3]), -4), ValueError, "dim -4 not in the interval [-3, 2]."),
    (lambda: tf.expand_dims(tf.zeros([2, 3]), [0, 1]), ValueError, "'dim' input must be a tensor with a single value"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.reshape(x, [-1, 2]), [(tf.float32, [None, 4])], ["Reshape/shape", "Reshape"]),
    (lambda x, s: tf.reshape(x, s), [(tf.float32, [None, 4]), (tf.int32, [2])], ["Reshape"]),
    (lambda x: tf.squeeze(x), [(tf.float32, [1, 4])], ["Squeeze"]),
    (lambda x: tf.squeeze(x, 0), [(tf.float32, None)], ["Squeeze"]),
    (lambda x: tf.squeeze(x), [(tf.float32, [None, 4])], ["Squeeze"]),
    (lambda x: tf.expand_dims(x, -1), [(tf.float32, [None, 4])], ["ExpandDims/dim", "ExpandDims"]),
    (lambda x, a: tf.expand_dims(x, a), [(tf.float32, [None, 4]), (tf.int32, [])], ["ExpandDims"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


def test_an_empty_list_leaves_the_constant_of_its_own_dtype_behind() -> None:
    names = ["Reshape/shape", "Reshape/shape_1", "Reshape"]
    check_graph_names(lambda x: tf.reshape(x, []), [(tf.float32, [1])], names)


UNCOUNTABLE = [[2**40, 2**40, 0], [0, 2**62], [2**33, 0, 2**33], [0, *[2**31 - 1] * 4]]


@pytest.mark.parametrize("shape", UNCOUNTABLE)
def test_an_empty_tensor_of_huge_dimensions_is_refused_in_words(shape: list[int]) -> None:
    sizes = tf.constant(shape, tf.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^Shape \[.*\] has too many elements"):
        tf.reshape(tf.zeros([0]), sizes)
    ones = tf.ones([1])
    for call in (lambda: tf.zeros(shape), lambda: tf.fill(sizes, 1.0), lambda: tf.broadcast_to(ones, sizes)):
        for run in (call, tf.function(call, autograph=False)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape \[.*\] would have more than 2\*\*63 - 1"):
                run()


def test_an_empty_tensor_takes_large_dimensions() -> None:
    assert tf.reshape(tf.zeros([0]), [2**31, 0]).shape == tf.zeros([2**31, 0]).shape == [2**31, 0]
    assert tf.reshape(tf.zeros([0], tf.int8), [0, 2**62]).shape == [0, 2**62]
