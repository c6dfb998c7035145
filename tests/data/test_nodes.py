"""What is true of all datasets: how deep pipelines may be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import millrace as tf

Dataset = tf.data.Dataset


@pytest.fixture
def limit() -> Iterator[int]:
    """Gives Python's limit of nested calls, and sets it again."""
    before = sys.getrecursionlimit()
    yield before
    sys.setrecursionlimit(before)


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        (lambda d: d.map(lambda x: x + 1), [300, 301, 302]),
        (lambda d: d.map(lambda x: x + 1, num_parallel_calls=2), [300, 301, 302]),
        (lambda d: d.batch(1).unbatch(), [0, 1, 2]),
        (lambda d: d.flat_map(Dataset.from_tensors), [0, 1, 2]),
        (lambda d: Dataset.zip(d, Dataset.range(9)).map(lambda x, y: x), [0, 1, 2]),
        (lambda d: d.interleave(Dataset.from_tensors, cycle_length=2), [0, 1, 2]),
    ],
    ids=["map", "parallel map", "batch", "flat_map", "zip", "interleave"],
)
def test_hundreds_of_stages_are_gone_through(stage: Callable[[Any], Any], expected: list[int], limit: int) -> None:
    dataset = Dataset.range(3)
    for _ in range(300):
        dataset = stage(dataset)
    assert list(dataset.as_numpy_iterator()) == expected


def test_pipelines_of_usual_length_leave_pythons_limit_alone(limit: int) -> None:
    dataset = Dataset.range(3)
    for _ in range(40):
        dataset = dataset.map(lambda x: x)
    assert list(dataset.as_numpy_iterator()) == [0, 1, 2]
    assert sys.getrecursionlimit() == limit
