"""Dawson, exponential, Fresnel and Spence integrals."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from tests.ops.math.recorded import MODES, check_gradients, check_value
from tests.ops.math.samples import FLOATS, at_zero, unary

OPS = ("Dawsn", "Expint", "FresnelCos", "FresnelSin", "Spence")
SAMPLES = [s for op in OPS for s in unary(op, FLOATS, 0.5, 3.0)]

GRADIENT_SAMPLES = [s for op in ("Dawsn", "FresnelCos", "FresnelSin") for s in at_zero(op, "float64")]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.special.dawsn([0., 1., 20.])", "float32", [0.0, 0.5380795, 0.02503137]),
    ("tf.math.special.expint([-1., 0., 1., 20.])", "float32", [nan, -inf, 1.895118, 25615650.0]),
    ("tf.math.special.fresnel_cos([0., 1., 20.])", "float32", [0.0, 0.7798934, 0.4999875]),
    ("tf.math.special.spence([-1., 0., 1., 2.])", "float32", [nan, 1.644934, 0.0, -0.8224669]),
    ("tf.math.special.fresnel_sin(c([0.5]))", "float32", [0.06473242]),
    ("tf.math.special.expint(c([-0.5]))", "float32", [nan]),
    (
        "tf.math.special.dawsn(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.2230837, -0.5380795, -0.2398392], [0.4244364, 0.3594364, 0.178271]],
    ),
    (
        "tf.math.special.dawsn(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-0.223083722167, -0.538079506913, -0.239839163563], [0.424436383502, 0.359436420672, 0.178271030611]],
    ),
    (
        "tf.math.special.fresnel_cos(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.457413, -0.7798934, -0.2497591], [0.4923442, 0.3219351, 0.6057208]],
    ),
    (
        "tf.math.special.fresnel_cos(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-0.457413009642, -0.779893400377, -0.249759150357], [0.492344225871, 0.32193504615, 0.605720789298]],
    ),
    (
        "tf.math.special.fresnel_sin(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.6191818, -0.4382591, -0.008175599], [0.06473242, 0.4993846, 0.496313]],
    ),
    (
        "tf.math.special.fresnel_sin(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-0.61918175582, -0.43825914739, -0.00817560023578], [0.06473243286, 0.499384674591, 0.496312998967]],
    ),
    (
        "tf.math.special.expint(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[-0.5425433, 0.4542198, 1.207333], [2.581048, 4.954234, 13.92536]],
    ),
    (
        "tf.math.special.expint(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[-0.542543264662, 0.454219904863, 1.207332816], [2.58104797436, 4.954234356, 13.9253539952]],
    ),
    (
        "tf.math.special.spence(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[0.9784694, 0.5822403, 0.2676526], [-0.2359003, -0.8224669, -1.698896]],
    ),
    (
        "tf.math.special.spence(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[0.97846939293, 0.582240526465, 0.267652639083], [-0.235900297686, -0.822467033424, -1.698895842]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.math.special.expint, [.3, -1.])", [[4.499529, -0.3678795]]),
    ("grads(tf.math.special.spence, [.3, 1., -1])", [[-1.719961, -1.0, nan]]),
    ("grads(tf.math.special.dawsn, [.3])", [[0.830421]]),
    ("grads(tf.math.special.fresnel_cos, [.3])", [[0.9900237]]),
    ("grads(tf.math.special.fresnel_sin, [.3])", [[0.1409012]]),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), GRADIENTS, ids=str)
def test_gradients_are_those_of_tensorflow(program: str, expected: list[Any], mode: str) -> None:
    check_gradients(program, mode, expected)
