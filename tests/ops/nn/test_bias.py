"""tf.nn.bias_add."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import REALS, array

SAMPLES = [
    *(
        Sample("BiasAdd", (array(2, 3, dtype=t), array(3, dtype=t)), grad=t == "float64")
        for t in (*REALS, "complex64", "complex128")
    ),
    Sample(
        "BiasAdd", (array(2, 3, 2, 2, dtype="float64"), array(3, dtype="float64")), {"data_format": "NCHW"}, grad=True
    ),
    Sample("BiasAdd", (array(0, 3), array(3))),
    Sample("BiasAddV1", (array(2, 2, 3, dtype="float64"), array(3, dtype="float64")), grad=True),
    *(Sample("BiasAddGrad", (array(2, 3, dtype=t),), grad=t == "float64") for t in (*REALS, "complex64", "complex128")),
    Sample("BiasAddGrad", (array(2, 3, 2, 2, dtype="float64"),), {"data_format": "NCHW"}, grad=True),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.bias_add(wave(2, 3), wave(3))",
        [
            ("float32", (2, 3), [0.0, 1.98333, -0.511082, -0.925815, 1.48578, 0.542946]),
        ],
    ),
    (
        "tf.nn.bias_add(wave(1, 2, 2, 2), wave(2), data_format='NCHW')",
        [
            ("float32", (1, 2, 2, 2), [0.0, 0.991665, -0.255541, -0.925815, 1.48578, 1.79015, 0.29179, 0.373528]),
        ],
    ),
    (
        "tf.nn.bias_add(wave(1, 2, 2), wave(2), data_format='NCW')",
        [
            ("float32", (1, 2, 2), [0.0, 0.991665, 0.736124, 0.0658501]),
        ],
    ),
    (
        "tf.nn.bias_add([[1, 2]], [3, 4])",
        [
            ("int32", (1, 2), [4, 6]),
        ],
    ),
    (
        "grads(tf.nn.bias_add, wave(2, 3), wave(3))",
        [
            ("float32", (2, 3), [0.841471, 0.909297, 0.14112, -0.756802, -0.958924, -0.279415]),
            ("float32", (3,), [0.0846685, -0.0496269, -0.138295]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (lambda: tf.nn.bias_add(wave(4), wave(4)), tf.errors.InvalidArgumentError, "Input tensor must be at least 2D: [4]"),
    (
        lambda: tf.nn.bias_add(wave(2, 4), wave(3)),
        tf.errors.InvalidArgumentError,
        "Must provide as many biases as the last dimension of the input tensor: [3] vs. [2,4]",
    ),
    (lambda: tf.nn.bias_add(wave(2, 4), wave(4, 1)), tf.errors.InvalidArgumentError, "Biases must be 1D: [4,1]"),
    (
        lambda: tf.nn.bias_add(wave(2, 4), wave(4), data_format="foo"),
        ValueError,
        "`data_format` must be of the form `N...C` or `NC...`. Received: data_format=foo",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.nn.bias_add(tf.zeros([4]), tf.zeros([4])), ValueError, "Shape must be at least rank 2 but is rank 1"),
    (lambda: tf.nn.bias_add(tf.zeros([2, 4]), tf.zeros([3])), ValueError, "Dimensions must be equal, but are 4 and 3"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_bad_shapes_are_refused_while_tracing(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NAMES = [
    (lambda x, b: tf.nn.bias_add(x, b), [(tf.float32, [None, 3]), (tf.float32, [3])], ["BiasAdd"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
