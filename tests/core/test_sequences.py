from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.sequences import array_of_list, array_of_sequence, object_array, utf8_bytes

scalars = st.integers(-(2**33), 2**33) | st.floats(width=32) | st.booleans()


@given(st.lists(scalars, max_size=70))
def test_the_short_way_gives_what_the_long_way_gives(items: list[Any]) -> None:
    def outcome(function: Any) -> Any:
        try:
            array, dtype = function(items, None)
        except ValueError as error:
            return str(error)
        return dtype, array.shape, array.tobytes()

    assert outcome(array_of_list) == outcome(array_of_sequence)


@given(st.integers(0, 3), st.integers(1, 3), st.integers(1, 3), st.sampled_from([list, tuple]))
def test_nesting_gives_the_shape(a: int, b: int, c: int, kind: Any) -> None:
    nested = kind([kind([kind([7] * c)] * b)] * a)
    array, dtype = array_of_sequence(nested, None)
    assert array.shape == ((a, b, c) if a else (0,))
    assert dtype is (tf.int32 if a else tf.float32)


def test_rows_of_different_kinds_go_together() -> None:
    rows: list[Any] = [[1, 2], (3, 4), range(5, 7), np.array([7, 8]), bytearray(b"\x09\x0a")]
    array, dtype = array_of_sequence(rows, None)
    assert dtype is tf.int32 and array.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]


@pytest.mark.parametrize("rows", [[[1, 2], range(3)], [range(2), [1]], [[[1]], [[1], [2]]], [[1], "a"]])
def test_ragged_rows_of_any_kind_are_refused(rows: Any) -> None:
    with pytest.raises(ValueError, match="non-rectangular"):
        array_of_sequence(rows, None)


def test_a_vector_of_objects_stays_a_vector() -> None:
    assert object_array([[1], [2]]).shape == (2,)
    assert object_array([b"a"]).tolist() == [b"a"]


def test_text_is_utf8() -> None:
    assert utf8_bytes("é") == b"\xc3\xa9" and type(utf8_bytes(np.bytes_(b"a"))) is bytes
    with pytest.raises(ValueError, match="Error converting unicode string"):
        utf8_bytes("\ud800")
