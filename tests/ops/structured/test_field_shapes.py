"""What structured tensors refuse in their fields and shapes."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

_from_fields = tf.experimental.StructuredTensor.from_fields
_RAGGED = tf.ragged.constant([[1, 2], [3]])
_OTHER = tf.ragged.constant([[1], [2, 3]])
_ROWS = tf.experimental.RowPartition.from_row_lengths([1])


@pytest.mark.parametrize("name", ["_a", "1", "", "x y", "a.b", "a/b", "é"])
def test_names_that_are_not_allowed(name: str) -> None:
    with pytest.raises(ValueError, match=f"Field name '{name}' is not currently allowed"):
        _from_fields({name: 1})


@pytest.mark.parametrize("name", ["a", "A_b", "a1"])
def test_names_that_are_allowed(name: str) -> None:
    assert _from_fields({name: 1}).field_names() == (name,)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ([("a", 1)], "fields must be a dictionary, got list"),
        ({1: 2}, "Unexpected type for key in `fields`: 1"),
        ({"a": None}, "Unexpected type for value in `fields`: None"),
        ({"a": {"b": 1}}, "Unexpected type for value in `fields`: {'b': 1}"),
        ({"a": [[1], [2, 3]]}, "Unexpected type for value in `fields`"),
        ({"a": tf.SparseTensor([[0]], [1], [2])}, r"Unexpected type for value in `fields`: SparseTensor\("),
    ],
)
def test_fields_of_other_types(fields: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        _from_fields(fields)


@pytest.mark.parametrize(
    ("fields", "options", "words"),
    [
        ({"a": [1, 2, 3], "b": [1, 2]}, {"shape": [None]}, "Error in shape of b"),
        ({"a": [1, 2, 3]}, {"shape": [2]}, r"Shapes \(2,\) and \(3,\) are not compatible"),
        ({"a": [1, 2]}, {"shape": [None], "nrows": 3}, r"Shapes \(2,\) and \(3,\) are not compatible"),
        ({"a": _RAGGED, "b": _OTHER}, {"shape": [None, None]}, "Error in shape of b"),
        ({"a": [1, 2]}, {"shape": [None, None]}, "fewer dimensions than rank=2"),
        ({"a": [1, 2]}, {"shape": None}, "StructuredTensor's shape must have known rank"),
        ({}, {"shape": [None]}, "Must specify `nrows`, a fully specified `shape`, or have `fields` if `rank=1`"),
        (
            {},
            {"shape": [None, None]},
            "Must specify row_partitions, a fully specified shape, or have fields if rank > 1",
        ),
        ({}, {"shape": [], "nrows": 5}, "nrows must be None if shape.rank==0"),
        ({}, {"row_partitions": [_ROWS]}, r"row_partitions must be None or \[\] if shape.rank<2"),
        ({}, {"shape": [None, None], "row_partitions": []}, "len.row_partitions. must be shape.rank-1"),
    ],
)
def test_shapes_that_disagree_or_are_not_known(fields: Any, options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _from_fields(fields, **options)


def test_ranks_that_do_not_fit() -> None:
    make = tf.experimental.StructuredTensor.from_fields_and_rank
    with pytest.raises(ValueError, match="Must provide at least one field"):
        make({}, 1)
    with pytest.raises(ValueError, match="rank must be nonnegative"):
        make({"a": [1]}, -1)
    with pytest.raises(ValueError, match="num_row_partitions must be less than rank"):
        make({"a": _RAGGED}, 3)


def test_a_graph_checks_shapes_when_asked_to() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    def make(a: Any, b: Any, validate: bool) -> Any:
        return _from_fields({"a": a, "b": b}, shape=[None, None], validate=validate)

    unchecked, checked = (
        tf.function(
            lambda a, b, v=v: make(a, b, v).row_partitions[0].row_splits(), autograph=False, input_signature=[spec] * 2
        )
        for v in (False, True)
    )
    assert unchecked(_RAGGED, _OTHER).numpy().tolist() == [0, 2, 3]
    assert checked(_RAGGED, _RAGGED).numpy().tolist() == [0, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible"):
        checked(_RAGGED, _OTHER)
