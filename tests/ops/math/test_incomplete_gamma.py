"""The incomplete gamma functions."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.math.recorded import MODES, check_gradients, check_value
from tests.ops.math.samples import FLOATS, binary, numbers

_ONCE = "TensorFlow has no second derivative in the shape"

SAMPLES = [
    *(s for op in ("Igamma", "Igammac") for s in binary(op, FLOATS, 0.5, 4.0, grad=False, rtol=1e-2)),
    *(
        Sample(op, (np.float64([1.5, 3.0]), np.float64([[1.0], [2.0]])), grad=True, no_second=_ONCE)
        for op in ("Igamma", "Igammac")
    ),
    *binary("IgammaGradA", ("float32", "float64"), 0.5, 4.0, grad=False),
]

GRADIENT_SAMPLES = [
    Sample(
        op, (numbers("float64", (2, 1, 2), 0.5, 3.0), numbers("float64", (3, 1), 0.5, 3.0)), grad=True, no_second=_ONCE
    )
    for op in ("Igamma", "Igammac")
]

GRADIENT_PROGRAMS = [
    GradientProgram("Igamma", lambda x: tf.math.igamma(np.float64([[1.5], [3.0]]), x), [np.float64([0.7, 2.5])]),
    GradientProgram("Igammac", lambda x: tf.math.igammac(np.float64([[1.5], [3.0]]), x), [np.float64([0.7, 2.5])]),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.igamma([1., 0., -1.], [2., 1., 1.])", "float32", [0.8646647, nan, nan]),
    ("tf.math.igammac([1., 0., -1.], [2., 1., 1.])", "float32", [0.1353353, nan, nan]),
    ("tf.math.igamma(1., -1.)", "float32", nan),
    (
        "tf.raw_ops.IgammaGradA(a=c([1., 2., 5., 0.1, 50.]), x=c([2., .3, 20., 1e-3, 60.]))",
        "float32",
        [-0.2208254, -0.07982416, -2.621771e-05, -3.416003, -0.02128479],
    ),
    (
        "tf.math.igamma(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[0.2211992, 0.2837899, 0.3177297], [0.3553642, 0.3233236, 0.3628804]],
    ),
    (
        "tf.math.igammac(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[0.7788008, 0.7162101, 0.6822703], [0.6446358, 0.6766764, 0.6371196]],
    ),
    (
        "tf.raw_ops.IgammaGradA(a=c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), x=c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float32))",
        "float32",
        [[-0.3196589, -0.2997805, -0.2822481], [-0.2538313, -0.1974254, -0.170318]],
    ),
    (
        "tf.math.igamma(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[0.221199216929, 0.283789952665, 0.317729669664], [0.355364207065, 0.323323583817, 0.362880592831]],
    ),
    (
        "tf.math.igammac(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[0.778800783071, 0.716210047335, 0.682270330336], [0.644635792935, 0.676676416183, 0.637119407169]],
    ),
    (
        "tf.raw_ops.IgammaGradA(a=c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), x=c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float64))",
        "float64",
        [[-0.319659129327, -0.299780366045, -0.282248365308], [-0.253831328739, -0.197425419579, -0.170318087556]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.math.igamma, [1., 2.], [2., 3.])", [[-0.2208254, -0.1974254], [0.1353353, 0.1493612]]),
    ("grads(tf.math.igammac, [1., 2.], [2., 3.])", [[0.2208254, 0.1974254], [-0.1353353, -0.1493612]]),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), GRADIENTS, ids=str)
def test_gradients_are_those_of_tensorflow(program: str, expected: list[Any], mode: str) -> None:
    check_gradients(program, mode, expected)


@pytest.mark.parametrize("shape", [0.1, 1.0, 5.0, 50.0, 300.0])
@pytest.mark.parametrize("ratio", [0.01, 0.5, 1.0, 2.0])
def test_the_derivative_in_the_shape_is_that_of_differences(shape: float, ratio: float) -> None:
    a, x, step = np.float64(shape), np.float64(shape * ratio), 1e-6 * shape
    slope = (tf.math.igamma(a + step, x) - tf.math.igamma(a - step, x)) / (2 * step)
    np.testing.assert_allclose(tf.raw_ops.IgammaGradA(a=a, x=x).numpy(), slope.numpy(), rtol=1e-5, atol=1e-9)
