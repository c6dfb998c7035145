"""tf.experimental.RowPartition: forms, static facts, variations."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.ops.ragged.row_partition_spec import RowPartitionSpec

_FORMS = {
    "row_splits": [0, 2, 2, 3],
    "row_lengths": [2, 0, 1],
    "row_starts": [0, 2, 2],
    "row_limits": [2, 2, 3],
    "value_rowids": [0, 0, 2],
    "nrows": 3,
    "nvals": 3,
    "offsets_in_rows": [0, 1, 0],
}
_MADE = {
    "row_splits": lambda: RowPartition.from_row_splits([0, 2, 2, 3]),
    "row_lengths": lambda: RowPartition.from_row_lengths([2, 0, 1]),
    "row_starts": lambda: RowPartition.from_row_starts([0, 2, 2], 3),
    "row_limits": lambda: RowPartition.from_row_limits([2, 2, 3]),
    "value_rowids": lambda: RowPartition.from_value_rowids([0, 0, 2]),
    "rowids_and_rows": lambda: RowPartition.from_value_rowids([0, 0, 2], 3),
}


def _plain(form: Any) -> Any:
    return form.numpy().tolist()


@pytest.mark.parametrize("made", _MADE)
def test_every_form_follows_from_every_other(made: str) -> None:
    partition = _MADE[made]()
    assert {name: _plain(getattr(partition, name)()) for name in _FORMS} == _FORMS
    assert {getattr(partition, name)().dtype for name in _FORMS} == {tf.int64}


@pytest.mark.parametrize("made", _MADE)
def test_every_form_follows_in_a_graph(made: str) -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.int32)])
    def forms(splits: Any) -> Any:
        partition = RowPartition.from_row_splits(splits)
        part = getattr(partition, "value_rowids" if made == "rowids_and_rows" else made)()
        if made == "row_starts":
            other = RowPartition.from_row_starts(part, partition.nvals())
        elif made == "rowids_and_rows":
            other = RowPartition.from_value_rowids(part, partition.nrows())
        else:
            other = getattr(RowPartition, f"from_{made}")(part)
        return {name: getattr(other, name)() for name in _FORMS}

    found = forms(tf.constant([0, 2, 2, 3]))
    assert {name: _plain(form) for name, form in found.items()} == _FORMS
    assert {form.dtype for form in found.values()} == {tf.int32}


def test_the_constructor_is_private() -> None:
    with pytest.raises(ValueError, match="RowPartition constructor is private; please use one of the factory methods"):
        RowPartition([1], internal=3)  # type: ignore[arg-type]  # a wrong argument on purpose


def test_text_of_partitions() -> None:
    assert repr(_MADE["row_lengths"]()) == "tf.RowPartition(row_splits=[0 2 2 3])"
    assert str(RowPartition.from_uniform_row_length(2, 6)) == "tf.RowPartition(nrows=3, uniform_row_length=2)"


def test_a_uniform_partition_knows_its_length() -> None:
    partition = RowPartition.from_uniform_row_length(2, nvals=6)
    assert partition.is_uniform()
    assert int(partition.uniform_row_length()) == partition.static_uniform_row_length == 2
    assert (partition.static_nrows, partition.static_nvals) == (3, 6)
    assert _plain(partition.row_splits()) == [0, 2, 4, 6]
    other = _MADE["row_splits"]()
    assert not other.is_uniform()
    assert other.uniform_row_length() is None
    assert (other.static_nrows, other.static_nvals, other.static_uniform_row_length) == (3, None, None)


def test_another_dtype() -> None:
    partition = RowPartition.from_value_rowids([0, 0, 2], 3)
    assert partition.with_dtype(tf.int64) is partition
    narrow = partition.with_dtype("int32")
    assert narrow.dtype == narrow.value_rowids().dtype == narrow.nrows().dtype == tf.int32
    assert _plain(narrow.row_splits()) == [0, 2, 2, 3]
    with pytest.raises(ValueError, match="dtype must be int32 or int64"):
        partition.with_dtype(tf.float32)


def test_forms_at_hand_are_told() -> None:
    partition = _MADE["row_splits"]()
    names = ("row_splits", "row_lengths", "value_rowids", "nrows", "nvals")
    assert [getattr(partition, f"_has_precomputed_{name}")() for name in names] == [True, False, False, False, False]
    for name in names:
        partition = getattr(partition, f"_with_precomputed_{name}")()
        assert getattr(partition, f"_has_precomputed_{name}")()
    assert partition._with_precomputed_row_lengths() is partition
    assert _plain(partition.row_lengths()) == [2, 0, 1]


def test_merging_keeps_what_either_partition_has() -> None:
    by_rowids, by_lengths = RowPartition.from_value_rowids([0, 0, 1], 2), RowPartition.from_row_lengths([2, 1])
    merged = by_rowids._merge_precomputed_encodings(by_lengths)
    assert merged._has_precomputed_value_rowids()
    assert merged._has_precomputed_row_lengths()
    assert by_rowids._merge_precomputed_encodings(by_rowids) is by_rowids


@pytest.mark.parametrize(
    ("other", "error", "words"),
    [
        (
            lambda: RowPartition.from_row_lengths([2, 2]),
            tf.errors.InvalidArgumentError,
            "RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits\nCondition x == y did "
            "not hold.\nIndices of first 1 different values:\n[[2]]",
        ),
        (
            lambda: RowPartition.from_row_lengths([2, 1, 0]),
            ValueError,
            "RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits",
        ),
    ],
)
def test_merging_refuses_other_partitions(other: Any, error: Any, words: str) -> None:
    with pytest.raises(error) as caught:
        RowPartition.from_value_rowids([0, 0, 1], 2)._merge_precomputed_encodings(other())
    assert str(caught.value).startswith(words)


def test_static_facts_of_a_spec_are_taken_over() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.int64)])
    def f(splits: Any) -> Any:
        partition = RowPartition.from_row_splits(splits, validate=False)
        assert partition.static_nrows is None
        merged = partition._merge_with_spec(RowPartitionSpec(nrows=3, uniform_row_length=2))
        assert (merged.static_nrows, merged.static_nvals, merged.static_uniform_row_length) == (3, 6, 2)
        return merged.nvals()

    assert int(f(tf.constant([0, 2, 4, 6], tf.int64))) == 6
    with pytest.raises(ValueError, match="RowPartition and RowPartitionSpec are not compatible"):
        _MADE["row_splits"]()._merge_with_spec(RowPartitionSpec(4))


def test_a_partition_is_a_composite_tensor() -> None:
    partition = RowPartition.from_uniform_row_length(2, 6)
    (splits,) = tf.nest.flatten(partition, expand_composites=True)
    copied = tf.nest.pack_sequence_as(partition, [splits], expand_composites=True)
    assert repr(copied) == repr(partition)
    assert repr(pickle.loads(pickle.dumps(partition))) == repr(partition)

    @tf.function
    def lengths(p: Any) -> Any:
        assert p.static_uniform_row_length == 2
        return p.row_lengths()

    assert _plain(lengths(partition)) == [2, 2, 2]
