"""`tf.data.experimental.from_list`: items one by one, of shapes that may differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, drained, elements

from_list = tf.data.experimental.from_list


def test_items_are_elements() -> None:
    dataset = from_list([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    assert elements(dataset) == [{"a": 1, "b": b"x"}, {"a": 2, "b": b"y"}]
    assert len(dataset) == 2


def test_dimensions_in_which_items_differ_are_unknown() -> None:
    dataset = from_list([[1], [2, 3]])
    assert dataset.element_spec == tf.TensorSpec([None], tf.int32)
    assert drained(dataset, [2]) == [[[1]], [[2, 3]]]
    assert sorted(elements(dataset.shuffle(2, seed=1))) == [[1], [2, 3]]


def test_datasets_are_items() -> None:
    dataset = from_list([tf.data.Dataset.range(2), tf.data.Dataset.range(3)])
    assert elements(dataset.flat_map(lambda inner: inner)) == [0, 1, 0, 1, 2]


def test_positions_are_known() -> None:
    assert elements(from_list([5, 6, 7, 8]).skip(1).shard(2, 1)) == [7]
    assert from_list([5, 6]).node.is_random_access


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: from_list([5, 6, 7]))


def test_items_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: from_list([(1, "a"), (2, "b")]), 2)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "`elements` should not be empty. If you want an empty dataset, use `tf.data.Dataset.range(0)`."),
        ((1, 2), "`elements` must be a list."),
        (3, "`elements` must be a list."),
        ([1, "a"], "All elements should have the same dtypes"),
        ([1, None], "All elements should have the same dtypes"),
        ([(1, 2), (3,)], "The two structures don't have the same nested structure."),
        ([{"a": 1}, {"b": 1}], "The two structures don't have the same nested structure."),
    ],
)
def test_what_is_no_list_of_like_items_is_refused(items: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        from_list(items)
    assert message in str(error.value)


def test_an_array_is_no_list() -> None:
    with pytest.raises(ValueError, match=r"ambiguous|must be a list"):
        from_list(np.array([1, 2]))
