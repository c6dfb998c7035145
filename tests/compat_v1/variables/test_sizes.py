"""The sizes of a shape that must be known."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.compat_v1.variables.sizes import known_sizes


def test_known_sizes_are_integers() -> None:
    assert known_sizes(tf.TensorShape([2, 0])) == [2, 0]
    assert known_sizes(tf.TensorShape([])) == []


@pytest.mark.parametrize("shape", [None, [2, None]])
def test_an_unknown_size_is_an_error_that_shows_the_shape(shape: object) -> None:
    with pytest.raises(ValueError, match="shape is not fully defined: "):
        known_sizes(tf.TensorShape(shape))
