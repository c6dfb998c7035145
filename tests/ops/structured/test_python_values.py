"""Structured tensors from Python's values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf

ST = tf.experimental.StructuredTensor


@pytest.mark.parametrize(
    "pyval",
    [
        {},
        {"a": 1},
        {"a": [], "b": {"c": [1.5]}},
        [{}, {}],
        [[{}], []],
        [{"a": []}, {"a": []}],
        [{"a": [[]]}, {"a": []}],
        [[[{"a": [1]}]]],
        {"a": [{}]},
        {"a": [[1], [2, 3]], "b": {"c": [{"d": True}]}},
        [{"d": {"y": [2.5]}, "e": [{"z": b"q"}]}, {"d": {"y": []}, "e": []}],
    ],
)
def test_values_come_back(pyval: Any) -> None:
    assert ST.from_pyval(pyval).to_pyval() == pyval


def test_dtypes_of_single_values() -> None:
    one = ST.from_pyval({"a": 1.5, "b": True, "c": "x", "d": 3, "e": 2**40, "f": np.array([1, 2])})
    dtypes = [one.field_value(name).dtype for name in one.field_names()]
    assert dtypes == [tf.float32, tf.bool, tf.string, tf.int32, tf.int64, tf.int64]


def test_lists_without_dictionaries_are_tensors() -> None:
    assert ST.from_pyval(1).numpy() == 1
    assert ST.from_pyval([1, 2]).numpy().tolist() == [1, 2]
    assert ST.from_pyval([[1], [2, 3]]).to_list() == [[1], [2, 3]]
    assert ST.from_pyval([]).shape.as_list() == [0]
    assert ST.from_pyval([[], []]).to_list() == [[], []]


@pytest.mark.parametrize(
    ("pyval", "error", "words"),
    [
        ({"a": None}, ValueError, r"Error parsing path \('a',\)"),
        ([{"a": 1}, {"a": [2]}], ValueError, r"Error parsing path \('a',\)"),
        ([{"a": "x"}, {"a": 1}], ValueError, r"Error parsing path \('a',\)"),
        ([{"a": 1}, {"b": 2}], KeyError, "'b'"),
        ([{"b": 1}, {"a": 2}], KeyError, "'a'"),
        ([{"a": 1, "b": 2}, {"a": 1}], KeyError, "'b'"),
        ([{"a": 1}, [{"a": 2}]], ValueError, "Inconsistent depth of dictionaries"),
        ([{"a": 1}, 2], ValueError, "Expected dict or nested list/tuple of dict"),
        ([[{"a": 1}], [2]], ValueError, "Expected dict or nested list/tuple of dict"),
        ([[], {"a": 1}], ValueError, "Error parsing path"),
        ({1: 2}, TypeError, "Unexpected type for key in `fields`: 1"),
        (None, ValueError, r"Error parsing path \(\)"),
        ({"a": tf.ragged.constant([[1]])}, ValueError, r"Error parsing path \('a',\)"),
    ],
)
def test_values_that_do_not_go_together(pyval: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ST.from_pyval(pyval)


_SPEC = ST.from_pyval([{"a": 1, "b": [4, 5]}, {"a": 2, "b": [6]}])._type_spec


def test_a_spec_tells_dtypes_and_ranks() -> None:
    assert ST.from_pyval([{"a": 1, "b": []}, {"a": 2, "b": [1]}], _SPEC).field_value("b").dtype is tf.int32
    assert ST.from_pyval([1, 2], tf.TensorSpec([None], tf.int64)).dtype is tf.int64
    assert ST.from_pyval(1, tf.TensorSpec([], tf.int64)).dtype is tf.int64
    ragged = ST.from_pyval([[1], [2, 3]], tf.RaggedTensorSpec([None, None], tf.int64))
    assert (ragged.dtype, ragged.to_list()) == (tf.int64, [[1], [2, 3]])
    empty = ST.from_pyval([], ST.Spec._from_fields_and_rank({"a": tf.TensorSpec([None], tf.int32)}, 1))
    assert (empty.shape.as_list(), empty.field_value("a").dtype) == ([0], tf.int32)
    rows = ST.Spec._from_fields_and_rank({"a": tf.RaggedTensorSpec([None, None], tf.int64)}, 2)
    assert ST.from_pyval([[], []], rows).to_pyval() == [[], []]


@pytest.mark.parametrize(
    ("pyval", "spec", "words"),
    [
        ([{"a": 1, "b": [4]}], _SPEC, r"Value at \('a',\) does not match typespec"),
        ([{"a": "x", "b": []}, {"a": 2, "b": [1]}], _SPEC, r"Error parsing path \('a',\)"),
        ([{"a": 1}, {"a": 2}], _SPEC, r"Error parsing path \(\)"),
        ({"a": 1, "b": []}, _SPEC, r"Value at \(\) does not match typespec"),
        (1, 3, r"Value at \(\) does not match typespec: 3 vs 1"),
    ],
)
def test_values_that_do_not_fit_a_spec(pyval: Any, spec: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ST.from_pyval(pyval, spec)


_RECORDS = st.fixed_dictionaries(
    {
        "n": st.integers(0, 9),
        "words": st.lists(st.binary(max_size=3), max_size=3),
        "inner": st.lists(st.fixed_dictionaries({"k": st.integers(0, 9)}), min_size=1, max_size=2),
    }
)


@given(st.lists(st.lists(_RECORDS, min_size=1, max_size=2), min_size=1, max_size=3))
def test_random_records_come_back(pyval: Any) -> None:
    spec = ST.Spec._from_fields_and_rank(
        {
            "n": tf.RaggedTensorSpec([None, None], tf.int32),
            "words": tf.RaggedTensorSpec([None, None, None], tf.string),
            "inner": ST.Spec._from_fields_and_rank({"k": tf.RaggedTensorSpec([None] * 3, tf.int32)}, 3),
        },
        2,
    )
    structured = ST.from_pyval(pyval, spec)
    assert structured.to_pyval() == pyval
    assert [[part.to_pyval() for part in row] for row in structured] == pyval
