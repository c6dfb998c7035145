"""Space to depth and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("SpaceToDepth", [x([1, 4, 2, 3])], {"block_size": 2}, grad=True),
    Sample("SpaceToDepth", [x([1, 2, 4, 2], np.int8)], {"block_size": 2, "data_format": "NCHW"}),
    Sample("SpaceToDepth", [x([1, 1, 4, 4, 4], np.int8)], {"block_size": 2, "data_format": "NCHW_VECT_C"}),
    Sample("DepthToSpace", [x([2, 1, 2, 8])], {"block_size": 2}, grad=True),
    Sample("DepthToSpace", [x([1, 8, 1, 2], bool)], {"block_size": 2, "data_format": "NCHW"}),
    Sample("DepthToSpace", [x([1, 4, 2, 1, 4], np.int8)], {"block_size": 2, "data_format": "NCHW_VECT_C"}),
]

GRADIENT_SAMPLES = [
    Sample("SpaceToDepth", [x([1, 2, 3, 6])], {"block_size": 3, "data_format": "NCHW"}, grad=True),
    Sample("DepthToSpace", [x([1, 9, 1, 2])], {"block_size": 3, "data_format": "NCHW"}, grad=True),
]


REFUSED = [
    (
        lambda: tf.nn.space_to_depth(tf.zeros([1, 3, 4, 1]), 2),
        tf.errors.InvalidArgumentError,
        "Image width 4 and height 3 should be divisible by block_size: 2",
    ),
    (
        lambda: tf.nn.space_to_depth(tf.zeros([1, 4, 4, 1]), 1),
        tf.errors.InvalidArgumentError,
        "Value for attr 'block_size' of 1 must be at least minimum 2",
    ),
    (
        lambda: tf.nn.space_to_depth(tf.zeros([4, 4, 1]), 2),
        tf.errors.InvalidArgumentError,
        "Input rank should be 4 instead of 3",
    ),
    (
        lambda: tf.nn.space_to_depth(tf.zeros([1, 4, 4, 1]), 2, data_format="XX"),
        tf.errors.InvalidArgumentError,
        'Value for attr \'data_format\' of "XX" is not in the list of allowed values: "NHWC", "N',
    ),
    (
        lambda: tf.nn.depth_to_space(tf.zeros([1, 3, 4, 3]), 2),
        tf.errors.InvalidArgumentError,
        "Input depth dimension 3 should be divisible by: 4",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.nn.space_to_depth(tf.zeros([1, 3, 4, 1]), 2),
        ValueError,
        "Dimension size must be evenly divisible by 2 but is 3",
    ),
    (
        lambda: tf.nn.space_to_depth(tf.zeros([1, 4, 4, 1]), 1),
        ValueError,
        "Attr 'block_size' of 'SpaceToDepth' Op passed 1 less than minimum 2.",
    ),
    (lambda: tf.nn.space_to_depth(tf.zeros([4, 4, 1]), 2), ValueError, "Shape must be rank 4 but is rank 3"),
    (
        lambda: tf.nn.depth_to_space(tf.zeros([1, 3, 4, 3]), 2),
        ValueError,
        "Dimension size must be evenly divisible by 4 but is 3",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.nn.space_to_depth(x, 2), [(tf.float32, [None, 4, 6, 3])], ["SpaceToDepth"]),
    (lambda x: tf.nn.depth_to_space(x, 2), [(tf.float32, [None, 4, 6, 8])], ["DepthToSpace"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
