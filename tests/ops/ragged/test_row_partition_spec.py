"""RowPartitionSpec."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.ops.ragged.row_partition_spec import RowPartitionSpec


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "RowPartitionSpec(nrows=None, nvals=None, uniform_row_length=None, dtype=tf.int64)"),
        ((3, 6), "RowPartitionSpec(nrows=3, nvals=6, uniform_row_length=None, dtype=tf.int64)"),
        ((3, 6, 2), "RowPartitionSpec(nrows=3, nvals=6, uniform_row_length=2, dtype=tf.int64)"),
        ((3, None, 2), "RowPartitionSpec(nrows=3, nvals=6, uniform_row_length=2, dtype=tf.int64)"),
        ((None, 6, 2), "RowPartitionSpec(nrows=3, nvals=6, uniform_row_length=2, dtype=tf.int64)"),
        ((None, None, 2, tf.int32), "RowPartitionSpec(nrows=None, nvals=None, uniform_row_length=2, dtype=tf.int32)"),
    ],
)
def test_two_sizes_determine_the_third(arguments: Any, expected: str) -> None:
    spec = RowPartitionSpec(*arguments)
    assert repr(spec) == expected
    assert spec == RowPartitionSpec._deserialize(spec._serialize())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((3, 6, 3), "nvals=6 is not compatible with nrows=3 and uniform_row_length=3"),
        ((None, 5, 2), r"nvals=5 is not compatible with uniform_row_length=2 \(doesn't divide evenly\)"),
        ((None, None, None, tf.int16), "dtype must be tf.int32 or tf.int64"),
    ],
)
def test_contradictions_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RowPartitionSpec(*arguments)


def test_components_are_the_row_splits() -> None:
    spec = RowPartitionSpec(3, dtype=tf.int32)
    assert spec._component_specs == tf.TensorSpec([4], tf.int32)
    partition = RowPartition.from_row_lengths([2, 0, 1], dtype=tf.int32)
    assert spec._to_components(partition) is partition.row_splits()
    assert spec._from_components(partition.row_splits()).static_nrows == 3
    assert spec.value_type is RowPartition


def test_spec_of_a_value() -> None:
    partition = RowPartition.from_uniform_row_length(2, 6)
    assert RowPartitionSpec.from_value(partition) == tf.type_spec_from_value(partition) == RowPartitionSpec(3, 6, 2)
    assert RowPartitionSpec(3).with_dtype(tf.int32) == RowPartitionSpec(3, dtype=tf.int32)


def test_compatibility_goes_by_sizes() -> None:
    assert RowPartitionSpec(3).is_compatible_with(RowPartitionSpec(None, 6))
    assert not RowPartitionSpec(3).is_compatible_with(RowPartitionSpec(4))
    assert not RowPartitionSpec(3).is_compatible_with(RowPartitionSpec(3, dtype=tf.int32))
    merged = RowPartitionSpec(3)._merge_with(RowPartitionSpec(uniform_row_length=2))
    assert (merged.nrows, merged.nvals, merged.uniform_row_length) == (3, 6, 2)
    with pytest.raises(ValueError, match="not compatible"):
        RowPartitionSpec(3)._merge_with(RowPartitionSpec(4))
