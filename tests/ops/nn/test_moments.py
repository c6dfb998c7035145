"""Moments."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names
from tests.ops.nn.recorded import MODES, Answer, check

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.moments(wave(2, 3), [0])",
        [
            ("float32", (3,), [-0.462907, 0.742889, 0.271473]),
            ("float32", (3,), [0.214283, 0.0618894, 0.277744]),
        ],
    ),
    (
        "tf.nn.moments(wave(2, 3), [0, 1], keepdims=True)",
        [
            ("float32", (1, 1), [0.183818]),
            ("float32", (1, 1), [0.430805]),
        ],
    ),
    (
        "tf.nn.moments(wave(2, 3, dtype='float16'), [1])",
        [
            ("float16", (2,), [0.245361, 0.122253]),
            ("float16", (2,), [0.289307, 0.564453]),
        ],
    ),
    (
        "tf.nn.moments(tf.constant([1, 2, 4]), [0])",
        [
            ("int32", (), [2]),
            ("int32", (), [1]),
        ],
    ),
    (
        "tf.nn.weighted_moments(wave(2, 3), [1], tf.abs(wave(2, 1)))",
        [
            ("float32", (2,), [0.0, 0.122262]),
            ("float32", (2,), [0.0, 0.564673]),
        ],
    ),
    (
        "tf.nn.weighted_moments(wave(2, 3), [0], tf.zeros([2, 3]))",
        [
            ("float32", (3,), [0.0, 0.0, 0.0]),
            ("float32", (3,), [0.0, 0.0, 0.0]),
        ],
    ),
    (
        "tf.nn.sufficient_statistics(wave(2, 3), [0, 1])",
        [
            ("float32", (), [6.0]),
            ("float32", (), [1.10291]),
            ("float32", (), [2.78756]),
        ],
    ),
    (
        "tf.nn.sufficient_statistics(wave(2, 3), [0], shift=0.5, keepdims=True)",
        [
            ("float32", (), [2.0]),
            ("float32", (1, 3), [-1.92581, 0.485778, -0.457054]),
            ("float32", (1, 3), [2.28295, 0.241769, 0.659937]),
            ("float32", (), [0.5]),
        ],
    ),
    (
        "tf.nn.normalize_moments(4.0, wave(2), wave(2, shift=1.0), None)",
        [
            ("float32", (2,), [0.0, 0.247916]),
            ("float32", (2,), [0.210368, 0.0453825]),
        ],
    ),
    (
        "tf.nn.normalize_moments(4.0, wave(2), wave(2, shift=1.0), 0.5)",
        [
            ("float32", (2,), [0.5, 0.747916]),
            ("float32", (2,), [0.210368, 0.0453825]),
        ],
    ),
    (
        "grads(lambda x: tf.nn.moments(x, [0])[1], wave(2, 3))",
        [
            ("float32", (2, 3), [0.389523, 0.226211, -0.0743722, -0.389523, -0.226211, 0.0743722]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


NAMES = [
    (
        lambda x: tf.nn.moments(x, [0, 1]),
        [(tf.float32, [None, 8])],
        [
            "moments/mean/reduction_indices",
            "moments/mean",
            "moments/StopGradient",
            "moments/SquaredDifference",
            "moments/variance/reduction_indices",
            "moments/variance",
            "moments/Squeeze",
            "moments/Squeeze_1",
        ],
    ),
    (
        lambda x, w: tf.nn.weighted_moments(x, [0], w),
        [(tf.float32, [None, 8]), (tf.float32, [None, 1])],
        [
            "weighted_moments/mul",
            "weighted_moments/weighted_input_sum/reduction_indices",
            "weighted_moments/weighted_input_sum",
            "weighted_moments/zeros_like",
            "weighted_moments/add",
            "weighted_moments/sum_of_weights/reduction_indices",
            "weighted_moments/sum_of_weights",
            "weighted_moments/div_no_nan",
            "weighted_moments/SquaredDifference",
            "weighted_moments/mul_1",
            "weighted_moments/weighted_distsq/reduction_indices",
            "weighted_moments/weighted_distsq",
            "weighted_moments/div_no_nan_1",
            "weighted_moments/Squeeze",
            "weighted_moments/Squeeze_1",
        ],
    ),
    (
        lambda x: tf.nn.sufficient_statistics(x, [0], shift=1.0),
        [(tf.float32, [None, 8])],
        [
            "sufficient_statistics/Rank",
            "sufficient_statistics/Shape",
            "sufficient_statistics/Cast",
            "sufficient_statistics/GatherV2/indices",
            "sufficient_statistics/GatherV2/axis",
            "sufficient_statistics/GatherV2",
            "sufficient_statistics/Const",
            "sufficient_statistics/count",
            "sufficient_statistics/shift",
            "sufficient_statistics/Sub",
            "sufficient_statistics/SquaredDifference",
            "sufficient_statistics/mean_ss/reduction_indices",
            "sufficient_statistics/mean_ss",
            "sufficient_statistics/var_ss/reduction_indices",
            "sufficient_statistics/var_ss",
        ],
    ),
    (
        lambda c, m, v: tf.nn.normalize_moments(c, m, v, 1.0),
        [(tf.float32, []), (tf.float32, [8]), (tf.float32, [8])],
        [
            "normalize/divisor",
            "normalize/shifted_mean",
            "normalize/mean/y",
            "normalize/mean",
            "normalize/Mul",
            "normalize/Square",
            "normalize/variance",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)
