"""Sums that take apart what is mostly zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from tests.passes.tracing import ROWS, optimized, run, types


def slice_gradient(x: Any, row: int) -> Any:
    return tf.raw_ops.StridedSliceGrad(shape=tf.shape(x), begin=[row], end=[row + 1], strides=[1], dy=x[row : row + 1])


def test_a_sum_takes_apart_what_is_mostly_zeros() -> None:
    graph = optimized(lambda x: x + slice_gradient(x, 0) + slice_gradient(x, 1), ROWS)
    assert [len(node.added) for node in graph.nodes if node.type == "AddV2"] == [1, 1]
    assert "StridedSliceGrad" not in types(graph)
    assert run(graph, np.float32([[1, 2, 3], [4, 5, 6]])) == [[[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]]


def test_one_of_the_summands_is_made() -> None:
    graph = optimized(lambda x: slice_gradient(x, 0) + slice_gradient(x, 1), ROWS)
    assert types(graph).count("StridedSliceGrad") == 1


def test_what_something_else_reads_too_is_made() -> None:
    def f(x: Any) -> Any:
        part = slice_gradient(x, 0)
        return x + part, tf.exp(part)

    graph = optimized(f, ROWS)
    assert "StridedSliceGrad" in types(graph)
    assert not any(node.added for node in graph.nodes)
