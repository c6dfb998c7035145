"""Resources that SavedModels make again."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import millrace as tf
from millrace._src.state.resource import name_in_file, name_resources


class Words(tf.saved_model.experimental.TrackableResource):  # type: ignore[misc]  # of the lazy namespace
    made = 0
    destroyed: list[str]

    def _create_resource(self) -> Any:
        self.made += 1
        return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="words of the test")


def test_the_resource_is_made_once_when_its_handle_is_first_asked_for() -> None:
    words = Words()
    assert words.made == 0
    assert words.resource_handle is words.resource_handle
    assert words.made == 1


def test_a_class_that_does_not_say_how_has_no_resource() -> None:
    resource = tf.saved_model.experimental.TrackableResource()
    with pytest.raises(NotImplementedError, match=r"TrackableResource\._create_resource not implemented"):
        _ = resource.resource_handle


def test_there_is_nothing_to_fill_or_destroy_by_default() -> None:
    resource = tf.saved_model.experimental.TrackableResource(device="/CPU:0")
    assert resource._initialize() is None
    assert resource._destroy_resource() is None


def test_a_resource_that_was_made_is_destroyed_with_its_object() -> None:
    destroyed = []

    class Noisy(Words):
        def _destroy_resource(self) -> None:
            destroyed.append("made" if self.made else "not made")

    noisy = Noisy()
    _ = noisy.resource_handle
    del noisy
    unused = Noisy()
    del unused
    gc.collect()
    assert destroyed == ["made"]


def test_in_a_function_the_resource_is_made_outside() -> None:
    words = Words()

    @tf.function
    def size() -> Any:
        return tf.raw_ops.LookupTableSizeV2(table_handle=words.resource_handle)

    assert size().numpy() == size().numpy() == 0
    assert words.made == 1


def test_resources_have_a_name_in_a_file_only_while_one_is_written() -> None:
    assert name_in_file() == ""
    with name_resources("table"):
        assert name_in_file() == "table"
    assert name_in_file() == ""


def test_tables_are_resources() -> None:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    assert isinstance(table, tf.saved_model.experimental.TrackableResource)
