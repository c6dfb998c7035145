"""Bessel functions."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from scipy import special

import millrace as tf
from millrace._src.ops.math.blockwise_functions import FEWEST
from tests.ops.math.recorded import MODES, check_gradients, check_value
from tests.ops.math.samples import FLOATS, at_zero, unary

FIRST = ("BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1")
SECOND = ("BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1")
SAMPLES = [
    *(s for op in FIRST for s in unary(op, FLOATS, 0.5, 3.0, rtol=1e-2)),
    *(s for op in SECOND for s in unary(op, FLOATS, 0.5, 3.0)),
]

# Not I1, and so not I0: TensorFlow says that its derivative is 1 at 0, where it is 1/2.
GRADIENT_SAMPLES = [s for op in ("BesselJ0", "BesselJ1") for s in at_zero(op, "float64")]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.bessel_i0([-1., 0., 1., 2.])", "float32", [1.266066, 1.0, 1.266066, 2.279585]),
    ("tf.math.special.bessel_k0([-1., 0., 1., 2.])", "float32", [inf, inf, 0.4210244, 0.1138939]),
    ("tf.math.special.bessel_y0([-1., 0., 1., 2.])", "float32", [-inf, -inf, 0.08825697, 0.5103757]),
    ("tf.math.special.bessel_j1([-1., 0., 1., 200.])", "float32", [-0.4400506, 0.0, 0.4400506, -0.05430447]),
    ("tf.math.bessel_i1(c([0., 1.]))", "float32", [0.0, 0.5651591]),
    ("tf.math.special.bessel_k1e(c([-1., 0.]))", "float32", [inf, inf]),
    (
        "tf.math.special.bessel_i0(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[3.2891, 1.2656, 1.0156], [1.0635, 1.9248, 4.8789]],
    ),
    (
        "tf.math.special.bessel_i0(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[3.28984, 1.266066, 1.015686], [1.063483, 1.925253, 4.880793]],
    ),
    (
        "tf.math.special.bessel_i0(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[3.28983914405, 1.26606587775, 1.01568614122], [1.06348337074, 1.92525215386, 4.88079258587]],
    ),
    (
        "tf.math.special.bessel_i0e(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[0.2700465, 0.4657596, 0.7910173], [0.6450354, 0.3345587, 0.2430004]],
    ),
    (
        "tf.math.special.bessel_i0e(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[0.270046441612, 0.465759607594, 0.79101716214], [0.645035270449, 0.334558658912, 0.243000354162]],
    ),
    (
        "tf.math.special.bessel_i1(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-2.5176, -0.56494, -0.12598], [0.25781, 1.2559, 3.9531]],
    ),
    (
        "tf.math.special.bessel_i1(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-2.51671624529, -0.565159103992, -0.125979108945], [0.257894305391, 1.25553751224, 3.9533702174]],
    ),
    (
        "tf.math.special.bessel_i1e(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-0.20654, -0.20789, -0.098083], [0.15637, 0.21814, 0.19678]],
    ),
    (
        "tf.math.special.bessel_i1e(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-0.206584649531, -0.20791041535, -0.0981126286974], [0.156420803185, 0.218179704652, 0.196826713297]],
    ),
    (
        "tf.math.special.bessel_j0(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-0.04837, 0.76514, 0.98438], [0.93848, 0.36914, -0.26001]],
    ),
    (
        "tf.math.special.bessel_j0(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.04838379, 0.7651977, 0.984436], [0.9384699, 0.3690325, -0.2600519]],
    ),
    (
        "tf.math.special.bessel_j1(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-0.49707, -0.43994, -0.12402], [0.24231, 0.58008, 0.33911]],
    ),
    (
        "tf.math.special.bessel_j1(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.4970941, -0.4400506, -0.124026], [0.2422685, 0.5801562, 0.339059]],
    ),
    (
        "tf.math.special.bessel_k0(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[1.542, 0.92432, 0.61035], [0.29761, 0.11389, 0.019592]],
    ),
    (
        "tf.math.special.bessel_k0(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[1.541507, 0.9244191, 0.6105825], [0.2976032, 0.1138939, 0.0195989]],
    ),
    (
        "tf.math.special.bessel_k0(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[1.54150675125, 0.924419071228, 0.610582422116], [0.297603089084, 0.11389387275, 0.0195988971704]],
    ),
    (
        "tf.math.special.bessel_k0e(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[1.979334, 1.524109, 1.292603], [1.038737, 0.8415684, 0.6490263]],
    ),
    (
        "tf.math.special.bessel_k0e(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[1.9793338486, 1.52410938577, 1.29260299776], [1.0387368461, 0.841568215071, 0.649026337689]],
    ),
    (
        "tf.math.special.bessel_k1(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[3.7461, 1.6562, 0.94971], [0.4021, 0.13989, 0.022232]],
    ),
    (
        "tf.math.special.bessel_k1(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[3.74702597444, 1.65644112, 0.949580466962], [0.402124079784, 0.139865881817, 0.0222393929259]],
    ),
    (
        "tf.math.special.bessel_k1e(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[4.8125, 2.7305, 2.0098], [1.4033, 1.0332, 0.73633]],
    ),
    (
        "tf.math.special.bessel_k1e(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[4.81127658817, 2.73100970821, 2.01026186433], [1.4035509499, 1.03347684707, 0.736467548029]],
    ),
    (
        "tf.math.special.bessel_y0(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[-0.93164, -0.44458, -0.13721], [0.2583, 0.51025, 0.18896]],
    ),
    (
        "tf.math.special.bessel_y0(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[-0.931573, -0.4445187, -0.1371728], [0.2582169, 0.5103757, 0.1890219]],
    ),
    (
        "tf.math.special.bessel_y1(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[-2.7051, -1.4717, -1.0371], [-0.58447, -0.10706, 0.41016]],
    ),
    (
        "tf.math.special.bessel_y1(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[-2.704105, -1.471472, -1.037595], [-0.5843641, -0.1070324, 0.4101884]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.math.bessel_i0, [.3, 0.])", [[0.1516939, 0.0]]),
    ("grads(tf.math.bessel_i0e, [.3, 0.])", [[-0.6452034, 0.0]]),
    ("grads(tf.math.bessel_i1, [.3, 0.])", [[0.5169812, 1.0]]),
    ("grads(tf.math.bessel_i1e, [.3, 0.])", [[0.2706115, 0.5]]),
    ("grads(tf.math.special.bessel_j0, [.3, 0.])", [[-0.1483188, -0.0]]),
    ("grads(tf.math.special.bessel_j1, [.3, 0.])", [[0.4832301, 0.5]]),
    ("grads(tf.math.special.bessel_k0, [.3, 1.])", [[-3.055992, -0.6019073]]),
    ("grads(tf.math.special.bessel_k0e, [.3, 1.])", [[-2.27253, -0.4916906]]),
    ("grads(tf.math.special.bessel_k1, [.3, 1.])", [[-11.5591, -1.022932]]),
    ("grads(tf.math.special.bessel_k1e, [.3, 1.])", [[-11.478, -1.144463]]),
    ("grads(tf.math.special.bessel_y0, [.3, 1.])", [[2.293105, 0.7812128]]),
    ("grads(tf.math.special.bessel_y1, [.3, 1.])", [[6.83641, 0.8694698]]),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), GRADIENTS, ids=str)
def test_gradients_are_those_of_tensorflow(program: str, expected: list[Any], mode: str) -> None:
    check_gradients(program, mode, expected)


@pytest.mark.parametrize("name", ["bessel_i0", "bessel_i1", "bessel_i1e"])
def test_higher_derivatives_at_zero_are_numbers(name: str) -> None:
    x = tf.constant([0.0, 1.0], tf.float64)

    def derivative(order: int) -> Any:
        if not order:
            return getattr(tf.math, name)(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(order - 1)
        return tape.gradient(y, x)

    first = {"bessel_i0": 0.0, "bessel_i1": 1.0, "bessel_i1e": 0.5}[name]
    assert derivative(1).numpy()[0] == first  # TensorFlow's; that of bessel_i1 should be 0.5
    assert np.isfinite([derivative(2).numpy(), derivative(3).numpy()]).all()


def test_scaled_i0_of_many_numbers_is_few_units_off() -> None:
    x = np.concatenate([np.linspace(-30, 30, 200_001), 10.0 ** np.linspace(-44, 38, 50_001), [0, 3.4e38]])
    x = np.concatenate([x, -x]).astype(np.float32)
    wanted = special.i0e(x.astype(np.float64))
    unit = np.spacing(wanted.astype(np.float32)).astype(np.float64)
    assert (np.abs(tf.math.bessel_i0e(x).numpy() - wanted) / unit).max() <= 7


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_scaled_i0_of_many_and_of_few_numbers_agree(dtype: str) -> None:
    x = tf.cast(np.resize([0.0, -0.0, 1.5, -2.5, 20.0, np.inf, -np.inf, np.nan], (8, FEWEST // 4)).T, dtype)
    many, few = tf.math.bessel_i0e(x), tf.stack([tf.math.bessel_i0e(part) for part in tf.unstack(x)])
    assert many.dtype == few.dtype == dtype
    tolerance = {"float32": 1e-6, "float64": 1e-15, "float16": 2e-3, "bfloat16": 1e-2}[dtype]
    many_numbers, few_numbers = (tf.cast(t, tf.float64).numpy() for t in (many, few))
    np.testing.assert_allclose(many_numbers, few_numbers, rtol=tolerance)
