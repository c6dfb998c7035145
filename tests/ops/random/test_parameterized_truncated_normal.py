"""Truncated normals with parameters: TensorFlow's bits (float64 to the last places), bounds, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.random.bits import PROGRAMS, check

_SHAPE, _SEED = np.array([5, 2], np.int32), np.array([1, 2], np.int32)
SAMPLES = [
    *(
        Sample("ParameterizedTruncatedNormal", (_SHAPE, d(0), d(1), d(-1), np.array([1, 2, 3, 4, 5], d)), random=True)
        for d in (np.float16, np.float32, np.float64)
    ),
    Sample("ParameterizedTruncatedNormal", (_SHAPE[:0], *np.float32([0, 1, -1, 1])), random=True),
    *(
        Sample("StatelessParameterizedTruncatedNormal", (_SHAPE, _SEED, d(0), d(1), d(-1), np.array([1, 2], d)))
        for d in (np.float16, np.float32, np.float64)
    ),
    Sample("StatelessParameterizedTruncatedNormal", (np.array([0], np.int32), _SEED, *np.float32([0, 1, -1, 1]))),
]


@pytest.mark.parametrize("program", PROGRAMS["truncated"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@pytest.mark.parametrize(
    ("low", "high"), [(-2.0, 2.0), (-0.1, 0.2), (4.0, 4.1), (4.0, 40.0), (-9.0, -5.0), (3.0, np.inf), (-np.inf, -3.0)]
)
def test_samples_lie_between_the_bounds(low: float, high: float) -> None:
    drawn = tf.random.stateless_parameterized_truncated_normal([2000], [1, 2], 0.0, 1.0, low, high).numpy()
    assert drawn.min() >= np.float32(low)
    assert drawn.max() <= np.float32(high)
    assert len(np.unique(drawn)) > 1000


@pytest.mark.parametrize(
    "parameters", [(0.0, 1.0, 3.0, 2.0), (0.0, -1.0, 2.0, 3.0), (0.0, 1.0, np.nan, 3.0), (0.0, 1.0, -np.inf, np.inf)]
)
def test_parameters_that_make_no_sense_raise(parameters: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid parameters"):
        tf.random.stateless_parameterized_truncated_normal([2], [1, 2], *parameters)


def test_shapes_that_do_not_fit_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape passed in must end with broadcasted shape"):
        tf.random.stateless_parameterized_truncated_normal([2], [1, 2], [0.0, 1.0, 2.0])
    draw = tf.raw_ops.ParameterizedTruncatedNormal
    common = {"shape": [3, 5], "stdevs": np.float32(1), "minvals": np.float32(-1), "maxvals": np.float32(1)}
    for means, message in (
        ([[0.0]], "Input means should be a scalar or vector, got shape: [1,1]"),
        ([0.0, 0.0], "Input means should have length 1 or shape[0], got shape: [2]"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            draw(means=means, **common)
        assert message in str(error.value)
