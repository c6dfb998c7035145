"""Building complex numbers and taking them apart."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import numbers

SAMPLES = [
    Sample("ComplexAbs", (numbers("complex64", (2, 3)),)),
    Sample("ComplexAbs", (tf.constant(numbers("complex128", (2, 3))),), {"Tout": tf.float64}, grad=True),
    Sample("Complex", (numbers("float32", (2, 3)), numbers("float32", (3,)))),
    Sample(
        "Complex", (tf.constant(numbers("float64", (2, 3))), numbers("float64", ())), {"Tout": tf.complex128}, grad=True
    ),
    *(
        sample
        for op in ("Real", "Imag", "Angle")
        for sample in (
            Sample(op, (numbers("complex64", (0, 2)),)),
            Sample(op, (tf.constant(numbers("complex128", (2, 3))),), {"Tout": tf.float64}, grad=True),
        )
    ),
    Sample("Conj", (numbers("complex64", ()),)),
    Sample("Conj", (tf.constant(numbers("complex128", (2, 3))),), grad=True),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.conj(c([1, 2]))", "int32", [1, 2]),
    ("tf.math.real(c([1, 2]))", "int32", [1, 2]),
    ("tf.math.imag(c([1, 2]))", "int32", [0, 0]),
    ("tf.math.angle(c([1., -1., 0., -0., np.nan]))", "float32", [0.0, 3.141593, 0.0, 0.0, 0.0]),
    ("tf.math.angle(c(-1+0j))", "float64", 3.14159265359),
    ("tf.complex([1., 2.], 3.)", "complex64", [complex(1.0, 3.0), complex(2.0, 3.0)]),
    ("tf.complex(1., [2., 3.])", "complex64", [complex(1.0, 2.0), complex(1.0, 3.0)]),
    ("tf.complex(c(1., tf.float64), c(2., tf.float64))", "complex128", complex(1.0, 2.0)),
    (
        "tf.math.conj(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[-2.5, -1.0, -0.25], [0.5, 1.75, 3.0]],
    ),
    (
        "tf.math.conj(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-2.5, -1.0, -0.25], [0.5, 1.75, 3.0]],
    ),
    (
        "tf.math.conj(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-2.5, -1.0, -0.25], [0.5, 1.75, 3.0]],
    ),
    ("tf.math.conj(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", [[-3, -1, 100], [2, 7, 50]]),
    ("tf.math.conj(c([[-3, -1, 100], [2, 7, 50]], tf.int16))", "int16", [[-3, -1, 100], [2, 7, 50]]),
    ("tf.math.conj(c([[-3, -1, 100], [2, 7, 50]], tf.int64))", "int64", [[-3, -1, 100], [2, 7, 50]]),
    (
        "tf.math.conj(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64))",
        "complex64",
        [
            [complex(-2.5, -1.0), complex(-1.0, -0.0), complex(-0.25, 0.5)],
            [complex(0.0, -0.5), complex(1.75, -2.0), complex(3.0, -0.0)],
        ],
    ),
    (
        "tf.math.real(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[-2.5, -1.0, -0.25], [0.5, 1.75, 3.0]],
    ),
    (
        "tf.math.real(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-2.5, -1.0, -0.25], [0.5, 1.75, 3.0]],
    ),
    (
        "tf.math.real(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-2.5, -1.0, -0.25], [0.5, 1.75, 3.0]],
    ),
    ("tf.math.real(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", [[-3, -1, 100], [2, 7, 50]]),
    ("tf.math.real(c([[-3, -1, 100], [2, 7, 50]], tf.int32))", "int32", [[-3, -1, 100], [2, 7, 50]]),
    ("tf.math.real(c([[-3, -1, 100], [2, 7, 50]], tf.int64))", "int64", [[-3, -1, 100], [2, 7, 50]]),
    (
        "tf.math.real(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "float64",
        [[-2.5, -1.0, -0.25], [0.0, 1.75, 3.0]],
    ),
    (
        "tf.math.imag(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ),
    (
        "tf.math.imag(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ),
    (
        "tf.math.imag(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ),
    ("tf.math.imag(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", [[0, 0, 0], [0, 0, 0]]),
    ("tf.math.imag(c([[-3, -1, 100], [2, 7, 50]], tf.int32))", "int32", [[0, 0, 0], [0, 0, 0]]),
    ("tf.math.imag(c([[-3, -1, 100], [2, 7, 50]], tf.int64))", "int64", [[0, 0, 0], [0, 0, 0]]),
    (
        "tf.math.imag(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "float64",
        [[1.0, 0.0, -0.5], [0.5, 2.0, 0.0]],
    ),
    (
        "tf.math.angle(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[3.141, 3.141, 3.141], [0.0, 0.0, 0.0]],
    ),
    (
        "tf.math.angle(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[3.141593, 3.141593, 3.141593], [0.0, 0.0, 0.0]],
    ),
    (
        "tf.math.angle(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[3.14159265359, 3.14159265359, 3.14159265359], [0.0, 0.0, 0.0]],
    ),
    (
        "tf.math.angle(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "float64",
        [[2.76108627648, 3.14159265359, -2.0344439358], [1.57079632679, 0.851966327173, 0.0]],
    ),
    (
        "tf.complex(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "complex64",
        [
            [complex(-2.5, 0.25), complex(-1.0, 0.5), complex(-0.25, 0.75)],
            [complex(0.5, 1.25), complex(1.75, 2.0), complex(3.0, 3.5)],
        ],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.math.angle, [3+4j, 1j])", [[complex(-0.16, 0.12), complex(-1.0, -0.0)]]),
    ("grads(tf.math.angle, [3., -1.])", [None]),
    ("grads(lambda x: tf.math.real(x)*2, [1+1j])", [[complex(2.0, 0.0)]]),
    ("grads(lambda x: tf.math.imag(x)*2, [1+1j])", [[complex(0.0, 2.0)]]),
    ("grads(lambda x: tf.complex(x, x), [2.])", [[1.0]]),
    ("grads(lambda x, y: tf.complex(x, y), [2., 3.], [[1.], [2.]])", [[2.0, 2.0], [[0.0], [0.0]]]),
    ("grads(lambda x: tf.math.conj(x)*(1+2j), [1+1j])", [[complex(1.0, 2.0)]]),
]

ERRORS = [
    ("tf.math.conj(c('a'))", "eager", "TypeError", "Expected numeric or variant tensor, got dtype tf.string."),
    ("tf.math.conj(c('a'))", "function", "TypeError", "Expected numeric or variant tensor, got dtype tf.string."),
    ("tf.math.real('a')", "eager", "TypeError", "input must be a numeric tensor, but got tensor with dtype <d"),
    ("tf.math.real('a')", "function", "TypeError", "input must be a numeric tensor, but got tensor with dtype <d"),
    ("tf.math.angle(c([1, -1]))", "eager", "TypeError", "Cannot convert 3.141592653589793 to EagerTensor of dtype int"),
    ("tf.complex(c(1), c(2))", "eager", "TypeError", "The `real` and `imag` components have incorrect types: int32"),
    ("tf.complex(c(1), c(2))", "function", "TypeError", "The `real` and `imag` components have incorrect types: int32"),
    ("tf.complex(c([1., 2]), c([1., 2, 3]))", "eager", "InvalidArgumentError", "Incompatible shapes: [2] vs. [3]"),
    ("tf.complex(c([1., 2]), c([1., 2, 3]))", "function", "ValueError", "Dimensions must be equal, but are 2 and 3"),
    (
        "tf.complex(2., c(1., tf.float64))",
        "eager",
        "TypeError",
        "The `real` and `imag` components have incorrect types: float",
    ),
    (
        "tf.complex(2., c(1., tf.float64))",
        "function",
        "TypeError",
        "The `real` and `imag` components have incorrect types: float",
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


@pytest.mark.xla
@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_infinite_parts_stay_apart(dtype: str, jit_compile: bool) -> None:
    parts = tf.constant([0.0, 1.0, np.inf, -np.inf, np.nan], dtype)
    z = tf.function(tf.complex, jit_compile=jit_compile)(parts[:, None], parts[None])
    np.testing.assert_array_equal(z.numpy().real, np.broadcast_to(parts[:, None], (5, 5)))
    np.testing.assert_array_equal(z.numpy().imag, np.broadcast_to(parts[None], (5, 5)))


def test_real_tensors_are_returned_as_they_are() -> None:
    x = tf.constant([1.0, -1.0])
    assert tf.math.real(x) is x
    assert tf.math.conj(x) is x


@pytest.mark.xla
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_compiled_too_the_modulus_is_infinite_where_a_part_is(dtype: str) -> None:
    parts = (0.0, 1.0, np.inf, -np.inf, np.nan)
    z = tf.constant([complex(real, imaginary) for real in parts for imaginary in parts], dtype)
    np.testing.assert_array_equal(tf.function(tf.abs, jit_compile=True)(z), tf.abs(z))
