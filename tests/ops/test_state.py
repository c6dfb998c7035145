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


# --- scatters in place ------------------------------------------------------------------------------------------------


def _address(variable: Any) -> int:
    return int(variable.handle._eager_array[()]._host.ctypes.data)


def _scatter_three(variable: Any) -> None:
    for function in (tf.raw_ops.ResourceScatterAdd, tf.raw_ops.ResourceScatterSub, tf.raw_ops.ResourceScatterUpdate):
        function(resource=variable.handle, indices=[1, 1, 3], updates=tf.ones([3, 2]))


def test_a_scatter_changes_the_array_that_only_the_variable_holds() -> None:
    v = tf.Variable(tf.zeros([5, 2]))
    v.assign(tf.ones([5, 2]) * 2.0)
    before = _address(v)
    _scatter_three(v)
    v.scatter_nd_add([[0]], tf.ones([1, 2]))
    assert _address(v) == before
    assert v.numpy().tolist() == [[3, 3], [1, 1], [2, 2], [1, 1], [2, 2]]


@pytest.mark.parametrize("read", [lambda v: v.read_value(), lambda v: v.numpy(), lambda v: v[1:], lambda v: v.value()])
def test_what_was_read_before_a_scatter_keeps_its_values(read: Any) -> None:
    v = tf.Variable(tf.zeros([5, 2]))
    v.assign(tf.ones([5, 2]) * 2.0)
    kept = read(v)
    shown = np.array(kept)
    _scatter_three(v)
    np.testing.assert_array_equal(np.array(kept), shown)


def test_a_value_that_a_function_read_before_a_scatter_keeps_its_values() -> None:
    v = tf.Variable(tf.zeros([5, 2]))
    v.assign(tf.ones([5, 2]) * 2.0)

    @tf.function
    def f() -> Any:
        before = v.read_value()
        v.scatter_add(tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 0])))
        return before, v.read_value()

    before, after = f()
    assert before.numpy()[0].tolist() == [2, 2] and after.numpy()[0].tolist() == [4, 4]


def test_a_scatter_that_is_refused_changes_nothing() -> None:
    v = tf.Variable(tf.ones([5, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        v.scatter_add(tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 9])))
    assert v.numpy().min() == v.numpy().max() == 1.0
