"""Dense, sparse and ragged tensors of feature lists."""

from __future__ import annotations

import numpy as np

import millrace as tf
from millrace._src.ops.io.example_fields import Field, FieldLayout
from millrace._src.ops.io.sequence_reader import ListColumn
from millrace._src.ops.io.sequence_tensors import pad_lists, ragged_list_parts, sparse_list_parts

_UNEVEN = ListColumn(np.array([1, 2, 3]), np.array([1, 0, 2]), np.array([2, -1, 1]))


def _plain(parts: tuple[np.ndarray, ...]) -> list[object]:
    return [part.tolist() for part in parts]


def test_lists_are_padded_to_the_longest() -> None:
    column = ListColumn(np.arange(6), np.array([2, 2, 2]), np.array([2, -1, 1]))
    values, lengths = pad_lists(column, Field(b"x", tf.int64, FieldLayout.FIXED, (2,)), is_single=False)
    assert values.tolist() == [[[0, 1], [2, 3]], [[0, 0], [0, 0]], [[4, 5], [0, 0]]]
    assert lengths.tolist() == [2, 0, 1]


def test_lists_of_nothing_keep_their_lengths() -> None:
    column = ListColumn(np.array([], np.int64), np.array([0, 0]), np.array([2]))
    field = Field(b"x", tf.int64, FieldLayout.FIXED, (0, 3))
    assert pad_lists(column, field, is_single=False)[0].shape == (1, 2, 0, 3)
    assert pad_lists(column, field, is_single=True)[0].shape == (2, 0, 3)


def test_sparse_parts_have_an_axis_for_the_features() -> None:
    assert _plain(sparse_list_parts(_UNEVEN, is_single=False)) == [
        [[0, 0, 0], [2, 0, 0], [2, 0, 1]],
        [1, 2, 3],
        [3, 2, 2],
    ]
    single = ListColumn(np.array([1, 2]), np.array([0, 2]), np.array([2]))
    assert _plain(sparse_list_parts(single, is_single=True)) == [[[1, 0], [1, 1]], [1, 2], [2, 2]]


def test_ragged_parts_have_outer_and_inner_splits() -> None:
    assert _plain(ragged_list_parts(_UNEVEN, tf.int32, is_single=False)) == [[1, 2, 3], [0, 2, 2, 3], [0, 1, 1, 3]]
    assert _plain(ragged_list_parts(_UNEVEN, tf.int64, is_single=True))[1:] == [[], [0, 1, 1, 3]]
