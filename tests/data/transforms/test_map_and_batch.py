"""`tf.data.experimental.map_and_batch` over elements that fail."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.parallel import always_ahead, noting
from tests.data.pipelines import check_restores_everywhere, elements, outcomes

Dataset = tf.data.Dataset
__all__ = ["always_ahead"]


def batches(numbers: Any, size: int, failing: set[int], **kwargs: Any) -> Any:
    """Returns batches of numbers, some of which fail."""

    def check(x: Any) -> Any:
        for number in failing:
            tf.debugging.assert_none_equal(x, tf.constant(number, tf.int64))
        return x

    return numbers.apply(tf.data.experimental.map_and_batch(check, size, **kwargs))


FAILURE = "InvalidArgumentError"


@pytest.mark.parametrize("kwargs", [{}, {"num_parallel_calls": 2}, {"num_parallel_batches": 2}])
def test_a_result_that_fails_takes_its_batch_with_it(kwargs: dict[str, Any]) -> None:
    numbers = Dataset.range(8)
    assert outcomes(batches(numbers, 3, {3}, **kwargs)) == [[0, 1, 2], FAILURE, [6, 7]]
    assert outcomes(batches(numbers, 3, {1}, **kwargs)) == [FAILURE, [3, 4, 5], [6, 7]]
    assert outcomes(batches(numbers, 3, {2, 4}, **kwargs)) == [FAILURE, FAILURE, [6, 7]]
    assert outcomes(batches(numbers, 4, {5, 6, 7}, **kwargs)) == [[0, 1, 2, 3], FAILURE]
    assert outcomes(batches(numbers, 3, {7}, **kwargs)) == [[0, 1, 2], [3, 4, 5], FAILURE]
    assert outcomes(batches(Dataset.range(1), 3, {0}, **kwargs)) == [FAILURE]


def test_it_does_so_when_calls_run_ahead_and_after_a_restart(always_ahead: None) -> None:
    assert outcomes(batches(Dataset.range(8), 3, {3}, num_parallel_calls=3)) == [[0, 1, 2], FAILURE, [6, 7]]
    check_restores_everywhere(lambda: batches(Dataset.range(8), 3, {4}, num_parallel_calls=3))


def test_each_element_is_called_once() -> None:
    seen: list[int] = []
    dataset = Dataset.range(5).apply(tf.data.experimental.map_and_batch(noting(seen), 2, num_parallel_calls=1))
    assert elements(dataset) == [[0, 1], [2, 3], [4]]
    assert seen == [0, 1, 2, 3, 4]
