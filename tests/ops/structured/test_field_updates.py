"""Updates of the fields of structured tensors."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

ST = tf.experimental.StructuredTensor
_ROWS = ST.from_pyval([{"a": 1, "n": {"x": 1}}, {"a": 2, "n": {"x": 2}}])


@pytest.mark.parametrize(
    ("updates", "expected"),
    [
        ({"b": [5, 6]}, [{"a": 1, "n": {"x": 1}, "b": 5}, {"a": 2, "n": {"x": 2}, "b": 6}]),
        ({"a": lambda a: a * 2}, [{"a": 2, "n": {"x": 1}}, {"a": 4, "n": {"x": 2}}]),
        ({"a": None}, [{"n": {"x": 1}}, {"n": {"x": 2}}]),
        ({("n", "x"): [7, 8]}, [{"a": 1, "n": {"x": 7}}, {"a": 2, "n": {"x": 8}}]),
        ({("n", "y"): [7, 8]}, [{"a": 1, "n": {"x": 1, "y": 7}}, {"a": 2, "n": {"x": 2, "y": 8}}]),
        ({("n", "x"): None}, [{"a": 1, "n": {}}, {"a": 2, "n": {}}]),
        ({"n": lambda n: n.field_value("x")}, [{"a": 1, "n": 1}, {"a": 2, "n": 2}]),
        ({}, [{"a": 1, "n": {"x": 1}}, {"a": 2, "n": {"x": 2}}]),
    ],
)
def test_updates(updates: Any, expected: Any) -> None:
    assert _ROWS.with_updates(updates).to_pyval() == expected


def test_the_shape_stays_without_fields() -> None:
    assert ST.from_pyval([{"a": 1}]).with_updates({"a": None}).to_pyval() == [{}]
    assert ST.from_pyval([[{"a": 1}], []]).with_updates({"a": None}).to_pyval() == [[{}], []]


def test_updated_fields_come_last() -> None:
    assert _ROWS.with_updates({"z": [1, 2], "a": [3, 4]}).field_names() == ("n", "a", "z")


@pytest.mark.parametrize(
    ("updates", "words"),
    [
        ({("q", "y"): [7, 8]}, r"cannot create new sub-field \('q', 'y'\) if parent field \('q',\) is not set"),
        ({("a", "x"): [1, 2]}, r"parent structure \('a',\) is not a `StructuredTensor`"),
        ({"zz": None}, r"cannot delete field \('zz',\) because it is not present"),
        ({"zz": lambda x: x}, r"cannot update the field \('zz',\) because a transforming function was given"),
        ({(): [1, 2]}, "does not allow empty names"),
        ({"n": None, ("n", "x"): [1, 2]}, r"parent=\('n',\), child=\('n', 'x'\)"),
        ({"b": [1, 2, 3]}, "`StructuredTensor.with_updates` failed"),
    ],
)
def test_updates_that_cannot_be_made(updates: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _ROWS.with_updates(updates)


def test_names_are_text() -> None:
    with pytest.raises(TypeError, match="takes names and tuples of names"):
        _ROWS.with_updates({3: [1, 2]})
