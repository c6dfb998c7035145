"""The words of shape errors."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.array.shape_checks import add, dims_text, divide, first_bad, merge_dims, multiply, with_rank


def test_dimensions_are_shown_as_the_runtime_shows_them() -> None:
    assert dims_text((2, None)) == "[2,?]"
    assert dims_text(tf.TensorShape(None)) == "<unknown>"
    assert dims_text(()) == "[]"


def test_merging_takes_what_either_side_knows() -> None:
    assert merge_dims((None, 3), (2, None)) == (2, 3)
    assert merge_dims(None, (2,)) == (2,)
    with pytest.raises(ValueError, match="Dimension 1 in both shapes must be equal, but are 3 and 4"):
        merge_dims((None, 3), (2, 4))


def test_arithmetic_on_unknown_dimensions() -> None:
    assert multiply(2, None, 0) == 0
    assert multiply(2, None) is None
    assert add(2, None) is None
    assert divide(6, 3) == 2
    with pytest.raises(ValueError, match="Dimension size must be evenly divisible by 4 but is 6"):
        divide(6, 4)


def test_the_first_bad_element_is_found_in_row_major_order() -> None:
    assert first_bad(np.array([[False, False], [True, True]])) == (1, 0)
    assert first_bad(np.array(True)) == ()
    assert first_bad(np.zeros([2], bool)) is None


def test_ranks_are_refused_in_tensorflows_words() -> None:
    with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 2"):
        with_rank(tf.TensorShape([1, 2]), 1)
    assert with_rank(tf.TensorShape(None), 2) == (None, None)
