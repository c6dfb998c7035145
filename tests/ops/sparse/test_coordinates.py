"""Coordinates of sparse tensors as positions, in order and within bounds, against NumPy on whole arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.sparse import coordinates

LARGE = [2**40, 2**40]


@st.composite
def coordinate_lists(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    dims = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    count = draw(st.integers(0, 12))
    columns = [draw(st.lists(st.integers(0, dim - 1), min_size=count, max_size=count)) for dim in dims]
    return np.array(columns, np.int64).reshape(len(dims), count).T.copy(), dims


@given(coordinate_lists())
def test_positions_are_those_of_a_flat_array(case) -> None:
    indices, dims = case
    expected = np.ravel_multi_index(tuple(indices.T), dims) if len(indices) else []
    assert coordinates.positions(np, indices, dims).tolist() == list(expected)


@given(coordinate_lists(), st.booleans())
def test_coordinates_are_ordered_by_rows_whether_they_have_positions_or_not(case, is_large) -> None:
    indices, dims = case
    shape = np.array([2**40] * len(dims) if is_large else dims)
    order = coordinates.order_of_coordinates(xp, indices, shape)
    found_order = list(range(len(indices))) if order is None else order.tolist()
    assert found_order == sorted(range(len(indices)), key=lambda i: indices[i].tolist())


@given(coordinate_lists(), coordinate_lists())
def test_common_keys_compare_as_rows_do(one, other) -> None:
    rank = min(one[0].shape[1], other[0].shape[1])
    a, b = one[0][:, :rank].copy(), other[0][:, :rank].copy()
    for dims in (None, [5] * rank, [1] * rank):
        a_keys, b_keys = coordinates.common_keys([a, b], dims)
        for i, j in np.ndindex(len(a), len(b)):
            assert (a_keys[i] < b_keys[j]) == (a[i].tolist() < b[j].tolist())
            assert (a_keys[i] == b_keys[j]) == (a[i].tolist() == b[j].tolist())


def test_negative_coordinates_have_keys() -> None:
    a_keys, b_keys = coordinates.common_keys([np.array([[-1], [3]]), np.array([[2]])], [4])
    assert a_keys[0] < b_keys[0] < a_keys[1]


@pytest.mark.parametrize(
    ("indices", "dims", "message"),
    [
        ([[5]], [2], r"indices\[0\] = \[5\] is out of bounds: need 0 <= index < \[2\]"),
        ([[0, 0], [0, -1]], [2, 3], r"indices\[1\] = \[0,-1\] is out of bounds: need 0 <= index < \[2,3\]"),
        ([[0], [1], [0]], [2], r"indices\[2\] = \[0\] is out of order. Many sparse ops require sorted indices"),
        ([[1, 2], [0, 3]], LARGE, r"indices\[1\] = \[0,3\] is out of order"),
        ([[1, 2], [1, 2]], LARGE, r"indices\[1\] = \[1,2\] is repeated"),
        ([[1], [0], [9]], [2], r"indices\[1\] = \[0\] is out of order"),
    ],
)
def test_the_first_bad_coordinate_is_named(indices, dims, message) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        coordinates.validate_positions(np.array(indices), dims)


def test_good_coordinates_have_positions() -> None:
    assert coordinates.validate_positions(np.array([[0, 1], [1, 0], [1, 2]]), [2, 3]).tolist() == [1, 3, 5]
    assert coordinates.validate_positions(np.zeros([0, 2], np.int64), [0, 0]).tolist() == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="elements"):
        coordinates.validate_positions(np.array([[0, 1], [1, 0]]), LARGE)


@given(st.lists(st.integers(0, 4)))
def test_occurrences_count_equal_numbers_before(numbers) -> None:
    numbers.sort()
    expected = [numbers[:i].count(number) for i, number in enumerate(numbers)]
    assert coordinates.occurrences(np.array(numbers, np.int64)).tolist() == expected


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([[0, 0], [0, 7]], r"indices\[1\] = \[0,7\] is out of bounds: need 0 <= index < \[2,3\]"),
        ([[-1, 0], [0, 7]], r"indices\[0\] = \[-1,0\] is out of bounds"),
        ([[0, 1], [0, 1]], r"indices\[1\] = \[0,1\] is repeated"),
        ([[0, 1], [0, 0]], r"indices\[1\] = \[0,0\] is out of order\. Many sparse ops require sorted indices\."),
    ],
)
def test_the_first_coordinate_out_of_order_is_named(indices: list[list[int]], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        coordinates.require_order(np.int64(indices), [2, 3])


@pytest.mark.parametrize("indices", [np.zeros((0, 2)), [[0, 0]], [[0, 0], [0, 1], [1, 0]]])
def test_coordinates_in_order_pass(indices: list[list[int]]) -> None:
    coordinates.require_order(np.array(indices, np.int64), [2, 3])
