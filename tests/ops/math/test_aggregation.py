"""Sums of many tensors of one shape."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, numbers

SAMPLES = [
    *(
        Sample(
            "AddN", ([numbers(d, shape), numbers(d, shape, seed=1), numbers(d, shape, seed=2)],), grad=d == "float64"
        )
        for d, shape in zip((*FLOATS, *INTEGERS, *COMPLEX), [(2, 3), (), (0, 2), (4,)] * 4, strict=False)
    ),
    Sample("AddN", ([numbers("float32", (2,))],)),
    Sample(
        "AccumulateNV2",
        ([numbers("float64", (2, 3)), numbers("float64", (2, 3), seed=1)],),
        {"shape": [2, 3]},
        grad=True,
    ),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.add_n([1, 2])", "int32", 3),
    ("tf.add_n(np.ones((2, 3)))", "float64", [2.0, 2.0, 2.0]),
    ("tf.math.accumulate_n([c([1, 2]), c([1, 3])], shape=[2], tensor_dtype=tf.int32)", "int32", [2, 5]),
    ("tf.math.accumulate_n([[1, 2], [3, 4]])", "int32", [4, 6]),
    (
        "tf.add_n([c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16)])",
        "bfloat16",
        [[0.75, 1.5, 2.25], [3.75, 6.0, 10.5]],
    ),
    (
        "tf.add_n([c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16)])",
        "float16",
        [[0.75, 1.5, 2.25], [3.75, 6.0, 10.5]],
    ),
    (
        "tf.add_n([c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32)])",
        "float32",
        [[0.75, 1.5, 2.25], [3.75, 6.0, 10.5]],
    ),
    (
        "tf.add_n([c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64)])",
        "float64",
        [[0.75, 1.5, 2.25], [3.75, 6.0, 10.5]],
    ),
    (
        "tf.add_n([c([[1, 2, 3], [4, 5, 6]], tf.int8), c([[1, 2, 3], [4, 5, 6]], tf.int8), c([[1, 2, 3], [4, 5, 6]], tf.int8)])",
        "int8",
        [[3, 6, 9], [12, 15, 18]],
    ),
    (
        "tf.add_n([c([[1, 2, 3], [4, 5, 6]], tf.int16), c([[1, 2, 3], [4, 5, 6]], tf.int16), c([[1, 2, 3], [4, 5, 6]], tf.int16)])",
        "int16",
        [[3, 6, 9], [12, 15, 18]],
    ),
    (
        "tf.add_n([c([[1, 2, 3], [4, 5, 6]], tf.int32), c([[1, 2, 3], [4, 5, 6]], tf.int32), c([[1, 2, 3], [4, 5, 6]], tf.int32)])",
        "int32",
        [[3, 6, 9], [12, 15, 18]],
    ),
    (
        "tf.add_n([c([[1, 2, 3], [4, 5, 6]], tf.int64), c([[1, 2, 3], [4, 5, 6]], tf.int64), c([[1, 2, 3], [4, 5, 6]], tf.int64)])",
        "int64",
        [[3, 6, 9], [12, 15, 18]],
    ),
    (
        "tf.add_n([c([[1, 2, 3], [4, 5, 6]], tf.uint8), c([[1, 2, 3], [4, 5, 6]], tf.uint8), c([[1, 2, 3], [4, 5, 6]], tf.uint8)])",
        "uint8",
        [[3, 6, 9], [12, 15, 18]],
    ),
    (
        "tf.add_n([c([[1, 2, 3], [4, 5, 6]], tf.uint16), c([[1, 2, 3], [4, 5, 6]], tf.uint16), c([[1, 2, 3], [4, 5, 6]], tf.uint16)])",
        "uint16",
        [[3, 6, 9], [12, 15, 18]],
    ),
    (
        "tf.add_n([c([[1, 2, 3], [4, 5, 6]], tf.uint32), c([[1, 2, 3], [4, 5, 6]], tf.uint32), c([[1, 2, 3], [4, 5, 6]], tf.uint32)])",
        "uint32",
        [[3, 6, 9], [12, 15, 18]],
    ),
    (
        "tf.add_n([c([[1, 2, 3], [4, 5, 6]], tf.uint64), c([[1, 2, 3], [4, 5, 6]], tf.uint64), c([[1, 2, 3], [4, 5, 6]], tf.uint64)])",
        "uint64",
        [[3, 6, 9], [12, 15, 18]],
    ),
    (
        "tf.add_n([c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64)])",
        "complex64",
        [
            [complex(0.75, 3.0), complex(1.5, 0.0), complex(2.25, 0.0)],
            [complex(3.75, -3.0), complex(6.0, 0.0), complex(10.5, 0.0)],
        ],
    ),
    (
        "tf.add_n([c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128)])",
        "complex128",
        [
            [complex(0.75, 3.0), complex(1.5, 0.0), complex(2.25, 0.0)],
            [complex(3.75, -3.0), complex(6.0, 0.0), complex(10.5, 0.0)],
        ],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    (
        "grads(tf.add_n, [1., 2.]) if 0 else grads(lambda x, y: tf.add_n([x, y, x]), [1., 2.], [3., 4.])",
        [[2.0, 2.0], [1.0, 1.0]],
    ),
]

ERRORS = [
    (
        "tf.add_n([c(1), c(2.)])",
        "eager",
        "InvalidArgumentError",
        "cannot compute AddN as input #1(zero-based) was expected to",
    ),
    (
        "tf.add_n([c(1), c(2.)])",
        "function",
        "TypeError",
        "Tensors in list passed to 'inputs' of 'AddN' Op have types [",
    ),
    (
        "tf.add_n([c([1, 2]), c([1])])",
        "eager",
        "InvalidArgumentError",
        "Inputs to operation AddN of type AddN must have the same siz",
    ),
    (
        "tf.add_n([c([1, 2]), c([1])])",
        "function",
        "ValueError",
        "Dimension 0 in both shapes must be equal, but are 2 and 1. S",
    ),
    ("tf.add_n([])", "eager", "ValueError", "Inputs must be an iterable of at least one Tensor/IndexedSli"),
    ("tf.add_n([])", "function", "ValueError", "Inputs must be an iterable of at least one Tensor/IndexedSli"),
    ("tf.add_n(1)", "eager", "TypeError", "'int' object is not iterable"),
    ("tf.add_n(1)", "function", "TypeError", "'int' object is not iterable"),
    ("tf.math.accumulate_n([c([1, 2]), c([1])])", "eager", "ValueError", "Shapes (2,) and (1,) are not compatible"),
    ("tf.math.accumulate_n([c([1, 2]), c([1])])", "function", "ValueError", "Shapes (2,) and (1,) are not compatible"),
    ("tf.math.accumulate_n([])", "eager", "ValueError", "inputs must be a list of at least one Tensor with the same d"),
    (
        "tf.math.accumulate_n([])",
        "function",
        "ValueError",
        "inputs must be a list of at least one Tensor with the same d",
    ),
    ("tf.add_n([c(1.), None])", "eager", "ValueError", "Inputs must be an iterable of at least one Tensor/IndexedSli"),
    (
        "tf.add_n([c(1.), None])",
        "function",
        "ValueError",
        "Inputs must be an iterable of at least one Tensor/IndexedSli",
    ),
    (
        "tf.math.accumulate_n([c([1, 2]), c([1, 3])], tensor_dtype=tf.float32)",
        "eager",
        "TypeError",
        "The `tensor_dtype` argument is <dtype: 'float32'>, but `inpu",
    ),
    (
        "tf.math.accumulate_n([c([1, 2]), c([1, 3])], tensor_dtype=tf.float32)",
        "function",
        "TypeError",
        "The `tensor_dtype` argument is <dtype: 'float32'>, but `inpu",
    ),
    (
        "tf.math.accumulate_n([c([1, 2]), c([1, 3])], shape=[3])",
        "eager",
        "ValueError",
        "Shapes (3,) and (2,) are not compatible",
    ),
    (
        "tf.math.accumulate_n([c([1, 2]), c([1, 3])], shape=[3])",
        "function",
        "ValueError",
        "Shapes (3,) and (2,) are not compatible",
    ),
    (
        "tf.add_n([c(1.), c([1.])])",
        "eager",
        "InvalidArgumentError",
        "Inputs to operation AddN of type AddN must have the same siz",
    ),
    ("tf.add_n([c(1.), c([1.])])", "function", "ValueError", "Shapes must be equal rank, but are 0 and 1"),
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


def test_a_single_input_is_returned_as_it_is() -> None:
    x = tf.constant([1.0])
    assert tf.add_n([x]) is x
