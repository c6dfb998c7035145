"""Transposed convolutions."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.conv2d_transpose(wave(1, 2, 2, 1), wave(2, 2, 2, 1), [1, 4, 4, 2], 2)",
        [
            (
                "float32",
                (1, 4, 4, 2),
                [
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.983399,
                    -0.253411,
                    -0.918098,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.489995,
                    0.791832,
                    -0.694041,
                    -0.612985,
                    0.0,
                    -0.253411,
                    0.0653013,
                    0.236584,
                    0.0,
                    -0.918098,
                    0.236584,
                    0.857133,
                    -0.126266,
                    -0.204046,
                    0.178847,
                    0.157959,
                    -0.457457,
                    -0.739251,
                    0.647954,
                    0.57228,
                ],
            ),
        ],
    ),
    (
        "tf.nn.conv2d_transpose(wave(1, 2, 2, 1), wave(3, 3, 1, 1), [1, 5, 5, 1], 2, 'VALID')",
        [
            (
                "float32",
                (1, 5, 5, 1),
                [
                    0.0,
                    0.0,
                    0.0,
                    0.983399,
                    -0.253411,
                    0.0,
                    0.0,
                    -0.918098,
                    0.489995,
                    0.791832,
                    0.0,
                    -0.253411,
                    -0.62874,
                    -1.53108,
                    1.08858,
                    0.236584,
                    -0.126266,
                    0.653087,
                    -0.457457,
                    -0.739251,
                    0.178847,
                    0.157959,
                    0.428403,
                    0.57228,
                    -0.795425,
                ],
            ),
        ],
    ),
    (
        "tf.nn.conv2d_transpose(wave(1, 2, 2, 1), wave(2, 2, 1, 1), tf.constant([1, 2, 2, 1]), 1)",
        [
            ("float32", (1, 2, 2, 1), [0.0, 0.0, 0.0, -0.506822]),
        ],
    ),
    (
        "tf.nn.conv1d_transpose(wave(1, 3, 1), wave(2, 2, 1), [1, 6, 2], 2)",
        [
            (
                "float32",
                (1, 6, 2),
                [0.0, 0.0, 0.0, 0.0, 0.0, 0.983399, -0.253411, -0.918098, 0.0, -0.253411, 0.0653013, 0.236584],
            ),
        ],
    ),
    (
        "tf.nn.conv3d_transpose(wave(1, 1, 2, 1, 1), wave(2, 2, 1, 1, 1), [1, 2, 4, 2, 1], 2)",
        [
            (
                "float32",
                (1, 2, 4, 2, 1),
                [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.983399, 0.0, 0.0, 0.0, 0.0, 0.0, -0.253411, 0.0, -0.918098, 0.0],
            ),
        ],
    ),
    (
        "tf.nn.conv_transpose(wave(1, 2, 1), wave(2, 1, 1), [1, 4, 1], 2)",
        [
            ("float32", (1, 4, 1), [0.0, 0.0, 0.0, 0.983399]),
        ],
    ),
    (
        "tf.nn.atrous_conv2d_transpose(wave(1, 4, 4, 1), wave(2, 2, 1, 1), [1, 4, 4, 1], 2, 'SAME')",
        [
            (
                "float32",
                (1, 4, 4, 1),
                [
                    0.0,
                    0.489995,
                    0.791832,
                    -0.694041,
                    -0.253411,
                    0.917302,
                    -0.28808,
                    -0.7168,
                    -0.204046,
                    0.712849,
                    -0.689023,
                    -0.315744,
                    -0.101384,
                    -0.549748,
                    -0.329233,
                    0.890076,
                ],
            ),
        ],
    ),
    (
        "tf.nn.atrous_conv2d_transpose(wave(1, 2, 2, 1), wave(2, 2, 1, 1), [1, 4, 4, 1], 2, 'VALID')",
        [
            (
                "float32",
                (1, 4, 4, 1),
                [
                    0.0,
                    0.0,
                    0.0,
                    0.983399,
                    0.0,
                    0.0,
                    -0.253411,
                    -0.918098,
                    0.0,
                    -0.253411,
                    0.0,
                    -0.918098,
                    0.0653013,
                    0.236584,
                    0.236584,
                    0.857133,
                ],
            ),
        ],
    ),
    (
        "tf.nn.atrous_conv2d_transpose(wave(1, 2, 2, 1), wave(2, 2, 1, 1), [1, 2, 2, 1], 1, 'SAME')",
        [
            ("float32", (1, 2, 2, 1), [0.0, 0.0, 0.0, -0.506822]),
        ],
    ),
    (
        "grads(lambda x, f: tf.nn.conv2d_transpose(x, f, [1, 4, 4, 1], 2), wave(1, 2, 2, 2), wave(2, 2, 1, 2))",
        [
            (
                "float32",
                (1, 2, 2, 2),
                [-0.510624, -0.600355, -0.174407, 0.753639, -0.346671, 0.635513, 0.659929, 0.202322],
            ),
            ("float32", (2, 2, 1, 2), [0.867439, 1.65101, 0.30012, 1.49966, -0.415397, -1.62565, 0.438147, -0.224098]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.conv2d_transpose(wave(1, 4, 4, 3), wave(3, 3, 2, 3), [1, 9, 9, 2], 2),
        tf.errors.InvalidArgumentError,
        "Conv2DCustomBackpropInput: Size of out_backprop doesn't match computed: actual = 4, computed = 5 spatial_dim: 1 input: 9 filter: 3 output: 4 stride: 2 dilation: 1",  # noqa: E501
    ),
    (
        lambda: tf.nn.conv2d_transpose(wave(1, 4, 4, 3), wave(3, 3, 2, 4), [1, 8, 8, 2], 2),
        tf.errors.InvalidArgumentError,
        "Conv2DCustomBackpropInput: filter and out_backprop must have the same out_depth",
    ),
    (
        lambda: tf.nn.conv_transpose(wave(1, 4, 4, 3), wave(3, 3, 2, 4), [1, 8], 2),
        ValueError,
        "`output_shape` must be of length 3, 4 or 5. Received: output_shape=[1, 8] of length 2.",
    ),
    (
        lambda: tf.nn.conv_transpose(wave(1, 4, 4, 3), wave(3, 3, 2, 4), 8, 2),
        ValueError,
        "`output_shape` must be a tensor or sized collection. Received: output_shape=8",
    ),
    (
        lambda: tf.nn.atrous_conv2d_transpose(wave(1, 4, 4, 3), wave(3, 3, 2, 3), [1, 4, 4, 2], 0, "SAME"),
        ValueError,
        "`rate` cannot be less than one. Received: rate=0",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x, f: tf.nn.conv2d_transpose(x, f, [2, 16, 16, 4], 2),
        [(tf.float32, [2, 8, 8, 3]), (tf.float32, [3, 3, 4, 3])],
        ["conv2d_transpose/input_sizes", "conv2d_transpose"],
    ),
    (
        lambda x, f: tf.nn.conv1d_transpose(x, f, [2, 16, 4], 2),
        [(tf.float32, [2, 8, 3]), (tf.float32, [3, 4, 3])],
        [
            "conv1d_transpose/ExpandDims/dim",
            "conv1d_transpose/ExpandDims",
            "conv1d_transpose/ExpandDims_1/dim",
            "conv1d_transpose/ExpandDims_1",
            "conv1d_transpose/concat/values_0",
            "conv1d_transpose/concat/values_1",
            "conv1d_transpose/concat/values_2",
            "conv1d_transpose/concat/axis",
            "conv1d_transpose/concat",
            "conv1d_transpose",
            "conv1d_transpose/Squeeze",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
