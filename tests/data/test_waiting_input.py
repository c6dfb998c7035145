"""Inputs that wait for other inputs: elements, errors and the end keep their order."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.data.blocks import Block
from millrace._src.data.nodes import PassContext
from millrace._src.data.waiting_input import WaitingInput
from tests.data.pipelines import failing_at, noting

Dataset = tf.data.Dataset


def waiting(dataset: Any) -> WaitingInput:
    return WaitingInput(dataset.node.cursor(PassContext()))


def numbers(block: Block) -> list[int]:
    return [int(array) for (array,) in block.rows()]


def test_no_more_is_taken_than_is_wanted() -> None:
    seen: list[int] = []
    source = waiting(noting(Dataset.range(9), seen))
    assert [source.fill(2), source.fill(1), source.fill(3)] == [2, 1, 3]
    assert seen == [0, 1, 2]
    assert numbers(source.take(2)) == [0, 1] and numbers(source.take(1)) == [2]


def test_the_end_comes_behind_the_elements() -> None:
    source = waiting(Dataset.range(2))
    assert source.fill(5) == 2
    assert source.pass_one() is False and source.pass_one() is False
    assert source.pass_one() is True and source.pass_one() is True


def test_an_error_replaces_its_element() -> None:
    source = waiting(failing_at(Dataset.range(4), 1))
    assert source.fill(4) == 1
    assert numbers(source.take(1)) == [0]
    assert isinstance(source.pass_one(), tf.errors.InvalidArgumentError)
    assert source.fill(4) == 2 and numbers(source.take(2)) == [2, 3]


@pytest.mark.parametrize("passed", range(5))
def test_an_input_is_restored_with_what_waits(passed: int) -> None:
    def outcomes(source: WaitingInput) -> list[Any]:
        results = [source.pass_one() for _ in range(6)]
        return [type(result).__name__ if isinstance(result, Exception) else result for result in results]

    source, again = (waiting(failing_at(Dataset.range(4), 2)) for _ in range(2))
    source.fill(3)
    for _ in range(passed):
        source.pass_one()
    again.restore(source.save())
    assert outcomes(again) == outcomes(source)
