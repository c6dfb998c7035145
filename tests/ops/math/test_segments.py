"""Reductions of sorted segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, numbers

IDS = np.int32([0, 0, 2, 2])
SAMPLES = [
    *(
        Sample(op, (numbers(d, (4, 2), 0.5), IDS), grad=d == "float64")
        for op in ("SegmentSum", "SegmentMean", "SegmentProd")
        for d in (*FLOATS, *INTEGERS, *COMPLEX)
    ),
    *(
        Sample(op, (numbers(d, (4, 2)), IDS.astype(np.int64)), grad=d == "float64")
        for op in ("SegmentMax", "SegmentMin")
        for d in (*FLOATS, *INTEGERS)
    ),
    Sample("SegmentSum", (numbers("float32", (0, 2)), np.int32([]))),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.segment_sum(c([[1, 2], [3, 4], [5, 6]]), [0, 0, 1])", "int32", [[4, 6], [5, 6]]),
    ("tf.math.segment_sum(c([1, 2, 3]), [0, 0, 3])", "int32", [3, 0, 0, 3]),
    ("tf.math.segment_sum(c([1, 2, 3]), [1, 1, 3])", "int32", [0, 3, 0, 3]),
    ("tf.math.segment_max(c([1, 2, 3]), [1, 1, 3])", "int32", [0, 2, 0, 3]),
    ("tf.math.segment_max(c([1., 2, 3]), [1, 1, 3])", "float32", [0.0, 2.0, 0.0, 3.0]),
    ("tf.math.segment_min(c([1., 2, 3]), [1, 1, 3])", "float32", [0.0, 1.0, 0.0, 3.0]),
    ("tf.math.segment_prod(c([1., 2, 3]), [1, 1, 3])", "float32", [1.0, 2.0, 1.0, 3.0]),
    ("tf.math.segment_mean(c([1., 2, 3]), [1, 1, 3])", "float32", [0.0, 1.5, 0.0, 3.0]),
    ("tf.math.segment_mean(c([1, 2, 4]), [0, 0, 2])", "int32", [1, 0, 4]),
    ("tf.math.segment_sum(tf.zeros([0, 2]), tf.zeros([0], tf.int32))", "float32", []),
    ("tf.math.segment_mean(c([[1., 2]]), [0])", "float32", [[1.0, 2.0]]),
    ("tf.math.segment_sum(tf.zeros([2, 0]), [0, 2])", "float32", []),
    (
        "tf.math.segment_sum(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), [0, 2])",
        "bfloat16",
        [[0.25, 0.5, 0.75], [0.0, 0.0, 0.0], [1.25, 2.0, 3.5]],
    ),
    (
        "tf.math.segment_prod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), [0, 2])",
        "bfloat16",
        [[0.25, 0.5, 0.75], [1.0, 1.0, 1.0], [1.25, 2.0, 3.5]],
    ),
    (
        "tf.math.segment_prod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), [0, 2])",
        "float16",
        [[0.25, 0.5, 0.75], [1.0, 1.0, 1.0], [1.25, 2.0, 3.5]],
    ),
    (
        "tf.math.segment_mean(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), [0, 2])",
        "float32",
        [[0.25, 0.5, 0.75], [0.0, 0.0, 0.0], [1.25, 2.0, 3.5]],
    ),
    (
        "tf.math.segment_mean(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), [0, 2])",
        "float64",
        [[0.25, 0.5, 0.75], [0.0, 0.0, 0.0], [1.25, 2.0, 3.5]],
    ),
    ("tf.math.segment_sum(c([[1, 2, 3], [4, 5, 6]], tf.int8), [0, 2])", "int8", [[1, 2, 3], [0, 0, 0], [4, 5, 6]]),
    ("tf.math.segment_sum(c([[1, 2, 3], [4, 5, 6]], tf.int16), [0, 2])", "int16", [[1, 2, 3], [0, 0, 0], [4, 5, 6]]),
    ("tf.math.segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.int16), [0, 2])", "int16", [[1, 2, 3], [1, 1, 1], [4, 5, 6]]),
    ("tf.math.segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.int32), [0, 2])", "int32", [[1, 2, 3], [1, 1, 1], [4, 5, 6]]),
    ("tf.math.segment_mean(c([[1, 2, 3], [4, 5, 6]], tf.int64), [0, 2])", "int64", [[1, 2, 3], [0, 0, 0], [4, 5, 6]]),
    ("tf.math.segment_mean(c([[1, 2, 3], [4, 5, 6]], tf.uint8), [0, 2])", "uint8", [[1, 2, 3], [0, 0, 0], [4, 5, 6]]),
    ("tf.math.segment_sum(c([[1, 2, 3], [4, 5, 6]], tf.uint16), [0, 2])", "uint16", [[1, 2, 3], [0, 0, 0], [4, 5, 6]]),
    ("tf.math.segment_sum(c([[1, 2, 3], [4, 5, 6]], tf.uint32), [0, 2])", "uint32", [[1, 2, 3], [0, 0, 0], [4, 5, 6]]),
    ("tf.math.segment_sum(c([[1, 2, 3], [4, 5, 6]], tf.uint64), [0, 2])", "uint64", [[1, 2, 3], [0, 0, 0], [4, 5, 6]]),
    ("tf.math.segment_prod(c([[1, 2, 3], [4, 5, 6]], tf.uint64), [0, 2])", "uint64", [[1, 2, 3], [1, 1, 1], [4, 5, 6]]),
    (
        "tf.math.segment_prod(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), [0, 2])",
        "complex64",
        [
            [complex(0.25, 1.0), complex(0.5, 0.0), complex(0.75, 0.0)],
            [complex(1.0, 0.0), complex(1.0, 0.0), complex(1.0, 0.0)],
            [complex(1.25, -1.0), complex(2.0, 0.0), complex(3.5, 0.0)],
        ],
    ),
    (
        "tf.math.segment_mean(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), [0, 2])",
        "complex128",
        [
            [complex(0.25, 1.0), complex(0.5, 0.0), complex(0.75, 0.0)],
            [complex(0.0, 0.0), complex(0.0, 0.0), complex(0.0, 0.0)],
            [complex(1.25, -1.0), complex(2.0, 0.0), complex(3.5, 0.0)],
        ],
    ),
    (
        "tf.math.segment_min(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), [0, 2])",
        "bfloat16",
        [[-2.5, -1.0, -0.25], [0.0, 0.0, 0.0], [0.5, 1.75, 3.0]],
    ),
    (
        "tf.math.segment_min(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), [0, 2])",
        "float16",
        [[-2.5, -1.0, -0.25], [0.0, 0.0, 0.0], [0.5, 1.75, 3.0]],
    ),
    (
        "tf.math.segment_max(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), [0, 2])",
        "float64",
        [[-2.5, -1.0, -0.25], [0.0, 0.0, 0.0], [0.5, 1.75, 3.0]],
    ),
    (
        "tf.math.segment_max(c([[-3, -1, 100], [2, 7, 50]], tf.int8), [0, 2])",
        "int8",
        [[-3, -1, 100], [0, 0, 0], [2, 7, 50]],
    ),
    (
        "tf.math.segment_min(c([[-3, -1, 100], [2, 7, 50]], tf.int16), [0, 2])",
        "int16",
        [[-3, -1, 100], [0, 0, 0], [2, 7, 50]],
    ),
    (
        "tf.math.segment_min(c([[-3, -1, 100], [2, 7, 50]], tf.int32), [0, 2])",
        "int32",
        [[-3, -1, 100], [0, 0, 0], [2, 7, 50]],
    ),
    (
        "tf.math.segment_max(c([[3, 1, 100], [2, 7, 50]], tf.uint8), [0, 2])",
        "uint8",
        [[3, 1, 100], [0, 0, 0], [2, 7, 50]],
    ),
    (
        "tf.math.segment_max(c([[3, 1, 100], [2, 7, 50]], tf.uint16), [0, 2])",
        "uint16",
        [[3, 1, 100], [0, 0, 0], [2, 7, 50]],
    ),
    (
        "tf.math.segment_min(c([[3, 1, 100], [2, 7, 50]], tf.uint32), [0, 2])",
        "uint32",
        [[3, 1, 100], [0, 0, 0], [2, 7, 50]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    (
        "grads(lambda x: tf.math.segment_sum(x, [0, 0, 2])*c([[1.], [2.], [3.]]), [[1., 2.], [3., 4.], [5., 6.]])",
        [[[1.0, 1.0], [1.0, 1.0], [3.0, 3.0]]],
    ),
    (
        "grads(lambda x: tf.math.segment_mean(x, [0, 0, 2])*c([[1.], [2.], [3.]]), [[1., 2.], [3., 4.], [5., 6.]])",
        [[[0.5, 0.5], [0.5, 0.5], [3.0, 3.0]]],
    ),
    ("grads(lambda x: tf.math.segment_max(x, [0, 0, 1]), [1., 1., 2.])", [[0.5, 0.5, 1.0]]),
    ("grads(lambda x: tf.math.segment_min(x, [0, 0, 1]), [1., 3., 2.])", [[1.0, 0.0, 1.0]]),
    ("grads(lambda x: tf.math.segment_prod(x, [0, 0, 1]), [2., 3., 2.])", [[3.0, 2.0, 1.0]]),
    ("grads(lambda x: tf.math.segment_prod(x, [0, 0, 0, 1, 1]), [2., 0., 3., 0., 0.])", [[0.0, 6.0, 0.0, 0.0, 0.0]]),
]

ERRORS = [
    ("tf.math.segment_sum(c([1, 2, 3]), [1, 0, 3])", "eager", "InvalidArgumentError", "segment ids are not increasing"),
    (
        "tf.math.segment_sum(c([1, 2, 3]), [1, 0, 3])",
        "function",
        "InvalidArgumentError",
        "segment ids are not increasing",
    ),
    (
        "tf.math.segment_sum(c([1, 2, 3]), [-1, 0, 3])",
        "eager",
        "InvalidArgumentError",
        "Segment id -1 out of range [0, 4), possibly because 'segment",
    ),
    (
        "tf.math.segment_sum(c([1, 2, 3]), [-1, 0, 3])",
        "function",
        "InvalidArgumentError",
        "Segment id -1 out of range [0, 4), possibly because 'segment",
    ),
    (
        "tf.math.segment_sum(c([1, 2, 3]), [0, 0])",
        "eager",
        "InvalidArgumentError",
        "segment_ids should be the same size as dimension 0 of input.",
    ),
    (
        "tf.math.segment_sum(c([1, 2, 3]), [0, 0])",
        "function",
        "InvalidArgumentError",
        "segment_ids should be the same size as dimension 0 of input.",
    ),
    (
        "tf.math.segment_sum(c([1, 2, 3]), [[0, 0, 1]])",
        "eager",
        "InvalidArgumentError",
        "segment_ids should be a vector.",
    ),
    ("tf.math.segment_sum(c([1, 2, 3]), [[0, 0, 1]])", "function", "ValueError", "Shape must be rank 1 but is rank 2"),
    ("tf.math.segment_sum(c(1), [0])", "eager", "InvalidArgumentError", "input must be at least rank 1"),
    ("tf.math.segment_sum(c(1), [0])", "function", "ValueError", "Shape must be at least rank 1 but is rank 0"),
    (
        "tf.math.segment_sum(c([1, 2, 3]), c([0, 0, 1.]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'Tindices' of float is not in the list of all",
    ),
    (
        "tf.math.segment_sum(c([1, 2, 3]), c([0, 0, 1.]))",
        "function",
        "TypeError",
        "Value passed to parameter 'segment_ids' has DataType float32",
    ),
    ("tf.math.segment_sum(5, 0)", "eager", "InvalidArgumentError", "input must be at least rank 1"),
    ("tf.math.segment_sum(5, 0)", "function", "ValueError", "Shape must be at least rank 1 but is rank 0"),
    ("tf.math.segment_sum(5, [0])", "eager", "InvalidArgumentError", "input must be at least rank 1"),
    ("tf.math.segment_sum(5, [0])", "function", "ValueError", "Shape must be at least rank 1 but is rank 0"),
    ("tf.math.segment_sum([5], 0)", "eager", "InvalidArgumentError", "segment_ids should be a vector."),
    ("tf.math.segment_sum([5], 0)", "function", "ValueError", "Shape must be rank 1 but is rank 0"),
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


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.float16])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
def test_many_rows_are_reduced_as_few_are(name: str, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    ids = np.sort(rng.integers(0, 900, 2500)).astype(np.int32)
    ids += ids > 100  # number 101 does not occur
    rows = rng.choice(np.array([1, 2, -1] if name == "prod" else [1, 2, 3, -5], dtype), (2500, 8))
    segment = getattr(tf.math, f"segment_{name}")
    np.testing.assert_array_equal(segment(rows, ids), np.stack([segment(column, ids) for column in rows.T], axis=1))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("rows_of_segment", [1, 3, 20])
def test_segments_that_all_have_rows_are_reduced_as_others_are(name: str, rows_of_segment: int) -> None:
    ids = np.repeat(np.arange(700), rows_of_segment)
    rows = np.random.default_rng(0).choice([1.0, 2.0, -5.0], (len(ids), 30)).astype(np.float32)
    segment = getattr(tf.math, f"segment_{name}")
    with_gap = segment(rows, ids + (ids > 300)).numpy()
    found = segment(rows, ids).numpy()
    np.testing.assert_array_equal(found, np.delete(with_gap, 301, axis=0))
    assert with_gap[301].tolist() == [{"prod": 1.0}.get(name, 0.0)] * 30


def test_the_means_of_segments_count_rows() -> None:
    assert tf.math.segment_mean([[4], [6], [9]], [0, 0, 2]).numpy().tolist() == [[5], [0], [9]]
    assert tf.math.segment_mean(np.zeros((0, 2), np.float32), np.zeros(0, np.int32)).shape == (0, 2)
    assert tf.math.segment_mean(np.zeros((2, 0), np.float32), [0, 3]).shape == (4, 0)
