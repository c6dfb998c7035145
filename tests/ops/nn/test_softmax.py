"""Softmax and log-softmax, and the ops of the cross-entropies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check
from tests.ops.nn.samples import FLOATS, array

SAMPLES = [
    *(Sample(op, (array(2, 3, dtype=t),), grad=t == "float64") for op in ("Softmax", "LogSoftmax") for t in FLOATS),
    *(Sample(op, (array(*s),)) for op in ("Softmax", "LogSoftmax") for s in ((4,), (0, 3), (2, 0), (2, 2, 2))),
    *(Sample("SoftmaxCrossEntropyWithLogits", (array(2, 3, dtype=t), array(2, 3, dtype=t, shift=1.0))) for t in FLOATS),
    *(
        Sample("SparseSoftmaxCrossEntropyWithLogits", (array(2, 3, dtype=t), np.array([2, 0], k)), grad=t == "float64")
        for t in FLOATS
        for k in ("int32", "int64")
    ),
    Sample("SoftmaxCrossEntropyWithLogits", (array(2, 3), array(1, 3))),
]

# The op takes labels that sum to 1; as many of them as there are logits, or one row for all.
GRADIENT_PROGRAMS = [
    GradientProgram(
        "SoftmaxCrossEntropyWithLogits",
        lambda x, z: tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=tf.nn.softmax(z)),
        [array(2, 3, dtype="float64"), array(rows, 3, dtype="float64", shift=1.0)],
    )
    for rows in (2, 1)
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.softmax(wave(2, 3))",
        [
            ("float32", (2, 3), [0.223703, 0.60304, 0.173257, 0.0930628, 0.384984, 0.521953]),
        ],
    ),
    (
        "tf.nn.softmax(wave(2, 3), axis=0)",
        [
            ("float32", (2, 3), [0.716225, 0.621884, 0.258452, 0.283775, 0.378116, 0.741548]),
        ],
    ),
    (
        "tf.nn.softmax(wave(2, 2, 3), axis=1)",
        [
            (
                "float32",
                (2, 2, 3),
                [
                    0.716225,
                    0.621884,
                    0.258452,
                    0.283775,
                    0.378116,
                    0.741548,
                    0.250375,
                    0.584982,
                    0.73266,
                    0.749625,
                    0.415018,
                    0.26734,
                ],
            ),
        ],
    ),
    (
        "tf.nn.log_softmax(wave(2, 3), axis=-2)",
        [
            ("float32", (2, 3), [-0.33376, -0.475002, -1.35304, -1.25958, -0.972554, -0.299016]),
        ],
    ),
    (
        "tf.nn.softmax([1000.0, 1000.0])",
        [
            ("float32", (2,), [0.5, 0.5]),
        ],
    ),
    (
        "tf.nn.log_softmax([-1000.0, 1000.0])",
        [
            ("float32", (2,), [-2000.0, 0.0]),
        ],
    ),
    (
        "tf.nn.softmax(wave(2, 2, dtype='float16'))",
        [
            ("float16", (2, 2), [0.270508, 0.729492, 0.661621, 0.338623]),
        ],
    ),
    (
        "grads(tf.nn.softmax, wave(2, 3))",
        [
            ("float32", (2, 3), [0.0179944, 0.0894099, -0.107404, -0.0159472, -0.143785, 0.159732]),
        ],
    ),
    (
        "grads(tf.nn.log_softmax, wave(2, 3))",
        [
            ("float32", (2, 3), [0.41825, -0.231587, -0.186663, -0.571129, -0.190825, 0.761954]),
        ],
    ),
    (
        "grads(lambda x: tf.nn.softmax(x, axis=0), wave(2, 3))",
        [
            ("float32", (2, 3), [0.324844, 0.439302, 0.0805976, -0.324844, -0.439302, -0.0805976]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (lambda: tf.nn.softmax(1.0), tf.errors.InvalidArgumentError, "logits must have >= 1 dimension, got []"),
    (
        lambda: tf.nn.softmax([1, 2]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of int32 is not in the list of allowed values: half, bfloat16, float, double",
    ),
    (
        lambda: tf.nn.softmax([1.0, 2.0], axis=3),
        tf.errors.InvalidArgumentError,
        "`dim` must be in the range [-1, 1) where 1 is the number of dimensions in the input. Received: dim=3",
    ),
    (
        lambda: tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=[[1.0, 2.0]], labels=[2]),
        tf.errors.InvalidArgumentError,
        "",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x: tf.nn.softmax(x, axis=0),
        [(tf.float32, [4, 2])],
        [
            "Rank",
            "Rank_1",
            "Sub/y",
            "Sub",
            "range/start",
            "range/limit",
            "range/delta",
            "range",
            "range_1/start",
            "range_1/delta",
            "range_1",
            "concat/values_1",
            "concat/values_3",
            "concat/axis",
            "concat",
            "transpose",
            "Softmax",
            "Sub_1/y",
            "Sub_1",
            "range_2/start",
            "range_2/limit",
            "range_2/delta",
            "range_2",
            "range_3/start",
            "range_3/delta",
            "range_3",
            "concat_1/values_1",
            "concat_1/values_3",
            "concat_1/axis",
            "concat_1",
            "transpose_1",
        ],
    ),
    (lambda x: [tf.nn.softmax(x), tf.nn.log_softmax(x, name="l")], [(tf.float32, [4, 2])], ["Softmax", "l"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
@pytest.mark.parametrize("label_dtype", [tf.int32, tf.int64])
def test_compiled_labels_out_of_range_give_nan_as_in_tensorflow(dtype: Any, label_dtype: Any) -> None:
    @tf.function(autograph=False, jit_compile=True)
    def losses_and_gradient(logits: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(logits)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        return losses, tape.gradient(losses, logits)

    logits, labels = tf.zeros([3, 2], dtype), tf.constant([5, 0, -1], label_dtype)
    losses, gradient = losses_and_gradient(logits, labels)
    assert (losses.dtype, gradient.dtype) == (dtype, dtype)
    assert np.isnan(losses.numpy().astype(np.float64)).tolist() == [True, False, True]
    assert np.isnan(gradient.numpy().astype(np.float64)).tolist() == [[True] * 2, [False] * 2, [True] * 2]
    assert gradient.numpy()[1].tolist() == [-0.5, 0.5]
