"""The ops on iterators: what they declare is checked against the dataset."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

Dataset = tf.data.Dataset
raw = tf.raw_ops

WRONG = [
    ([tf.float32], [[]], "Data type mismatch at component 0: expected float but got int64."),
    ([tf.int64], [[3]], r"Incompatible shapes at component 0: expected \[3\] but got \[\]."),
    ([tf.int64] * 2, [[], []], "Number of components does not match: expected 2 types but got 1."),
]


@pytest.mark.parametrize(("types", "shapes", "message"), WRONG)
def test_an_iterator_does_not_begin_with_a_dataset_of_other_elements(types: Any, shapes: Any, message: str) -> None:
    handle = raw.AnonymousIteratorV3(output_types=types, output_shapes=shapes)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        raw.MakeIterator(dataset=Dataset.range(3)._variant_tensor, iterator=handle)


@pytest.mark.parametrize("op", [raw.IteratorGetNext, raw.IteratorGetNextSync, raw.IteratorGetNextAsOptional])
@pytest.mark.parametrize(("types", "shapes", "message"), WRONG)
def test_an_element_is_not_taken_as_something_else(op: Any, types: Any, shapes: Any, message: str) -> None:
    iterator = iter(Dataset.range(3))
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        op(iterator=iterator._iterator_resource, output_types=types, output_shapes=shapes)


def test_a_variable_is_no_iterator() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="using the wrong type"):
        raw.IteratorGetNext(iterator=tf.Variable(1).handle, output_types=[tf.int64], output_shapes=[[]])


def test_an_optional_is_no_dataset() -> None:
    iterator = iter(Dataset.range(3))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tensor must be a Dataset object"):
        raw.MakeIterator(dataset=raw.OptionalNone(), iterator=iterator._iterator_resource)


def test_an_iterator_that_has_not_begun_says_so() -> None:
    handle = raw.AnonymousIteratorV3(output_types=[tf.int64], output_shapes=[[]])
    with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
        raw.IteratorGetNext(iterator=handle, output_types=[tf.int64], output_shapes=[[]])


def test_elements_come_in_the_thread_of_the_caller_too() -> None:
    iterator = iter(Dataset.range(1))
    arguments: dict[str, Any] = {"output_types": [tf.int64], "output_shapes": [[]]}
    assert raw.IteratorGetNextSync(iterator=iterator._iterator_resource, **arguments)[0].numpy() == 0
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        raw.IteratorGetNextSync(iterator=iterator._iterator_resource, **arguments)


def test_the_operations_of_an_iterator_stand_beside_its_dataset() -> None:
    @tf.function
    def first() -> Any:
        iterator = iter(Dataset.range(3))
        iterator.get_next_as_optional()
        return iterator.get_next()

    placed = {
        operation.type: operation.colocation_groups()
        for operation in first.get_concrete_function().graph.get_operations()
        if operation.type in ("AnonymousIteratorV3", "MakeIterator", "IteratorGetNext", "IteratorGetNextAsOptional")
    }
    assert len(placed) == 4
    assert all(groups == [b"loc:@RangeDataset"] for groups in placed.values())
