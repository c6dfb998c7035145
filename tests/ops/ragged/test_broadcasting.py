"""Broadcasting of ragged tensors."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.ragged.broadcasting import BroadcastValues

_R = tf.RaggedTensor


def _x() -> Any:
    return tf.ragged.constant([[1, 2], [3]])


def _deep() -> Any:
    return tf.ragged.constant([[[1, 2], [3]], [[4]]])


def _uniform() -> Any:
    return _R.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [4], []]), 2)


def _matrix_rows() -> Any:
    return _R.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 1, 3])


_SUMS = [
    (_x, [[10], [20]], [[11, 12], [23]]),
    (_x, [10], [[11, 12], [13]]),
    (_x, [[10]], [[11, 12], [13]]),
    (_x, [[[10]]], [[[11, 12], [13]]]),
    (_x, [[[[10]]]], [[[[11, 12], [13]]]]),
    (_x, [[[10], [20]]], [[[11, 12], [23]]]),
    (_deep, [[[10]], [[20]]], [[[11, 12], [13]], [[24]]]),
    (_uniform, [[[10], [20]]], [[[11], [22, 23]], [[14], []]]),
    (_matrix_rows, [10, 20], [[[11, 22]], [[13, 24], [15, 26]]]),
    (_matrix_rows, [[[10, 20]]], [[[11, 22]], [[13, 24], [15, 26]]]),
    (_matrix_rows, [[[10]], [[20]]], [[[11, 12]], [[23, 24], [25, 26]]]),
]


@pytest.mark.parametrize(("ragged", "dense", "expected"), _SUMS)
def test_dimensions_of_size_one_are_repeated(ragged: Any, dense: Any, expected: Any) -> None:
    assert (ragged() + dense).to_list() == expected or (ragged() + dense).numpy().tolist() == expected
    assert tf.reduce_all((tf.constant(dense) + ragged()).flat_values == (ragged() + dense).flat_values)


@pytest.mark.parametrize(("ragged", "dense", "expected"), _SUMS)
def test_sizes_may_be_known_only_when_a_graph_runs(ragged: Any, dense: Any, expected: Any) -> None:
    @tf.function(autograph=False, reduce_retracing=True)
    def add(x: Any, y: Any) -> Any:
        return x + y

    x, y = ragged(), tf.constant(dense)
    specs = (
        tf.RaggedTensorSpec([None] * x.shape.rank, x.dtype, x.ragged_rank),
        tf.TensorSpec([None] * y.shape.rank, y.dtype),
    )
    traced = add.get_concrete_function(*specs)
    eager_sum = x + y
    sums = traced(x, y)
    assert sums.flat_values.numpy().tolist() == eager_sum.flat_values.numpy().tolist()
    assert sums.to_list() == eager_sum.to_list()


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (_x, [10, 20]),
        (_x, [[10, 20], [30, 40]]),
        (_deep, [[10, 20]]),
        (_x, [[1], [2], [3]]),
    ],
)
def test_sizes_that_do_not_fit_are_refused(x: Any, y: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold"):
        x() + y


def test_two_ragged_tensors_of_different_ranks() -> None:
    x = _R.from_uniform_row_length(_x(), 2)
    assert (x + _x()).to_list() == [[[2, 4], [6]]]
    assert (_R.from_uniform_row_length([1, 2], 1) + _x()).to_list() == [[2, 3], [5]]
    assert (_R.from_tensor([[7], [8]]) + _R.from_tensor([[1, 2, 3]])).to_list() == [[8, 9, 10], [9, 10, 11]]


def test_static_sizes_are_kept() -> None:
    assert (_x() + [[10], [20]]).shape.as_list() == [2, None]
    assert (_x() + [[[10]]]).shape.as_list() == [1, 2, None]


def test_an_unknown_rank_is_refused() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None, tf.int32)])
    def add(y: Any) -> Any:
        return _x() + y

    with pytest.raises(ValueError, match="Ragged broadcasting needs operands of known rank"):
        add(tf.constant([1]))


def test_any_number_of_values_is_broadcast() -> None:
    values = BroadcastValues([_x(), tf.constant([[10], [20]]), tf.constant(5)])
    ragged = [values.with_flat_values(tf.zeros([3], tf.int32) + flat).to_list() for flat in values.flat_values]
    assert ragged == [[[1, 2], [3]], [[10, 10], [20]], [[5, 5], [5]]]
