"""Truncated normals with parameters: TensorFlow's bits (float64 to the last digits), bounds, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
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


def _quantile(x: Any, mean: Any, deviation: Any, low: Any, high: Any) -> Any:
    normal = np.vectorize(lambda z: 0.5 * math.erfc(-z / math.sqrt(2)))
    z, a, b = ((t - mean) / deviation for t in (x, low, high))
    return (normal(z) - normal(a)) / (normal(b) - normal(a))


def _implicit(dy: Any, *parameters: Any) -> list[Any]:
    """A sample is a fixed quantile: it moves by `-(dF/dparameter) / (dF/dx)`, here by differences."""
    sample = _draw(*parameters).numpy()
    density = (_quantile(sample + 1e-6, *parameters) - _quantile(sample - 1e-6, *parameters)) / 2e-6
    gradients = []
    for i, parameter in enumerate(parameters):
        sides = [_quantile(sample, *(p + s if i == j else p for j, p in enumerate(parameters))) for s in (1e-6, -1e-6)]
        moved = -dy * (sides[0] - sides[1]) / 2e-6 / density
        gradients.append(moved.sum() if parameter.ndim == 0 else moved.sum(axis=0))
    return gradients


def _draw(means: Any, stddevs: Any, minvals: Any, maxvals: Any) -> Any:
    return tf.raw_ops.StatelessParameterizedTruncatedNormal(
        shape=[5, 2], seed=[1, 2], means=means, stddevs=stddevs, minvals=minvals, maxvals=maxvals
    )


# Rejected proposals make a sample jump where its quantile moves it, so differences do not give the second gradient.
GRADIENT_PROGRAMS = [
    GradientProgram(
        "StatelessParameterizedTruncatedNormal",
        _draw,
        [np.array([0.5, 1.0]), np.array(1.5), np.array(-1.0), np.array([2.0, 3.0])],
        gradient=_implicit,
        rtol=1e-4,
        second=False,
        xla=False,
    )
]
