"""Division and remainder."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, binary, both_broadcast

INTEGER_PAIR = {"low": -9, "high": 9, "second": (1, 5)}
SAMPLES = [
    *(s for op in ("RealDiv", "Div") for s in binary(op, (*FLOATS, *COMPLEX), second=(0.5, 2.0))),
    *(
        s
        for op in ("RealDiv", "Div", "FloorDiv", "FloorMod", "TruncateDiv")
        for s in binary(op, INTEGERS, **INTEGER_PAIR)
    ),
    *(s for op in ("TruncateMod", "Mod") for s in binary(op, ("int32", "int64"), **INTEGER_PAIR)),
    *(
        s
        for op in ("FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Mod")
        for s in binary(op, FLOATS, -4.0, 4.0, second=(0.7, 0.9), grad=False)
    ),
    *binary("FloorMod", ("float64",), 4.2, 4.3, second=(1.5, 1.6)),
    *binary("TruncateMod", ("float64",), -4.3, -4.2, second=(1.5, 1.6)),
    *(
        Sample(op, (np.float64([7.5, -7.5]), np.float64([[2.0], [-2.0]])), grad=lambda dz, x, y: [None, None])
        for op in ("FloorDiv", "TruncateDiv")
    ),
    *binary("FloorMod", ("float64",), -4.3, -4.2, second=(-1.6, -1.5)),
    *binary("TruncateMod", ("float64",), 4.2, 4.3, second=(-1.6, -1.5)),
    *binary("DivNoNan", (*FLOATS, *COMPLEX), second=(0.5, 2.0)),
    Sample("DivNoNan", (np.float32([1, 2]), np.float32([0, 4]))),
]

GRADIENT_SAMPLES = [
    *(both_broadcast(op, second=(0.5, 2.0)) for op in ("RealDiv", "Div", "DivNoNan")),
    *(both_broadcast(op, 4.2, 4.3, second=(1.5, 1.6)) for op in ("FloorMod", "TruncateMod")),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("c(1.)/c(0.)", "float32", inf),
    ("c(1)/c(0)", "float64", inf),
    ("c([-7, 7, -7, 7])%c([2, -2, -2, 2])", "int32", [1, -1, -1, 1]),
    ("c([-7., 7, -7, 7])//c([2., -2, -2, 2])", "float32", [-4.0, -4.0, 3.0, 3.0]),
    ("c([-7., 7, 0., np.nan])//c(0.)", "float32", [-inf, inf, nan, nan]),
    ("c([-7., 7, 0., np.nan])%c(0.)", "float32", [nan, nan, nan, nan]),
    ("tf.truncatediv(c([-7, 7, -7, 7]), c([2, -2, -2, 2]))", "int32", [-3, -3, 3, 3]),
    ("tf.truncatediv(c([-7., 7, -7, 7]), c([2., -2, -2, 2]))", "float32", [-3.0, -3.0, 3.0, 3.0]),
    ("tf.truncatemod(c([-7.5, 7, -7, 7]), c([2., -2, -2, 2]))", "float32", [-1.5, 1.0, -1.0, 1.0]),
    ("tf.raw_ops.Div(x=c([-7, 7]), y=c([2, 2]))", "int32", [-3, 3]),
    ("tf.realdiv(c([-7., 7]), c([2., 0]))", "float32", [-3.5, inf]),
    ("c(-2147483648)//c(-1)", "int32", -2147483648),
    ("tf.math.divide_no_nan(c(1), c(0))", "float64", 0.0),
    ("tf.math.divide_no_nan(1, 0)", "float64", 0.0),
    ("c(2.)/2", "float32", 1.0),
    ("tf.divide(1, 2)", "float64", 0.5),
    ("tf.math.floordiv(7, 2)", "int32", 3),
    ("tf.math.floordiv(7.5, 2)", "float32", 3.0),
    ("tf.math.reciprocal_no_nan([2., 0])", "float32", [0.5, 0.0]),
    ("tf.math.mod(-5, 3)", "int32", 1),
    ("tf.math.divide_no_nan(2, c(1.))", "float32", 2.0),
    ("tf.truediv(c(1.), 2)", "float32", 0.5),
    (
        "tf.divide(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bfloat16",
        [[-1.664, 0.5, -0.334], [0.334, -0.875, 4.0]],
    ),
    (
        "tf.divide(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([1.5, -2., 0.75], tf.float32))",
        "float32",
        [[-1.666667, 0.5, -0.3333333], [0.3333333, -0.875, 4.0]],
    ),
    (
        "tf.divide(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([2, -3, 5], tf.int16))",
        "float32",
        [[-1.5, 0.3333333, 20.0], [1.0, -2.333333, 10.0]],
    ),
    (
        "tf.divide(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64))",
        "float64",
        [[-1.5, 0.333333333333, 20.0], [1.0, -2.33333333333, 10.0]],
    ),
    (
        "tf.divide(c([[3, 1, 100], [2, 7, 50]], tf.uint32), c([2, 3, 5], tf.uint32))",
        "float64",
        [[1.5, 0.333333333333, 20.0], [1.0, 2.33333333333, 10.0]],
    ),
    (
        "tf.divide(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), c([1.5+1j, -2., 0.75-2j], tf.complex128))",
        "complex128",
        [
            [complex(-0.846153846154, 1.23076923077), complex(0.5, 0.0), complex(0.178082191781, -0.191780821918)],
            [complex(0.153846153846, 0.230769230769), complex(-0.875, -1.0), complex(0.493150684932, 1.31506849315)],
        ],
    ),
    (
        "tf.math.floordiv(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [[-2.0, 0.0, -1.0], [0.0, -1.0, 4.0]],
    ),
    (
        "tf.math.floordiv(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([2, -3, 5], tf.int8))",
        "int8",
        [[-2, 0, 20], [1, -3, 10]],
    ),
    (
        "tf.math.floordiv(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "int32",
        [[-2, 0, 20], [1, -3, 10]],
    ),
    (
        "tf.math.floordiv(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "uint16",
        [[1, 0, 20], [1, 2, 10]],
    ),
    (
        "tf.math.floormod(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bfloat16",
        [[0.5, -1.0, 0.5], [0.5, -0.25, 0.0]],
    ),
    (
        "tf.math.floormod(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([1.5, -2., 0.75], tf.float32))",
        "float32",
        [[0.5, -1.0, 0.5], [0.5, -0.25, 0.0]],
    ),
    (
        "tf.math.floormod(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([2, -3, 5], tf.int16))",
        "int16",
        [[1, -1, 0], [0, -2, 0]],
    ),
    (
        "tf.math.floormod(c([[3, 1, 100], [2, 7, 50]], tf.uint8), c([2, 3, 5], tf.uint8))",
        "uint8",
        [[1, 1, 0], [0, 1, 0]],
    ),
    (
        "tf.math.floormod(c([[3, 1, 100], [2, 7, 50]], tf.uint32), c([2, 3, 5], tf.uint32))",
        "uint32",
        [[1, 1, 0], [0, 1, 0]],
    ),
    (
        "tf.truncatediv(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [[-1.0, 0.0, -0.0], [0.0, -0.0, 4.0]],
    ),
    (
        "tf.truncatediv(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([1.5, -2., 0.75], tf.float64))",
        "float64",
        [[-1.0, 0.0, -0.0], [0.0, -0.0, 4.0]],
    ),
    (
        "tf.truncatediv(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "int32",
        [[-1, 0, 20], [1, -2, 10]],
    ),
    (
        "tf.truncatediv(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "uint16",
        [[1, 0, 20], [1, 2, 10]],
    ),
    (
        "tf.truncatediv(c([[3, 1, 100], [2, 7, 50]], tf.uint64), c([2, 3, 5], tf.uint64))",
        "uint64",
        [[1, 0, 20], [1, 2, 10]],
    ),
    (
        "tf.truncatemod(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "int32",
        [[-1, -1, 0], [0, 1, 0]],
    ),
    (
        "tf.math.divide_no_nan(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bfloat16",
        [[-1.664, 0.5, -0.334], [0.334, -0.875, 4.0]],
    ),
    (
        "tf.math.divide_no_nan(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([1.5, -2., 0.75], tf.float64))",
        "float64",
        [[-1.66666666667, 0.5, -0.333333333333], [0.333333333333, -0.875, 4.0]],
    ),
    (
        "tf.math.divide_no_nan(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "float64",
        [[-1.5, 0.333333333333, 20.0], [1.0, -2.33333333333, 10.0]],
    ),
    (
        "tf.math.divide_no_nan(c([[3, 1, 100], [2, 7, 50]], tf.uint8), c([2, 3, 5], tf.uint8))",
        "float32",
        [[1.5, 0.3333333, 20.0], [1.0, 2.333333, 10.0]],
    ),
    (
        "tf.math.divide_no_nan(c([[3, 1, 100], [2, 7, 50]], tf.uint64), c([2, 3, 5], tf.uint64))",
        "float64",
        [[1.5, 0.333333333333, 20.0], [1.0, 2.33333333333, 10.0]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.divide, [1., 2.], [[3.], [-1.]])", [[-0.6666666, -0.6666666], [[-0.3333333], [-3.0]]]),
    ("grads(tf.divide, [1+2j], [3-1j])", [[complex(0.3, -0.1)], [complex(0.04, 0.22)]]),
    ("grads(tf.math.floordiv, [5.], [3.])", [None, None]),
    ("grads(tf.math.floormod, [5., 7.], [[-3.], [2.]])", [[2.0, 2.0], [[5.0], [-5.0]]]),
    ("grads(tf.math.divide_no_nan, [1., 2.], [0., 3.])", [[0.0, 0.3333333], [0.0, -0.2222222]]),
    ("grads(lambda x: tf.truediv(x, 2.), [2., 3.])", [[0.5, 0.5]]),
]

ERRORS = [
    ("c(1)//c(0)", "eager", "InvalidArgumentError", "Integer division by zero"),
    ("c(1)//c(0)", "function", "InvalidArgumentError", "Integer division by zero"),
    ("c(1)%c(0)", "function", "InvalidArgumentError", "Integer division by zero"),
    (
        "tf.truncatediv(c(7), c(0))",
        "eager",
        "InternalError",
        "Unexpected error in binary operator (only integer div and mo",
    ),
    (
        "tf.truncatemod(c(7), c(0))",
        "eager",
        "InternalError",
        "Unexpected error in binary operator (only integer div and mo",
    ),
    ("tf.raw_ops.Div(x=c([-7, 7]), y=c([0, 2]))", "eager", "InvalidArgumentError", "Integer division by zero"),
    ("tf.raw_ops.Div(x=c([-7, 7]), y=c([0, 2]))", "function", "InvalidArgumentError", "Integer division by zero"),
    (
        "tf.math.divide_no_nan(c(1.), c(0, tf.float64))",
        "function",
        "TypeError",
        "`x` and `y` must have the same dtype, got tf.float32 != tf.f",
    ),
    (
        "tf.truediv(c(1), c(1.))",
        "function",
        "TypeError",
        "`x` and `y` must have the same dtype, got tf.int32 != tf.flo",
    ),
    ("tf.truediv(True, False)", "eager", "TypeError", "Invalid dtype tf.bool in __truediv__. Expected one of {tf.ui"),
    ("c(True)/c(True)", "eager", "TypeError", "Invalid dtype tf.bool in __truediv__. Expected one of {tf.ui"),
    ("tf.truediv('a','b')", "eager", "TypeError", "Invalid dtype tf.string in __truediv__. Expected one of {tf."),
    ("tf.truediv('a','b')", "function", "TypeError", "Invalid dtype tf.string in __truediv__. Expected one of {tf."),
    ("c(2)/1.5", "eager", "TypeError", "`x` and `y` must have the same dtype, got tf.int32 != tf.flo"),
    ("tf.divide(c(1), 2.5)", "eager", "TypeError", "`x` and `y` must have the same dtype, got tf.int32 != tf.flo"),
    ("tf.divide(c(1), 2.5)", "function", "TypeError", "`x` and `y` must have the same dtype, got tf.int32 != tf.flo"),
    ("tf.divide(c(1), c(1.))", "function", "TypeError", "`x` and `y` must have the same dtype, got tf.int32 != tf.flo"),
    (
        "tf.math.floordiv(c(1), c(1.))",
        "function",
        "TypeError",
        "Input 'y' of 'FloorDiv' Op has type float32 that does not ma",
    ),
    ("c(7)//2.5", "eager", "TypeError", "Cannot convert 2.5 to EagerTensor of dtype int32"),
    (
        "tf.math.divide_no_nan(c(1), 2.)",
        "function",
        "TypeError",
        "`x` and `y` must have the same dtype, got tf.int32 != tf.flo",
    ),
    (
        "tf.math.divide_no_nan(True, True)",
        "function",
        "TypeError",
        "Invalid dtype tf.bool in tf.math.divide_no_nan. Expected one",
    ),
    (
        "tf.math.reciprocal_no_nan([2, 0])",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.math.reciprocal_no_nan('a')", "eager", "TypeError", "Cannot convert 1 to EagerTensor of dtype string"),
    ("tf.truediv(2, c(1.))", "function", "TypeError", "`x` and `y` must have the same dtype, got tf.int32 != tf.flo"),
    (
        "tf.divide(2,c(1.),name='z')",
        "eager",
        "TypeError",
        "`x` and `y` must have the same dtype, got tf.int32 != tf.flo",
    ),
    ("tf.divide(2.5, c(1))", "eager", "TypeError", "Cannot convert 2.5 to EagerTensor of dtype int32"),
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


def test_the_quotient_of_integers_is_floating_point() -> None:
    assert (tf.constant(1) / 2).dtype is tf.float64
    assert (tf.constant(1, tf.int8) / 2).dtype is tf.float32
    assert (tf.constant(1.0, tf.float16) / 2).dtype is tf.float16


def test_quotient_and_remainder_rebuild_the_dividend() -> None:
    x, y = tf.constant([-7, 7, -7, 7]), tf.constant([2, -2, -2, 2])
    assert (x // y * y + x % y).numpy().tolist() == x.numpy().tolist()
    assert (tf.truncatediv(x, y) * y + tf.truncatemod(x, y)).numpy().tolist() == x.numpy().tolist()


@pytest.mark.parametrize("name", ["FloorMod", "FloorDiv", "TruncateDiv", "TruncateMod", "Div", "Mod"])
def test_an_empty_tensor_may_be_divided_by_an_integer_zero(name: str) -> None:
    found = getattr(tf.raw_ops, name)(x=tf.zeros([0, 1], tf.int32), y=tf.constant([0, 1, 0]))
    assert found.shape == (0, 3)


def _in_xla(function: Any, *numbers: Any) -> Any:
    return tf.function(function, autograph=False, jit_compile=True)(*numbers)


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [tf.int8, tf.int16, tf.int32, tf.int64])
def test_compiled_signed_integers_are_divided_by_zero_as_in_tensorflow(dtype: Any) -> None:
    low, high = dtype.min, dtype.max
    x, y = tf.constant([5, 0, -5, low, high, low, -7, 7], dtype), tf.constant([0, 0, 0, 0, 0, -1, 2, -2], dtype)
    quotients, remainders = _in_xla(lambda x, y: (x // y, x % y), x, y)
    assert quotients.numpy().tolist() == [-1, -1, -2, -2, -1, low, -4, -4]
    assert remainders.numpy().tolist() == [5, 0, -5, low, high, 0, 1, -1]
    assert _in_xla(tf.truncatediv, x, y).numpy().tolist() == [-1, -1, -1, -1, -1, low, -3, -3]
    if dtype.size >= 4:
        expected = [5, 0, -5, low, high, 0, -1, 1]
        found = _in_xla(lambda x, y: (tf.truncatemod(x, y), tf.raw_ops.Mod(x=x, y=y)), x, y)
        assert [t.numpy().tolist() for t in found] == [expected, expected]


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [tf.uint8, tf.uint16, tf.uint32, tf.uint64])
def test_compiled_unsigned_integers_are_divided_by_zero_as_in_tensorflow(dtype: Any) -> None:
    x, y = tf.constant([5, 0, dtype.max, 7], dtype), tf.constant([0, 0, 0, 2], dtype)
    quotients, remainders = _in_xla(lambda x, y: (x // y, x % y), x, y)
    assert quotients.numpy().tolist() == [dtype.max, dtype.max, dtype.max, 3]
    assert remainders.numpy().tolist() == [5, 0, dtype.max, 1]


@pytest.mark.xla
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.math.floordiv, [-1, -2, 3]),
        (tf.math.floormod, [5, -5, 1]),
        (tf.truncatediv, [-1, -1, 3]),
        (tf.truncatemod, [5, -5, 1]),
        (lambda x, y: tf.raw_ops.Div(x=x, y=y), [-1, -1, 3]),
        (lambda x, y: tf.where(tf.equal(y, 0), x, x // y), [5, -5, 3]),
    ],
)
def test_compiled_constants_are_divided_by_zero_as_arguments_are(function: Any, expected: list[int]) -> None:
    x, y = tf.constant([5, -5, 7]), tf.constant([0, 0, 2])
    assert _in_xla(lambda: function(x, y)).numpy().tolist() == expected


@pytest.mark.xla
def test_a_zero_in_the_graph_divides_as_an_argument_does() -> None:
    assert _in_xla(lambda x: (x // 0, x % 0), tf.constant([5, -5]))[0].numpy().tolist() == [-1, -2]
