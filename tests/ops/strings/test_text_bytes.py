"""The helpers that map over string arrays."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.strings.text_bytes import attr_bytes, check_choice, map_strings, map_values, string_array


def test_bytes_outside_utf8_travel_in_attributes() -> None:
    assert attr_bytes("é\udcff") == b"\xc3\xa9\xff"


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (2, 3)])
def test_string_arrays_have_any_shape(shape: tuple[int, ...]) -> None:
    array = string_array((b"x" for _ in range(int(np.prod(shape)))), shape)
    assert array.shape == shape
    assert array.dtype == object
    assert map_strings(bytes.upper, array).shape == shape
    assert map_values(len, array, np.int32).dtype == np.int32


def test_check_choice_names_the_choices() -> None:
    check_choice("unit", "a", ("a", "b"))
    with pytest.raises(tf.errors.InvalidArgumentError, match='allowed values: "a", "b"'):
        check_choice("unit", "c", ("a", "b"))
