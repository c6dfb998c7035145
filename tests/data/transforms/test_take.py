"""`Dataset.take` and `Dataset.skip`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.data.pipelines import (
    check_restores_everywhere,
    check_same_in_function,
    drained,
    elements,
    failing_at,
    noting,
    outcomes,
)

Dataset = tf.data.Dataset
SOURCES = [lambda: Dataset.range(5), lambda: Dataset.range(9).filter(lambda x: x < 5)]
"""A dataset whose elements are had by position, and one that must be gone through."""


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("count", [-1, 0, 1, 3, 5, 8])
def test_first_elements_are_taken_and_the_others_left(source: Any, count: int) -> None:
    stop = 5 if count < 0 else count
    assert elements(source().take(count)) == list(range(5))[:stop]
    assert elements(source().skip(count)) == list(range(5))[stop:]
    for limits in ([1], [2, 3], [100]):
        assert drained(source().take(count), limits) == [[n] for n in range(5)[:stop]]
        assert drained(source().skip(count), limits) == [[n] for n in range(5)[stop:]]


@pytest.mark.parametrize("count", [-1, 0, 3, 9])
def test_cardinalities_are_those_of_tensorflow(count: int) -> None:
    counted, infinite = Dataset.range(5), Dataset.range(5).repeat()
    unknown = counted.filter(lambda x: x > 1)
    taken = [d.take(count).cardinality().numpy() for d in (counted, infinite, unknown)]
    left = [d.skip(count).cardinality().numpy() for d in (counted, infinite, unknown)]
    assert taken == {-1: [5, -1, -2], 0: [0, 0, -2], 3: [3, 3, -2], 9: [5, 9, -2]}[count]
    assert left == {-1: [0, -1, -2], 0: [5, -1, -2], 3: [2, -1, -2], 9: [0, -1, -2]}[count]


def test_no_element_is_asked_for_beyond_the_last_that_is_taken() -> None:
    seen: list[int] = []
    assert elements(noting(Dataset.range(10), seen).take(3)) == [0, 1, 2]
    assert seen == [0, 1, 2]


def test_elements_by_position_are_those_of_the_source_further_on() -> None:
    assert Dataset.range(9).skip(4).node.gather(np.array([0, 3])).columns[0].tolist() == [4, 7]
    assert Dataset.range(2**63 - 1).take(4).node.slice(1, 3).columns[0].tolist() == [1, 2]
    assert not Dataset.range(9).filter(lambda x: x > 1).take(2).node.is_random_access


def test_an_element_that_fails_is_not_counted() -> None:
    dataset = failing_at(Dataset.range(5), 1)
    assert outcomes(dataset.take(3)) == [0, "InvalidArgumentError", 2, 3]


@pytest.mark.parametrize("source", SOURCES)
def test_a_pass_is_restored_everywhere_and_the_same_in_a_function(source: Any) -> None:
    check_restores_everywhere(lambda: source().take(3))
    check_restores_everywhere(lambda: source().skip(2))
    check_same_in_function(lambda: source().skip(1).take(3), 3)


def test_a_count_that_is_no_scalar_of_int64_is_refused() -> None:
    with pytest.raises(ValueError, match="requested dtype int64 for Tensor with dtype int32"):
        Dataset.range(3).take(tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="count must be a scalar"):
        Dataset.range(3).skip([1, 2])
