"""Local response normalization."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import FLOATS, array

SAMPLES = [
    *(
        Sample("LRN", (array(1, 2, 2, 5, dtype=t),), a, grad=t == "float32")
        for t in FLOATS[:3]
        for a in ({}, {"depth_radius": 1, "bias": 0.7, "alpha": 0.3, "beta": 0.75})
    ),
    Sample("LRN", (array(0, 2, 2, 5),)),
    Sample(
        "LRNGrad",
        (array(1, 2, 2, 5), array(1, 2, 2, 5, shift=1.0), array(1, 2, 2, 5, shift=2.0)),
        {"depth_radius": 2},
        grad=True,
    ),
]

GRADIENT_SAMPLES = [
    Sample(
        "LRNGrad",
        (array(1, 2, 1, 4), array(1, 2, 1, 4, shift=1.0), array(1, 2, 1, 4, shift=2.0)),
        {"depth_radius": 1, "bias": 0.7, "alpha": 0.3, "beta": 0.75},
        grad=True,
    ),
    Sample("LRN", (array(1, 1, 1, 1),), {"depth_radius": 3}, grad=True),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.lrn(wave(1, 1, 2, 5), depth_radius=2, bias=0.7, alpha=0.3, beta=0.75)",
        [
            (
                "float32",
                (1, 1, 2, 5),
                [0.0, 0.828063, -0.204607, -0.741283, 0.476368, 0.717692, -0.551391, -0.474811, 0.735498, 0.373634],
            ),
        ],
    ),
    (
        "tf.nn.local_response_normalization(wave(1, 1, 1, 3))",
        [
            ("float32", (1, 1, 1, 3), [0.0, 0.692828, -0.178534]),
        ],
    ),
    (
        "grads(lambda x: tf.nn.lrn(x, depth_radius=1), wave(1, 1, 2, 4))",
        [
            (
                "float32",
                (1, 1, 2, 4),
                [0.597495, 0.337559, 0.226678, -0.309207, -0.578162, 0.106264, 0.123902, 0.504022],
            ),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (lambda: tf.nn.lrn(wave(2, 4, 4)), tf.errors.InvalidArgumentError, "in must be 4-dimensional"),
    (
        lambda: tf.nn.lrn(wave(2, 4, 4, 1, dtype="float64")),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of double is not in the list of allowed values: half, bfloat16, float",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)
