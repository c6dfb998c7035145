"""What functions read or change outside of their pipeline, and what a policy says to that."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

Dataset = tf.data.Dataset
Policy = tf.data.experimental.ExternalStatePolicy
V = tf.Variable(1, dtype=tf.int64)


def in_branch(x: Any) -> Any:
    return tf.cond(x > 1, lambda: x + V, lambda: x)


STATEFUL = {
    "ReadVariableOp": lambda x: x + V,
    "AssignAddVariableOp": lambda x: V.assign_add(x),
    "PyFunc": lambda x: tf.numpy_function(lambda y: y, [x], tf.int64),
    "EagerPyFunc": lambda x: tf.py_function(lambda y: y, [x], tf.int64),
}


def save(function: Any, policy: Any = None) -> Any:
    options = tf.data.Options()
    if policy is not None:
        options.experimental_external_state_policy = policy
    iterator = Dataset.range(3).map(function).filter(lambda x: x >= 0).with_options(options).as_numpy_iterator()
    return iterator.save()


@pytest.mark.parametrize("name", list(STATEFUL))
def test_a_function_with_state_outside_is_refused_unless_the_policy_allows_it(name: str, caplog: Any) -> None:
    for policy in (None, Policy.FAIL):
        with pytest.raises(tf.errors.FailedPreconditionError, match=f"{name} is stateful"):
            save(STATEFUL[name], policy)
    assert not caplog.records
    save(STATEFUL[name], Policy.IGNORE)
    assert not caplog.records
    save(STATEFUL[name], Policy.WARN)


def test_state_in_a_branch_is_found() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="ReadVariableOp is stateful"):
        save(in_branch)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + 1,
        lambda x: tf.cast(tf.random.uniform([]), tf.int64) + x,
        lambda x: (tf.print("", end=""), x)[1],
        lambda x: tf.cast(tf.debugging.check_numerics(tf.cast(x, tf.float32), ""), tf.int64),
        lambda x: (tf.debugging.assert_equal(x, x), x)[1],
    ],
)
def test_pure_functions_random_numbers_prints_and_assertions_have_no_such_state(function: Any) -> None:
    save(function, Policy.FAIL)


def test_the_op_takes_the_policy_as_a_number() -> None:
    handle = iter(Dataset.range(3).map(lambda x: x + V))._iterator_resource
    tf.raw_ops.SerializeIterator(resource_handle=handle, external_state_policy=1)
    with pytest.raises(tf.errors.FailedPreconditionError, match="ReadVariableOp is stateful"):
        tf.raw_ops.SerializeIterator(resource_handle=handle, external_state_policy=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unexpected value of external policy: 7"):
        tf.raw_ops.SerializeIterator(resource_handle=handle, external_state_policy=7)
