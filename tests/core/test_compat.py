from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import millrace as tf


@pytest.mark.parametrize("value", ["aé", b"a\xc3\xa9"])
def test_text_and_bytes_convert_both_ways(value: Any) -> None:
    assert tf.compat.as_bytes(value) == b"a\xc3\xa9"
    assert tf.compat.as_text(value) == tf.compat.as_str(value) == tf.compat.as_str_any(value) == "aé"


def test_a_bytearray_becomes_bytes_but_is_no_text() -> None:
    assert tf.compat.as_bytes(bytearray(b"q")) == b"q"
    with pytest.raises(TypeError, match=r"^Expected binary or unicode string, got bytearray\(b'q'\)$"):
        tf.compat.as_text(bytearray(b"q"))


@pytest.mark.parametrize("value", [5, None])
def test_what_is_no_string_is_refused_or_shown(value: Any) -> None:
    for convert in (tf.compat.as_bytes, tf.compat.as_text):
        with pytest.raises(TypeError, match=f"^Expected binary or unicode string, got {value}$"):
            convert(value)
    assert tf.compat.as_str_any(value) == str(value)
    assert tf.compat.path_to_str(value) is value


def test_encodings_are_respected() -> None:
    assert tf.compat.as_bytes("é", "latin-1") == b"\xe9"
    assert tf.compat.as_text(b"\xe9", encoding="latin-1") == "é"
    with pytest.raises(UnicodeDecodeError):
        tf.compat.as_text(b"\xff")
    with pytest.raises(LookupError):
        tf.compat.as_bytes("a", "nope")


def test_paths_become_text_and_text_stays() -> None:
    assert tf.compat.path_to_str(pathlib.PurePosixPath("/a/b")) == "/a/b"
    assert tf.compat.path_to_str(b"\xff") == b"\xff"


def test_number_classes_include_those_of_numpy() -> None:
    assert isinstance(np.int8(1), tf.compat.integral_types) and not isinstance(1.0, tf.compat.integral_types)
    assert isinstance(np.float16(1), tf.compat.real_types) and not isinstance(1j, tf.compat.real_types)
    assert isinstance(np.complex64(1), tf.compat.complex_types)
    assert tf.compat.bytes_or_text_types == (bytes, str)


def test_dimension_value_takes_sizes_and_unknown() -> None:
    assert tf.compat.dimension_value(3) == 3
    assert tf.compat.dimension_value(None) is None


def test_the_compatibility_horizon_is_that_of_the_release_and_can_be_moved() -> None:
    assert tf.compat.forward_compatible(2026, 1, 15)
    assert not tf.compat.forward_compatible(2026, 1, 16)
    with tf.compat.forward_compatibility_horizon(2999, 1, 2):
        assert tf.compat.forward_compatible(2999, 1, 1)
    assert not tf.compat.forward_compatible(2999, 1, 1)
