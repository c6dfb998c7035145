"""Conv2D, Conv3D and their gradient ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal, check_refusal_while_tracing
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import FLOATS, array


def D(*shape: int) -> Any:
    return array(*shape, dtype="float64")


SAMPLES = [
    *(
        Sample(
            "Conv2D", (array(2, 5, 4, 2, dtype=t), array(3, 2, 2, 3, dtype=t)), {"strides": [1, 1, 1, 1], "padding": p}
        )
        for t in (*FLOATS, "int32")
        for p in ("SAME", "VALID")
    ),
    *(
        Sample(
            "Conv2D",
            (D(1, 5, 4, 2), D(2, 2, 1, 2)),
            {"strides": [1, 2, 1, 1], "dilations": [1, 1, 2, 1], **p},
            grad=True,
        )
        for p in ({"padding": "SAME"}, {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]})
    ),
    Sample(
        "Conv2D",
        (D(1, 2, 5, 4), D(2, 2, 2, 1)),
        {"strides": [1, 1, 2, 1], "padding": "SAME", "data_format": "NCHW"},
        grad=True,
    ),
    Sample("Conv2D", (array(0, 5, 4, 2), array(3, 2, 2, 3)), {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    Sample("Conv2D", (array(1, 5, 4, 2), array(3, 2, 2, 0)), {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    Sample("Conv2D", (D(1, 3, 3, 2), D(1, 1, 2, 2)), {"strides": [1, 1, 1, 1], "padding": "VALID"}, grad=True),
    *(
        Sample(
            "Conv2DBackpropInput",
            (np.int32([1, 5, 4, 2]), D(2, 2, 2, 3), D(1, h, 2, 3)),
            {"strides": [1, s, 2, 1], "padding": "SAME"},
            grad=True,
        )
        for s, h in ((1, 5), (2, 3))
    ),
    *(
        Sample(
            "Conv2DBackpropFilter",
            (D(1, 5, 4, 2), np.int32([2, 2, c, 2]), D(1, 3, 2, 2)),
            {"strides": [1, 2, 2, 1], "padding": "SAME"},
            grad=True,
        )
        for c in (1, 2)
    ),
    *(
        Sample(
            "Conv3D",
            (array(1, 3, 4, 3, 2, dtype=t), array(2, 2, 2, 2, 2, dtype=t)),
            {"strides": [1, 1, 2, 1, 1], "padding": p},
            grad=t == "float64",
        )
        for t in FLOATS
        for p in ("SAME", "VALID")
    ),
    Sample(
        "Conv3D",
        (D(1, 2, 3, 3, 3), D(2, 2, 2, 2, 2)),
        {"strides": [1] * 5, "padding": "SAME", "data_format": "NCDHW"},
        grad=True,
    ),
    *(
        Sample(
            "Conv3DBackpropInputV2",
            (np.array([1, 3, 3, 3, 2], k), D(2, 2, 2, 2, 2), D(1, 2, 2, 2, 2)),
            {"strides": [1, 2, 2, 2, 1], "padding": "SAME"},
            grad=True,
        )
        for k in ("int32", "int64")
    ),
    Sample(
        "Conv3DBackpropFilterV2",
        (D(1, 3, 3, 3, 2), np.int32([2, 2, 2, 2, 2]), D(1, 2, 2, 2, 2)),
        {"strides": [1, 2, 2, 2, 1], "padding": "SAME"},
        grad=True,
    ),
]

_SPREAD = {"strides": [1, 1, 1, 1], "dilations": [1, 2, 1, 1], "padding": "VALID"}
_PADDED = {"strides": [1, 2, 1, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]}
_FIRST = {"strides": [1, 1, 2, 1], "padding": "SAME", "data_format": "NCHW"}
_SPREAD_3D = {"strides": [1] * 5, "dilations": [1, 2, 1, 1, 1], "padding": "VALID"}
_FIRST_3D = {"strides": [1, 1, 2, 1, 1], "padding": "SAME", "data_format": "NCDHW"}

GRADIENT_SAMPLES = [
    *(
        Sample("Conv2DBackpropInput", (np.int32(x), D(2, 2, 2, 2), D(*y)), attrs, grad=True)
        for x, y, attrs in (
            ([1, 5, 4, 2], (1, 3, 3, 2), _SPREAD),
            ([1, 5, 4, 2], (1, 4, 4, 2), _PADDED),
            ([1, 2, 5, 4], (1, 2, 3, 4), _FIRST),
        )
    ),
    *(
        Sample("Conv2DBackpropFilter", (D(*x), np.int32([2, 2, 2, 2]), D(*y)), attrs, grad=True)
        for x, y, attrs in (
            ((1, 5, 4, 2), (1, 3, 3, 2), _SPREAD),
            ((1, 5, 4, 2), (1, 4, 4, 2), _PADDED),
            ((1, 2, 5, 4), (1, 2, 3, 4), _FIRST),
        )
    ),
    Sample("Conv3D", (D(1, 4, 3, 2, 1), D(2, 2, 1, 1, 2)), _SPREAD_3D, grad=True),
    Sample(
        "Conv3DBackpropInputV2", (np.int32([1, 1, 4, 3, 2]), D(2, 2, 1, 1, 2), D(1, 2, 2, 3, 2)), _FIRST_3D, grad=True
    ),
    Sample(
        "Conv3DBackpropFilterV2", (D(1, 1, 4, 3, 2), np.int32([2, 2, 1, 1, 2]), D(1, 2, 2, 3, 2)), _FIRST_3D, grad=True
    ),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.raw_ops.Conv2D(input=wave(1, 3, 3, 1), filter=wave(2, 2, 1, 2), strides=[1, 1, 1, 1], padding='VALID')",
        [
            (
                "float32",
                (1, 2, 2, 2),
                [-1.05669, -1.96278, -0.249392, 1.12095, -0.0394652, -1.5523, -1.11078, -1.27391],
            ),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.raw_ops.Conv2D(input=wave(4, 4, 3), filter=wave(3, 3, 3, 1), strides=[1, 1, 1, 1], padding="VALID"),
        tf.errors.InvalidArgumentError,
        "convolution input must be 4-dimensional: [4,4,3]",
    ),
    (
        lambda: tf.raw_ops.Conv2D(input=wave(1, 4, 4, 3), filter=wave(3, 3, 3), strides=[1, 1, 1, 1], padding="VALID"),
        tf.errors.InvalidArgumentError,
        "convolution filter must be 4-dimensional: [3,3,3]",
    ),
    (
        lambda: tf.raw_ops.Conv2D(input=wave(1, 4, 4, 3), filter=wave(3, 3, 3, 1), strides=[1, 1, 1], padding="VALID"),
        tf.errors.InvalidArgumentError,
        "Sliding window strides field must specify 4 dimensions",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 4, 4, 3), filter=wave(3, 3, 3, 1), strides=[1, 0, 1, 1], padding="VALID"
        ),
        tf.errors.InvalidArgumentError,
        "Row and column strides should be larger than 0.",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 4, 4, 3), filter=wave(3, 3, 3, 1), strides=[2, 1, 1, 1], padding="VALID"
        ),
        tf.errors.UnimplementedError,
        "Current implementation does not yet support strides in the batch and depth dimensions.",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 4, 4, 3),
            filter=wave(3, 3, 3, 1),
            strides=[1, 1, 1, 1],
            padding="VALID",
            dilations=[1, 0, 1, 1],
        ),
        tf.errors.InvalidArgumentError,
        "Dilated rates should be larger than 0.",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 4, 4, 3), filter=wave(3, 3, 3, 1), strides=[1, 1, 1, 1], padding="EXPLICIT"
        ),
        tf.errors.InvalidArgumentError,
        "explicit_paddings attribute must contain 8 values, but got: 0",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 4, 4, 3),
            filter=wave(3, 3, 3, 1),
            strides=[1, 1, 1, 1],
            padding="SAME",
            explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0],
        ),
        tf.errors.InvalidArgumentError,
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 4, 4, 3), filter=wave(3, 3, 2, 1), strides=[1, 1, 1, 1], padding="SAME"
        ),
        tf.errors.InvalidArgumentError,
        "input depth must be evenly divisible by filter depth: 3 vs 2",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 4, 4, 4), filter=wave(3, 3, 2, 3), strides=[1, 1, 1, 1], padding="SAME"
        ),
        tf.errors.InvalidArgumentError,
        "output depth must be evenly divisible by number of groups: 3 vs 2",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 4, 4, 4), filter=tf.zeros([3, 3, 0, 3]), strides=[1, 1, 1, 1], padding="SAME"
        ),
        tf.errors.InvalidArgumentError,
        "",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=wave(1, 1, 1, 1), filter=wave(3, 3, 1, 1), strides=[1, 1, 1, 1], padding="VALID"
        ),
        tf.errors.InvalidArgumentError,
        "",
    ),
    (
        lambda: tf.raw_ops.Conv2DBackpropInput(
            input_sizes=[1, 9, 9, 2],
            filter=wave(3, 3, 2, 3),
            out_backprop=wave(1, 4, 4, 3),
            strides=[1, 2, 2, 1],
            padding="SAME",
        ),
        tf.errors.InvalidArgumentError,
        "Conv2DCustomBackpropInput: Size of out_backprop doesn't match computed: actual = 4, computed = 5 spatial_dim: 1 input: 9 filter: 3 output: 4 stride: 2 dilation: 1",  # noqa: E501
    ),
    (
        lambda: tf.raw_ops.Conv2DBackpropInput(
            input_sizes=[2, 8, 8, 2],
            filter=wave(3, 3, 2, 3),
            out_backprop=wave(1, 4, 4, 3),
            strides=[1, 2, 2, 1],
            padding="SAME",
        ),
        tf.errors.InvalidArgumentError,
        "Conv2DCustomBackpropInput: input and out_backprop must have the same batch size. Input batch: 2, outbackprop batch: 1, batch_dim: 0",  # noqa: E501
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.raw_ops.Conv2D(
            input=tf.zeros([1, 2, 2, 1]), filter=tf.zeros([3, 3, 1, 1]), strides=[1, 1, 1, 1], padding="VALID"
        ),
        ValueError,
        "Negative dimension size caused by subtracting 3 from 2",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=tf.zeros([1, 4, 4, 3]), filter=tf.zeros([3, 3, 2, 1]), strides=[1, 1, 1, 1], padding="VALID"
        ),
        ValueError,
        "Depth of input (3) is not a multiple of input depth of filter (2)",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=tf.zeros([4, 4, 3]), filter=tf.zeros([3, 3, 2, 1]), strides=[1, 1, 1, 1], padding="VALID"
        ),
        ValueError,
        "Shape must be rank 4 but is rank 3",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=tf.zeros([1, 4, 4, 3]), filter=tf.zeros([3, 3, 3, 1]), strides=[1, 1, 1], padding="VALID"
        ),
        ValueError,
        "Conv2D on data format NHWC requires the stride attribute to contain 4 values, but got: 3",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=tf.zeros([1, 4, 4, 3]), filter=tf.zeros([3, 3, 3, 1]), strides=[1, 0, 1, 1], padding="VALID"
        ),
        ValueError,
        "Stride must be > 0, but got 0",
    ),
    (
        lambda: tf.raw_ops.Conv2D(
            input=tf.zeros([1, 4, 4, 3]), filter=tf.zeros([3, 3, 3, 1]), strides=[1, 1, 1, 1], padding="FOO"
        ),
        ValueError,
        "Attr 'padding' of 'Conv2D' Op passed string 'FOO' not in: \"SAME\", \"VALID\", \"EXPLICIT\".",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_bad_shapes_are_refused_while_tracing(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_while_tracing(call, error, words)
