"""Shape rules that many ops share: what is claimed must hold for every array the shapes allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from millrace._src.ops.shape_rules import broadcast_dims, normalize_axis


@st.composite
def shapes_and_views(draw: Any) -> Any:
    """Two shapes that broadcast, and what is statically known of them."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3, min_side=0)).input_shapes
    views = [
        None if draw(st.integers(0, 9)) == 0 else [None if draw(st.booleans()) else n for n in shape]
        for shape in shapes
    ]
    return shapes, views


@given(shapes_and_views())
def test_a_broadcast_shape_holds_for_every_array(drawn: Any) -> None:
    shapes, views = drawn
    static = broadcast_dims(*(tf.TensorShape(v) for v in views))
    assert static.is_compatible_with(np.broadcast_shapes(*shapes))
    if views == [list(s) for s in shapes]:
        assert static.as_list() == list(np.broadcast_shapes(*shapes))


@given(st.lists(st.integers(0, 3), max_size=3), st.lists(st.integers(0, 3), max_size=3))
def test_shapes_that_do_not_broadcast_raise_as_numpy_does(a: list[int], b: list[int]) -> None:
    try:
        expected = list(np.broadcast_shapes(tuple(a), tuple(b)))
    except ValueError:
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            broadcast_dims(tf.TensorShape(a), tf.TensorShape(b))
    else:
        assert broadcast_dims(tf.TensorShape(a), tf.TensorShape(b)).as_list() == expected


@pytest.mark.parametrize(("axis", "rank", "expected"), [(0, 2, 0), (-1, 2, 1), (-2, 2, 0)])
def test_a_negative_axis_counts_from_the_end(axis: int, rank: int, expected: int) -> None:
    assert normalize_axis(axis, rank) == expected


@pytest.mark.parametrize(("axis", "rank"), [(2, 2), (-3, 2), (0, 0)])
def test_an_axis_out_of_range_raises(axis: int, rank: int) -> None:
    with pytest.raises(ValueError, match="must be in the range"):
        normalize_axis(axis, rank)


@given(st.lists(st.integers(0, 2), max_size=3), st.data())
def test_gradients_of_a_broadcast_have_the_shape_of_each_operand(shape: list[int], data: Any) -> None:
    known = data.draw(st.booleans())
    other = [data.draw(st.sampled_from([1, n])) for n in shape][data.draw(st.integers(0, len(shape))) :]
    x, y = tf.ones(shape), tf.ones(other) * 2.0
    f = tf.function(
        lambda x, y: tf.gradients(x * y, [x, y]),
        autograph=False,
        input_signature=[tf.TensorSpec(s if known else [None] * len(s), tf.float32) for s in (shape, other)],
    )
    dx, dy = f(x, y)
    assert (dx.shape.as_list(), dy.shape.as_list()) == (shape, other)
    np.testing.assert_array_equal(dx, np.broadcast_to(2.0, shape))
    assert float(tf.reduce_sum(dy)) == float(np.prod(shape))
