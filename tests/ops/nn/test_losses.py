"""Losses of tf.nn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import FLOATS, array

SAMPLES = [
    *(Sample("L2Loss", (array(*s, dtype=t),), grad=t == "float64") for t in FLOATS for s in ((2, 3), (), (0, 2)))
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.l2_loss(wave(2, 3))",
        [
            ("float32", (), [1.39378]),
        ],
    ),
    (
        "tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.abs(wave(2, 3)), logits=wave(2, 3, shift=1.0) * 4)",
        [
            ("float32", (2, 3), [3.39983, 0.180571, 0.994678, 1.06837, 2.03885, 0.794127]),
        ],
    ),
    (
        "tf.nn.weighted_cross_entropy_with_logits(tf.abs(wave(2, 3)), wave(2, 3, shift=1.0) * 4, 2.0)",
        [
            ("float32", (2, 3), [3.39983, 0.345506, 1.97299, 2.10752, 2.04787, 1.4766]),
        ],
    ),
    (
        "tf.nn.log_poisson_loss(tf.abs(wave(4)) * 3, wave(4, shift=1.0))",
        [
            ("float32", (4,), [2.31978, 0.261782, 1.11564, 1.33941]),
        ],
    ),
    (
        "tf.nn.log_poisson_loss(tf.abs(wave(4)) * 3, wave(4, shift=1.0), compute_full_loss=True)",
        [
            ("float32", (4,), [2.31978, 1.99431, 1.11564, 2.82892]),
        ],
    ),
    (
        "tf.nn.compute_average_loss([1.0, 2.0])",
        [
            ("float32", (), [1.5]),
        ],
    ),
    (
        "tf.nn.compute_average_loss([1, 2])",
        [
            ("float64", (), [1.5]),
        ],
    ),
    (
        "tf.nn.compute_average_loss([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0])",
        [
            ("float32", (), [8.5]),
        ],
    ),
    (
        "tf.nn.compute_average_loss([1.0, 2.0], [[1.0], [2.0]], 8)",
        [
            ("float32", (), [0.625]),
        ],
    ),
    (
        "tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=0)",
        [
            ("float32", (), [0.0]),
        ],
    ),
    (
        "tf.nn.scale_regularization_loss([1.0, 2.0])",
        [
            ("float32", (), [3.0]),
        ],
    ),
    (
        "grads(lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y), tf.abs(wave(2, 2)), tf.constant([[0.0, 1.0], [-1.0, 0.5]]))",  # noqa: E501
        [
            ("float32", (2, 2), [-0.0, -0.909297, 0.14112, 0.378401]),
            ("float32", (2, 2), [0.420735, -0.236969, 0.00189105, 0.22958]),
        ],
    ),
    (
        "grads(tf.nn.l2_loss, wave(3))",
        [
            ("float32", (3,), [0.0, 0.834457, -0.21503]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=wave(2, 3), logits=wave(3, 2)),
        ValueError,
        "`logits` and `labels` must have the same shape, received ((3, 2) vs (2, 3)).",
    ),
    (lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0]), ValueError, ""),
    (
        lambda: tf.nn.weighted_cross_entropy_with_logits(wave(2, 3), wave(3, 2), 2.0),
        ValueError,
        "`logits` and `labels` must have the same shape, received ((3, 2) vs (2, 3)).",
    ),
    (
        lambda: tf.nn.log_poisson_loss(wave(2, 3), wave(3, 2)),
        ValueError,
        "`log_input` and `targets` must have the same shape, received ((3, 2) vs (2, 3)).",
    ),
    (lambda: tf.nn.compute_average_loss(1.0), ValueError, ""),
    (
        lambda: tf.nn.compute_average_loss([1.0], global_batch_size=1.5),
        TypeError,
        "global_batch_size must be an integer..  Expected \"x\" to be integer type.  Found: tensor of dtype <dtype: 'float32'>",  # noqa: E501
    ),
    (
        lambda: tf.nn.compute_average_loss([1.0], global_batch_size=-1),
        tf.errors.InvalidArgumentError,
        "global_batch_size must be non-negative..  \nCondition x >= 0 did not hold element-wise:\nx (shape=() dtype=int32) = \n-1",  # noqa: E501
    ),
    (
        lambda: tf.nn.compute_average_loss([1.0], global_batch_size=[1]),
        ValueError,
        "global_batch_size must be scalar..  Expected scalar shape, saw shape: (1,).",
    ),
    (
        lambda: tf.nn.l2_loss([1]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of int32 is not in the list of allowed values: half, bfloat16, float, double",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(x, y),
        [(tf.float32, [4]), (tf.float32, [4])],
        [
            "logistic_loss/zeros_like",
            "logistic_loss/GreaterEqual",
            "logistic_loss/Select",
            "logistic_loss/Neg",
            "logistic_loss/Select_1",
            "logistic_loss/mul",
            "logistic_loss/sub",
            "logistic_loss/Exp",
            "logistic_loss/Log1p",
            "logistic_loss",
        ],
    ),
    (
        lambda x, y: tf.nn.weighted_cross_entropy_with_logits(x, y, 2.0),
        [(tf.float32, [4]), (tf.float32, [4])],
        [
            "logistic_loss/mul/x",
            "logistic_loss/mul",
            "logistic_loss/add/x",
            "logistic_loss/add",
            "logistic_loss/sub/x",
            "logistic_loss/sub",
            "logistic_loss/mul_1",
            "logistic_loss/Abs",
            "logistic_loss/Neg",
            "logistic_loss/Exp",
            "logistic_loss/Log1p",
            "logistic_loss/Neg_1",
            "logistic_loss/Relu",
            "logistic_loss/add_1",
            "logistic_loss/mul_2",
            "logistic_loss",
        ],
    ),
    (
        lambda x, y: tf.nn.log_poisson_loss(x, y),
        [(tf.float32, [4]), (tf.float32, [4])],
        ["log_poisson_loss/Exp", "log_poisson_loss/mul", "log_poisson_loss/sub"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_half_the_sum_of_many_squares(dtype: Any) -> None:
    x = tf.cast(np.random.default_rng(0).uniform(-0.1, 0.1, (3, 9001)), dtype)
    expected = np.square(x.numpy().astype(float)).sum() / 2
    np.testing.assert_allclose(float(tf.nn.l2_loss(x)), expected, rtol=1e-3 if dtype is tf.float16 else 1e-6)
    np.testing.assert_array_equal(tf.nn.l2_loss(tf.transpose(x)).dtype, dtype)
