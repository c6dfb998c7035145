"""Scans along an axis."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, numbers

FLAGS = ((False, False), (True, False), (False, True), (True, True))
SAMPLES = [
    *(
        Sample(
            op,
            (numbers(d, (3, 4), 0.5), np.int32(i % 2)),
            {"exclusive": e, "reverse": r},
            grad=d in ("float64", "complex128"),
        )
        for op in ("Cumsum", "Cumprod")
        for i, d in enumerate((*FLOATS, *INTEGERS, *COMPLEX))
        for e, r in (FLAGS if d == "float64" else FLAGS[i % 4 : i % 4 + 1])
    ),
    *(
        Sample("CumulativeLogsumexp", (numbers(d, (3, 4)), np.int64(-1)), {"exclusive": e, "reverse": r})
        for d, (e, r) in zip(FLOATS, FLAGS, strict=True)
    ),
    Sample("CumulativeLogsumexp", (numbers("float64", (3, 4)), np.int32(0)), grad=True),
    Sample("Cumsum", (numbers("float32", (0, 2)), np.int32(0)), {"exclusive": True}),
]

GRADIENT_SAMPLES = [
    *(
        Sample("CumulativeLogsumexp", (numbers("float64", (3, 4)), np.int64(1)), {"reverse": r}, grad=True)
        for r in (False, True)
    ),
    Sample("Cumsum", (numbers("complex128", (3, 4)), np.int32(-1)), {"exclusive": True, "reverse": True}, grad=True),
    Sample("Cumsum", (numbers("float64", (1,)), np.int32(0)), {"exclusive": True}, grad=True),
    Sample("Cumprod", (numbers("float64", (1, 3)), np.int32(0)), grad=True),
    Sample("Cumprod", (numbers("complex128", (2, 3)), np.int32(1)), {"reverse": True}, grad=True),
]


def _without_nothing(x: Any, *, reverse: bool) -> Any:
    """An exclusive scan without the logarithm of no terms, which is minus infinity."""
    scan = tf.math.cumulative_logsumexp(x, 1, exclusive=True, reverse=reverse)
    return scan[:, :-1] if reverse else scan[:, 1:]


GRADIENT_PROGRAMS = [
    GradientProgram("CumulativeLogsumexp", partial(_without_nothing, reverse=r), [numbers("float64", (3, 4))])
    for r in (False, True)
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.cumsum(c([1, 2, 3]))", "int32", [1, 3, 6]),
    ("tf.cumsum(c([1, 2, 3]), exclusive=True)", "int32", [0, 1, 3]),
    ("tf.cumsum(c([1, 2, 3]), reverse=True)", "int32", [6, 5, 3]),
    ("tf.cumsum(c([1, 2, 3]), reverse=True, exclusive=True)", "int32", [5, 3, 0]),
    ("tf.cumsum(c([100, 100], tf.int8))", "int8", [100, -56]),
    ("tf.math.cumprod(c([1., 2, 3]), reverse=True, exclusive=True)", "float32", [6.0, 3.0, 1.0]),
    ("tf.math.cumulative_logsumexp(c([1., 2, 3]))", "float32", [1.0, 2.313262, 3.407606]),
    ("tf.math.cumulative_logsumexp(c([1., 2, 3]), exclusive=True)", "float32", [-inf, 1.0, 2.313262]),
    ("tf.math.cumulative_logsumexp(c([1., 2, 3]), exclusive=True, reverse=True)", "float32", [3.313262, 3.0, -inf]),
    ("tf.math.cumulative_logsumexp(c([-np.inf, 1., np.inf]))", "float32", [-inf, 1.0, inf]),
    ("tf.raw_ops.Cumsum(x=c([1., 2.]), axis=c(0, tf.int64))", "float32", [1.0, 3.0]),
    ("tf.cumsum(c([[1, 2], [3, 4]]), axis=-1, reverse=True)", "int32", [[3, 2], [7, 4]]),
    ("tf.cumsum(tf.zeros([0, 2]))", "float32", []),
    ("tf.math.cumprod(tf.zeros([0, 2]), exclusive=True)", "float32", []),
    ("tf.cumsum([])", "float32", []),
    (
        "tf.cumsum(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), axis=1, exclusive=True)",
        "bfloat16",
        [[0.0, 0.25, 0.75], [0.0, 1.25, 3.25]],
    ),
    (
        "tf.math.cumprod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), axis=1, exclusive=True)",
        "bfloat16",
        [[1.0, 0.25, 0.125], [1.0, 1.25, 2.5]],
    ),
    (
        "tf.cumsum(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), axis=1, exclusive=True)",
        "float16",
        [[0.0, 0.25, 0.75], [0.0, 1.25, 3.25]],
    ),
    (
        "tf.math.cumprod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), reverse=True)",
        "float16",
        [[0.3125, 1.0, 2.625], [1.25, 2.0, 3.5]],
    ),
    (
        "tf.cumsum(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), reverse=True)",
        "float32",
        [[1.5, 2.5, 4.25], [1.25, 2.0, 3.5]],
    ),
    (
        "tf.cumsum(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), axis=1, exclusive=True)",
        "float64",
        [[0.0, 0.25, 0.75], [0.0, 1.25, 3.25]],
    ),
    (
        "tf.math.cumprod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), axis=1, exclusive=True)",
        "float64",
        [[1.0, 0.25, 0.125], [1.0, 1.25, 2.5]],
    ),
    ("tf.cumsum(c([[1, 2, 3], [4, 5, 6]], tf.int8), reverse=True)", "int8", [[5, 7, 9], [4, 5, 6]]),
    ("tf.math.cumprod(c([[1, 2, 3], [4, 5, 6]], tf.int8), reverse=True)", "int8", [[4, 10, 18], [4, 5, 6]]),
    ("tf.math.cumprod(c([[1, 2, 3], [4, 5, 6]], tf.int16), axis=1, exclusive=True)", "int16", [[1, 1, 2], [1, 4, 20]]),
    ("tf.cumsum(c([[1, 2, 3], [4, 5, 6]], tf.int32), axis=1, exclusive=True)", "int32", [[0, 1, 3], [0, 4, 9]]),
    ("tf.math.cumprod(c([[1, 2, 3], [4, 5, 6]], tf.int32), reverse=True)", "int32", [[4, 10, 18], [4, 5, 6]]),
    ("tf.cumsum(c([[1, 2, 3], [4, 5, 6]], tf.int64), reverse=True)", "int64", [[5, 7, 9], [4, 5, 6]]),
    ("tf.cumsum(c([[1, 2, 3], [4, 5, 6]], tf.uint8), axis=1, exclusive=True)", "uint8", [[0, 1, 3], [0, 4, 9]]),
    ("tf.math.cumprod(c([[1, 2, 3], [4, 5, 6]], tf.uint8), axis=1, exclusive=True)", "uint8", [[1, 1, 2], [1, 4, 20]]),
    ("tf.cumsum(c([[1, 2, 3], [4, 5, 6]], tf.uint16), axis=1, exclusive=True)", "uint16", [[0, 1, 3], [0, 4, 9]]),
    ("tf.math.cumprod(c([[1, 2, 3], [4, 5, 6]], tf.uint16), reverse=True)", "uint16", [[4, 10, 18], [4, 5, 6]]),
    ("tf.cumsum(c([[1, 2, 3], [4, 5, 6]], tf.uint32), reverse=True)", "uint32", [[5, 7, 9], [4, 5, 6]]),
    ("tf.cumsum(c([[1, 2, 3], [4, 5, 6]], tf.uint64), axis=1, exclusive=True)", "uint64", [[0, 1, 3], [0, 4, 9]]),
    (
        "tf.math.cumprod(c([[1, 2, 3], [4, 5, 6]], tf.uint64), axis=1, exclusive=True)",
        "uint64",
        [[1, 1, 2], [1, 4, 20]],
    ),
    (
        "tf.cumsum(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), reverse=True)",
        "complex64",
        [
            [complex(1.5, 0.0), complex(2.5, 0.0), complex(4.25, 0.0)],
            [complex(1.25, -1.0), complex(2.0, 0.0), complex(3.5, 0.0)],
        ],
    ),
    (
        "tf.math.cumprod(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), reverse=True)",
        "complex64",
        [
            [complex(1.3125, 1.0), complex(1.0, 0.0), complex(2.625, 0.0)],
            [complex(1.25, -1.0), complex(2.0, 0.0), complex(3.5, 0.0)],
        ],
    ),
    (
        "tf.math.cumprod(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), axis=1, exclusive=True)",
        "complex128",
        [
            [complex(1.0, 0.0), complex(0.25, 1.0), complex(0.125, 0.5)],
            [complex(1.0, 0.0), complex(1.25, -1.0), complex(2.5, -2.0)],
        ],
    ),
    (
        "tf.math.cumulative_logsumexp(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), axis=1, reverse=True)",
        "bfloat16",
        [[0.2051, 0.1367, -0.25], [3.312, 3.25, 3.0]],
    ),
    (
        "tf.math.cumulative_logsumexp(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), axis=1, exclusive=True)",
        "float16",
        [[-inf, -2.5, -0.79883], [-inf, 0.5, 2.002]],
    ),
    (
        "tf.math.cumulative_logsumexp(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), axis=1, exclusive=True)",
        "float32",
        [[-inf, -2.5, -0.7985867], [-inf, 0.5, 2.001929]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(lambda x: tf.cumsum(x)*c([1., 2., 3.]), [1., 2., 3.])", [[6.0, 5.0, 3.0]]),
    ("grads(lambda x: tf.cumsum(x, exclusive=True, reverse=True)*c([1., 2., 3.]), [1., 2., 3.])", [[0.0, 1.0, 3.0]]),
    ("grads(lambda x: tf.math.cumprod(x)*c([1., 2., 3.]), [1., 2., 3.])", [[23.0, 11.0, 6.0]]),
    ("grads(lambda x: tf.math.cumprod(x, exclusive=True)*c([1., 2., 3.]), [1., 2., 3.])", [[8.0, 3.0, 0.0]]),
    ("grads(lambda x: tf.math.cumprod(x, reverse=True)*c([1., 2., 3.]), [1., 2., 3.])", [[6.0, 9.0, 9.0]]),
    ("grads(tf.math.cumprod, [0., 2., 3.])", [[0.0, 0.0, 0.0]]),
    (
        "grads(lambda x: tf.math.cumulative_logsumexp(x)*c([1., -2., 3.]), [1., 2., 3.])",
        [[0.7322088, -0.7279317, 1.995723]],
    ),
    (
        "grads(lambda x: tf.math.cumulative_logsumexp(x, reverse=True)*c([1., -2., 3.]), [1., 2., 3.])",
        [[0.09003056, -0.2931544, 2.203124]],
    ),
]

ERRORS = [
    (
        "tf.cumsum(c([1, 2, 3]), axis=1)",
        "eager",
        "InvalidArgumentError",
        "ScanOp: Expected scan axis in the range [-1, 1), but got 1",
    ),
    (
        "tf.cumsum(c([1, 2, 3]), axis=1)",
        "function",
        "InvalidArgumentError",
        "ScanOp: Expected scan axis in the range [-1, 1), but got 1",
    ),
    (
        "tf.cumsum(c([1, 2, 3]), axis=-2)",
        "eager",
        "InvalidArgumentError",
        "ScanOp: Expected scan axis in the range [-1, 1), but got -1",
    ),
    (
        "tf.cumsum(c([1, 2, 3]), axis=-2)",
        "function",
        "InvalidArgumentError",
        "ScanOp: Expected scan axis in the range [-1, 1), but got -1",
    ),
    ("tf.cumsum(c([1, 2, 3]), axis=[0])", "eager", "InvalidArgumentError", "ScanOp: axis must be a scalar, not [1]"),
    ("tf.cumsum(c([1, 2, 3]), axis=[0])", "function", "InvalidArgumentError", "ScanOp: axis must be a scalar, not [1]"),
    ("tf.cumsum(c(1))", "eager", "InvalidArgumentError", "ScanOp: Expected scan axis in the range [0, 0), but got 0"),
    (
        "tf.cumsum(c(1))",
        "function",
        "InvalidArgumentError",
        "ScanOp: Expected scan axis in the range [0, 0), but got 0",
    ),
    (
        "tf.cumsum(c([True]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    ("tf.cumsum(c([True]))", "function", "TypeError", "Value passed to parameter 'x' has DataType bool not in list"),
    (
        "tf.math.cumulative_logsumexp(c([1, 2]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    (
        "tf.math.cumulative_logsumexp(c([1, 2]))",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType int32 not in list",
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


@given(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4), st.booleans(), st.booleans(), st.data())
def test_scans_of_any_shape_agree_with_loops(shape: Any, exclusive: bool, reverse: bool, data: st.DataObject) -> None:
    x = numbers("float64", shape, 0.5)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    moved = np.moveaxis(x, axis, 0)
    rows = list(moved[::-1] if reverse else moved)
    for function, combine, start in ((tf.cumsum, np.add, 0.0), (tf.math.cumprod, np.multiply, 1.0)):
        total, results = np.full(moved.shape[1:], start), []
        for row in rows:
            results.append(total if exclusive else combine(total, row))
            total = combine(total, row)
        expected = np.stack(results) if results else moved
        expected = np.moveaxis(expected[::-1] if reverse else expected, 0, axis)
        np.testing.assert_allclose(function(x, axis, exclusive=exclusive, reverse=reverse).numpy(), expected)


@pytest.mark.parametrize("shape", [(7, 300), (7, 1, 300), (3, 5, 20, 20), (1, 300), (0, 300)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float16])
def test_many_vectors_step_along_an_axis_together(dtype: Any, shape: Any) -> None:
    x = np.random.default_rng(0).choice([1, -1], shape).astype(dtype)
    for axis in range(-len(shape), len(shape)):
        np.testing.assert_array_equal(tf.cumsum(x, axis), np.cumsum(x, axis, dtype=dtype))
        np.testing.assert_array_equal(tf.math.cumprod(x, axis), np.cumprod(x, axis, dtype=dtype))
