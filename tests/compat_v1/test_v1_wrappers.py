"""v1 wrappers: generated functions that translate TensorFlow 1's arguments."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from millrace._src.compat_v1.v1_wrappers import v1_arguments, v1_wrapper


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


@v1_arguments(
    "value=None, keep_dims=None, mode=MODE, input=None, keep=None",
    renamed={"value": "input", "keep_dims": "keep"},
    required={"input": "`input` is required."},
    names={"MODE": "c"},
)
def scaled(input: Any, mode: str, keep: bool = True) -> tuple[Any, ...]:
    """Returns its arguments.

    Args:
      input: the first.
    """
    return input, mode, keep


def test_a_function_of_tensorflow_1_gets_the_old_names() -> None:
    assert str(inspect.signature(scaled)) == "(value=None, keep_dims=None, mode='c', input=None, keep=None)"
    assert scaled.__name__ == "scaled"
    assert scaled(1, False) == scaled(input=1, keep=False) == (1, "c", False)
    with pytest.raises(ValueError, match="Cannot specify both 'value' and 'input'"):
        scaled(1, input=1)


def test_the_default_of_the_function_counts_where_neither_name_is_given() -> None:
    assert scaled(1) == (1, "c", True)


def test_a_required_argument_is_missing() -> None:
    with pytest.raises(ValueError, match="`input` is required"):
        scaled(keep=True)


def test_the_documentation_is_the_functions_own_with_the_old_names() -> None:
    names = "`value` is `input`, `keep_dims` is `keep`"
    assert inspect.getdoc(scaled) == f"Returns its arguments.\n\nOld names: {names}.\n\nArgs:\n  input: the first."
