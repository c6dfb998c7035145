"""Conditional accumulators."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.accumulator.accumulators import DenseAccumulator, SparseAccumulator


def _dense(reduction: str = "MEAN", shape: tuple[int | None, ...] | None = (2,)) -> DenseAccumulator:
    return DenseAccumulator(tf.float32, TensorShape(shape), reduction)


def _sparse(reduction: str = "MEAN", shape: tuple[int | None, ...] | None = (3, 2)) -> SparseAccumulator:
    return SparseAccumulator(tf.float32, TensorShape(shape), reduction)


def _add(accumulator: SparseAccumulator, indices: list[int], rows: list[list[float]]) -> None:
    accumulator.apply(0, np.array(indices, np.int64), np.array(rows, np.float32), np.zeros(0, np.int64), False)


@pytest.mark.parametrize(("reduction", "expected"), [("MEAN", [2.0, 4.0]), ("SUM", [4.0, 8.0])])
def test_the_mean_or_the_sum_is_taken_and_the_next_step_begins(reduction: str, expected: list[float]) -> None:
    accumulator = _dense(reduction)
    accumulator.apply(0, np.float32([1, 2]))
    accumulator.apply(0, np.float32([3, 6]))
    assert accumulator.take(2).tolist() == expected
    accumulator.apply(0, np.float32([9, 9]))  # stale: the accumulator is at step 1
    assert accumulator.count == 0
    accumulator.apply(1, np.float32([9, 9]))
    assert accumulator.count == 1


def test_to_take_waits_for_other_threads() -> None:
    accumulator = _dense()
    taken: list[list[float]] = []
    taker = threading.Thread(target=lambda: taken.append(accumulator.take(2).tolist()))
    taker.start()
    for _ in range(2):
        accumulator.apply(0, np.float32([1, 1]))
    taker.join(timeout=30)
    assert taken == [[1.0, 1.0]]


def test_a_row_is_the_mean_of_the_gradients_that_have_the_row() -> None:
    accumulator = _sparse()
    _add(accumulator, [0, 2], [[1, 2], [3, 4]])
    _add(accumulator, [1, 2], [[7, 7], [1, 1]])
    indices, rows, shape = accumulator.take(2)
    assert indices.tolist() == [0, 1, 2]
    assert rows.tolist() == [[1, 2], [7, 7], [2, 2.5]]
    assert shape.tolist() == [3, 2]


def test_rows_that_one_gradient_repeats_are_added_up() -> None:
    accumulator = _sparse("SUM")
    _add(accumulator, [2, 2], [[1, 1], [2, 2]])
    _add(accumulator, [2, 0, 2], [[1, 1], [5, 5], [1, 1]])
    indices, rows, _ = accumulator.take(1)
    assert (indices.tolist(), rows.tolist()) == ([0, 2], [[5, 5], [5, 5]])


def test_a_single_gradient_comes_out_as_it_came() -> None:
    accumulator = _sparse(shape=None)
    _add(accumulator, [7, 0], [[1, 1], [2, 2]])
    indices, rows, shape = accumulator.take(1)
    assert (indices.tolist(), rows.tolist(), shape.tolist()) == ([7, 0], [[1, 1], [2, 2]], [-1, 2])


@pytest.mark.parametrize(
    ("indices", "rows", "message"),
    [
        ([5], [[1, 1]], "out of range"),
        ([-1], [[1, 1]], "out of range"),
        ([1, 2], [[1, 1]], "number of rows"),
        ([1], [[1, 1, 1]], r"expected rows of \[2\], got \[3\]"),
        ([[1]], [[1, 1]], "Input indices should be vector"),
    ],
)
def test_rows_that_do_not_fit_are_refused(indices: list[int], rows: list[list[float]], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _add(_sparse(), indices, rows)


def test_a_stated_shape_must_be_that_of_the_accumulator() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"expected shape \[3,2\], got \[4,2\]"):
        _sparse().apply(0, np.int64([0]), np.ones((1, 2), np.float32), np.int64([4, 2]), True)


def test_gradients_of_another_shape_are_refused() -> None:
    accumulator = _dense(shape=None)
    accumulator.apply(0, np.ones(2, np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape mismatch: expected \[2\], got \[1\]"):
        accumulator.apply(0, np.ones(1, np.float32))


def test_accumulators_that_make_no_sense_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="reduction_type"):
        _dense("MAX")
    with pytest.raises(tf.errors.UnimplementedError, match="int32"):
        DenseAccumulator(tf.int32, TensorShape([2]), "MEAN")
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_required must be >= 1, got 0"):
        _dense().take(0)
