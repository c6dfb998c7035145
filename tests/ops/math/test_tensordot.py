"""Contraction over given axes."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import numbers

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.tensordot(tf.zeros([2, 3]), tf.zeros([3, 2]), [1, 0])", "float32", [[0.0, 0.0], [0.0, 0.0]]),
    ("tf.tensordot([1.], [1.], 0)", "float32", [[1.0]]),
    ("tf.tensordot(1., 1., 0)", "float32", 1.0),
    (
        "tf.tensordot(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), [[1], [1]])",
        "bfloat16",
        [[0.875, 3.938], [3.938, 17.75]],
    ),
    (
        "tf.tensordot(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), [[1], [1]])",
        "float16",
        [[0.875, 3.9375], [3.9375, 17.812]],
    ),
    (
        "tf.tensordot(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), [[1], [1]])",
        "float32",
        [[0.875, 3.9375], [3.9375, 17.8125]],
    ),
    (
        "tf.tensordot(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), [[1], [1]])",
        "float64",
        [[0.875, 3.9375], [3.9375, 17.8125]],
    ),
    (
        "tf.tensordot(c([[1, 2, 3], [4, 5, 6]], tf.int32), c([[1, 2, 3], [4, 5, 6]], tf.int32), [[1], [1]])",
        "int32",
        [[14, 32], [32, 77]],
    ),
    (
        "tf.tensordot(c([[1, 2, 3], [4, 5, 6]], tf.int64), c([[1, 2, 3], [4, 5, 6]], tf.int64), [[1], [1]])",
        "int64",
        [[14, 32], [32, 77]],
    ),
    (
        "tf.tensordot(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), [[1], [1]])",
        "complex64",
        [[complex(-0.125, 0.5), complex(4.9375, 1.0)], [complex(4.9375, 1.0), complex(16.8125, -2.5)]],
    ),
    (
        "tf.tensordot(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), [[1], [1]])",
        "complex128",
        [[complex(-0.125, 0.5), complex(4.9375, 1.0)], [complex(4.9375, 1.0), complex(16.8125, -2.5)]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    (
        "grads(lambda a, b: tf.tensordot(a, b, 1), [[1., 2.], [3., 4.]], [5., 6.])",
        [[[5.0, 6.0], [5.0, 6.0]], [4.0, 6.0]],
    ),
    (
        "grads(lambda a, b: tf.tensordot(a, b, [[0], [1]]), [[1., 2.], [3., 4.]], [[5., 6.], [1., 2.]])",
        [[[6.0, 6.0], [8.0, 8.0]], [[3.0, 7.0], [3.0, 7.0]]],
    ),
]

ERRORS = [
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([2]), 1)",
        "eager",
        "InvalidArgumentError",
        "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,1]",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([2]), 1)",
        "function",
        "ValueError",
        "Dimensions must be equal, but are 3 and 2",
    ),
    ("tf.tensordot(tf.zeros([2, 3]), tf.zeros([3]), [[1], [1]])", "eager", "IndexError", "list index out of range"),
    ("tf.tensordot(tf.zeros([2, 3]), tf.zeros([3]), [[1], [1]])", "function", "IndexError", "list index out of range"),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3]), [[1], [0, 1]])",
        "eager",
        "ValueError",
        "Different number of contraction axes `a` and `b`, 1 != 2.",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3]), [[1], [0, 1]])",
        "function",
        "ValueError",
        "Different number of contraction axes `a` and `b`, 1 != 2.",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3]), -1)",
        "eager",
        "ValueError",
        "`axes` must be at least 0. Received: -1.",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3]), -1)",
        "function",
        "ValueError",
        "`axes` must be at least 0. Received: -1.",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3]), 3)",
        "eager",
        "ValueError",
        "`axes` must not be larger than the number of dimensions of t",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3]), 3)",
        "function",
        "ValueError",
        "`axes` must not be larger than the number of dimensions of t",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3, 2]), [1])",
        "eager",
        "ValueError",
        "`axes` must be an integer or have length 2. Received [1].",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3, 2]), [1])",
        "function",
        "ValueError",
        "`axes` must be an integer or have length 2. Received [1].",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3, 2]), [[1], [0], [1]])",
        "eager",
        "ValueError",
        "`axes` must be an integer or have length 2. Received [[1], [",
    ),
    (
        "tf.tensordot(tf.zeros([2, 3]), tf.zeros([3, 2]), [[1], [0], [1]])",
        "function",
        "ValueError",
        "`axes` must be an integer or have length 2. Received [[1], [",
    ),
    (
        "tf.tensordot(tf.zeros([2,3]),tf.zeros([3,2]),'a')",
        "eager",
        "TypeError",
        "Cannot convert 'a' to EagerTensor of dtype int32",
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


@pytest.mark.parametrize(
    ("a_shape", "b_shape", "axes"),
    [
        ((2, 3), (3, 4), 1),
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3), (3, 4), 0),
        ((2, 3, 4), (5, 4, 2), [[0, -1], [2, 1]]),
        ((2, 3), (2, 3), [[1], [1]]),
        ((2, 3), (3, 2), [1, 0]),
    ],
)
@pytest.mark.parametrize("known", ["shapes", "rank", "nothing"])
def test_contractions_agree_with_numpy(a_shape: Any, b_shape: Any, axes: Any, known: str) -> None:
    a, b = numbers("float64", a_shape), numbers("float64", b_shape)
    shapes = {
        "shapes": (a_shape, b_shape),
        "rank": ([None] * len(a_shape), [None] * len(b_shape)),
        "nothing": (None, None),
    }
    specs = [tf.TensorSpec(s, tf.float64) for s in shapes[known]]
    contract = tf.function(lambda x, y: tf.tensordot(x, y, axes), input_signature=specs, autograph=False)
    np.testing.assert_allclose(contract(a, b).numpy(), np.tensordot(a, b, axes), rtol=1e-10)
