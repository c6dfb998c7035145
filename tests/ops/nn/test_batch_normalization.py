"""tf.nn.batch_normalization."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names
from tests.ops.nn.recorded import MODES, Answer, check

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.batch_normalization(wave(2, 3), wave(3), tf.abs(wave(3)), wave(3, shift=1.0), wave(3, shift=2.0), 0.01)",
        [
            ("float32", (2, 3), [0.841471, 0.42738, -0.951602, -7.57694, 0.690781, -2.53224]),
        ],
    ),
    (
        "tf.nn.batch_normalization(wave(2, 3), wave(3), tf.abs(wave(3)), None, None, 0.01)",
        [
            ("float32", (2, 3), [0.0, 0.0, 0.0, -9.25815, -0.497138, 2.04544]),
        ],
    ),
    (
        "tf.nn.batch_norm_with_global_normalization(wave(1, 1, 2, 3), wave(3), tf.abs(wave(3)), wave(3, shift=1.0), wave(3, shift=2.0), 0.01, False)",  # noqa: E501
        [
            ("float32", (1, 1, 2, 3), [0.841471, 0.42738, -0.951602, -8.41668, -0.0697579, 1.09384]),
        ],
    ),
    (
        "grads(lambda x, m, v: tf.nn.batch_normalization(x, m, v, None, None, 0.01), wave(2, 3), wave(3), tf.abs(wave(3)))",  # noqa: E501
        [
            ("float32", (2, 3), [8.41471, 0.908541, 0.273856, -7.56803, -0.958127, -0.542231]),
            ("float32", (3,), [-0.846685, 0.0495856, 0.268375]),
            ("float32", (3,), [-350.329, -0.237963, 1.07616]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


NAMES = [
    (
        lambda x, m: tf.nn.batch_normalization(x, m, m, m, m, 0.001),
        [(tf.float32, [4, 8]), (tf.float32, [8])],
        [
            "batchnorm/add/y",
            "batchnorm/add",
            "batchnorm/Rsqrt",
            "batchnorm/mul",
            "batchnorm/mul_1",
            "batchnorm/mul_2",
            "batchnorm/sub",
            "batchnorm/add_1",
        ],
    ),
    (
        lambda x, m: tf.nn.batch_normalization(x, m, m, None, None, 0.001),
        [(tf.float32, [4, 8]), (tf.float32, [8])],
        [
            "batchnorm/add/y",
            "batchnorm/add",
            "batchnorm/Rsqrt",
            "batchnorm/mul",
            "batchnorm/Neg",
            "batchnorm/mul_1",
            "batchnorm/add_1",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
