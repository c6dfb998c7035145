"""Fractional pooling: regions where TensorFlow cuts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.array.answers import check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave
from tests.ops.nn.samples import array


@pytest.fixture(autouse=True)
def without_a_global_seed() -> None:
    tf.random.set_seed(None)


_ATTRS = {"pooling_ratio": [1.0, 1.4, 1.5, 1.0], "deterministic": True, "seed": 5, "seed2": 7}
_CUTS = np.array([0, 1, 4])
_X = array(1, 4, 4, 1)
_Y = np.array([[a.max() for a in (_X[:, r, :1], _X[:, r, 1:])] for r in (slice(0, 1), slice(1, 4))]).reshape(1, 2, 2, 1)

SAMPLES = [
    *(
        Sample(op, (array(2, 7, 8, 2, dtype=t),), _ATTRS, grad=t == "float64")
        for op in ("FractionalMaxPool", "FractionalAvgPool")
        for t in ("float32", "float64", "int32", "int64")
    ),
    Sample("FractionalMaxPool", (array(2, 7, 8, 2),), {"pooling_ratio": [1.0, 1.4, 1.5, 1.0]}, random=True),
    Sample("FractionalMaxPoolGrad", (_X, _Y, array(1, 2, 2, 1), _CUTS, _CUTS)),
    Sample("FractionalAvgPoolGrad", (np.array([1, 4, 4, 1]), array(1, 2, 2, 1), _CUTS, _CUTS), {"overlapping": True}),
]


def _pool(name: str, overlapping: bool) -> GradientProgram:
    run = getattr(tf.raw_ops, name)
    attrs = {"pooling_ratio": [1.0, 1.4, 1.5, 1.0], "deterministic": True, "seed": 5, "seed2": 7}
    return GradientProgram(
        name, lambda x: run(value=x, overlapping=overlapping, **attrs)[0], [array(1, 5, 6, 2, dtype="float64")]
    )


GRADIENT_PROGRAMS = [
    *(_pool(name, overlapping) for name in ("FractionalMaxPool", "FractionalAvgPool") for overlapping in (True, False)),
    GradientProgram(
        "FractionalMaxPoolGrad",
        lambda g: tf.raw_ops.FractionalMaxPoolGrad(
            orig_input=np.float64(_X),
            orig_output=np.float64(_Y),
            out_backprop=g,
            row_pooling_sequence=_CUTS,
            col_pooling_sequence=_CUTS,
        ),
        [array(1, 2, 2, 1, dtype="float64")],
    ),
    GradientProgram(
        "FractionalAvgPoolGrad",
        lambda g: tf.raw_ops.FractionalAvgPoolGrad(
            orig_input_tensor_shape=np.int64([1, 4, 4, 1]),
            out_backprop=g,
            row_pooling_sequence=_CUTS,
            col_pooling_sequence=_CUTS,
        ),
        [array(1, 2, 2, 1, dtype="float64")],
    ),
]
RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.fractional_max_pool(wave(1, 9, 8, 1), [1.0, 1.4, 1.6, 1.0], pseudo_random=False, overlapping=False, seed=3)",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 5, 1),
                [
                    0.991665,
                    -0.255541,
                    0.798487,
                    -0.699875,
                    -0.618137,
                    0.859162,
                    -0.148999,
                    0.999793,
                    -0.971798,
                    0.359058,
                    0.879273,
                    0.940429,
                    0.529083,
                    0.670229,
                    0.9856,
                    0.552167,
                    0.949404,
                    0.892012,
                    0.98059,
                    -0.320781,
                    0.998858,
                    -0.176076,
                    0.844798,
                    -0.639473,
                    -0.680012,
                    0.915095,
                    0.71921,
                    0.994827,
                    -0.371404,
                    0.968586,
                ],
            ),
            ("int64", (7,), [0, 1, 2, 4, 6, 7, 9]),
            ("int64", (6,), [0, 2, 4, 6, 7, 8]),
        ],
    ),
    (
        "tf.nn.fractional_max_pool(wave(1, 9, 8, 1), [1.0, 1.4, 1.6, 1.0], pseudo_random=True, overlapping=False, seed=1)",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 5, 1),
                [
                    0.991665,
                    -0.148999,
                    0.999793,
                    0.798487,
                    0.359058,
                    0.879273,
                    0.940429,
                    0.529083,
                    0.670229,
                    0.9856,
                    -0.433766,
                    0.949404,
                    -0.998137,
                    0.98059,
                    -0.320781,
                    0.998858,
                    0.75564,
                    0.421778,
                    0.892012,
                    -0.680012,
                    0.814705,
                    -0.228917,
                    0.994827,
                    -0.027439,
                    0.281973,
                    0.915095,
                    0.71921,
                    0.596335,
                    -0.371404,
                    0.968586,
                ],
            ),
            ("int64", (7,), [0, 2, 4, 5, 7, 8, 9]),
            ("int64", (6,), [0, 2, 4, 5, 7, 8]),
        ],
    ),
    (
        "tf.nn.fractional_max_pool(wave(1, 9, 8, 1), [1.0, 1.4, 1.6, 1.0], pseudo_random=True, overlapping=True, seed=2)",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 5, 1),
                [
                    0.991665,
                    0.999793,
                    0.999793,
                    0.9856,
                    0.9856,
                    0.879273,
                    0.940429,
                    0.529083,
                    0.9856,
                    0.9856,
                    0.949404,
                    0.949404,
                    0.892012,
                    0.98059,
                    0.649613,
                    0.998858,
                    0.75564,
                    0.892012,
                    0.892012,
                    -0.680012,
                    0.998858,
                    0.994827,
                    0.994827,
                    0.968586,
                    0.968586,
                    0.915095,
                    0.71921,
                    0.596335,
                    0.968586,
                    0.968586,
                ],
            ),
            ("int64", (7,), [0, 2, 3, 5, 6, 8, 9]),
            ("int64", (6,), [0, 2, 4, 5, 7, 8]),
        ],
    ),
    (
        "tf.nn.fractional_max_pool(wave(1, 9, 8, 1), [1.0, 1.4, 1.6, 1.0], pseudo_random=False, overlapping=True, seed=4)",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 5, 1),
                [
                    0.991665,
                    0.773328,
                    0.999793,
                    0.798487,
                    0.9856,
                    0.879273,
                    0.940429,
                    0.940429,
                    0.670229,
                    0.9856,
                    0.949404,
                    0.949404,
                    0.940429,
                    0.98059,
                    0.98059,
                    0.949404,
                    0.949404,
                    0.892012,
                    0.98059,
                    0.98059,
                    0.998858,
                    0.75564,
                    0.994827,
                    0.892012,
                    0.333314,
                    0.915095,
                    0.71921,
                    0.994827,
                    -0.027439,
                    0.968586,
                ],
            ),
            ("int64", (7,), [0, 2, 3, 4, 5, 7, 9]),
            ("int64", (6,), [0, 2, 3, 5, 6, 8]),
        ],
    ),
    (
        "tf.nn.fractional_avg_pool(wave(1, 9, 8, 1), [1.0, 1.4, 1.6, 1.0], pseudo_random=False, overlapping=False, seed=3)",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 5, 1),
                [
                    0.495832,
                    -0.590678,
                    0.6463,
                    -0.699875,
                    -0.618137,
                    0.627951,
                    -0.555198,
                    0.445578,
                    -0.971798,
                    0.359058,
                    -0.165439,
                    0.300346,
                    -0.415308,
                    0.187779,
                    0.817607,
                    -0.404288,
                    0.286818,
                    -0.150302,
                    0.656952,
                    -0.649342,
                    0.458769,
                    -0.56478,
                    0.633288,
                    -0.639473,
                    -0.680012,
                    0.420522,
                    -0.306803,
                    0.172711,
                    -0.67958,
                    0.625279,
                ],
            ),
            ("int64", (7,), [0, 1, 2, 4, 6, 7, 9]),
            ("int64", (6,), [0, 2, 4, 6, 7, 8]),
        ],
    ),
    (
        "tf.nn.fractional_avg_pool(wave(1, 9, 8, 1), [1.0, 1.4, 1.6, 1.0], pseudo_random=True, overlapping=False, seed=1)",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 5, 1),
                [
                    0.561892,
                    -0.572938,
                    0.746953,
                    -0.245456,
                    -0.129539,
                    -0.165439,
                    0.300346,
                    0.0353786,
                    -0.339108,
                    0.817607,
                    -0.635696,
                    0.569259,
                    -0.998137,
                    0.524342,
                    -0.320781,
                    0.142945,
                    -0.280202,
                    -0.0706986,
                    0.357662,
                    -0.828958,
                    0.642388,
                    -0.582377,
                    0.994827,
                    -0.507598,
                    0.281973,
                    0.198656,
                    -0.031229,
                    0.596335,
                    -0.622142,
                    0.968586,
                ],
            ),
            ("int64", (7,), [0, 2, 4, 5, 7, 8, 9]),
            ("int64", (6,), [0, 2, 4, 5, 7, 8]),
        ],
    ),
    (
        "tf.nn.fractional_avg_pool(wave(1, 9, 8, 1), [1.0, 1.4, 1.6, 1.0], pseudo_random=True, overlapping=True, seed=2)",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 5, 1),
                [
                    0.0662115,
                    -0.0248662,
                    0.300529,
                    -0.162182,
                    0.242174,
                    -0.195688,
                    0.212023,
                    -0.415308,
                    0.0464634,
                    0.817607,
                    -0.0723905,
                    0.0315611,
                    -0.313643,
                    0.163649,
                    -0.216357,
                    0.191891,
                    -0.210368,
                    0.398853,
                    -0.0378776,
                    -0.828958,
                    0.0784497,
                    -0.0382036,
                    0.326237,
                    -0.164845,
                    0.190182,
                    -0.128119,
                    0.177959,
                    -0.138272,
                    -0.0918991,
                    0.968586,
                ],
            ),
            ("int64", (7,), [0, 2, 3, 5, 6, 8, 9]),
            ("int64", (6,), [0, 2, 4, 5, 7, 8]),
        ],
    ),
    (
        "tf.nn.fractional_avg_pool(wave(1, 9, 8, 1), [1.0, 1.4, 1.6, 1.0], pseudo_random=False, overlapping=True, seed=4)",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 5, 1),
                [
                    0.0662115,
                    -0.374464,
                    0.166854,
                    -0.36436,
                    -0.206637,
                    -0.195688,
                    0.300346,
                    0.00875399,
                    -0.339108,
                    0.502693,
                    -0.176899,
                    0.573734,
                    -0.180191,
                    0.224147,
                    0.494913,
                    0.0146485,
                    0.286818,
                    -0.193163,
                    0.568502,
                    0.00380477,
                    0.166698,
                    -0.380927,
                    0.07039,
                    0.0692425,
                    -0.444976,
                    -0.00590272,
                    -0.306803,
                    0.196856,
                    -0.56487,
                    -0.0271504,
                ],
            ),
            ("int64", (7,), [0, 2, 3, 4, 5, 7, 9]),
            ("int64", (6,), [0, 2, 3, 5, 6, 8]),
        ],
    ),
    (
        "tf.nn.fractional_max_pool(wave(1, 7, 7, 1), 1.5, seed=9)",
        [
            (
                "float32",
                (1, 4, 4, 1),
                [
                    0.0,
                    0.991665,
                    0.494113,
                    0.999793,
                    -0.909667,
                    0.9856,
                    0.0406933,
                    0.940429,
                    -0.458325,
                    0.670229,
                    0.649613,
                    0.949404,
                    0.75564,
                    0.0680942,
                    0.98059,
                    0.552167,
                ],
            ),
            ("int64", (5,), [0, 2, 4, 5, 7]),
            ("int64", (5,), [0, 1, 3, 5, 7]),
        ],
    ),
    (
        "grads(lambda x: tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0], overlapping=True, seed=3)[0], wave(1, 6, 6, 1))",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 6, 1),
                [
                    0.0,
                    1.75077,
                    0.0,
                    0.0,
                    0.14112,
                    -0.756802,
                    0.0,
                    0.0,
                    -0.279415,
                    0.0,
                    0.0,
                    0.0,
                    -0.546806,
                    0.0,
                    0.0,
                    0.0,
                    1.64634,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    -0.536573,
                    0.0,
                    0.0,
                    0.0,
                    -0.553404,
                    0.0,
                    0.0,
                    0.420167,
                    0.0,
                    0.0,
                    0.0,
                    0.362385,
                    0.0,
                ],
            ),
        ],
    ),
    (
        "grads(lambda x: tf.nn.fractional_avg_pool(x, [1.0, 1.5, 1.5, 1.0], overlapping=True, seed=3)[0], wave(1, 6, 6, 1))",  # noqa: E501
        [
            (
                "float32",
                (1, 6, 6, 1),
                [
                    0.210368,
                    0.361917,
                    0.15155,
                    0.18683,
                    -0.153921,
                    -0.189201,
                    -0.0293633,
                    0.075617,
                    0.10498,
                    0.304507,
                    0.257666,
                    0.0581389,
                    -0.171045,
                    -0.278061,
                    -0.107016,
                    -0.109434,
                    0.155492,
                    0.157911,
                    0.0686864,
                    0.00823963,
                    -0.0604468,
                    -0.227112,
                    -0.256094,
                    -0.0894288,
                    0.173728,
                    0.278383,
                    0.104654,
                    0.100561,
                    -0.165498,
                    -0.161405,
                    0.105042,
                    0.270143,
                    0.165101,
                    0.327673,
                    0.0905961,
                    -0.0719758,
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
        lambda: tf.nn.fractional_max_pool(wave(1, 7, 7, 1), [1.0, 0.5, 1.3, 1.0]),
        ValueError,
        "`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio=[1.0, 0.5, 1.3, 1.0]",
    ),
    (
        lambda: tf.nn.fractional_max_pool(wave(1, 7, 7, 1), [2.0, 1.5, 1.3, 1.0]),
        ValueError,
        "`pooling_ratio` should have first and last elements with value 1.0. Received: pooling_ratio=[2.0, 1.5, 1.3, 1.0]",  # noqa: E501
    ),
    (
        lambda: tf.nn.fractional_max_pool(wave(7, 7, 1), 1.5),
        tf.errors.InvalidArgumentError,
        "tensor_in must be 4-dimensional",
    ),
    (
        lambda: tf.nn.fractional_max_pool(wave(1, 7, 7, 1), [1.0, 30.0, 1.0, 1.0]),
        tf.errors.InvalidArgumentError,
        "Pooling ratio is higher than input dimension size for dimension 1. Input dim size: 7 pooling ratio: 30",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)
