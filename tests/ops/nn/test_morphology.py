"""Grayscale morphology."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import REALS, array

_ATTRS = {"strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "SAME"}


def D(*shape: int) -> Any:
    return array(*shape, dtype="float64")


SAMPLES = [
    *(
        Sample(
            "Dilation2D",
            (array(1, 4, 5, 2, dtype=t), array(2, 2, 2, dtype=t)),
            _ATTRS,
            grad=t == "float64",
            needs_shapes=True,
        )
        for t in REALS
    ),
    Sample("Dilation2D", (array(0, 4, 5, 2), array(2, 2, 2)), _ATTRS),
    *(
        Sample(op, (D(1, 4, 5, 2), D(2, 2, 2), D(1, 2, 5, 2)), _ATTRS, grad=True, needs_shapes=True)
        for op in ("Dilation2DBackpropInput", "Dilation2DBackpropFilter")
    ),
]

_VALID = {"strides": [1, 1, 2, 1], "rates": [1, 2, 1, 1], "padding": "VALID"}

GRADIENT_SAMPLES = [
    Sample("Dilation2D", (D(1, 5, 4, 2), D(2, 2, 2)), _VALID, grad=True, needs_shapes=True),
    *(
        Sample(op, (D(1, 5, 4, 2), D(2, 2, 2), D(1, 3, 2, 2)), _VALID, grad=True, needs_shapes=True)
        for op in ("Dilation2DBackpropInput", "Dilation2DBackpropFilter")
    ),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.dilation2d(wave(1, 3, 4, 1), wave(2, 2, 1), [1, 1, 1, 1], 'SAME', 'NHWC', [1, 2, 1, 1])",
        [
            (
                "float32",
                (1, 3, 4, 1),
                [
                    0.238572,
                    0.542946,
                    -0.955416,
                    -0.873678,
                    1.98333,
                    0.991665,
                    0.0658501,
                    -0.40454,
                    1.79015,
                    0.798487,
                    0.373528,
                    -0.618137,
                ],
            ),
        ],
    ),
    (
        "tf.nn.erosion2d(wave(1, 3, 4, 1), wave(2, 2, 1), [1, 2, 1, 1], 'VALID', 'NHWC', [1, 1, 1, 1])",
        [
            ("float32", (1, 1, 3, 1), [-0.497551, -0.699875, -1.69154]),
        ],
    ),
    (
        "grads(lambda x, f: tf.nn.dilation2d(x, f, [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1]), tf.round(wave(1, 3, 4, 1) * 2), tf.zeros([2, 2, 1]))",  # noqa: E501
        [
            (
                "float32",
                (1, 3, 4, 1),
                [0.0, 1.75077, 0.14112, 0.0, 0.0, -1.23834, 0.0, -0.756802, 0.412118, -0.544021, 0.0, 0.109782],
            ),
            ("float32", (2, 2, 1), [0.102526, -1.11744, 0.232556, 0.656987]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.dilation2d(wave(2, 3, 3), wave(2, 2, 3), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]),
        tf.errors.InvalidArgumentError,
        "input must be 4-dimensional[2,3,3]",
    ),
    (
        lambda: tf.nn.dilation2d(wave(1, 3, 3, 3), wave(2, 2, 4), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]),
        tf.errors.InvalidArgumentError,
        "input and filter must have the same depth: 3 vs 4",
    ),
    (
        lambda: tf.nn.erosion2d(wave(1, 3, 3, 3), wave(2, 2, 3), [1, 1, 1, 1], "SAME", "NCHW", [1, 1, 1, 1]),
        ValueError,
        "`data_format` values other  than 'NHWC' are not supported. Received: data_format=NCHW",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x, f: tf.nn.erosion2d(x, f, [1, 1, 1, 1], "SAME", "NHWC", [1, 2, 2, 1]),
        [(tf.float32, [2, 8, 8, 3]), (tf.float32, [3, 3, 3])],
        ["erosion2d/Neg", "erosion2d/ReverseV2/axis", "erosion2d/ReverseV2", "erosion2d", "erosion2d/Neg_1"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
