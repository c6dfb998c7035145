"""Functions of `tf.compat.v1` that reorder elements: the older names of arguments mean the same as today's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
PICTURE = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
NONE = [[0, 0], [0, 0]]


def test_a_new_dimension_has_two_names_of_which_one_is_given() -> None:
    assert v1.expand_dims([1, 2], 0).shape == v1.expand_dims([1, 2], dim=0).shape == [1, 2]
    with pytest.raises(ValueError, match="Must specify an axis argument"):
        v1.expand_dims([1, 2])
    with pytest.raises(ValueError, match="'dim'"):
        v1.expand_dims([1, 2], axis=0, dim=0)


def test_one_number_of_a_block_is_for_both_dimensions_and_there_and_back_is_the_picture() -> None:
    batch = v1.space_to_batch(PICTURE, NONE, 2)
    np.testing.assert_array_equal(batch, tf.space_to_batch(PICTURE, [2, 2], NONE))
    np.testing.assert_array_equal(v1.space_to_batch(PICTURE, NONE, block_shape=2), batch)
    np.testing.assert_array_equal(v1.batch_to_space(batch, NONE, 2), PICTURE)


def test_depth_comes_from_space_and_goes_back() -> None:
    deep = v1.space_to_depth(PICTURE, 2)
    assert deep.numpy()[0, 0, 0].tolist() == [0, 1, 4, 5]
    np.testing.assert_array_equal(v1.depth_to_space(deep, 2), PICTURE)


@pytest.mark.parametrize("names", [("seq_axis", "batch_axis"), ("seq_dim", "batch_dim")])
def test_rows_are_reversed_under_both_names_of_the_axes(names: tuple[str, str]) -> None:
    rows: Any = [[1, 2, 3], [4, 5, 6]]
    reversed_rows = v1.reverse_sequence(rows, [2, 3], **dict(zip(names, (1, 0), strict=True)))
    assert reversed_rows.numpy().tolist() == [[2, 1, 3], [6, 5, 4]]


def test_a_mode_comes_before_the_value_of_a_border() -> None:
    assert v1.pad([1, 2, 3], [[1, 1]], "REFLECT").numpy().tolist() == [2, 1, 2, 3, 2]
    assert v1.pad([1], [[1, 0]], constant_values=7).numpy().tolist() == [7, 1]


def test_a_window_has_two_names() -> None:
    ones = [1, 1, 1, 1]
    patches = v1.extract_image_patches(PICTURE, [1, 2, 2, 1], [1, 2, 2, 1], ones, "VALID")
    assert patches.numpy()[0, 0, 1].tolist() == [2, 3, 6, 7]
    same = v1.extract_image_patches(PICTURE, strides=[1, 2, 2, 1], rates=ones, padding="VALID", sizes=[1, 2, 2, 1])
    np.testing.assert_array_equal(same, patches)


def test_a_complex_matrix_is_conjugated_on_request() -> None:
    assert v1.transpose([[1 + 2j, 3j]], conjugate=True).numpy().tolist() == [[1 - 2j], [-3j]]
