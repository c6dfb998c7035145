"""Average pooling ops and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import FLOATS, array

_WINDOW = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1]}
_THREE = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 2, 2, 1], "padding": "SAME"}

SAMPLES = [
    *(
        Sample("AvgPool", (array(1, 5, 4, 2, dtype=t),), {**_WINDOW, "padding": p}, grad=t == "float64")
        for t in FLOATS
        for p in ("SAME", "VALID")
    ),
    Sample(
        "AvgPool",
        (array(1, 2, 5, 4, dtype="float64"),),
        {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "padding": "SAME", "data_format": "NCHW"},
        grad=True,
    ),
    Sample("AvgPool", (array(0, 4, 4, 1),), {**_WINDOW, "padding": "VALID"}),
    *(
        Sample(
            "AvgPoolGrad",
            (np.int32([1, 5, 4, 2]), array(1, 3, 4, 2, dtype=t)),
            {**_WINDOW, "padding": "SAME"},
            grad=t == "float64",
        )
        for t in FLOATS
    ),
    *(Sample("AvgPool3D", (array(1, 3, 4, 3, 2, dtype=t),), _THREE, grad=t == "float64") for t in FLOATS),
    Sample("AvgPool3DGrad", (np.int32([1, 3, 4, 3, 2]), array(1, 3, 2, 2, 2, dtype="float64")), _THREE, grad=True),
]

_FIRST = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 1], "padding": "VALID", "data_format": "NCHW"}
_FIRST_3D = {"ksize": [1, 1, 2, 2, 1], "strides": [1, 1, 2, 1, 1], "padding": "VALID", "data_format": "NCDHW"}


def _D(*shape: int) -> Any:
    return array(*shape, dtype="float64")


GRADIENT_SAMPLES = [
    Sample("AvgPoolGrad", (np.int32([1, 5, 4, 2]), _D(1, 2, 3, 2)), {**_WINDOW, "padding": "VALID"}, grad=True),
    Sample("AvgPoolGrad", (np.int32([1, 2, 5, 4]), _D(1, 2, 2, 3)), _FIRST, grad=True),
    Sample("AvgPool3D", (_D(1, 3, 4, 3, 2),), {**_THREE, "padding": "VALID"}, grad=True),
    Sample("AvgPool3D", (_D(1, 2, 3, 4, 2),), _FIRST_3D, grad=True),
    Sample("AvgPool3DGrad", (np.int32([1, 2, 3, 4, 2]), _D(1, 2, 1, 3, 2)), _FIRST_3D, grad=True),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "grads(lambda x: tf.nn.avg_pool2d(x, 3, 2, 'SAME'), wave(1, 5, 4, 1))",
        [
            (
                "float32",
                (1, 5, 4, 1),
                [
                    0.140245,
                    0.140245,
                    0.36757,
                    0.227324,
                    0.155925,
                    0.155925,
                    0.257116,
                    0.101191,
                    0.01568,
                    0.01568,
                    -0.110454,
                    -0.126134,
                    -0.144141,
                    -0.144141,
                    -0.340128,
                    -0.195988,
                    -0.159821,
                    -0.159821,
                    -0.229675,
                    -0.0698539,
                ],
            ),
        ],
    ),
    (
        "grads(lambda x: tf.nn.avg_pool3d(x, 2, 1, 'VALID'), wave(1, 2, 3, 3, 1))",
        [
            (
                "float32",
                (1, 2, 3, 3, 1),
                [
                    0.105184,
                    0.218846,
                    0.113662,
                    0.122824,
                    0.141886,
                    0.0190619,
                    0.01764,
                    -0.0769603,
                    -0.0946003,
                    0.105184,
                    0.218846,
                    0.113662,
                    0.122824,
                    0.141886,
                    0.0190619,
                    0.01764,
                    -0.0769603,
                    -0.0946003,
                ],
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
        lambda: tf.nn.avg_pool2d(tf.ones([1, 4, 4, 1], tf.int32), 2, 2, "SAME"),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of int32 is not in the list of allowed values: half, bfloat16, float, double",
    ),
    (
        lambda: tf.nn.avg_pool2d(wave(1, 4, 4, 4), [1, 1, 1, 2], [1, 1, 1, 2], "VALID"),
        tf.errors.UnimplementedError,
        "Non-spatial pooling is not yet supported. Volunteers? :)",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)
