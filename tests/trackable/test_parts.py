"""What objects of other libraries consist of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import millrace as tf
from millrace._src.trackable import parts
from millrace._src.trackable.parts import PartsOf, parts_of, register_parts


class Owner:
    """An object with a part."""

    def __init__(self) -> None:
        self.part = tf.Variable(1.0)


def parts_of_owner(owner: Any) -> Mapping[str, Any]:
    return {"part": owner.part}


def find(cls: type) -> PartsOf | None:
    return parts_of_owner if cls is Owner else None


@pytest.fixture(autouse=True)
def restored_finders(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(parts, "_finders", list(parts._finders))
    yield
    parts_of.clear()


def test_classes_that_are_not_registered_have_no_parts() -> None:
    assert parts_of[int] is None
    assert parts_of[Owner] is None


def test_a_class_has_the_parts_that_were_registered_also_later() -> None:
    assert parts_of[Owner] is None
    register_parts(find)
    assert parts_of[Owner] is parts_of_owner
    assert parts_of[int] is None


def test_a_function_is_registered_once() -> None:
    count = len(parts._finders)
    register_parts(find)
    register_parts(find)
    assert len(parts._finders) == count + 1
