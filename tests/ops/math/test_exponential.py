"""Exponentials, logarithms, sigmoid, softplus."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, at_zero, numbers, unary

SAMPLES = [
    *unary("Exp", (*FLOATS, *COMPLEX)),
    *unary("Expm1", (*FLOATS, *COMPLEX)),
    *unary("Log", (*FLOATS, *COMPLEX), 0.5),
    *unary("Log1p", (*FLOATS, *COMPLEX), -0.5),
    *unary("Sigmoid", (*FLOATS, *COMPLEX)),
    *unary("Softplus", FLOATS),
    *(
        Sample(op, (numbers(d, (2, 3), 0.1, 0.9), numbers(d, (2, 3), seed=1)), grad=d == "float64")
        for op in ("SigmoidGrad", "SoftplusGrad")
        for d in FLOATS
    ),
]

GRADIENT_SAMPLES = [
    s for op in ("Exp", "Expm1", "Log1p", "Sigmoid") for s in at_zero(op, "float64", "complex128")
] + at_zero("Softplus", "float64")

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.exp([1., 2.])", "float32", [2.718282, 7.389056]),
    ("tf.math.log([0., -1.])", "float32", [-inf, nan]),
    ("tf.math.log(c(-1+0j))", "complex128", complex(0.0, 3.14159265359)),
    ("tf.sigmoid(c([0., 1000, -1000, np.nan]))", "float32", [0.5, 1.0, 0.0, nan]),
    ("tf.math.log1p([])", "float32", []),
    (
        "tf.exp(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[0.08203, 0.3672, 0.7773], [1.648, 5.75, 20.12]],
    ),
    (
        "tf.exp(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[0.082092, 0.36792, 0.77881], [1.6484, 5.7539, 20.078]],
    ),
    (
        "tf.exp(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[0.082085, 0.3678795, 0.7788008], [1.648721, 5.754603, 20.08554]],
    ),
    (
        "tf.exp(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64))",
        "complex64",
        [
            [complex(0.04435071, 0.06907214), complex(0.3678795, 0.0), complex(0.683462, -0.373377)],
            [complex(0.8775826, 0.4794255), complex(-2.39476, 5.232646), complex(20.08554, 0.0)],
        ],
    ),
    (
        "tf.exp(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "complex128",
        [
            [
                complex(0.0443507140337, 0.06907214463),
                complex(0.367879441171, 0.0),
                complex(0.68346198641, -0.373376984889),
            ],
            [
                complex(0.87758256189, 0.479425538604),
                complex(-2.39475969921, 5.2326454057),
                complex(20.0855369232, 0.0),
            ],
        ],
    ),
    (
        "tf.math.expm1(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-0.91797, -0.63232, -0.22119], [0.64893, 4.7539, 19.078]],
    ),
    (
        "tf.math.expm1(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.917915, -0.6321205, -0.2211992], [0.6487213, 4.754602, 19.08554]],
    ),
    (
        "tf.math.expm1(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64))",
        "complex64",
        [
            [complex(-0.9556493, 0.06907216), complex(-0.6321205, 0.0), complex(-0.316538, -0.373377)],
            [complex(-0.1224174, 0.4794255), complex(-3.394759, 5.232645), complex(19.08554, 0.0)],
        ],
    ),
    (
        "tf.math.expm1(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "complex128",
        [
            [
                complex(-0.955649285966, 0.06907214463),
                complex(-0.632120558829, 0.0),
                complex(-0.31653801359, -0.373376984889),
            ],
            [
                complex(-0.12241743811, 0.479425538604),
                complex(-3.39475969921, 5.2326454057),
                complex(19.0855369232, 0.0),
            ],
        ],
    ),
    (
        "tf.math.log(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[-1.3867, -0.69336, -0.2876], [0.22314, 0.69336, 1.2529]],
    ),
    (
        "tf.math.log(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[-1.386294, -0.6931472, -0.2876821], [0.2231435, 0.6931472, 1.252763]],
    ),
    (
        "tf.math.log(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64))",
        "complex64",
        [
            [complex(0.03031229, 1.325818), complex(-0.6931472, 0.0), complex(-0.2876821, 0.0)],
            [complex(0.4704917, -0.674741), complex(0.6931472, 0.0), complex(1.252763, 0.0)],
        ],
    ),
    (
        "tf.math.log(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128))",
        "complex128",
        [
            [complex(0.0303123109082, 1.32581766367), complex(-0.69314718056, 0.0), complex(-0.287682072452, 0.0)],
            [complex(0.470491672232, -0.674740942224), complex(0.69314718056, 0.0), complex(1.2527629685, 0.0)],
        ],
    ),
    (
        "tf.math.log1p(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[0.22314, 0.40552, 0.55957], [0.81104, 1.0986, 1.5039]],
    ),
    (
        "tf.math.log1p(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[0.2231435, 0.4054651, 0.5596158], [0.8109302, 1.098612, 1.504077]],
    ),
    (
        "tf.math.log1p(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[0.223143551314, 0.405465108108, 0.559615787935], [0.810930216216, 1.09861228867, 1.50407739678]],
    ),
    (
        "tf.math.log1p(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128))",
        "complex128",
        [
            [complex(0.470491672232, 0.674740942224), complex(0.405465108108, 0.0), complex(0.559615787935, 0.0)],
            [complex(0.901061128132, -0.418224329579), complex(1.09861228867, 0.0), complex(1.50407739678, 0.0)],
        ],
    ),
    (
        "tf.sigmoid(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[0.07617, 0.2695, 0.4355], [0.6211, 0.8516, 0.9531]],
    ),
    (
        "tf.sigmoid(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[0.07585818, 0.2689414, 0.4378235], [0.6224594, 0.8519528, 0.9525741]],
    ),
    (
        "tf.sigmoid(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[0.0758581800212, 0.26894142137, 0.437823499114], [0.622459331202, 0.851952801968, 0.952574126822]],
    ),
    (
        "tf.sigmoid(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "complex128",
        [
            [
                complex(0.0466375978403, 0.0630542832421),
                complex(0.26894142137, 0.0),
                complex(0.43383633031, -0.125570096414),
            ],
            [complex(0.5, 0.127670960611), complex(1.04756062561, 0.178430656721), complex(0.952574126822, 0.0)],
        ],
    ),
    (
        "tf.math.softplus(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[0.07861, 0.3125, 0.5742], [0.9727, 1.906, 3.0]],
    ),
    (
        "tf.math.softplus(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[0.07888974, 0.3132617, 0.5759394], [0.974077, 1.910224, 3.048587]],
    ),
    (
        "tf.math.softplus(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[0.0788897342925, 0.313261687518, 0.575939419879], [0.97407698418, 1.91022415044, 3.04858735157]],
    ),
    (
        "tf.math.log_sigmoid(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-2.5781, -1.3135, -0.82617], [-0.47412, -0.16028, -0.048584]],
    ),
    (
        "tf.math.log_sigmoid(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-2.57889, -1.313262, -0.8259394], [-0.474077, -0.1602242, -0.04858735]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.exp, [1., 0.25])", [[2.718282, 1.284025]]),
    ("grads(tf.exp, [1+2j])", [[complex(-1.13120438376, -2.471726672)]]),
    ("grads(tf.math.expm1, [1+2j])", [[complex(-1.13120438376, -2.471726672)]]),
    ("grads(tf.math.log, [1+2j])", [[complex(0.2, 0.4)]]),
    ("grads(tf.math.log1p, [1+2j])", [[complex(0.25, 0.25)]]),
    ("grads(tf.sigmoid, [1+2j])", [[complex(0.14088880757, 0.420718279705)]]),
    ("grads(tf.sigmoid, [1., -3.])", [[0.1966119, 0.04517666]]),
    ("grads(tf.math.softplus, [1., -3.])", [[0.7310586, 0.04742587]]),
    ("grads(tf.math.log_sigmoid, [1., -3.])", [[0.2689414, 0.9525741]]),
]

ERRORS = [
    ("tf.exp(1)", "eager", "InvalidArgumentError", "Value for attr 'T' of int32 is not in the list of allowed va"),
    ("tf.exp(1)", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
    (
        "tf.sigmoid(c([1, 2]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.sigmoid(c([1, 2]))", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
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


def test_sigmoid_and_softplus_do_not_overflow() -> None:
    assert tf.sigmoid([-1000.0, 1000.0]).numpy().tolist() == [0.0, 1.0]
    assert tf.math.softplus([-1000.0, 1000.0]).numpy().tolist() == [0.0, 1000.0]
