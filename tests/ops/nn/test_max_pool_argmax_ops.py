"""Max pooling that says where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.array.answers import check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import REALS, array

_WINDOW = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1]}

SAMPLES = [
    *(
        Sample("MaxPoolWithArgmax", (array(2, 5, 4, 2, dtype=t),), {**_WINDOW, "padding": "SAME"}, grad=t == "float64")
        for t in REALS
    ),
    Sample(
        "MaxPoolWithArgmax",
        (array(2, 5, 4, 2),),
        {**_WINDOW, "padding": "VALID", "include_batch_in_index": True, "Targmax": tf.int32},
    ),
    Sample(
        "MaxPoolGradWithArgmax",
        (array(1, 2, 2, 1), array(1, 1, 2, 1), np.array([[[[3], [3]]]])),
        {**_WINDOW, "padding": "SAME"},
    ),
    Sample(
        "MaxPoolGradGradWithArgmax",
        (array(1, 2, 2, 1), array(1, 2, 2, 1), np.int32([[[[3], [3]]]])),
        {**_WINDOW, "padding": "SAME"},
    ),
]

GRADIENT_SAMPLES = [
    Sample(
        "MaxPoolWithArgmax",
        (array(2, 5, 4, 2, dtype="float64"),),
        {**_WINDOW, "padding": "VALID", "include_batch_in_index": True, "Targmax": tf.int32},
        grad=True,
    ),
]


def _of_gradient(name: str, gradient: Any) -> GradientProgram:
    """An op that is linear in its second tensor, at positions that fit the first."""
    run, attrs = getattr(tf.raw_ops, name), {**_WINDOW, "padding": "SAME"}
    x = array(2, 5, 4, 2, dtype="float64")
    _, positions = tf.raw_ops.MaxPoolWithArgmax(input=x, **attrs)
    return GradientProgram(name, lambda g: run(input=x, grad=g, argmax=positions, **attrs), [gradient])


GRADIENT_PROGRAMS = [
    _of_gradient("MaxPoolGradWithArgmax", array(2, 3, 4, 2, dtype="float64")),
    _of_gradient("MaxPoolGradGradWithArgmax", array(2, 5, 4, 2, dtype="float64")),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.max_pool_with_argmax(tf.round(wave(2, 3, 4, 1) * 2), 2, 2, 'SAME')",
        [
            ("float32", (2, 2, 2, 1), [2.0, -1.0, 2.0, -0.0, 2.0, 2.0, 1.0, 2.0]),
            ("int64", (2, 2, 2, 1), [1, 2, 8, 11, 0, 7, 8, 11]),
        ],
    ),
    (
        "tf.nn.max_pool_with_argmax(wave(2, 3, 3, 2), 2, 1, 'VALID', include_batch_in_index=True, output_dtype=tf.int32)",  # noqa: E501
        [
            (
                "float32",
                (2, 2, 2, 2),
                [
                    0.859162,
                    0.991665,
                    0.859162,
                    0.798487,
                    0.999793,
                    0.396741,
                    0.879273,
                    0.396741,
                    0.529083,
                    0.940429,
                    0.529083,
                    0.9856,
                    0.670229,
                    0.940429,
                    0.949404,
                    0.940429,
                ],
            ),
            ("int32", (2, 2, 2, 2), [8, 1, 8, 5, 12, 9, 16, 9, 20, 27, 20, 23, 30, 27, 34, 27]),
        ],
    ),
    (
        "grads(lambda x: tf.nn.max_pool_with_argmax(x, 2, 1, 'VALID')[0], wave(1, 3, 3, 1))",
        [
            ("float32", (1, 3, 3, 1), [0.0, 1.75077, 0.0, 0.0, 0.14112, 0.0, 0.0, 0.0, -0.756802]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.max_pool_with_argmax(wave(1, 4, 4, 3), 2, 2, "VALID", data_format="NCHW"),
        ValueError,
        "`data_format` values other  than 'NHWC' are not supported. Received: data_format=NCHW",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)
