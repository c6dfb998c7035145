"""Gradients of sums of chosen rows that hold only these rows."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.sparse.recorded import Record, check, grads

P = np.arange(12.0, dtype=np.float32).reshape(6, 2)
NAMES = {"P": P, "g2": lambda f, *a: grads(lambda *x: f(*x) ** 2, *a)}
SAMPLES = [
    *(
        Sample(
            f"SparseSegment{kind}GradV2",
            (np.arange(6, dtype=d).reshape(3, 2), np.array(i, n), np.array([0, 0, 2], n), np.int32(9)),
            grad=d == "float64",
        )
        for kind in ("Sum", "Mean", "SqrtN")
        for d, n, i in (
            ("float32", "int32", [1, 3, 1]),
            ("float64", "int64", [8, 0, 8]),
            ("float16", "int32", [0, 1, 2]),
        )
    ),
    Sample("SparseSegmentSumGradV2", (np.ones((2, 1)), np.int32([]), np.int32([]), np.int32(4))),
]

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    (
        "g2(lambda p: R.SparseSegmentSum(data=p,indices=[1,3,1],segment_ids=[0,0,2],sparse_gradient=True),P)",
        "[IS(int32:[1, 3], float32:[[20.0, 26.0], [16.0, 20.0]], int32:[6, 2])]",
        None,
    ),
    (
        "g2(lambda p: R.SparseSegmentMeanWithNumSegments(data=p,indices=[1,3,1],segment_ids=[0,0,2],num_segments=5,sparse_gradient=True),P)",
        "[IS(int32:[1, 3], float32:[[8.0, 11.0], [4.0, 5.0]], int32:[6, 2])]",
        None,
    ),
    (
        "g2(lambda p: tf.sparse.segment_sqrt_n(p,[1,3,1],[0,0,2],sparse_gradient=True),P)",
        "[IS(int32:[1, 3], float32:[[12.0, 16.0], [8.0, 10.0]], int32:[6, 2])]",
        None,
    ),
    (
        "g2(lambda p: tf.sparse.segment_mean(p,[],[],sparse_gradient=True),P)",
        "[IS(int32[0], float32[0, 2], int32:[6, 2])]",
        None,
    ),
    (
        "R.SparseSegmentSumGradV2(grad=[[1.,2],[3,4],[5,6]],indices=[1,3,1],segment_ids=[0,0,2],dense_output_dim0=6)",
        "[float32:[[6.0, 8.0], [1.0, 2.0]], int32:[1, 3]]",
        None,
    ),
    (
        "R.SparseSegmentMeanGradV2(grad=[[1.,2],[3,4],[5,6]],indices=c([1,3,1],tf.int64),segment_ids=[0,0,2],dense_output_dim0=6)",
        "[float32:[[5.5, 7.0], [0.5, 1.0]], int64:[1, 3]]",
        None,
    ),
    (
        "R.SparseSegmentSqrtNGradV2(grad=[[1.,2],[3,4],[5,6]],indices=[1,3,1],segment_ids=[0,0,2],dense_output_dim0=6)",
        "[float32:[[5.70711, 7.41421], [0.70711, 1.41421]], int32:[1, 3]]",
        None,
    ),
    (
        "R.SparseSegmentSqrtNGradV2(grad=[[1.,2],[3,4],[5,6]],indices=[1,3,1],segment_ids=[0,0,3],dense_output_dim0=6)",
        "InvalidArgumentError: Invalid number of segments",
        None,
    ),
    (
        "R.SparseSegmentSqrtNGradV2(grad=[[1.,2],[3,4],[5,6]],indices=[1,9,1],segment_ids=[0,0,2],dense_output_dim0=6)",
        "InvalidArgumentError: Index 9 out of range [0, 6).",
        None,
    ),
    (
        "R.SparseSegmentSumGradV2(grad=[[1.,2],[3,4],[5,6]],indices=[1,-9,1],segment_ids=[0,0,2],dense_output_dim0=6)",
        "InvalidArgumentError: Index -9 out of range [0, 6).",
        None,
    ),
    (
        "R.SparseSegmentSumGradV2(grad=[[1.,2],[3,4],[5,6]],indices=[],segment_ids=[],dense_output_dim0=6)",
        "[float32[0, 2], int32[0]]",
        None,
    ),
    (
        "R.SparseSegmentSumGradV2(grad=[[1.,2],[3,4],[5,6]],indices=[[1]],segment_ids=[1],dense_output_dim0=6)",
        "InvalidArgumentError: indices should be a vector.",
        "ValueError: Shape must be rank 1 but is rank 2",
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, NAMES)


@pytest.mark.parametrize("kind", ["Sum", "Mean", "SqrtN"])
@pytest.mark.parametrize("rows", [300, 100_000])
def test_sparse_gradients_of_many_indices_are_the_dense_ones(kind: str, rows: int) -> None:
    generator = np.random.default_rng(0)
    ids = np.sort(generator.integers(0, 50, 500))
    facts = {"grad": generator.standard_normal((50, 3)), "indices": generator.integers(0, 300, 500), "segment_ids": ids}
    dense = getattr(tf.raw_ops, f"SparseSegment{kind}Grad")(**facts, output_dim0=rows)
    values, distinct = getattr(tf.raw_ops, f"SparseSegment{kind}GradV2")(**facts, dense_output_dim0=rows)
    np.testing.assert_array_equal(distinct, np.unique(facts["indices"]))
    np.testing.assert_allclose(values, dense.numpy()[distinct.numpy()], rtol=1e-12)
