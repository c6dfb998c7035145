"""Trigonometric and hyperbolic functions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, at_zero, binary, both_broadcast, numbers, unary

EVERYWHERE = ("Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Tanh", "Asinh")
SAMPLES = [
    *(s for op in EVERYWHERE for s in unary(op, (*FLOATS, *COMPLEX), -1.2, 1.2)),
    *(s for op in ("Asin", "Acos", "Atanh") for s in unary(op, (*FLOATS, *COMPLEX), -0.8, 0.8)),
    *unary("Acosh", (*FLOATS, *COMPLEX), 1.5, 4.0),
    *binary("Atan2", FLOATS, 0.5),
    *(
        Sample("TanhGrad", (numbers(d, (2, 3), -0.9, 0.9), numbers(d, (2, 3), seed=1)), grad=d == "float64")
        for d in FLOATS
    ),
]

GRADIENT_SAMPLES = [
    *(s for op in (*EVERYWHERE, "Asin", "Acos", "Atanh") for s in at_zero(op, "float64", "complex128")),
    both_broadcast("Atan2", 0.5),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    (
        "tf.sin(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[-0.5977, -0.8398, -0.2471], [0.4785, 0.9844, 0.1416]],
    ),
    (
        "tf.sin(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.5984721, -0.841471, -0.247404], [0.4794255, 0.983986, 0.14112]],
    ),
    (
        "tf.sin(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "complex128",
        [
            [
                complex(-0.923490776043, -0.941504933271),
                complex(-0.841470984808, 0.0),
                complex(-0.27897912835, -0.504895714388),
            ],
            [complex(0.0, 0.521095305494), complex(3.70194768942, -0.64647356209), complex(0.14112000806, -0.0)],
        ],
    ),
    (
        "tf.cos(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.8011436, 0.5403023, 0.9689124], [0.8775826, -0.1782461, -0.9899925]],
    ),
    (
        "tf.cos(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "complex128",
        [
            [
                complex(-1.23622919886, 0.703325178114),
                complex(0.540302305868, 0.0),
                complex(1.09257080473, -0.128921041728),
            ],
            [complex(1.12762596521, -0.0), complex(-0.670596542517, -3.56877967259), complex(-0.9899924966, -0.0)],
        ],
    ),
    (
        "tf.tan(c([[-0.75, -0.5, -.25], [0., 0.5, 0.875]], tf.float32))",
        "float32",
        [[-0.9315965, -0.5463025, -0.2553419], [0.0, 0.5463025, 1.197422]],
    ),
    (
        "tf.tan(c([[-0.75+.1j, -0.5, -.25], [0., 0.5j, 0.875]], tf.complex128))",
        "complex128",
        [
            [complex(-0.91445853303, 0.184575790357), complex(-0.546302489844, 0.0), complex(-0.255341921221, 0.0)],
            [complex(0.0, 0.0), complex(0.0, 0.46211715726), complex(1.19742162923, 0.0)],
        ],
    ),
    (
        "tf.asin(c([[-0.75, -0.5, -.25], [0., 0.5, 0.875]], tf.float32))",
        "float32",
        [[-0.8480621, -0.5235988, -0.2526802], [0.0, 0.5235988, 1.065436]],
    ),
    (
        "tf.asin(c([[-0.75+.1j, -0.5, -.25], [0., 0.5j, 0.875]], tf.complex128))",
        "complex128",
        [
            [complex(-0.835747913157, 0.148567915243), complex(-0.523598775598, 0.0), complex(-0.252680255142, 0.0)],
            [complex(0.0, 0.0), complex(0.0, 0.48121182506), complex(1.06543581651, 0.0)],
        ],
    ),
    (
        "tf.acos(c([[-0.75, -0.5, -.25], [0., 0.5, 0.875]], tf.float32))",
        "float32",
        [[2.418859, 2.094395, 1.823477], [1.570796, 1.047198, 0.5053605]],
    ),
    (
        "tf.acos(c([[-0.75+.1j, -0.5, -.25], [0., 0.5j, 0.875]], tf.complex128))",
        "complex128",
        [
            [complex(2.40654423995, -0.148567915243), complex(2.09439510239, -0.0), complex(1.82347658194, -0.0)],
            [complex(1.57079632679, -0.0), complex(1.57079632679, -0.48121182506), complex(0.505360510284, -0.0)],
        ],
    ),
    (
        "tf.atan(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-1.19029, -0.7853982, -0.2449787], [0.4636476, 1.05165, 1.249046]],
    ),
    (
        "tf.atan(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "complex128",
        [
            [
                complex(-1.23342585568, 0.123674060459),
                complex(-0.785398163397, 0.0),
                complex(-0.314398143208, -0.500370000053),
            ],
            [complex(0.0, 0.549306144334), complex(1.30900844473, 0.272075729752), complex(1.2490457724, 0.0)],
        ],
    ),
    (
        "tf.sinh(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-6.050205, -1.175201, -0.2526123], [0.5210953, 2.790414, 10.01787]],
    ),
    (
        "tf.sinh(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64))",
        "complex64",
        [
            [complex(-3.268939, 5.160143), complex(-1.175201, 0.0), complex(-0.2216882, -0.4944858)],
            [complex(0.0, 0.4794255), complex(-1.161222, 2.695329), complex(10.01787, 0.0)],
        ],
    ),
    (
        "tf.cosh(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[6.1328, 1.543, 1.0312], [1.1279, 2.9648, 10.07]],
    ),
    (
        "tf.cosh(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64))",
        "complex64",
        [
            [complex(3.31329, -5.091072), complex(1.543081, -0.0), complex(0.9051501, 0.1211088)],
            [complex(0.8775826, 0.0), complex(-1.233538, 2.537317), complex(10.06766, 0.0)],
        ],
    ),
    (
        "tf.tanh(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-0.98682, -0.76172, -0.24487], [0.46216, 0.94141, 0.99512]],
    ),
    (
        "tf.tanh(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64))",
        "complex64",
        [
            [complex(-1.005548, 0.01232214), complex(-0.7615941, 0.0), complex(-0.3124207, -0.5045007)],
            [complex(0.0, 0.5463025), complex(1.039163, -0.04754029), complex(0.9950548, 0.0)],
        ],
    ),
    (
        "tf.asinh(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-1.6475, -0.88135, -0.24744], [0.4812, 1.3262, 1.8184]],
    ),
    (
        "tf.asinh(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64))",
        "complex64",
        [
            [complex(-1.708453, 0.358405), complex(-0.8813736, 0.0), complex(-0.2813961, -0.5016088)],
            [complex(0.0, 0.5235988), complex(1.667706, 0.8165287), complex(1.818447, 0.0)],
        ],
    ),
    (
        "tf.acosh(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float16))",
        "float16",
        [[0.0, 0.69336, 0.9624], [1.3174, 1.7627, 2.1855]],
    ),
    (
        "tf.acosh(c([[1.5j, 1.25, 1.5], [2., 3., 4.5]], tf.complex64))",
        "complex64",
        [
            [complex(1.194763, 1.570796), complex(0.6931472, 0.0), complex(0.9624236, 0.0)],
            [complex(1.316958, 0.0), complex(1.762747, 0.0), complex(2.184644, 0.0)],
        ],
    ),
    (
        "tf.atanh(c([[-0.75, -0.5, -.25], [0., 0.5, 0.875]], tf.float16))",
        "float16",
        [[-0.97314, -0.54932, -0.25537], [0.0, 0.54932, 1.3545]],
    ),
    (
        "tf.atanh(c([[-0.75+.1j, -0.5, -.25], [0., 0.5j, 0.875]], tf.complex64))",
        "complex64",
        [
            [complex(-0.9366651, 0.2187936), complex(-0.5493062, 0.0), complex(-0.2554128, 0.0)],
            [complex(0.0, 0.0), complex(0.0, 0.4636476), complex(1.354025, 0.0)],
        ],
    ),
    (
        "tf.math.atan2(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [[-1.0303, -2.6777, -0.32178], [0.32178, 2.4219, 1.3262]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.sin, [1+2j])", [[complex(2.03272300702, 3.05189779915)]]),
    ("grads(tf.cos, [1+2j])", [[complex(-3.16577851322, 1.95960104142)]]),
    ("grads(tf.tan, [1+2j])", [[complex(-0.0286627761645, -0.0686260800995)]]),
    ("grads(tf.asin, [.1+.2j])", [[complex(0.984772629811, -0.019114594417)]]),
    ("grads(tf.acos, [.1+.2j])", [[complex(-0.984772629811, 0.019114594417)]]),
    ("grads(tf.atan, [.1+.2j])", [[complex(1.02917771883, 0.0424403183024)]]),
    ("grads(tf.sinh, [.1+.2j])", [[complex(0.984970995703, -0.0199000611944)]]),
    ("grads(tf.cosh, [.1+.2j])", [[complex(0.0981700839054, -0.199663505514)]]),
    ("grads(tf.tanh, [.1+.2j])", [[complex(1.02948809432, 0.0416159300323)]]),
    ("grads(tf.asinh, [.1+.2j])", [[complex(1.01469949347, 0.0209127522856)]]),
    ("grads(tf.acosh, [1.1+.2j])", [[complex(1.20084151823, 0.823392620866)]]),
    ("grads(tf.atanh, [.1+.2j])", [[complex(0.969411764706, -0.0376470588235)]]),
    ("grads(tf.cos, [1., -3.])", [[-0.841471, 0.14112]]),
    ("grads(tf.tan, [1., -3.])", [[3.425519, 1.02032]]),
    ("grads(tf.asin, [.1, -.3])", [[1.005038, 1.048285]]),
    ("grads(tf.acos, [.1, -.3])", [[-1.005038, -1.048285]]),
    ("grads(tf.atan, [1., -3.])", [[0.5, 0.1]]),
    ("grads(tf.sinh, [1., -3.])", [[1.543081, 10.06766]]),
    ("grads(tf.cosh, [1., -3.])", [[1.175201, -10.01787]]),
    ("grads(tf.tanh, [1., -3.])", [[0.4199743, 0.009866118]]),
    ("grads(tf.asinh, [1., -3.])", [[0.7071067, 0.3162277]]),
    ("grads(tf.acosh, [1.5, 3.])", [[0.8944271, 0.3535534]]),
    ("grads(tf.atanh, [.1, -.3])", [[1.010101, 1.098901]]),
    ("grads(tf.atan2, [1., 2.], [[3.], [-1.]])", [[-0.2, 0.03076924], [[-0.2538462], [-0.9]]]),
]

ERRORS = [
    (
        "tf.math.atan2(c(1), c(1))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    (
        "tf.math.atan2(c(1), c(1))",
        "function",
        "TypeError",
        "Value passed to parameter 'y' has DataType int32 not in list",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), GRADIENTS, ids=str)
def test_gradients_are_those_of_tensorflow(program: str, expected: list[Any], mode: str) -> None:
    check_gradients(program, mode, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)
