"""Storages of variables and the handles that refer to them."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.resources import VariableStorage, resource_handle, resource_of
from millrace._src.core.shapes import TensorShape


def storage() -> VariableStorage:
    return VariableStorage(tf.float32, TensorShape([2]), "v")


def test_a_storage_has_no_value_until_it_is_given_one() -> None:
    s = storage()
    assert s.value is None
    s.value = np.ones(2, np.float32)
    assert s.value.tolist() == [1.0, 1.0]
    assert repr(s) == '<ResourceHandle(name="v", dtype=float32, shape=(2,))>'


def test_a_value_on_a_device_comes_to_the_host_when_it_is_read() -> None:
    s = storage()
    s.value = np.ones(2, np.float32)
    s.set_device_value([5.0, 6.0])
    assert s.device == [5.0, 6.0]
    assert s.value.tolist() == [5.0, 6.0]
    s.value = np.zeros(2, np.float32)
    assert s.device is None
    assert s.value.tolist() == [0.0, 0.0]


def test_a_handle_refers_to_its_object() -> None:
    s = storage()
    handle = resource_handle(s, shape=s.shape, dtype=s.dtype)
    assert resource_of(handle._value) is s
    assert resource_of(s) is s
    assert (handle.dtype, handle.shape) == (tf.resource, [])
    assert copy.copy(handle) is handle


def test_reading_before_there_is_a_value_is_a_clear_error() -> None:
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="mine")
    assert not bool(tf.raw_ops.VarIsInitializedOp(resource=handle))
    for read in (
        lambda: tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32),
        lambda: tf.raw_ops.AssignAddVariableOp(resource=handle, value=[1.0, 1.0]),
        lambda: tf.raw_ops.ResourceGather(resource=handle, indices=[0], dtype=tf.float32),
        lambda: tf.raw_ops.VariableShape(input=handle),
    ):
        with pytest.raises(tf.errors.FailedPreconditionError, match="mine"):
            read()
    tf.raw_ops.AssignVariableOp(resource=handle, value=[1.0, 2.0])
    assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32).numpy().tolist() == [1.0, 2.0]
    tf.raw_ops.DestroyResourceOp(resource=handle)
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)


def test_reading_in_another_dtype_is_refused() -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.int32)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        tf.raw_ops.AssignVariableOp(resource=v.handle, value=[1, 2])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=[1, 2])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        tf.raw_ops.ResourceScatterAdd(resource=v.handle, indices=[0], updates=[1])
    assert v.numpy().tolist() == [1.0, 2.0]
    assert v.numpy().dtype == np.float32
