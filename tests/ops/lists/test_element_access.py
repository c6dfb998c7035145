"""Tensor lists: values that never change, popping from empty ones, gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.tensor_lists import TensorList

raw = tf.raw_ops


def empty() -> Any:
    return raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.float32)


def push(handle: Any, x: Any) -> Any:
    return raw.TensorListPushBack(input_handle=handle, tensor=x)


def pop(handle: Any) -> Any:
    return raw.TensorListPopBack(input_handle=handle, element_shape=-1, element_dtype=tf.float32)


def length(handle: Any) -> int:
    return int(raw.TensorListLength(input_handle=handle))


def test_last_in_first_out() -> None:
    handle = push(push(empty(), [1.0]), [2.0, 3.0])
    assert length(handle) == 2
    rest, last = pop(handle)
    assert last.numpy().tolist() == [2.0, 3.0]
    assert pop(rest)[1].numpy().tolist() == [1.0]


def test_a_list_does_not_change_when_others_grow_from_it() -> None:
    base = push(empty(), 1.0)
    left, right = push(base, 2.0), push(base, 3.0)
    assert [length(h) for h in (base, left, right)] == [1, 2, 2]
    assert [float(pop(h)[1]) for h in (base, left, right)] == [1.0, 2.0, 3.0]
    shorter, _ = pop(left)
    other = push(shorter, 9.0)
    assert [float(pop(h)[1]) for h in (left, other)] == [2.0, 9.0]


def test_popping_an_empty_list_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty list"):
        pop(empty())


def test_a_gradient_flows_through_push_and_pop() -> None:
    x, y = tf.constant(2.0), tf.constant([3.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        rest, second = pop(push(push(empty(), x * x), y * 5.0))
        _, first = pop(rest)
        z = first * tf.reduce_sum(second)
    assert [np.asarray(g).tolist() for g in tape.gradient(z, [x, y])] == [60.0, [20.0]]


def test_repr_and_length_of_the_value() -> None:
    one = TensorList(tf.float64, tf.TensorShape(None)).push(np.ones(2))
    assert len(one) == 1
    assert repr(one) == "<TensorList>"
    assert [a.tolist() for a in one.items()] == [[1.0, 1.0]]
