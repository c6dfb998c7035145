"""`Dataset.counter`: numbers without end."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements

Dataset = tf.data.Dataset


def test_numbers_begin_with_zero_and_have_no_end() -> None:
    dataset = Dataset.counter()
    assert elements(dataset.take(3)) == [0, 1, 2]
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)
    assert dataset.cardinality().numpy() == tf.data.INFINITE_CARDINALITY
    assert repr(dataset).startswith("<_ScanDataset")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((5, -2), [5, 3, 1]),
        ((0.5, 0.25, tf.float32), [0.5, 0.75, 1.0]),
        ((126, 1, tf.int8), [126, 127, -128]),
        ((tf.constant(3, tf.int64),), [3, 4, 5]),
    ],
)
def test_start_step_and_dtype_may_be_others(arguments: Any, expected: list[Any]) -> None:
    assert elements(Dataset.counter(*arguments).take(3)) == expected
    assert elements(tf.data.experimental.Counter(*arguments).take(3)) == expected


@pytest.mark.parametrize("arguments", [(0.5,), (0, 1, tf.string)])
def test_numbers_of_another_dtype_are_refused(arguments: Any) -> None:
    with pytest.raises(TypeError, match=r"Cannot convert .* to EagerTensor of dtype"):
        Dataset.counter(*arguments)


def test_each_pass_begins_anew() -> None:
    dataset = Dataset.counter().take(2)
    assert elements(dataset.repeat(2)) == [0, 1, 0, 1]


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: Dataset.counter(1, 3).take(9))


def test_numbers_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(Dataset.counter, 3)
