"""Reverse, reverse_sequence, roll."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("ReverseV2", [x([2, 3]), np.int32([-1])], grad=True),
    Sample("ReverseV2", [x([2, 0], bool), np.int64([0, 1])]),
    Sample("Reverse", [x([2, 3]), np.array([True, False])], grad=True),
    Sample("ReverseSequence", [x([2, 4]), np.int64([2, 3])], {"seq_dim": 1}, grad=True),
    Sample("ReverseSequence", [x([3, 2, 1], np.int8), np.int32([0, 3])], {"seq_dim": 0, "batch_dim": 1}),
    Sample("Roll", [x([3, 4]), np.int32([1, -2]), np.int32([0, 1])], grad=True),
    Sample("Roll", [x([3], np.complex64), np.int64(2), np.int32(0)]),
]

GRADIENT_SAMPLES = [
    Sample("ReverseSequence", [x([3, 2, 2]), np.int32([0, 3])], {"seq_dim": 0, "batch_dim": 1}, grad=True),
    Sample("ReverseV2", [x([2, 3]), np.int32([])], grad=True),
    Sample("Roll", [x([3, 4], np.complex128), np.int32(-5), np.int32(1)], grad=True),
]


ANSWERS = [
    (lambda: tf.reverse(tf.zeros([2, 3]), [True]), [("float32", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])]),
    (lambda: tf.raw_ops.Reverse(tensor=[[1, 2], [3, 4]], dims=[True, False]), [("int32", [[3, 4], [1, 2]])]),
    (lambda: tf.roll(tf.zeros([2, 3]), [1, 2], [0, 0]), [("float32", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])]),
    (lambda: tf.roll([1, 2, 3], -5, 0), [("int32", [3, 1, 2])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.reverse(tf.zeros([2, 3]), [2]),
        tf.errors.InvalidArgumentError,
        "'axis'[0] = 2 is out of valid range [0, 1",
    ),
    (lambda: tf.reverse(tf.zeros([2, 3]), [0, 0]), tf.errors.InvalidArgumentError, "axis 0 specified more than once."),
    (lambda: tf.reverse(tf.zeros([2, 3]), [0, -2]), tf.errors.InvalidArgumentError, "axis 0 specified more than once."),
    (lambda: tf.reverse(tf.zeros([2, 3]), 0), tf.errors.InvalidArgumentError, "'dims' must be 1-dimension, not 0"),
    (
        lambda: tf.raw_ops.Reverse(tensor=[[1, 2], [3, 4]], dims=[True]),
        tf.errors.InvalidArgumentError,
        "'dims' must have the same number of values as 'input' has dimensions. 'input' has 2'd",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1, 4], seq_axis=1),
        tf.errors.InvalidArgumentError,
        "seq_lens(1) > input.dims(1)",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1, -1], seq_axis=1),
        tf.errors.InvalidArgumentError,
        "seq_lens(1) < 0",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1], seq_axis=1),
        tf.errors.InvalidArgumentError,
        "Length of seq_lengths != input.dims(0), (1 vs. 2)",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1, 2], seq_axis=0),
        tf.errors.InvalidArgumentError,
        "batch_dim == seq_dim == 0",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1, 2], seq_axis=2),
        tf.errors.InvalidArgumentError,
        "seq_dim must be < input rank ( 2 vs. 2)",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [[1, 2]], seq_axis=1),
        tf.errors.InvalidArgumentError,
        "seq_lengths must be 1-dim, not 2",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1, 2], seq_axis=1, batch_axis=5),
        tf.errors.InvalidArgumentError,
        "batch_dim must be < input rank ( 5 vs. 2)",
    ),
    (
        lambda: tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=-1),
        tf.errors.InvalidArgumentError,
        "Invalid seq_dim -1",
    ),
    (lambda: tf.roll(tf.zeros([2, 3]), 1, 2), tf.errors.InvalidArgumentError, "axis 2 is out of range"),
    (
        lambda: tf.roll(tf.zeros([2, 3]), [1, 2], 0),
        tf.errors.InvalidArgumentError,
        "shift and axis must have the same size",
    ),
    (lambda: tf.roll(tf.zeros([]), 1, 0), tf.errors.InvalidArgumentError, "input must be 1-D or higher"),
    (
        lambda: tf.roll([1, 2, 3], [[1]], [[0]]),
        tf.errors.InvalidArgumentError,
        "shift must be a scalar or a 1-D vector. Found: [1,1]",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.reverse(tf.zeros([2, 3]), [2]), ValueError, "'axis'[0] = 2 is out of valid range [0, 1"),
    (lambda: tf.reverse(tf.zeros([2, 3]), [0, 0]), ValueError, "axis 0 specified more than once."),
    (lambda: tf.reverse(tf.zeros([2, 3]), [0, -2]), ValueError, "axis 0 specified more than once."),
    (lambda: tf.reverse(tf.zeros([2, 3]), 0), ValueError, "Shape must be rank 1 but is rank 0"),
    (
        lambda: tf.raw_ops.Reverse(tensor=[[1, 2], [3, 4]], dims=[True]),
        ValueError,
        "Shape must be rank 1 but is rank 2",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1], seq_axis=1),
        ValueError,
        "Dimensions must be equal, but are 2 and 1",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1, 2], seq_axis=2),
        ValueError,
        "seq_dim must be < input rank: 2 vs. 2",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [[1, 2]], seq_axis=1),
        ValueError,
        "Shape must be rank 1 but is rank 2",
    ),
    (
        lambda: tf.reverse_sequence(tf.zeros([2, 3]), [1, 2], seq_axis=1, batch_axis=5),
        ValueError,
        "batch_dim must be < input rank: 5 vs. 2",
    ),
    (lambda: tf.roll(tf.zeros([2, 3]), [1, 2], 0), ValueError, "Shapes must be equal rank, but are 1 and 0"),
    (lambda: tf.roll(tf.zeros([]), 1, 0), ValueError, "Shape must be at least rank 1 but is rank 0"),
    (lambda: tf.roll([1, 2, 3], [[1]], [[0]]), ValueError, "Shape must be at most rank 1 but is rank 2"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.reverse(x, [1]), [(tf.float32, [None, 4, 5])], ["ReverseV2/axis", "ReverseV2"]),
    (
        lambda x, l: tf.reverse_sequence(x, l, seq_axis=1, batch_axis=0),
        [(tf.float32, [None, 4, 5]), (tf.int32, [None])],
        ["ReverseSequence"],
    ),
    (lambda x: tf.roll(x, 1, 0), [(tf.float32, [None, 4, 5])], ["Roll/shift", "Roll/axis", "Roll"]),
    (lambda x: tf.roll(x, [1, 2], [0, 1]), [(tf.float32, [None, 4, 5])], ["Roll/shift", "Roll/axis", "Roll"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [tf.int32, tf.float32])
def test_compiled_lengths_out_of_range_stop_at_the_last_element_as_in_tensorflow(dtype: Any) -> None:
    reverse = tf.function(tf.reverse_sequence, autograph=False, jit_compile=True)
    found = reverse(tf.constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype), tf.constant([5, 4, -1]), seq_axis=1)
    assert found.numpy().tolist() == [[3, 3, 3], [6, 6, 5], [7, 8, 9]]
