"""One element without an iterator."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import noting

Dataset = tf.data.Dataset
at = tf.data.experimental.at


def test_the_only_element_keeps_its_structure() -> None:
    element = Dataset.from_tensors({"a": 1, "b": ("x", [1.5])}).get_single_element()
    assert (element["a"].numpy(), element["b"][0].numpy(), element["b"][1].numpy().tolist()) == (1, b"x", [1.5])
    assert tf.data.experimental.get_single_element(Dataset.range(1)).numpy() == 0


@pytest.mark.parametrize(("count", "message"), [(0, "Dataset was empty."), (2, "Dataset had more than one element.")])
def test_none_or_more_elements_are_an_error(count: int, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        Dataset.range(count).filter(lambda x: True).get_single_element()


def test_the_only_element_can_be_taken_in_a_function() -> None:
    @tf.function
    def total(count: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(Dataset.range(count).batch(100).get_single_element())

    assert total(tf.constant(4, tf.int64)).numpy() == 6


def test_effects_happen_once_for_each_call_of_a_function() -> None:
    seen: list[int] = []

    @tf.function
    def take() -> None:
        noting(Dataset.range(1), seen).get_single_element()

    take()
    take()
    assert seen == [0, 0]


def test_what_is_no_dataset_has_no_element() -> None:
    with pytest.raises(
        TypeError, match=r"Invalid `dataset`. Expected a `tf.data.Dataset` object but got <class 'int'>."
    ):
        tf.data.experimental.get_single_element(3)


def by_key(x: Any) -> Any:
    return x % 2


@pytest.mark.parametrize(
    ("make", "index", "expected"),
    [
        (lambda: Dataset.range(5), 2, 2),
        (lambda: Dataset.range(5).batch(2), 2, [4]),
        (lambda: Dataset.range(5).map(lambda x: 2 * x), 3, 6),
        (lambda: Dataset.range(3).concatenate(Dataset.range(4)), 5, 2),
        (lambda: Dataset.range(3).repeat(2), 4, 1),
        (lambda: Dataset.range(9).shard(2, 1), 1, 3),
        (lambda: Dataset.range(9).take(5).skip(2), 1, 3),
        (lambda: Dataset.range(3).padded_batch(2), 1, [2]),
        (lambda: Dataset.range(4).batch(2, drop_remainder=True).unbatch(), 3, 3),
    ],
)
def test_an_element_is_had_by_position(make: Any, index: int, expected: Any) -> None:
    assert at(make(), index).numpy().tolist() == expected


def test_an_element_of_several_components_is_had_by_position() -> None:
    number, letter = at(Dataset.zip(Dataset.range(3), Dataset.from_tensor_slices(["a", "b", "c"])), 1)
    assert (number.numpy(), letter.numpy()) == (1, b"b")
    assert [part.numpy() for part in at(Dataset.range(3).enumerate(4), 1)] == [5, 1]


@pytest.mark.parametrize("index", [5, -1, 100])
def test_a_position_that_is_not_there_is_an_error(index: int) -> None:
    message = rf"Index out of range \[0, 5\):{index}"
    with pytest.raises(tf.errors.OutOfRangeError, match=message):
        at(Dataset.range(5), index)


def test_a_dataset_with_fewer_elements_than_stated_has_none_there() -> None:
    dataset = Dataset.range(2).filter(lambda x: True).apply(tf.data.experimental.assert_cardinality(5))
    with pytest.raises(tf.errors.FailedPreconditionError, match="contained only 2 elements"):
        at(dataset, 4)


def test_datasets_without_end_or_known_number_have_no_positions() -> None:
    message = "Dataset of type RepeatDatasetOp::Dataset has infinite cardinality, which does not support random access."
    with pytest.raises(tf.errors.FailedPreconditionError, match=message):
        at(Dataset.range(3).repeat(), 1)
    message = "Random access is not implemented for dataset FilterDatasetOp::Dataset"
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        at(Dataset.range(3).filter(lambda x: True), 0)
