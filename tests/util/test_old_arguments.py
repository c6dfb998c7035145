"""Arguments with an old and a new name."""

from __future__ import annotations

import pytest

from millrace._src.util.old_arguments import one_of


def test_the_given_one_counts_even_if_it_is_false() -> None:
    assert one_of("keep_dims", False, "keepdims", None) is False
    assert one_of("keep_dims", None, "keepdims", 0) == 0
    assert one_of("keep_dims", None, "keepdims", None) is None


def test_an_argument_under_both_names_raises() -> None:
    with pytest.raises(ValueError, match="Cannot specify both 'keep_dims' and 'keepdims'"):
        one_of("keep_dims", False, "keepdims", False)
