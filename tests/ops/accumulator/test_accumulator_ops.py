"""The ops on conditional accumulators."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

R = tf.raw_ops


def _made(**facts: Any) -> Any:
    return R.ResourceConditionalAccumulator(**{"dtype": tf.float32, "shape": [2], **facts})


def test_a_resource_adds_up_gradients() -> None:
    handle = _made()
    for gradient in ([1.0, 2.0], [3.0, 6.0]):
        R.ResourceAccumulatorApplyGradient(handle=handle, local_step=0, gradient=gradient)
    assert R.ResourceAccumulatorNumAccumulated(handle=handle).numpy() == 2
    average = R.ResourceAccumulatorTakeGradient(handle=handle, num_required=2, dtype=tf.float32)
    assert average.numpy().tolist() == [2.0, 4.0]
    R.ResourceAccumulatorSetGlobalStep(handle=handle, new_global_step=9)
    R.ResourceAccumulatorApplyGradient(handle=handle, local_step=8, gradient=[1.0, 1.0])
    assert R.ResourceAccumulatorNumAccumulated(handle=handle).numpy() == 0


def test_a_shared_name_is_one_accumulator() -> None:
    first, second = _made(shared_name="one"), _made(shared_name="one")
    R.ResourceAccumulatorApplyGradient(handle=first, local_step=0, gradient=[1.0, 2.0])
    assert R.ResourceAccumulatorNumAccumulated(handle=second).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shared accumulator 'one' is"):
        _made(shared_name="one", dtype=tf.float64)


def test_another_dtype_or_handle_is_refused() -> None:
    handle = _made()
    R.ResourceAccumulatorApplyGradient(handle=handle, local_step=0, gradient=[1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Signature mismatch"):
        R.ResourceAccumulatorTakeGradient(handle=handle, num_required=1, dtype=tf.float64)
    with pytest.raises(tf.errors.InvalidArgumentError, match="The handle refers to Mutex, not to Accumulator"):
        R.ResourceAccumulatorNumAccumulated(handle=R.MutexV2())


@pytest.mark.parametrize("name", ["ConditionalAccumulator", "SparseConditionalAccumulator"])
def test_references_are_refused_eagerly(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"op does not support eager execution\. Arg 'handle'"):
        getattr(R, name)(dtype=tf.float32, shape=[2])


def test_references_work_in_a_graph() -> None:
    @tf.function
    def f() -> Any:
        handle = R.ConditionalAccumulator(dtype=tf.float32, shape=[2])
        assert handle.dtype.name == "string_ref"
        assert handle.shape == (2,)
        R.AccumulatorSetGlobalStep(handle=handle, new_global_step=3)
        R.AccumulatorApplyGradient(handle=handle, local_step=2, gradient=[9.0, 9.0])
        R.AccumulatorApplyGradient(handle=handle, local_step=3, gradient=[1.0, 2.0])
        count = R.AccumulatorNumAccumulated(handle=handle)
        return count, R.AccumulatorTakeGradient(handle=handle, num_required=1, dtype=tf.float32)

    count, average = f()
    assert count.numpy() == 1
    assert average.numpy().tolist() == [1.0, 2.0]


def test_sparse_gradients_add_up_in_a_graph() -> None:
    @tf.function
    def f() -> Any:
        handle = R.SparseConditionalAccumulator(dtype=tf.float32, shape=[3, 2], reduction_type="SUM")
        for indices, values in (([0, 2], [[1.0, 2.0], [3.0, 4.0]]), ([2], [[5.0, 6.0]])):
            R.SparseAccumulatorApplyGradient(
                handle=handle,
                local_step=0,
                gradient_indices=indices,
                gradient_values=values,
                gradient_shape=[3, 2],
                has_known_shape=True,
            )
        return R.SparseAccumulatorTakeGradient(handle=handle, num_required=2, dtype=tf.float32)

    indices, values, shape = f()
    assert indices.numpy().tolist() == [0, 2]
    assert values.numpy().tolist() == [[1.0, 2.0], [8.0, 10.0]]
    assert shape.numpy().tolist() == [3, 2]
