"""A table of a property of classes: each class is asked about once, and the table stays bounded."""

from __future__ import annotations

import pytest

from millrace._src.util import class_table
from millrace._src.util.class_table import ClassTable


def test_a_property_of_a_class_is_worked_out_once() -> None:
    asked: list[type] = []

    def is_int(cls: type) -> bool:
        asked.append(cls)
        return cls is int

    table = ClassTable(is_int)
    assert [table[int], table[str], table[int]] == [True, False, True]
    assert asked == [int, str]


def test_classes_made_without_end_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_table, "MAX_KNOWN_CLASSES", 10)
    table = ClassTable(lambda cls: cls.__name__)
    for index in range(25):
        assert table[type(f"Class{index}", (), {})] == f"Class{index}"
        assert len(table) <= 10
