"""The ops that make iterators, and their older forms."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

raw = tf.raw_ops
ELEMENTS: dict[str, Any] = {"output_types": [tf.int64], "output_shapes": [[]]}


def begun(handle: Any) -> Any:
    raw.MakeIterator(dataset=tf.data.Dataset.range(3)._variant_tensor, iterator=handle)
    return raw.IteratorGetNext(iterator=handle, **ELEMENTS)[0].numpy()


def test_all_ops_that_make_iterators() -> None:
    handles = [
        raw.AnonymousIterator(**ELEMENTS),
        raw.AnonymousIteratorV2(**ELEMENTS)[0],
        raw.AnonymousIteratorV3(**ELEMENTS),
        raw.Iterator(shared_name="", container="", **ELEMENTS),
        raw.IteratorV2(shared_name="", container="", **ELEMENTS),
    ]
    assert [begun(handle) for handle in handles] == [0] * 5


def test_an_iterator_that_was_deleted_gives_nothing() -> None:
    handle, deleter = raw.AnonymousIteratorV2(**ELEMENTS)
    begun(handle)
    raw.DeleteIterator(handle=handle, deleter=deleter)
    with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
        for _ in range(3):
            raw.IteratorGetNext(iterator=handle, **ELEMENTS)


@pytest.mark.parametrize("op", [raw.IteratorFromStringHandle, raw.IteratorFromStringHandleV2])
def test_a_text_names_an_iterator_as_long_as_the_iterator_lives(op: Any) -> None:
    iterator = iter(tf.data.Dataset.range(3))
    text = raw.IteratorToStringHandle(resource_handle=iterator._iterator_resource)
    assert raw.IteratorToStringHandle(resource_handle=iterator._iterator_resource) == text
    same = op(string_handle=text)
    assert raw.IteratorGetNext(iterator=same, **ELEMENTS)[0].numpy() == 0
    assert next(iterator).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected float but got int64"):
        op(string_handle=text, output_types=[tf.float32], output_shapes=[[]])
    del iterator, same
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse string_handle"):
        op(string_handle=text)


def test_a_one_shot_iterator_checks_its_dataset() -> None:
    make = tf.function(lambda: tf.data.Dataset.range(3)._variant_tensor).get_concrete_function().graph_function
    handle = raw.OneShotIterator(dataset_factory=make, **ELEMENTS)
    assert raw.IteratorGetNext(iterator=handle, **ELEMENTS)[0].numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected float but got int64"):
        raw.OneShotIterator(dataset_factory=make, output_types=[tf.float32], output_shapes=[[]])
