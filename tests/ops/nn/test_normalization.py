"""tf.nn.l2_normalize and zero_fraction."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names
from tests.ops.nn.recorded import MODES, Answer, check

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.l2_normalize(wave(2, 3), 1)",
        [
            ("float32", (2, 3), [0.0, 0.968365, -0.249537, -0.702088, 0.374709, 0.60553]),
        ],
    ),
    (
        "tf.nn.l2_normalize(wave(2, 3))",
        [
            ("float32", (2, 3), [0.0, 0.593954, -0.153055, -0.554513, 0.295947, 0.478251]),
        ],
    ),
    (
        "tf.nn.l2_normalize([0.0, 0.0])",
        [
            ("float32", (2,), [0.0, 0.0]),
        ],
    ),
    (
        "tf.nn.l2_normalize(wave(4), dim=0)",
        [
            ("float32", (4,), [0.0, 0.718327, -0.185105, -0.670628]),
        ],
    ),
    (
        "tf.nn.l2_normalize(tf.complex(wave(3), wave(3, shift=1.0)), 0)",
        [
            ("complex64", (3,), [0.498884j, (0.58793 + 0.253382j), (-0.151503 - 0.564178j)]),
        ],
    ),
    (
        "tf.nn.zero_fraction([0.0, 1.0, 0.0])",
        [
            ("float32", (), [0.666667]),
        ],
    ),
    (
        "tf.nn.zero_fraction([[0, 1], [2, 3]])",
        [
            ("float32", (), [0.25]),
        ],
    ),
    (
        "tf.nn.zero_fraction([])",
        [
            ("float32", (), [float("nan")]),
        ],
    ),
    (
        "grads(lambda x: tf.nn.l2_normalize(x, 1), wave(2, 3))",
        [
            ("float32", (2, 3), [0.8217, 0.0885899, 0.343786, -0.572411, -0.728001, -0.213193]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


NAMES = [
    (
        lambda x: tf.nn.l2_normalize(x, 1),
        [(tf.float32, [4, 8])],
        [
            "l2_normalize/Square",
            "l2_normalize/Sum/reduction_indices",
            "l2_normalize/Sum",
            "l2_normalize/Maximum/y",
            "l2_normalize/Maximum",
            "l2_normalize/Rsqrt",
            "l2_normalize",
        ],
    ),
    (
        lambda x: tf.nn.l2_normalize(x, 1),
        [(tf.complex64, [4, 8])],
        [
            "l2_normalize/Real",
            "l2_normalize/Square",
            "l2_normalize/Imag",
            "l2_normalize/Square_1",
            "l2_normalize/add",
            "l2_normalize/Sum/reduction_indices",
            "l2_normalize/Sum",
            "l2_normalize/Maximum/y",
            "l2_normalize/Maximum",
            "l2_normalize/Rsqrt",
            "l2_normalize/Real_2",
            "l2_normalize/Mul",
            "l2_normalize/Imag_1",
            "l2_normalize/Mul_1",
            "l2_normalize",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
