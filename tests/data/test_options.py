"""`tf.data.Options`: types, merging, bytes, and what becomes of them along a pipeline."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.data.options import Options

Dataset = tf.data.Dataset


def options(**values: Any) -> Any:
    made = tf.data.Options()
    for path, value in values.items():
        *parents, name = path.split("__")
        target = made
        for parent in parents:
            target = getattr(target, parent)
        setattr(target, name, value)
    return made


@pytest.mark.parametrize(
    ("values", "serialized"),
    [
        ({}, b"\x12\x00\x1a\x00*\x00:\x00b\x00"),
        ({"deterministic": False}, b"\x08\x00\x12\x00\x1a\x00*\x00:\x00b\x00"),
        ({"deterministic": True}, b"\x08\x01\x12\x00\x1a\x00*\x00:\x00b\x00"),
        ({"experimental_slack": True}, b"\x12\x00\x1a\x00 \x01*\x00:\x00b\x00"),
        ({"dataset_name": "nm"}, b"\x12\x00\x1a\x00*\x00:\x00R\x02nmb\x00"),
        ({"framework_type": ["f"]}, b"\x12\x00\x1a\x00*\x00:\x00Z\x01fb\x00"),
        ({"autotune__ram_budget": 3}, b"\x12\x00\x1a\x00*\x00:\x02\x18\x03b\x00"),
        (
            {"autotune__autotune_algorithm": tf.data.experimental.AutotuneAlgorithm.STAGE_BASED},
            b"\x12\x00\x1a\x00*\x00:\x02 \x04b\x00",
        ),
        (
            {"experimental_distribute__auto_shard_policy": tf.data.experimental.AutoShardPolicy.DATA},
            b"\x12\x02\x08\x02\x1a\x00*\x00:\x00b\x00",
        ),
        (
            {"experimental_external_state_policy": tf.data.experimental.ExternalStatePolicy.FAIL},
            b"\x12\x00\x1a\x00*\x000\x02:\x00b\x00",
        ),
        ({"threading__private_threadpool_size": 2}, b"\x12\x00\x1a\x00*\x02\x10\x02:\x00b\x00"),
        ({"experimental_optimization__map_fusion": True}, b"\x12\x00\x1a\x02X\x01*\x00:\x00b\x00"),
        ({"experimental_optimization__noop_elimination": True}, b"\x12\x00\x1a\x02p\x01*\x00:\x00b\x00"),
    ],
)
def test_options_travel_as_tensorflows_bytes(values: dict[str, Any], serialized: bytes) -> None:
    made = options(**values)
    assert made._to_proto().SerializeToString() == serialized
    assert Options._from_bytes(serialized) == made


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("deterministic", "yes", "must be of type <class 'bool'>, got: yes"),
        ("deterministic", None, "must be of type <class 'bool'>, got: None"),
        ("threading__private_threadpool_size", "a", "must be of type <class 'int'>, got: a"),
        ("experimental_distribute__auto_shard_policy", 5, "must be of type <enum 'AutoShardPolicy'>, got: 5"),
        ("framework_type", "x", "must be of type <class 'list'>, got: x"),
    ],
)
def test_a_value_of_another_type_is_refused(path: str, value: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        options(**{path: value})


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(AttributeError, match="Cannot set the property foo on Options"):
        tf.data.Options().foo = 1


def test_later_options_count_where_both_are_set() -> None:
    first = options(deterministic=True, threading__private_threadpool_size=3)
    second = options(deterministic=False, threading__max_intra_op_parallelism=2)
    merged = first.merge(second)
    assert merged.deterministic is False
    assert (merged.threading.private_threadpool_size, merged.threading.max_intra_op_parallelism) == (3, 2)
    assert first.deterministic is True


def test_merging_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="Could not merge incompatible options"):
        tf.data.Options().merge(3)


def test_options_pass_down_the_pipeline_and_cannot_be_changed_there() -> None:
    dataset = Dataset.range(3).with_options(options(deterministic=False)).map(lambda x: x)
    found = dataset.options()
    assert found.deterministic is False
    with pytest.raises(ValueError, match="has no effect"):
        found.deterministic = True
    with pytest.raises(ValueError, match="has no effect"):
        found.threading.private_threadpool_size = 1


def test_a_dataset_with_options_has_the_same_elements() -> None:
    dataset = Dataset.range(3).with_options(tf.data.Options())
    assert [int(x) for x in dataset] == [0, 1, 2]
    assert repr(dataset).startswith("<_OptionsDataset ")


def test_options_are_equal_by_value_and_not_hashable() -> None:
    assert options(deterministic=True) == options(deterministic=True) != options(deterministic=False)
    with pytest.raises(TypeError):
        hash(tf.data.Options())


def test_an_option_cannot_be_deleted() -> None:
    with pytest.raises(AttributeError, match="property 'deterministic' of 'Options' object has no deleter"):
        del tf.data.Options().deterministic


def test_what_becomes_of_an_options_object_later_does_not_change_the_dataset() -> None:
    made = options(deterministic=False, threading__private_threadpool_size=2)
    dataset = Dataset.range(3).with_options(made)
    made.deterministic = True
    made.threading.private_threadpool_size = 3
    assert dataset.options() == options(deterministic=False, threading__private_threadpool_size=2)


def test_a_dataset_takes_no_other_object_for_options() -> None:
    with pytest.raises(TypeError, match=r"must be a `tf\.data\.Options`"):
        Dataset.range(3).with_options({"deterministic": True})
