"""Shortcuts of eager calls."""

from __future__ import annotations

import numpy as np

import millrace as tf
from millrace._src.ops.array.eager_arguments import index_tensor, plain_arrays


def test_ints_and_lists_become_index_tensors_in_eager_mode() -> None:
    assert index_tensor(3).dtype is tf.int32
    assert index_tensor([1, 2]).numpy().tolist() == [1, 2]
    assert index_tensor([]).dtype is tf.int32
    assert index_tensor(2**40).__class__ is int  # the op itself finds it a dtype


def test_everything_stays_as_it_is_in_a_graph() -> None:
    with tf.Graph().as_default():
        assert index_tensor([1, 2]) == [1, 2]


def test_an_array_keeps_its_dtype() -> None:
    shape = np.array([2], np.int64)
    assert index_tensor(shape) is shape


def test_arrays_are_plain_only_while_nothing_watches() -> None:
    tensors = [tf.constant([1.0]), tf.constant([2.0])]
    assert plain_arrays(tensors) is not None
    assert plain_arrays([*tensors, tf.constant([1])]) is None
    assert plain_arrays([]) is None
    with tf.GradientTape():
        assert plain_arrays(tensors) is None
