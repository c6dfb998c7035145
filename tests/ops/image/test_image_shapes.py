"""Sizes that are integers or tensors."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.image import image_shapes


@pytest.mark.parametrize(("a", "b"), [(2, 3), (3, 2), (4, 4)])
def test_sizes_are_compared_as_integers_and_as_tensors(a: int, b: int) -> None:
    assert image_shapes.largest(a, b) == max(a, b)
    assert image_shapes.smallest(a, b) == min(a, b)
    assert int(image_shapes.largest(tf.constant(a), b)) == max(a, b)
    assert int(image_shapes.smallest(a, tf.constant(b))) == min(a, b)


def test_known_sizes_make_a_list() -> None:
    assert image_shapes.as_vector([1, 2]) == [1, 2]
    assert image_shapes.as_vector([1, tf.constant(2)]).numpy().tolist() == [1, 2]
    assert image_shapes.known_sizes([1, tf.constant(2)]) == [1, 2]


def test_dimensions_are_integers_where_they_are_known() -> None:
    found: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([2, None, 3])])
    def note(x: Any) -> Any:
        found.extend(image_shapes.sizes_of(x))
        return x

    note.get_concrete_function()
    assert found[0] == 2
    assert isinstance(found[1], tf.Tensor)
    assert found[2] == 3


def test_one_image_becomes_a_batch_and_one_image_again() -> None:
    batch, was_batch = image_shapes.as_batch(tf.zeros([4, 5, 3]), "words")
    assert batch.shape == [1, 4, 5, 3]
    assert image_shapes.like_before(batch, was_batch).shape == [4, 5, 3]
    with pytest.raises(ValueError, match="words"):
        image_shapes.as_batch(tf.zeros([4, 5]), "words")
