"""Reductions of segments of chosen rows."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import FLOATS, numbers

INDICES, IDS = np.int32([0, 2, 3, 0]), np.int64([0, 0, 2, 2])
SAMPLES = [
    *(
        Sample(f"SparseSegment{kind}", (numbers(d, (4, 2)), INDICES, IDS), grad=d == "float64")
        for kind in ("Sum", "Mean", "SqrtN")
        for d in FLOATS
    ),
    *(
        Sample(
            f"SparseSegment{kind}WithNumSegments", (numbers(d, (4, 2)), INDICES, IDS, np.int32(4)), grad=d == "float64"
        )
        for kind in ("Sum", "Mean", "SqrtN")
        for d in FLOATS
    ),
    *(
        Sample(f"SparseSegment{kind}Grad", (numbers(d, (3, 2)), INDICES, IDS, np.int32(5)), grad=d == "float64")
        for kind in ("Sum", "Mean", "SqrtN")
        for d in FLOATS
    ),
    Sample("SparseSegmentSum", (numbers("int32", (4, 2)), INDICES, IDS)),
    Sample("SparseSegmentSum", (numbers("float32", (4, 2)), np.int32([]), np.int32([]))),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 2], [0, 0])", "float32", [[6.0, 8.0]]),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 2], [0, 3])",
        "float32",
        [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [5.0, 6.0]],
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 2], [0, 1], num_segments=4)",
        "float32",
        [[1.0, 2.0], [5.0, 6.0], [0.0, 0.0], [0.0, 0.0]],
    ),
    (
        "tf.sparse.segment_mean(c([[1., 2], [3, 4], [5, 6]]), [0, 2, 1], [0, 0, 2])",
        "float32",
        [[3.0, 4.0], [0.0, 0.0], [3.0, 4.0]],
    ),
    (
        "tf.sparse.segment_mean(c([[1., 2], [3, 4], [5, 6]]), [0, 2, 1], [0, 0, 2], num_segments=4)",
        "float32",
        [[3.0, 4.0], [0.0, 0.0], [3.0, 4.0], [0.0, 0.0]],
    ),
    (
        "tf.sparse.segment_sqrt_n(c([[1., 2], [3, 4], [5, 6]]), [0, 2, 1], [0, 0, 2], num_segments=4)",
        "float32",
        [[4.24264, 5.656854], [0.0, 0.0], [3.0, 4.0], [0.0, 0.0]],
    ),
    (
        "tf.sparse.segment_sqrt_n(c([[1., 2], [3, 4], [5, 6]]), [0, 2, 1], [0, 0, 2])",
        "float32",
        [[4.24264, 5.656854], [0.0, 0.0], [3.0, 4.0]],
    ),
    ("tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), c([], tf.int32), c([], tf.int32))", "float32", []),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), c([], tf.int32), c([], tf.int32), num_segments=2)",
        "float32",
        [[0.0, 0.0], [0.0, 0.0]],
    ),
    (
        "tf.raw_ops.SparseSegmentSumGrad(grad=c([[1., 2], [3, 4], [5, 6]]), indices=[0, 2, 0], segment_ids=[0, 1, 2], output_dim0=4)",
        "float32",
        [[6.0, 8.0], [0.0, 0.0], [3.0, 4.0], [0.0, 0.0]],
    ),
    (
        "tf.raw_ops.SparseSegmentMeanGrad(grad=c([[1., 2], [3, 4], [5, 6]]), indices=[0, 2, 0], segment_ids=[0, 0, 2], output_dim0=4)",
        "float32",
        [[5.5, 7.0], [0.0, 0.0], [0.5, 1.0], [0.0, 0.0]],
    ),
    (
        "tf.raw_ops.SparseSegmentSqrtNGrad(grad=c([[1., 2], [3, 4], [5, 6]]), indices=[0, 2, 0], segment_ids=[0, 0, 2], output_dim0=4)",
        "float32",
        [[5.707107, 7.414214], [0.0, 0.0], [0.7071068, 1.414214], [0.0, 0.0]],
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 2], [0, 0], sparse_gradient=True)",
        "float32",
        [[6.0, 8.0]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    (
        "grads(lambda x: tf.sparse.segment_sum(x, [0, 2], [0, 0]), [[1., 2], [3, 4], [5, 6]])",
        [[[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]],
    ),
    (
        "grads(lambda x: tf.sparse.segment_mean(x, [0, 2, 2], [0, 0, 1]), [[1., 2], [3, 4], [5, 6]])",
        [[[0.5, 0.5], [0.0, 0.0], [1.5, 1.5]]],
    ),
    (
        "grads(lambda x: tf.sparse.segment_sqrt_n(x, [0, 2, 2], [0, 0, 1], num_segments=3), [[1., 2], [3, 4], [5, 6]])",
        [[[0.7071068, 0.7071068], [0.0, 0.0], [1.707107, 1.707107]]],
    ),
]

ERRORS = [
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 5], [0, 0])",
        "eager",
        "InvalidArgumentError",
        "Bad: indices[1] == 5 out of range [0, 3)",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 5], [0, 0])",
        "function",
        "InvalidArgumentError",
        "Bad: indices[1] == 5 out of range [0, 3)",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, -1], [0, 0])",
        "eager",
        "InvalidArgumentError",
        "Bad: indices[1] == -1 out of range [0, 3)",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, -1], [0, 0])",
        "function",
        "InvalidArgumentError",
        "Bad: indices[1] == -1 out of range [0, 3)",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [1, 0])",
        "eager",
        "InvalidArgumentError",
        "segment ids are not increasing",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [1, 0])",
        "function",
        "InvalidArgumentError",
        "segment ids are not increasing",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [-1, 0])",
        "eager",
        "InvalidArgumentError",
        "Segment id -1 out of range [0, 1), possibly because 'segment",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [-1, 0])",
        "function",
        "InvalidArgumentError",
        "Segment id -1 out of range [0, 1), possibly because 'segment",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [0])",
        "eager",
        "InvalidArgumentError",
        "segment_ids and indices should have same size.",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [0])",
        "function",
        "ValueError",
        "Dimension 0 in both shapes must be equal, but are 2 and 1. S",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [[0, 1]], [0])",
        "eager",
        "InvalidArgumentError",
        "indices should be a vector.",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [[0, 1]], [0])",
        "function",
        "ValueError",
        "Shape must be rank 1 but is rank 2",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [0, 5], num_segments=3)",
        "eager",
        "InvalidArgumentError",
        "segment ids must be < num_segments",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [0, 5], num_segments=3)",
        "function",
        "InvalidArgumentError",
        "segment ids must be < num_segments",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [0, 1], num_segments=-1)",
        "eager",
        "InvalidArgumentError",
        "segment ids must be >= 0",
    ),
    (
        "tf.sparse.segment_sum(c([[1., 2], [3, 4], [5, 6]]), [0, 1], [0, 1], num_segments=-1)",
        "function",
        "ValueError",
        "Cannot specify a negative value for num_segments",
    ),
    ("tf.sparse.segment_sum(c(1.), [0], [0])", "eager", "InvalidArgumentError", "Shape must be at least rank 1"),
    ("tf.sparse.segment_sum(c(1.), [0], [0])", "function", "ValueError", "Shape must be at least rank 1 but is rank 0"),
    (
        "tf.sparse.segment_mean(c([1, 2]), [0, 1], [0, 0])",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    (
        "tf.sparse.segment_mean(c([1, 2]), [0, 1], [0, 0])",
        "function",
        "TypeError",
        "Value passed to parameter 'data' has DataType int32 not in l",
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
