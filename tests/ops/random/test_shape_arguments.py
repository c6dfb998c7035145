"""The `shape` argument: what is accepted, and TensorFlow's words for what is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.random.shape_arguments import ends_with, shape_tensor
from tests.ids import stable_repr


@pytest.mark.parametrize("shape", [(), [], 0 * (1,), tf.TensorShape([])], ids=stable_repr)
def test_an_empty_shape_is_an_int32_vector(shape: Any) -> None:
    assert shape_tensor(shape).dtype is tf.int32
    assert shape_tensor(shape).shape == [0]


@pytest.mark.parametrize(
    "shape", [[2, 3], (2, 3), tf.TensorShape([2, 3]), np.array([2, 3]), tf.constant([2, 3], tf.int64)], ids=stable_repr
)
def test_shapes_come_in_many_forms(shape: Any) -> None:
    assert tf.random.uniform(shape).shape == [2, 3]
    assert tf.random.stateless_normal(shape, [1, 2]).shape == [2, 3]


@pytest.mark.parametrize(
    ("shape", "message"),
    [([-1], "Dimension -1 must be >= 0"), ([[2]], "got shape [1,1]"), (3, "got shape []")],
)
def test_a_shape_that_is_none_raises(shape: Any, message: str) -> None:
    for draw in (tf.random.uniform, tf.random.normal, lambda s: tf.random.stateless_uniform(s, [1, 2])):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            draw(shape)
        assert message in str(error.value)


def test_a_matrix_is_no_shape_while_tracing() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be rank 1 but is rank 2"):
        tf.random.uniform([[2]])


def test_static_shapes_follow_from_what_is_known() -> None:
    found = {}

    @tf.function(
        autograph=False, input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([3, None], tf.float32)]
    )
    def draw(s: Any, a: Any) -> Any:
        found["unknown rank"] = tf.random.uniform(s).shape.rank
        found["partial"] = tf.random.uniform([s[0], 3]).shape.as_list()
        found["gamma"] = tf.random.gamma([2], a).shape.as_list()
        found["poisson"] = tf.random.poisson([2, 3], a).shape.as_list()
        found["categorical"] = tf.random.categorical(a, 7).shape.as_list()
        found["categorical of n"] = tf.random.categorical(a, s[0]).shape.as_list()
        found["stateless gamma"] = tf.random.stateless_gamma([4, s[0]], [1, 2], a[0]).shape.as_list()
        found["split"] = tf.random.split([1, 2], s[0]).shape.as_list()
        found["shuffle"] = tf.random.shuffle(a).shape.as_list()
        return s

    draw.get_concrete_function()
    assert found == {
        "unknown rank": None,
        "partial": [None, 3],
        "gamma": [2, 3, None],
        "poisson": [2, 3, 3, None],
        "categorical": [3, 7],
        "categorical of n": [3, None],
        "stateless gamma": [4, None],
        "split": [None, 2],
        "shuffle": [3, None],
    }


def test_the_end_of_a_shape() -> None:
    assert ends_with((2, 3, 4), (3, 4))
    assert ends_with((2,), ())
    assert not ends_with((4,), (3, 4))
