"""Reductions of segments in any order."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, numbers

IDS = np.int32([2, 0, 0, 2])
SAMPLES = [
    *(
        Sample(op, (numbers(d, (4, 2), 0.5), IDS, np.int32(3)), grad=d == "float64")
        for op in ("UnsortedSegmentSum", "UnsortedSegmentProd")
        for d in (*FLOATS, *INTEGERS, *COMPLEX)
    ),
    *(
        Sample(op, (numbers(d, (4, 2)), np.int64([1, 0, 0, 1]), np.int64(2)), grad=d == "float64")
        for op in ("UnsortedSegmentMax", "UnsortedSegmentMin")
        for d in (*FLOATS, *INTEGERS)
    ),
    Sample("UnsortedSegmentSum", (numbers("float64", (2, 2, 3)), np.int32([[0, -1], [1, 0]]), np.int32(2)), grad=True),
    Sample("UnsortedSegmentSum", (numbers("float32", (2,)), np.int32(1), np.int32(2))),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, -1, 0], 3)", "int32", [3, 1, 0]),
    ("tf.math.unsorted_segment_sum(c([[1, 2], [3, 4]]), [[1, 0], [1, 0]], 2)", "int32", [6, 4]),
    ("tf.math.unsorted_segment_sum(c([[1, 2], [3, 4]]), 1, 2)", "int32", [[[0, 0], [0, 0]], [[1, 2], [3, 4]]]),
    ("tf.math.unsorted_segment_max(c([1., 2, 3]), [1, -1, 1], 3)", "float32", [-3.402823e38, 3.0, -3.402823e38]),
    ("tf.math.unsorted_segment_max(c([1, 2, 3]), [1, -1, 1], 3)", "int32", [-2147483648, 3, -2147483648]),
    ("tf.math.unsorted_segment_min(c([1, 2, 3]), [1, -1, 1], 3)", "int32", [2147483647, 1, 2147483647]),
    ("tf.math.unsorted_segment_min(c([1., 2, 3], tf.bfloat16), [1, -1, 1], 3)", "bfloat16", [3.39e38, 1.0, 3.39e38]),
    ("tf.math.unsorted_segment_prod(c([1, 2, 3]), [1, -1, 1], 3)", "int32", [1, 3, 1]),
    ("tf.math.unsorted_segment_mean(c([1, 2, 4]), [1, -1, 1], 3)", "float64", [0.0, 2.5, 0.0]),
    ("tf.math.unsorted_segment_mean(c([1., 2, 4]), [1, -1, 1], 3)", "float32", [0.0, 2.5, 0.0]),
    ("tf.math.unsorted_segment_sqrt_n(c([1., 2, 4]), [1, -1, 1], 3)", "float32", [0.0, 3.535534, 0.0]),
    ("tf.math.unsorted_segment_mean(c([[1., 2], [3, 4]]), [0, 0], 2)", "float32", [[2.0, 3.0], [0.0, 0.0]]),
    (
        "tf.math.unsorted_segment_sum(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), [1, 1], 3)",
        "bfloat16",
        [[0.0, 0.0, 0.0], [1.5, 2.5, 4.25], [0.0, 0.0, 0.0]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), [1, 1], 3)",
        "bfloat16",
        [[1.0, 1.0, 1.0], [0.3125, 1.0, 2.625], [1.0, 1.0, 1.0]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), [1, 1], 3)",
        "float16",
        [[1.0, 1.0, 1.0], [0.3125, 1.0, 2.625], [1.0, 1.0, 1.0]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), [1, 1], 3)",
        "float32",
        [[1.0, 1.0, 1.0], [0.3125, 1.0, 2.625], [1.0, 1.0, 1.0]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), [1, 1], 3)",
        "float64",
        [[1.0, 1.0, 1.0], [0.3125, 1.0, 2.625], [1.0, 1.0, 1.0]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.int8), [1, 1], 3)",
        "int8",
        [[1, 1, 1], [4, 10, 18], [1, 1, 1]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.int16), [1, 1], 3)",
        "int16",
        [[1, 1, 1], [4, 10, 18], [1, 1, 1]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.int32), [1, 1], 3)",
        "int32",
        [[1, 1, 1], [4, 10, 18], [1, 1, 1]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.int64), [1, 1], 3)",
        "int64",
        [[1, 1, 1], [4, 10, 18], [1, 1, 1]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.uint8), [1, 1], 3)",
        "uint8",
        [[1, 1, 1], [4, 10, 18], [1, 1, 1]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.uint16), [1, 1], 3)",
        "uint16",
        [[1, 1, 1], [4, 10, 18], [1, 1, 1]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.uint32), [1, 1], 3)",
        "uint32",
        [[1, 1, 1], [4, 10, 18], [1, 1, 1]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.uint64), [1, 1], 3)",
        "uint64",
        [[1, 1, 1], [4, 10, 18], [1, 1, 1]],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), [1, 1], 3)",
        "complex64",
        [
            [complex(1.0, 0.0), complex(1.0, 0.0), complex(1.0, 0.0)],
            [complex(1.3125, 1.0), complex(1.0, 0.0), complex(2.625, 0.0)],
            [complex(1.0, 0.0), complex(1.0, 0.0), complex(1.0, 0.0)],
        ],
    ),
    (
        "tf.math.unsorted_segment_prod(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), [1, 1], 3)",
        "complex128",
        [
            [complex(1.0, 0.0), complex(1.0, 0.0), complex(1.0, 0.0)],
            [complex(1.3125, 1.0), complex(1.0, 0.0), complex(2.625, 0.0)],
            [complex(1.0, 0.0), complex(1.0, 0.0), complex(1.0, 0.0)],
        ],
    ),
    (
        "tf.math.unsorted_segment_min(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), [1, 1], 3)",
        "bfloat16",
        [[3.39e38, 3.39e38, 3.39e38], [-2.5, -1.0, -0.25], [3.39e38, 3.39e38, 3.39e38]],
    ),
    (
        "tf.math.unsorted_segment_min(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), [1, 1], 3)",
        "float16",
        [[65504.0, 65504.0, 65504.0], [-2.5, -1.0, -0.25], [65504.0, 65504.0, 65504.0]],
    ),
    (
        "tf.math.unsorted_segment_min(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), [1, 1], 3)",
        "float32",
        [[3.402823e38, 3.402823e38, 3.402823e38], [-2.5, -1.0, -0.25], [3.402823e38, 3.402823e38, 3.402823e38]],
    ),
    (
        "tf.math.unsorted_segment_min(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), [1, 1], 3)",
        "float64",
        [
            [1.79769313486e308, 1.79769313486e308, 1.79769313486e308],
            [-2.5, -1.0, -0.25],
            [1.79769313486e308, 1.79769313486e308, 1.79769313486e308],
        ],
    ),
    (
        "tf.math.unsorted_segment_min(c([[-3, -1, 100], [2, 7, 50]], tf.int8), [1, 1], 3)",
        "int8",
        [[127, 127, 127], [-3, -1, 50], [127, 127, 127]],
    ),
    (
        "tf.math.unsorted_segment_min(c([[-3, -1, 100], [2, 7, 50]], tf.int16), [1, 1], 3)",
        "int16",
        [[32767, 32767, 32767], [-3, -1, 50], [32767, 32767, 32767]],
    ),
    (
        "tf.math.unsorted_segment_min(c([[-3, -1, 100], [2, 7, 50]], tf.int32), [1, 1], 3)",
        "int32",
        [[2147483647, 2147483647, 2147483647], [-3, -1, 50], [2147483647, 2147483647, 2147483647]],
    ),
    (
        "tf.math.unsorted_segment_max(c([[3, 1, 100], [2, 7, 50]], tf.uint8), [1, 1], 3)",
        "uint8",
        [[0, 0, 0], [3, 7, 100], [0, 0, 0]],
    ),
    (
        "tf.math.unsorted_segment_max(c([[3, 1, 100], [2, 7, 50]], tf.uint16), [1, 1], 3)",
        "uint16",
        [[0, 0, 0], [3, 7, 100], [0, 0, 0]],
    ),
    (
        "tf.math.unsorted_segment_max(c([[3, 1, 100], [2, 7, 50]], tf.uint32), [1, 1], 3)",
        "uint32",
        [[0, 0, 0], [3, 7, 100], [0, 0, 0]],
    ),
    (
        "tf.math.unsorted_segment_max(c([[3, 1, 100], [2, 7, 50]], tf.uint64), [1, 1], 3)",
        "uint64",
        [[0, 0, 0], [3, 7, 100], [0, 0, 0]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(lambda x: tf.math.unsorted_segment_sum(x, [0, 0, -1], 2), [0., 3., 2.])", [[1.0, 1.0, 0.0]]),
    ("grads(lambda x: tf.math.unsorted_segment_max(x, [0, 0, -1], 2), [1., 1., 2.])", [[0.5, 0.5, 0.0]]),
    (
        "grads(lambda x: tf.math.unsorted_segment_min(x, [1, 0, 1], 2)*c([[2.], [3.]]), [[1., 1.], [2., 2.], [0., 1.]])",
        [[[0.0, 1.5], [2.0, 2.0], [3.0, 1.5]]],
    ),
    ("grads(lambda x: tf.math.unsorted_segment_prod(x, [0, 0, -1], 2), [0., 3., 2.])", [[3.0, 0.0, 0.0]]),
    ("grads(lambda x: tf.math.unsorted_segment_mean(x, [0, 0, -1], 2), [0., 3., 2.])", [[0.5, 0.5, 0.0]]),
    ("grads(lambda x: tf.math.unsorted_segment_sqrt_n(x, [0, 0, -1], 2), [0., 3., 2.])", [[0.7071068, 0.7071068, 0.0]]),
    (
        "grads(lambda x: tf.math.unsorted_segment_sum(x, [[0, 0], [1, -1]], 2)*c([2., 3.]), [[0., 3.], [2., 1.]])",
        [[[2.0, 2.0], [3.0, 0.0]]],
    ),
    ("grads(lambda x: tf.math.unsorted_segment_sum(x, c([0, 1]), c(2)), [2., 3.])", [[1.0, 1.0]]),
]

ERRORS = [
    (
        "tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, -1, 3], 3)",
        "eager",
        "InvalidArgumentError",
        "segment_ids[2] = 3 is out of range [0, 3)",
    ),
    (
        "tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, -1, 3], 3)",
        "function",
        "InvalidArgumentError",
        "segment_ids[2] = 3 is out of range [0, 3)",
    ),
    (
        "tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, -1], 3)",
        "eager",
        "InvalidArgumentError",
        "data.shape = [3] does not start with segment_ids.shape = [2]",
    ),
    (
        "tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, -1], 3)",
        "function",
        "ValueError",
        "Dimensions must be equal, but are 3 and 2",
    ),
    (
        "tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, -1, 2], -3)",
        "eager",
        "InvalidArgumentError",
        "Input num_segments == -3 must not be negative.",
    ),
    (
        "tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, -1, 2], -3)",
        "function",
        "ValueError",
        "Dimension size, given by scalar input 2, must be non-negativ",
    ),
    (
        "tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, 0, 0], [3])",
        "eager",
        "InvalidArgumentError",
        "num_segments should be a scalar, not shape [1]",
    ),
    (
        "tf.math.unsorted_segment_sum(c([1, 2, 3]), [1, 0, 0], [3])",
        "function",
        "ValueError",
        "Shape must be rank 0 but is rank 1",
    ),
    (
        "tf.math.unsorted_segment_sum(c([[1, 2], [3, 4]]), [[1, 0], [1, 7]], 2)",
        "eager",
        "InvalidArgumentError",
        "segment_ids[1,1] = 7 is out of range [0, 2)",
    ),
    (
        "tf.math.unsorted_segment_sum(c([[1, 2], [3, 4]]), [[1, 0], [1, 7]], 2)",
        "function",
        "InvalidArgumentError",
        "segment_ids[1,1] = 7 is out of range [0, 2)",
    ),
    (
        "tf.math.unsorted_segment_sum(c([True]), [0], 2)",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    (
        "tf.math.unsorted_segment_sum(c([True]), [0], 2)",
        "function",
        "TypeError",
        "Value passed to parameter 'data' has DataType bool not in li",
    ),
    (
        "tf.math.unsorted_segment_sum([1., 2.], [0], 2)",
        "eager",
        "InvalidArgumentError",
        "data.shape = [2] does not start with segment_ids.shape = [1]",
    ),
    (
        "tf.math.unsorted_segment_sum([1., 2.], [0], 2)",
        "function",
        "ValueError",
        "Dimensions must be equal, but are 2 and 1",
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


def test_negative_numbers_drop_the_row() -> None:
    assert tf.math.unsorted_segment_sum([1, 2, 4], [1, -1, 1], 2).numpy().tolist() == [0, 5]


@pytest.mark.parametrize("kind", ["sum", "max", "min", "prod"])
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_large_data_give_what_small_data_give(kind: str, dtype: str) -> None:
    data = numbers(dtype, (200, 11), 1, 3)
    ids = np.random.default_rng(0).integers(-1, 20, 200)
    reduce = getattr(tf.math, f"unsorted_segment_{kind}")
    columns = [reduce(data[:, i], ids, 25).numpy() for i in range(11)]
    np.testing.assert_allclose(reduce(data, ids, 25).numpy(), np.stack(columns, axis=1), rtol=1e-12)


@pytest.mark.xla
@pytest.mark.parametrize(
    "reduce, dtype",
    [
        (tf.math.unsorted_segment_sum, tf.int16),
        (tf.math.unsorted_segment_sum, tf.int64),
        (tf.math.unsorted_segment_max, tf.int32),
        (tf.math.unsorted_segment_min, tf.int64),
        (tf.math.unsorted_segment_prod, tf.int32),
    ],
)
def test_compiled_segments_drop_negative_numbers(reduce: Any, dtype: Any) -> None:
    data, ids = tf.constant([[1.0], [2.0], [3.0], [4.0]]), tf.constant([1, -1, -7, 1], dtype)
    found = tf.function(lambda: reduce(data, ids, 3), jit_compile=True)()
    np.testing.assert_array_equal(np.asarray(found), np.asarray(reduce(data, ids, 3)))
