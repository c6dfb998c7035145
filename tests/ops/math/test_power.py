"""Powers, and products with logarithms."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, binary, both_broadcast

SAMPLES = [
    *binary("Pow", (*FLOATS, *COMPLEX), 0.5),
    *binary("Pow", ("int8", "int16", "int32", "int64"), -3, 4, second=(0, 3)),
    *binary("Xlogy", (*FLOATS, *COMPLEX), 0.5),
    *binary("Xlog1py", (*FLOATS, *COMPLEX), 0.5),
    *binary("Xdivy", (*FLOATS, *COMPLEX), 0.5),
]

# Powers of 0 and of negative numbers are smooth in the base where the exponent is a small whole number.
GRADIENT_PROGRAMS = [
    GradientProgram("Pow", lambda x: tf.pow(x, np.float64([[2.0], [3.0], [4.0]])), [np.float64([0.0, -1.5])]),
]

GRADIENT_SAMPLES = [
    *(both_broadcast(op, 0.5) for op in ("Pow", "Xlogy", "Xlog1py", "Xdivy")),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.pow(c([2, 3]), c([3, 4]))", "int32", [8, 81]),
    ("tf.pow(c(2), c(40))", "int32", 0),
    ("tf.pow(c(2.), c(0.5))", "float32", 1.414214),
    ("2**c([1, 2])", "int32", [2, 4]),
    ("tf.math.xlogy(0., 0.)", "float32", 0.0),
    ("tf.math.xlog1py(0., -1.)", "float32", 0.0),
    ("tf.math.xdivy(0., 0.)", "float32", 0.0),
    ("tf.math.xdivy(c(0.), c(np.nan))", "float32", 0.0),
    ("tf.math.xlogy(c(0.), c(np.nan))", "float32", 0.0),
    ("tf.pow(c(2.), 2)", "float32", 4.0),
    ("tf.pow(c([0., -2.]), c([0., 0.5]))", "float32", [1.0, nan]),
    (
        "tf.pow(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bfloat16",
        [[0.125, 4.0, 0.8047], [1.398, 0.25, 2.562]],
    ),
    (
        "tf.pow(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [[0.125, 4.0, 0.80615], [1.3975, 0.25, 2.5586]],
    ),
    (
        "tf.pow(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([1.5, -2., 0.75], tf.float32))",
        "float32",
        [[0.125, 4.0, 0.8059275], [1.397542, 0.25, 2.558887]],
    ),
    (
        "tf.pow(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c([1.5, -2., 0.75], tf.float64))",
        "float64",
        [[0.125, 4.0, 0.805927448868], [1.39754248594, 0.25, 2.55888655998]],
    ),
    (
        "tf.pow(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([1.5+1j, -2., 0.75-2j], tf.complex64))",
        "complex64",
        [
            [complex(-0.1204544, 0.2504825), complex(4.0, -0.0), complex(0.6761684, 0.4385376)],
            [complex(3.407623, -2.05014), complex(0.25, 0.0), complex(-2.058467, -1.520071)],
        ],
    ),
    (
        "tf.pow(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), c([1.5+1j, -2., 0.75-2j], tf.complex128))",
        "complex128",
        [
            [complex(-0.120454377573, 0.250482560274), complex(4.0, -0.0), complex(0.676168464987, 0.438537637832)],
            [complex(3.40762298416, -2.05014015858), complex(0.25, 0.0), complex(-2.05846683081, -1.52007063432)],
        ],
    ),
    ("tf.pow(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([1, 2, 3], tf.int8))", "int8", [[-3, 1, 64], [2, 49, 72]]),
    (
        "tf.pow(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([1, 2, 3], tf.int16))",
        "int16",
        [[-3, 1, 16960], [2, 49, -6072]],
    ),
    (
        "tf.pow(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([1, 2, 3], tf.int32))",
        "int32",
        [[-3, 1, 1000000], [2, 49, 125000]],
    ),
    (
        "tf.pow(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([1, 2, 3], tf.int64))",
        "int64",
        [[-3, 1, 1000000], [2, 49, 125000]],
    ),
    (
        "tf.math.xlogy(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16)[0])",
        "bfloat16",
        [[-0.3457, -0.3457, -0.2148], [-1.727, -1.383, -1.008]],
    ),
    (
        "tf.math.xlogy(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16)[0])",
        "float16",
        [[-0.34668, -0.34668, -0.2157], [-1.7334, -1.3867, -1.0068]],
    ),
    (
        "tf.math.xlogy(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32)[0])",
        "float32",
        [[-0.3465736, -0.3465736, -0.2157616], [-1.732868, -1.386294, -1.006887]],
    ),
    (
        "tf.math.xlogy(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64)[0])",
        "complex64",
        [
            [complex(-1.31824, 0.3617667), complex(-0.3465736, 0.0), complex(-0.2157616, 0.0)],
            [complex(1.363708, 1.62696), complex(-1.386294, 0.0), complex(-1.006887, 0.0)],
        ],
    ),
    (
        "tf.math.xlogy(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128)[0])",
        "complex128",
        [
            [complex(-1.31823958594, 0.361766726825), complex(-0.34657359028, 0.0), complex(-0.215761554339, 0.0)],
            [complex(1.3637080523, 1.62695976868), complex(-1.38629436112, 0.0), complex(-1.00688725358, 0.0)],
        ],
    ),
    (
        "tf.math.xlog1py(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16)[0])",
        "bfloat16",
        [[0.05566, 0.2031, 0.418], [0.2773, 0.8125, 1.953]],
    ),
    (
        "tf.math.xlog1py(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16)[0])",
        "float16",
        [[0.055786, 0.20276, 0.41968], [0.27881, 0.81104, 1.959]],
    ),
    (
        "tf.math.xlog1py(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32)[0])",
        "float32",
        [[0.05578589, 0.2027325, 0.4197118], [0.2789294, 0.8109302, 1.958655]],
    ),
    (
        "tf.math.xlog1py(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64)[0])",
        "float64",
        [[0.0557858878286, 0.202732554054, 0.419711840952], [0.278929439143, 0.810930216216, 1.95865525777]],
    ),
    (
        "tf.math.xlog1py(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64)[0])",
        "complex64",
        [
            [complex(-0.5571181, 0.6391769), complex(0.2027325, 0.0), complex(0.4197118, 0.0)],
            [complex(1.262856, 0.3729346), complex(0.8109302, 0.0), complex(1.958655, 0.0)],
        ],
    ),
    (
        "tf.math.xlog1py(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128)[0])",
        "complex128",
        [
            [complex(-0.557118024165, 0.639176907788), complex(0.202732554054, 0.0), complex(0.419711840952, 0.0)],
            [complex(1.26285553251, 0.372934505547), complex(0.810930216216, 0.0), complex(1.95865525777, 0.0)],
        ],
    ),
    (
        "tf.math.xdivy(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16)[0])",
        "bfloat16",
        [[1.0, 1.0, 1.0], [5.0, 4.0, 4.656]],
    ),
    (
        "tf.math.xdivy(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16)[0])",
        "float16",
        [[1.0, 1.0, 1.0], [5.0, 4.0, 4.668]],
    ),
    (
        "tf.math.xdivy(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32)[0])",
        "float32",
        [[1.0, 1.0, 1.0], [5.0, 4.0, 4.666667]],
    ),
    (
        "tf.math.xdivy(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64)[0])",
        "float64",
        [[1.0, 1.0, 1.0], [5.0, 4.0, 4.66666666667]],
    ),
    (
        "tf.math.xdivy(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64)[0])",
        "complex64",
        [
            [complex(1.0, 0.0), complex(1.0, 0.0), complex(1.0, 0.0)],
            [complex(-0.6470588, -1.411765), complex(4.0, 0.0), complex(4.666667, 0.0)],
        ],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    (
        "grads(tf.pow, [0., -2., 2., 3.], [2., 3., 0., 1.5])",
        [[0.0, 12.0, 0.0, 2.598076], [0.0, -0.0, 0.6931472, 5.708557]],
    ),
    (
        "grads(tf.pow, [1+2j], [3-1j])",
        [[complex(22.2177581127, -42.3687968613)], [complex(-43.9882862753, 14.4513219617)]],
    ),
    ("grads(tf.pow, [2., 3.], 2.)", [[4.0, 6.0], 12.6601]),
    ("grads(tf.math.xlogy, [0., 2.], [0., 3.])", [[0.0, 1.098612], [0.0, 0.6666667]]),
    ("grads(tf.math.xlog1py, [0., 2.], [-1., 3.])", [[0.0, 1.386294], [0.0, 0.5]]),
    ("grads(tf.math.xdivy, [0., 2.], [0., 3.])", [[0.0, 0.3333333], [0.0, -0.2222222]]),
    ("grads(lambda x: x**2, [2., 3.])", [[4.0, 6.0]]),
    ("grads(lambda x: 2.**x, [2., 3.])", [[2.772589, 5.545177]]),
]

ERRORS = [
    (
        "tf.pow(c([2, 3]), c([3, -1]))",
        "eager",
        "InvalidArgumentError",
        "Integers to negative integer powers are not allowed",
    ),
    (
        "tf.pow(c([2, 3]), c([3, -1]))",
        "function",
        "InvalidArgumentError",
        "Integers to negative integer powers are not allowed",
    ),
    ("tf.pow(2, 0.5)", "eager", "TypeError", "Cannot convert 0.5 to EagerTensor of dtype int32"),
    (
        "tf.pow(c([0, 1]), c(-1))",
        "eager",
        "InvalidArgumentError",
        "Integers to negative integer powers are not allowed",
    ),
    (
        "tf.math.xdivy(2, 0)",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.math.xdivy(2, 0)", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
    ("tf.pow(c(2), 2.5)", "eager", "TypeError", "Cannot convert 2.5 to EagerTensor of dtype int32"),
    ("tf.pow(2., c([1, 2]))", "eager", "TypeError", "Cannot convert 2.0 to EagerTensor of dtype int32"),
    ("tf.pow(2., c([1, 2]))", "function", "TypeError", "Input 'y' of 'Pow' Op has type int32 that does not match typ"),
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


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [tf.int8, tf.int16, tf.int32, tf.int64])
def test_compiled_negative_powers_of_integers_are_zero_as_in_tensorflow(dtype: Any) -> None:
    compiled = tf.function(tf.pow, autograph=False, jit_compile=True)
    x, y = tf.constant([0, 1, -1, 2, -2, 5], dtype)[:, None], tf.constant([-1, -2, -3, 0, 3], dtype)
    assert compiled(x, y).numpy().tolist() == [
        [0, 0, 0, 1, 0],
        [1, 1, 1, 1, 1],
        [-1, 1, -1, 1, -1],
        [0, 0, 0, 1, 8],
        [0, 0, 0, 1, -8],
        [0, 0, 0, 1, 125],
    ]
    squared = tf.function(lambda x: x**-2, autograph=False, jit_compile=True)
    assert squared(tf.constant([1, -1, 3], dtype)).numpy().tolist() == [1, 1, 0]
