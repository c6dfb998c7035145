"""`tf.get_static_value`: values that users are told while a graph is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.shape_context import static_value


def known(make: Callable[[], Any], *, partial: bool = False) -> Any:
    with tf.Graph().as_default():
        return tf.get_static_value(make(), partial=partial)


def unknown() -> Any:
    return tf.compat.v1.placeholder(tf.int32, [])


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda: tf.constant([1, 2]), [1, 2]),
        (lambda: tf.stack([tf.constant(1), 2]), [1, 2]),
        (lambda: tf.concat([[1], [2, 3]], 0), [1, 2, 3]),
        (lambda: tf.cast(tf.range(3), tf.float32), [0.0, 1.0, 2.0]),
        (lambda: tf.equal(tf.fill([2], 3), [3, 4]), [True, False]),
        (lambda: tf.unstack(tf.constant([[1], [2]]))[1], [2]),
        (lambda: tf.split(tf.identity(tf.constant([1, 2])), 2)[0], [1]),
        (lambda: tf.zeros([5000]), [0.0] * 5000),
    ],
)
def test_values_made_of_known_values_are_known(make: Callable[[], Any], value: Any) -> None:
    assert known(make).tolist() == value


@pytest.mark.parametrize(
    "make", [lambda: tf.constant(1) + 1, lambda: tf.constant([1])[0], lambda: tf.stack([[1], [2]], axis=1) * 1, unknown]
)
def test_what_shape_rules_know_is_not_told_to_users(make: Callable[[], Any]) -> None:
    assert known(make) is None


def test_shape_rules_know_more_than_users_are_told() -> None:
    with tf.Graph().as_default():
        total = tf.constant(1) + 1
        assert tf.get_static_value(total) is None
        assert static_value(total) == 2


def test_parts_of_a_stack_are_told_to_those_who_ask() -> None:
    stack = lambda: tf.stack([unknown(), 2])  # noqa: E731 (a maker like those above)
    assert known(stack) is None
    assert known(stack, partial=True).tolist() == [None, 2]
    assert known(lambda: tf.unstack(stack())[1], partial=True) == 2
    assert known(lambda: tf.unstack(stack())[0], partial=True) is None
    assert known(lambda: tf.stack([stack(), stack()]), partial=True).tolist() == [[None, 2], [None, 2]]
    assert known(lambda: tf.cast(stack(), tf.float32), partial=True) is None


def test_values_that_are_no_tensors_come_back() -> None:
    assert tf.get_static_value(3) == 3
    assert tf.get_static_value([1]) == [1]
    assert tf.get_static_value(tf.Variable(1)) is None
    assert isinstance(tf.get_static_value(tf.constant(1)), np.int32)
