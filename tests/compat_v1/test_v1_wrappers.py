"""v1 wrappers: generated functions that translate TensorFlow 1's arguments."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from millrace._src.compat_v1.v1_wrappers import v1_wrapper


def today(input: Any, filters: Any, axis: Any = None, keep: bool = False, mode: str = "a") -> tuple[Any, ...]:
    """Returns its arguments.

    Args:
      input: the first.
      filters: the second.
    """
    return input, filters, axis, keep, mode


OLD = v1_wrapper(
    "nn.old",
    today,
    "value=None, filter=None, unused=3, dim=None, input=None, axis=None",
    ">>> 1 + 1\n2",
    renamed={"value": "input", "filter": "filters", "dim": "axis"},
    ignored=["unused"],
    fixed={"mode": "b"},
)


def test_the_signature_is_that_of_tensorflow_1() -> None:
    parameters = "(value=None, filter=None, unused=3, dim=None, input=None, axis=None)"
    assert str(inspect.signature(OLD)) == parameters
    assert OLD.__name__ == "old"


def test_old_and_new_names_mean_the_same() -> None:
    assert OLD(1, 2, dim=3) == OLD(input=1, filter=2, axis=3) == (1, 2, 3, False, "b")


def test_an_ignored_argument_changes_nothing() -> None:
    assert OLD(1, 2, unused="anything") == OLD(1, 2)


@pytest.mark.parametrize(("old", "new"), [("value", "input"), ("dim", "axis")])
def test_an_argument_under_both_names_raises(old: str, new: str) -> None:
    with pytest.raises(ValueError, match=f"Cannot specify both '{old}' and '{new}'"):
        OLD(filter=1, **{old: 1, new: 1})


def test_the_documentation_names_what_is_old_and_keeps_the_arguments() -> None:
    text = inspect.getdoc(OLD) or ""
    assert "`value` is `input`, `filter` is `filters`, `dim` is `axis`" in text
    assert "Without effect: `unused`" in text
    assert ">>> 1 + 1" in text and "filters: the second." in text
