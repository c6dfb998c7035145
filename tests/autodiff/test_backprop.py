"""Adding gradients up: dense, sparse, mixed; missing ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff.backprop import add_gradients, fill_unconnected, join, zeros
from millrace._src.core import op_registry
from millrace._src.core.op_def import op
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import FLOAT


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def rows(values: Any, indices: Any, dtype: Any = tf.int32) -> Any:
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices, dtype), tf.constant([3]))


def test_sparse_gradients_are_joined_in_the_order_they_come() -> None:
    total = join(add_gradients(add_gradients(rows([1.0], [0]), rows([2.0, 3.0], [0, 2])), rows([9.0], [1])))
    assert isinstance(total, tf.IndexedSlices)
    assert (value(total.values), value(total.indices)) == ([1.0, 2.0, 3.0, 9.0], [0, 0, 2, 1])
    assert value(total.dense_shape) == [3]


def test_many_sparse_gradients_of_a_tensor_are_copied_once() -> None:
    table = tf.Variable(tf.ones([3, 2]))

    @tf.function(autograph=False)
    def f():
        with tf.GradientTape() as tape:
            y = tf.add_n([tf.reduce_sum(tf.gather(table, [i % 3])) for i in range(20)])
        return tape.gradient(y, table)

    assert value(tf.convert_to_tensor(f())) == [[7.0, 7.0], [7.0, 7.0], [6.0, 6.0]]
    joins = [op for op in f.get_concrete_function().graph.get_operations() if len(op.inputs) == 21]
    assert [op.type for op in joins] == ["ConcatV2", "ConcatV2"]


def test_a_dense_gradient_makes_all_sparse_ones_dense() -> None:
    total = add_gradients(add_gradients(rows([1.0], [1]), rows([1.0], [2])), tf.constant([1.0, 1.0, 1.0]))
    assert value(total) == [1.0, 2.0, 2.0]


def test_indices_of_two_widths_are_joined_as_int64() -> None:
    total = join(add_gradients(rows([1.0], [0]), rows([2.0], [1], tf.int64)))
    assert total.indices.dtype == tf.int64


@pytest.mark.parametrize("sparse_first", [True, False])
def test_a_sparse_and_a_dense_gradient_become_dense(sparse_first: bool) -> None:
    sparse, dense = rows([1.0], [1]), tf.constant([10.0, 10.0, 10.0])
    total = add_gradients(*((sparse, dense) if sparse_first else (dense, sparse)))
    assert value(total) == [10.0, 11.0, 10.0]


def test_zeros_of_a_shape_and_dtype() -> None:
    z = zeros([2, 0], tf.float64)
    assert (z.shape, z.dtype) == ([2, 0], tf.float64)


def test_a_missing_gradient_is_none_or_zeros() -> None:
    x = tf.constant([1.0, 2.0])
    assert fill_unconnected(None, x, tf.UnconnectedGradients.NONE) is None
    assert value(fill_unconnected(None, x, tf.UnconnectedGradients.ZERO)) == [0.0, 0.0]
    assert fill_unconnected(x, x, tf.UnconnectedGradients.ZERO) is x


def test_an_op_whose_gradient_is_missing_raises_when_it_is_needed() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.raw_ops.Unpack(value=x, num=2, axis=0)
    assert value(tape.gradient(y[1], x)) == [0.0, 1.0]


def test_a_sparse_gradient_reaches_a_rule_that_computes_with_it_as_a_tensor() -> None:
    y, dy = tf.constant([0.5, 0.25]), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = tf.gather(tf.raw_ops.TanhGrad(y=y, dy=dy), [1])
    np.testing.assert_allclose(tape.gradient(z, y), [0.0, -1.0])


# --- sparse gradients and rules --------------------------------------------------------------------------------------


@pytest.fixture
def declared() -> Iterator[Any]:
    """An op `Passed` whose gradient a test declares."""

    @op("Passed", "x: T -> y: T", T=FLOAT, shape=same_shape)
    def passed(xp: Any, x: Any) -> Any:
        """Returns its input."""
        return xp.add(x, 0)

    yield passed
    op_registry._REGISTRY.pop("Passed")


def _rows_gradient(function: Any) -> Any:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(function(x), [1])
    return tape.gradient(y, x)


def test_a_type_error_of_a_rule_is_the_users_to_see_and_the_rule_runs_once(declared: Any) -> None:
    calls = []

    @declared.gradient
    def _(dy: Any) -> Any:
        calls.append(dy)
        raise TypeError("a bug in the rule")

    with pytest.raises(TypeError, match="a bug in the rule"):
        _rows_gradient(declared)
    assert [isinstance(dy, tf.Tensor) for dy in calls] == [True]


def test_a_rule_that_computes_is_given_a_tensor_for_a_sparse_gradient(declared: Any) -> None:
    declared.gradient(lambda dy: dy * 2.0)
    assert _rows_gradient(declared).numpy().tolist() == [[0.0, 0.0], [2.0, 2.0]]


def test_a_rule_that_accepts_slices_passes_them_on(declared: Any) -> None:
    @declared.gradient(accepts_slices=True)
    def _(dy: Any) -> Any:
        return dy

    found = _rows_gradient(declared)
    assert isinstance(found, tf.IndexedSlices) and found.indices.numpy().tolist() == [1]


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (tf.identity, True),
        (lambda x: -x, True),
        (lambda x: tf.cast(x, tf.float64), True),
        (lambda x: x + 1.0, True),
        (lambda x: tf.nn.bias_add(x, [1.0, 1.0]), True),
        (lambda x: x * 2.0, False),
        (lambda x: tf.reshape(x, [2, 2]), False),
        (tf.tanh, False),
    ],
)
def test_which_ops_keep_a_gradient_sparse_is_as_in_tensorflow(function: Any, kept: bool) -> None:
    assert isinstance(_rows_gradient(function), tf.IndexedSlices) is kept
