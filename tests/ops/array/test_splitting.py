"""Split and unstack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Split", [np.int32(1), x([2, 4])], {"num_split": 2}, grad=True),
    Sample("Split", [np.int32(0), x([0, 2], np.int32)], {"num_split": 3}),
    Sample("SplitV", [x([4, 2]), np.int32([1, -1]), np.int32(0)], {"num_split": 2}, grad=True),
    Sample("SplitV", [x([3], np.uint8), np.int8([3]), np.int32(-1)], {"num_split": 1}),
    Sample("Unpack", [x([2, 3])], {"num": 3, "axis": 1}, grad=True),
    Sample("Unpack", [x([2], bool)], {"num": 2}),
]

GRADIENT_SAMPLES = [
    Sample("Unpack", [x([2, 3])], {"num": 2, "axis": 0}, grad=True),
    Sample("Unpack", [x([2, 1, 2])], {"num": 2, "axis": -1}, grad=True),
    Sample("Split", [np.int32(-2), x([4, 2])], {"num_split": 4}, grad=True),
    Sample("SplitV", [x([2, 4]), np.int32([0, 3, 1]), np.int32(-1)], {"num_split": 3}, grad=True),
]


ANSWERS = [
    (lambda: tf.unstack(tf.zeros([0, 2])), []),
    (
        lambda: tf.split(tf.zeros([2, 3]), [1, -1], 1),
        [("float32", [[0.0], [0.0]]), ("float32", [[0.0, 0.0], [0.0, 0.0]])],
    ),
    (lambda: tf.split(tf.zeros([2, 3]), [2], 0), [("float32", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.unstack(tf.zeros([2, 3]), axis=2), ValueError, "Argument `axis` = 2 not in range [-2, 2)"),
    (
        lambda: tf.unstack(tf.zeros([2, 3]), num=3),
        tf.errors.InvalidArgumentError,
        "Input shape axis 0 must equal 3, got shape [2,3]",
    ),
    (lambda: tf.unstack(tf.zeros([])), ValueError, "Argument `axis` = 0 not in range [0, 0)"),
    (lambda: tf.unstack(tf.zeros([2, 3]), axis=-3), ValueError, "Argument `axis` = -3 not in range [-2, 2)"),
    (
        lambda: tf.split(tf.zeros([2, 3]), 2, 1),
        tf.errors.InvalidArgumentError,
        "Number of ways to split should evenly divide the split dimension, but got split_dim 1",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [1, 1], 1),
        tf.errors.InvalidArgumentError,
        "Determined shape must either match input shape along split_dim exactly if fully speci",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [-1, -1], 1),
        tf.errors.InvalidArgumentError,
        "There can only be one -1 in the input.",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [4, -1], 1),
        tf.errors.InvalidArgumentError,
        "Determined shape must either match input shape along split_dim exactly if fully speci",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), 2, 2),
        tf.errors.InvalidArgumentError,
        "-input rank(-2) <= split_dim < input rank (2), but got 2",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [1, 2], 5),
        tf.errors.InvalidArgumentError,
        "-input rank(-2) <= split_dim < input rank (2), but got 5",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), 0, 0),
        tf.errors.InvalidArgumentError,
        "Value for attr 'num_split' of 0 must be at least minimum 1",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), -1, 0),
        tf.errors.InvalidArgumentError,
        "Value for attr 'num_split' of -1 must be at least minimum 1",
    ),
    (
        lambda: tf.split(tf.zeros([]), 1, 0),
        tf.errors.InvalidArgumentError,
        "-input rank(-0) <= split_dim < input rank (0), but got 0",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [[1, 1]], 0),
        tf.errors.InvalidArgumentError,
        "size of the split_tensor must be 1-D and have the same elements as outputs got 2 -D a",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [2, -2, 2], 0),
        tf.errors.InvalidArgumentError,
        "Split size at index 1 must be >= 0. Got: -2",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), 2.0, 0),
        ValueError,
        "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argumen",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [1.0, 1.0], 0),
        tf.errors.InvalidArgumentError,
        "Value for attr 'Tlen' of float is not in the list of allowed values: int8, int32, int",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [1, 1], 0, num=3),
        tf.errors.InvalidArgumentError,
        "size of the split_tensor must be 1-D and have the same elements as outputs got 1 -D a",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), 2, [0]),
        tf.errors.InvalidArgumentError,
        "split_dim must be a scalar but has rank 1",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.unstack(tf.zeros([2, 3]), axis=2), ValueError, "Argument `axis` = 2 not in range [-2, 2)"),
    (lambda: tf.unstack(tf.zeros([2, 3]), num=3), ValueError, "Dimension must be 3 but is 2"),
    (lambda: tf.unstack(tf.zeros([])), ValueError, "Argument `axis` = 0 not in range [0, 0)"),
    (lambda: tf.unstack(tf.zeros([2, 3]), axis=-3), ValueError, "Argument `axis` = -3 not in range [-2, 2)"),
    (
        lambda: tf.split(tf.zeros([2, 3]), 2, 1),
        ValueError,
        "Dimension size must be evenly divisible by 2 but is 3\n\tNumber of ways to split should",
    ),
    (lambda: tf.split(tf.zeros([2, 3]), [1, 1], 1), ValueError, "can't split axis of size 3 into pieces of size [1,1]"),
    (lambda: tf.split(tf.zeros([2, 3]), [-1, -1], 1), ValueError, "size_splits can only have one -1"),
    (lambda: tf.split(tf.zeros([2, 3]), [4, -1], 1), ValueError, "Split size at index 1 must be >= 0. Got: -1"),
    (
        lambda: tf.split(tf.zeros([2, 3]), 2, 2),
        ValueError,
        "Dimension size, given by scalar input 2 must be in range [-2, 2)",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [1, 2], 5),
        ValueError,
        "Dimension size, given by scalar input 5 must be in range [-2, 2)",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), 0, 0),
        ValueError,
        "Attr 'num_split' of 'Split' Op passed 0 less than minimum 1.",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), -1, 0),
        ValueError,
        "Attr 'num_split' of 'Split' Op passed -1 less than minimum 1.",
    ),
    (
        lambda: tf.split(tf.zeros([]), 1, 0),
        ValueError,
        "Dimension size, given by scalar input 0 must be in range [-0, 0)",
    ),
    (lambda: tf.split(tf.zeros([2, 3]), [2, -2, 2], 0), ValueError, "Split size at index 1 must be >= 0. Got: -2"),
    (
        lambda: tf.split(tf.zeros([2, 3]), 2.0, 0),
        ValueError,
        "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argumen",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [1.0, 1.0], 0),
        TypeError,
        "Value passed to parameter 'size_splits' has DataType float32 not in list of allowed v",
    ),
    (
        lambda: tf.split(tf.zeros([2, 3]), [1, 1], 0, num=3),
        ValueError,
        "Length of size_splits should be equal to num_outputs",
    ),
    (lambda: tf.split(tf.zeros([2, 3]), 2, [0]), ValueError, "Input must be scalar but has rank 1"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.unstack(x, axis=1), [(tf.float32, [None, 4, 5])], ["unstack"]),
    (lambda x: tf.unstack(x, 2), [(tf.float32, None)], ["unstack"]),
    (lambda x: tf.split(x, 2, 1), [(tf.float32, [None, 4, 5])], ["split/split_dim", "split"]),
    (lambda x: tf.split(x, 2, -2), [(tf.float32, [None, 4, 5])], ["split/split_dim", "split"]),
    (lambda x: tf.split(x, [1, -1], 1), [(tf.float32, [None, 4, 5])], ["Const", "split/split_dim", "split"]),
    (lambda x, s: tf.split(x, s, 1), [(tf.float32, [None, 4, 5]), (tf.int32, [2])], ["split/split_dim", "split"]),
    (
        lambda x, s: tf.split(x, s, 1, num=2),
        [(tf.float32, [None, 4, 5]), (tf.int32, [None])],
        ["split/split_dim", "split"],
    ),
    (lambda x: tf.split(x, 1, 1), [(tf.float32, [None, 4, 5])], ["split/split_dim", "split"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
