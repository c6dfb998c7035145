"""TensorFlow 1's conditional accumulators."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1


def test_dense_gradients_add_up_eagerly() -> None:
    accumulator = v1.ConditionalAccumulator(tf.float32, shape=[2])
    assert (accumulator.name, accumulator.dtype, accumulator.accumulator_ref.dtype) == ("", tf.float32, tf.resource)
    accumulator.set_global_step(4)
    accumulator.apply_grad([9.0, 9.0], local_step=3)
    accumulator.apply_grad([1.0, 2.0], local_step=4)
    accumulator.apply_grad([3.0, 6.0], local_step=5)
    assert accumulator.num_accumulated().numpy() == 2
    assert accumulator.take_grad(2).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
        accumulator.apply_grad([1.0, 2.0, 3.0])


def test_dense_gradients_add_up_in_a_function() -> None:
    @tf.function
    def f() -> Any:
        accumulator = v1.ConditionalAccumulator(tf.float32, shape=[2], reduction_type="SUM")
        accumulator.apply_grad([1.0, 2.0])
        accumulator.apply_grad([3.0, 6.0])
        taken = accumulator.take_grad(2)
        assert taken.shape == (2,)
        return taken

    assert f().numpy().tolist() == [4.0, 8.0]


def test_sparse_gradients_add_up_in_a_function() -> None:
    @tf.function
    def f() -> Any:
        accumulator = v1.SparseConditionalAccumulator(tf.float32, shape=[3, 2])
        accumulator.apply_grad([0, 2], [[1.0, 2.0], [3.0, 4.0]], [3, 2])
        accumulator.apply_indexed_slices_grad(tf.IndexedSlices(tf.constant([[1.0, 0.0]]), tf.constant([2])))
        return accumulator.num_accumulated(), accumulator.take_indexed_slices_grad(2)

    count, taken = f()
    assert count.numpy() == 2
    assert taken.indices.numpy().tolist() == [0, 2]
    assert taken.values.numpy().tolist() == [[1.0, 2.0], [2.0, 2.0]]
    assert taken.dense_shape.numpy().tolist() == [3, 2]


def test_a_graph_has_tensorflows_nodes() -> None:
    with tf.Graph().as_default() as graph:
        dense = v1.ConditionalAccumulator(tf.float32, shape=[2], name="dense")
        sparse = v1.SparseConditionalAccumulator(tf.float32, shape=[3, 2], name="sparse")
        assert (dense.name, sparse.name, sparse.accumulator_ref.dtype.name) == ("dense", "sparse", "string_ref")
        assert dense.num_accumulated().op.name == "dense_NumAccumulated"
        assert dense.apply_grad([1.0, 2.0]).type == "ResourceAccumulatorApplyGradient"
        assert sparse.apply_grad([0], [[1.0, 2.0]]).get_attr("has_known_shape") is False
        assert sparse.take_grad(1)._fields == ("indices", "values", "shape")
        assert sparse.set_global_step(3).type == "AccumulatorSetGlobalStep"
    types = {op.type for op in graph.get_operations()}
    assert types > {"ResourceConditionalAccumulator", "SparseConditionalAccumulator"}


def test_sparse_accumulators_are_refused_eagerly() -> None:
    with pytest.raises(RuntimeError, match="sparse_conditional_accumulator op does not support eager execution"):
        v1.SparseConditionalAccumulator(tf.float32, shape=[2, 3])
    assert v1.sparse.SparseConditionalAccumulator is v1.SparseConditionalAccumulator
    assert issubclass(v1.ConditionalAccumulator, v1.ConditionalAccumulatorBase)
