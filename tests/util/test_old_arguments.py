"""Arguments with an old and a new name."""

from __future__ import annotations

import pytest

from millrace._src.util.old_arguments import one_of, require


def test_the_given_one_counts_even_if_it_is_false() -> None:
    assert one_of("keep_dims", False, "keepdims", None) is False
    assert one_of("keep_dims", None, "keepdims", 0) == 0
    assert one_of("keep_dims", None, "keepdims", None) is None


def test_the_default_counts_where_neither_is_given() -> None:
    assert one_of("keep_dims", None, "keepdims", None, True) is True
    assert one_of("keep_dims", None, "keepdims", False, True) is False


def test_a_missing_argument_raises() -> None:
    assert require(0, "rate is required") == 0
    with pytest.raises(ValueError, match="rate is required"):
        require(None, "rate is required")


def test_an_argument_under_both_names_raises() -> None:
    with pytest.raises(ValueError, match="Cannot specify both 'keep_dims' and 'keepdims'"):
        one_of("keep_dims", False, "keepdims", False)
