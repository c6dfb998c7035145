"""Sums, differences, products and extremes of two tensors."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, binary, both_broadcast, numbers

NUMBERS = (*FLOATS, *INTEGERS, *COMPLEX)
REAL = (*FLOATS, *INTEGERS)
SAMPLES = [
    *binary("AddV2", NUMBERS),
    *binary("Add", ("float32", "float64", "complex64", "int8", "uint8")),
    Sample("Add", (np.array([[b"a"], [b"bc"]], object), np.array([b"x", b""], object))),
    *binary("Sub", NUMBERS),
    *binary("Mul", NUMBERS),
    *binary("Maximum", REAL),
    *binary("Minimum", REAL),
    *binary("SquaredDifference", (*FLOATS, "int32", "int64", *COMPLEX)),
    *binary("MulNoNan", (*FLOATS, *COMPLEX)),
]

GRADIENT_SAMPLES = [
    both_broadcast(op) for op in ("Add", "AddV2", "Sub", "Mul", "MulNoNan", "Maximum", "Minimum", "SquaredDifference")
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("c(1.)+1", "float32", 2.0),
    ("tf.add(1.5, 2)", "float32", 3.5),
    ("c(1, tf.uint8)*c(200, tf.uint8)", "uint8", 200),
    ("tf.math.multiply_no_nan(c(np.nan), 0.)", "float32", 0.0),
    ("tf.math.multiply_no_nan(c(0.), np.nan)", "float32", nan),
    ("tf.maximum(c([np.nan, 1.]), c([1., np.nan]))", "float32", [nan, nan]),
    ("tf.minimum(c([np.nan, 1.]), c([1., np.nan]))", "float32", [nan, nan]),
    ("tf.math.squared_difference(c(1+2j), 3-1j)", "complex128", complex(13.0, 0.0)),
    ("tf.scalar_mul(2, c([1, 2]))", "int32", [2, 4]),
    ("tf.math.multiply_no_nan(1., c(2.))", "float32", 2.0),
    ("c([1., 2.])+np.array([1., 2.])", "float32", [2.0, 4.0]),
    ("np.array([1., 2.])+c([1., 2.])", "float32", [2.0, 4.0]),
    ("c([1, 2])+np.array([1.5, 2.])", "int32", [2, 4]),
    ("[1, 2]+c([1, 2])", "int32", [2, 4]),
    ("c(1)*True", "int32", 1),
    ("c(1, tf.uint8)+300", "uint8", 45),
    ("c(1, tf.uint8)-2", "uint8", 255),
    ("c(1, tf.int8)+200", "int8", -55),
    ("tf.maximum([], [])", "float32", []),
    ("tf.math.scalar_mul(2, c([1.]))", "float32", [2.0]),
    (
        "tf.add(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bfloat16",
        [[-1.0, -3.0, 0.5], [2.0, -0.25, 3.75]],
    ),
    (
        "tf.add(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([1.5, -2., 0.75], tf.float64))",
        "float64",
        [[-1.0, -3.0, 0.5], [2.0, -0.25, 3.75]],
    ),
    ("tf.add(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))", "int32", [[-1, -4, 105], [4, 4, 55]]),
    ("tf.add(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))", "uint16", [[5, 4, 105], [4, 10, 55]]),
    (
        "tf.add(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64), c([1.5+1j, -2., 0.75-2j], tf.complex64))",
        "complex64",
        [
            [complex(-1.0, 2.0), complex(-3.0, 0.0), complex(0.5, -2.5)],
            [complex(1.5, 1.5), complex(-0.25, 2.0), complex(3.75, -2.0)],
        ],
    ),
    (
        "tf.subtract(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [[-4.0, 1.0, -1.0], [-1.0, 3.75, 2.25]],
    ),
    (
        "tf.subtract(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([2, -3, 5], tf.int8))",
        "int8",
        [[-5, 2, 95], [0, 10, 45]],
    ),
    (
        "tf.subtract(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64))",
        "int64",
        [[-5, 2, 95], [0, 10, 45]],
    ),
    (
        "tf.subtract(c([[3, 1, 100], [2, 7, 50]], tf.uint32), c([2, 3, 5], tf.uint32))",
        "uint32",
        [[1, 4294967294, 95], [0, 4, 45]],
    ),
    (
        "tf.subtract(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), c([1.5+1j, -2., 0.75-2j], tf.complex128))",
        "complex128",
        [
            [complex(-4.0, 0.0), complex(1.0, 0.0), complex(-1.0, 1.5)],
            [complex(-1.5, -0.5), complex(3.75, 2.0), complex(2.25, 2.0)],
        ],
    ),
    (
        "tf.multiply(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([1.5, -2., 0.75], tf.float32))",
        "float32",
        [[-3.75, 2.0, -0.1875], [0.75, -3.5, 2.25]],
    ),
    (
        "tf.multiply(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([2, -3, 5], tf.int16))",
        "int16",
        [[-6, 3, 500], [4, -21, 250]],
    ),
    (
        "tf.multiply(c([[3, 1, 100], [2, 7, 50]], tf.uint8), c([2, 3, 5], tf.uint8))",
        "uint8",
        [[6, 3, 244], [4, 21, 250]],
    ),
    (
        "tf.multiply(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64), c([1.5+1j, -2., 0.75-2j], tf.complex64))",
        "complex64",
        [
            [complex(-4.75, -1.0), complex(2.0, -0.0), complex(-1.1875, 0.125)],
            [complex(-0.5, 0.75), complex(-3.5, -4.0), complex(2.25, -6.0)],
        ],
    ),
    (
        "tf.maximum(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [[1.5, -1.0, 0.75], [1.5, 1.75, 3.0]],
    ),
    ("tf.maximum(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([2, -3, 5], tf.int8))", "int8", [[2, -1, 100], [2, 7, 50]]),
    (
        "tf.maximum(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64))",
        "int64",
        [[2, -1, 100], [2, 7, 50]],
    ),
    (
        "tf.maximum(c([[3, 1, 100], [2, 7, 50]], tf.uint32), c([2, 3, 5], tf.uint32))",
        "uint32",
        [[3, 3, 100], [2, 7, 50]],
    ),
    (
        "tf.minimum(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [[-2.5, -2.0, -0.25], [0.5, -2.0, 0.75]],
    ),
    ("tf.minimum(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([2, -3, 5], tf.int8))", "int8", [[-3, -3, 5], [2, -3, 5]]),
    (
        "tf.minimum(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64))",
        "int64",
        [[-3, -3, 5], [2, -3, 5]],
    ),
    ("tf.minimum(c([[3, 1, 100], [2, 7, 50]], tf.uint32), c([2, 3, 5], tf.uint32))", "uint32", [[2, 1, 5], [2, 3, 5]]),
    (
        "tf.math.squared_difference(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [[16.0, 1.0, 1.0], [1.0, 14.062, 5.0625]],
    ),
    (
        "tf.math.squared_difference(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "int32",
        [[25, 4, 9025], [0, 100, 2025]],
    ),
    (
        "tf.math.squared_difference(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), c([1.5+1j, -2., 0.75-2j], tf.complex128))",
        "complex128",
        [
            [complex(16.0, 0.0), complex(1.0, 0.0), complex(3.25, 0.0)],
            [complex(2.5, 0.0), complex(18.0625, 0.0), complex(9.0625, 0.0)],
        ],
    ),
    (
        "tf.math.multiply_no_nan(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([1.5, -2., 0.75], tf.float32))",
        "float32",
        [[-3.75, 2.0, -0.1875], [0.75, -3.5, 2.25]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.add, [1., 2.], [[3.], [-1.]])", [[2.0, 2.0], [[2.0], [2.0]]]),
    ("grads(tf.subtract, [1., 2.], [[3.], [-1.]])", [[2.0, 2.0], [[-2.0], [-2.0]]]),
    ("grads(tf.multiply, [1., 2.], [[3.], [-1.]])", [[2.0, 2.0], [[3.0], [3.0]]]),
    ("grads(tf.multiply, [1+2j], [3-1j])", [[complex(3.0, 1.0)], [complex(1.0, -2.0)]]),
    ("grads(tf.maximum, [5., 3., 1.], [5., 4., 0.])", [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]),
    ("grads(tf.minimum, [5., 3., 1.], [5.])", [[1.0, 1.0, 1.0], [0.0]]),
    ("grads(tf.math.squared_difference, [1+2j], [3-1j])", [[complex(-4.0, 6.0)], [complex(4.0, -6.0)]]),
    ("grads(tf.math.squared_difference, [1., 2.], [3.])", [[-4.0, -2.0], [6.0]]),
    ("grads(tf.math.multiply_no_nan, [1., 2.], [0., 3.])", [[0.0, 3.0], [1.0, 2.0]]),
    ("grads(lambda x: tf.scalar_mul(3., x), [2., 3.])", [[3.0, 3.0]]),
]

ERRORS = [
    (
        "tf.add(c(1), c(1.))",
        "eager",
        "InvalidArgumentError",
        "cannot compute AddV2 as input #1(zero-based) was expected to",
    ),
    ("tf.add(c(1), c(1.))", "function", "TypeError", "Input 'y' of 'AddV2' Op has type float32 that does not match"),
    ("c(1)+c(1.)", "function", "TypeError", "Input 'y' of 'AddV2' Op has type float32 that does not match"),
    ("c(1)+1.5", "eager", "InvalidArgumentError", "cannot compute AddV2 as input #1(zero-based) was expected to"),
    ("tf.add(1, 2.5)", "eager", "InvalidArgumentError", "cannot compute AddV2 as input #1(zero-based) was expected to"),
    ("tf.add([1, 2], [1, 2, 3])", "eager", "InvalidArgumentError", "Incompatible shapes: [2] vs. [3]"),
    ("tf.add([1, 2], [1, 2, 3])", "function", "ValueError", "Dimensions must be equal, but are 2 and 3"),
    ("c([1, 2])+c([1, 2, 3])", "function", "ValueError", "Dimensions must be equal, but are 2 and 3"),
    (
        "tf.add(c(True), c(True))",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType bool not in list",
    ),
    (
        "c(True)+c(True)",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    ("c('a')-c('b')", "eager", "InvalidArgumentError", "Value for attr 'T' of string is not in the list of allowed v"),
    (
        "tf.math.multiply_no_nan(c(1), 0)",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    (
        "tf.math.multiply_no_nan(c(1), 0)",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType int32 not in list",
    ),
    ("tf.maximum(1., c([1, 2]))", "eager", "TypeError", "Cannot convert 1.0 to EagerTensor of dtype int32"),
    (
        "tf.scalar_mul(c([1., 2.]), c([1., 2.]))",
        "eager",
        "ValueError",
        "The input scalar must be a 0-D value. Received shape (2,).",
    ),
    (
        "tf.scalar_mul(c([1., 2.]), c([1., 2.]))",
        "function",
        "ValueError",
        "The input scalar must be a 0-D value. Received shape (2,).",
    ),
    ("tf.scalar_mul(2, [1, 2])", "eager", "AttributeError", "'list' object has no attribute 'dtype'"),
    ("tf.add(None, c(1))", "eager", "ValueError", "Attempt to convert a value (None) with an unsupported type ("),
    ("c(1)+None", "eager", "ValueError", "Attempt to convert a value (None) with an unsupported type ("),
    ("tf.add(c(1),'a')", "function", "TypeError", "Input 'y' of 'AddV2' Op has type string that does not match"),
    (
        "tf.add(c(1, tf.float16), c(1, tf.bfloat16))",
        "function",
        "TypeError",
        "Input 'y' of 'AddV2' Op has type bfloat16 that does not matc",
    ),
    (
        "tf.add(2, c(1.))",
        "eager",
        "InvalidArgumentError",
        "cannot compute AddV2 as input #1(zero-based) was expected to",
    ),
    (
        "tf.add(2., c(1))",
        "eager",
        "InvalidArgumentError",
        "cannot compute AddV2 as input #1(zero-based) was expected to",
    ),
    (
        "c(True)+c(False)",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    ("c(True)+c(False)", "function", "TypeError", "Value passed to parameter 'x' has DataType bool not in list"),
    ("c(True)-c(False)", "function", "TypeError", "Value passed to parameter 'x' has DataType bool not in list"),
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


def test_integers_wrap_around() -> None:
    assert (tf.constant(200, tf.uint8) + tf.constant(100, tf.uint8)).numpy() == 44
    assert (tf.constant(2**31 - 1) + 1).numpy() == -(2**31)


def test_nan_wins_in_maximum_and_minimum() -> None:
    assert np.isnan(tf.maximum([np.nan, 1.0], [1.0, np.nan]).numpy()).all()
    assert np.isnan(tf.minimum([np.nan, 1.0], [1.0, np.nan]).numpy()).all()


def test_a_gradient_is_summed_over_broadcast_axes_of_unknown_size() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)], autograph=False)
    def gradients(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = x * y
        return tape.gradient(z, [x, y])

    dx, dy = gradients(tf.ones([2, 3]), tf.constant([2.0]))
    assert dx.numpy().tolist() == [[2.0] * 3] * 2
    assert dy.numpy().tolist() == [6.0]


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3, min_side=0), st.data())
def test_gradients_have_the_shapes_of_the_operands(shapes: Any, data: st.DataObject) -> None:
    a, b = (numbers("float64", shape) for shape in shapes.input_shapes)
    specs = [
        tf.TensorSpec(
            [d if data.draw(st.booleans()) else None for d in v.shape] if data.draw(st.booleans()) else None, tf.float64
        )
        for v in (a, b)
    ]

    def gradients(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = x * y + x
        return tape.gradient(z, [x, y])

    ones = np.ones(shapes.result_shape)
    expected = [_sum_to(ones * b + ones, a.shape), _sum_to(ones * a, b.shape)]
    traced = tf.function(gradients, input_signature=specs, autograph=False)
    for run in (gradients, traced):
        for result, wanted in zip(run(tf.constant(a), tf.constant(b)), expected, strict=True):
            np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-10, atol=1e-12)


def _sum_to(x: Any, shape: tuple[int, ...]) -> Any:
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, d in enumerate(shape) if d == 1 and x.shape[i] != 1), keepdims=True).reshape(shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squared_differences_of_large_arrays_are_those_of_small_ones(dtype: Any) -> None:
    x = np.resize(np.array([1.5, -2.25, np.inf, np.nan, 0.0, 1e-30], dtype), (50, 400))
    y = np.resize(np.array([0.3, np.inf, -7.0], dtype), (50, 400))
    with np.errstate(invalid="ignore"):
        large = tf.math.squared_difference(x, y).numpy()
        small = [tf.math.squared_difference(a, b).numpy() for a, b in zip(x, y, strict=True)]
        in_columns = tf.math.squared_difference(x.T, y.T).numpy()
        of_row = tf.math.squared_difference(x, y[0]).numpy()
    assert large.dtype == dtype
    np.testing.assert_array_equal(large, small)
    np.testing.assert_array_equal(in_columns, large.T)
    np.testing.assert_array_equal(of_row[0], large[0])
