"""The ops behind variables: reading and gathering are differentiated by the variable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram

_X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def _gather(v: Any) -> Any:
    return tf.raw_ops.ResourceGather(resource=v.handle, indices=np.int32([[2, 0], [2, 2]]), dtype=tf.float64)


def _gather_nd(v: Any) -> Any:
    return tf.raw_ops.ResourceGatherNd(resource=v.handle, indices=np.int32([[2, 0], [0, 1], [2, 0]]), dtype=tf.float64)


GRADIENT_PROGRAMS = [
    GradientProgram(
        "ReadVariableOp",
        lambda v: tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float64) ** 3.0,
        [_X],
        variables=True,
    ),
    GradientProgram("ResourceGather", lambda v: _gather(v) ** 3.0, [_X], variables=True),
    GradientProgram("ResourceGatherNd", lambda v: _gather_nd(v) ** 3.0, [_X], variables=True),
]


def test_the_gradient_of_gathered_rows_is_sparse_and_names_repeated_rows_again() -> None:
    v = tf.Variable(_X)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(_gather(v))
    gradient = tape.gradient(y, v)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [2, 0, 2, 2]
    assert gradient.dense_shape.numpy().tolist() == [3, 2]


def test_disabling_copies_of_a_variable_changes_nothing_and_needs_a_value() -> None:
    v = tf.Variable([1.0, 2.0])
    assert tf.raw_ops.DisableCopyOnRead(resource=v.handle) is None
    assert v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable"):
        tf.raw_ops.DisableCopyOnRead(resource=tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name="none"))
