"""Fields and columns."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.io.example_fields import Field, FieldLayout, column_of, show


def test_a_column_holds_all_values_and_counts_of_each_example() -> None:
    column = column_of([[1, 2], None, np.array([3]), []], tf.int64)
    assert (column.values.tolist(), column.counts.tolist()) == ([1, 2, 3], [2, -1, 1, 0])


def test_a_column_of_bytes_is_an_array_of_objects() -> None:
    column = column_of([[b"a\0", b""], None], tf.string)
    assert column.values.dtype == object
    assert (column.values.tolist(), column.counts.tolist()) == ([b"a\0", b""], [2, -1])


@pytest.mark.parametrize("dtype", [tf.int64, tf.float32, tf.string])
def test_a_column_of_nothing_has_its_dtype(dtype: tf.DType) -> None:
    assert column_of([None, None], dtype).values.dtype == dtype.np_dtype
    assert column_of([], dtype).counts.tolist() == []


def test_shapes_are_shown_with_the_open_dimension_of_padded_fields() -> None:
    assert Field(b"a", tf.int64, FieldLayout.FIXED, (2, 3)).shown_shape == "[2,3]"
    assert Field(b"a", tf.int64, FieldLayout.PADDED, (2,)).shown_shape == "[?,2]"
    assert Field(b"a", tf.int64, FieldLayout.FIXED, (2, 3)).size == 6


def test_bytes_that_are_no_text_are_escaped() -> None:
    assert show(b"a\xff") == "a\\xff"
