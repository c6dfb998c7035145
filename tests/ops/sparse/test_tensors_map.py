"""Maps in which sparse tensors wait."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


def _add(indices: Any, values: Any, shape: Any, name: str) -> Any:
    return tf.raw_ops.AddSparseToTensorsMap(
        sparse_indices=indices, sparse_values=values, sparse_shape=shape, shared_name=name
    )


def _take(handles: Any, name: str, dtype: Any = tf.int32) -> list[Any]:
    parts = tf.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=handles, dtype=dtype, shared_name=name)
    return [part.numpy().tolist() for part in parts]


def test_tensors_are_taken_out_in_the_order_of_the_numbers_and_once() -> None:
    first, second = _add([[0]], [1], [3], "order"), _add([[2]], [5], [4], "order")
    handles = tf.stack([second, first])
    assert _take(handles, "order") == [[[0, 2], [1, 0]], [5, 1], [2, 4]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find SparseTensor: 1 in map: order"):
        _take(handles, "order")


def test_rows_of_a_sparse_tensor_go_through_a_map() -> None:
    handles = tf.raw_ops.AddManySparseToTensorsMap(
        sparse_indices=[[0, 0], [2, 0]], sparse_values=[1, 2], sparse_shape=[3, 1], shared_name="rows"
    )
    assert handles.shape == (3,)
    assert _take(handles, "rows") == [[[0, 0], [2, 0]], [1, 2], [3, 1]]


def test_a_function_puts_in_and_takes_out_in_its_order() -> None:
    @tf.function
    def f() -> Any:
        handles = tf.stack([_add([[0]], [1], [3], "traced"), _add([[1]], [9], [3], "traced")])
        return tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=handles, dtype=tf.int32, shared_name="traced"
        ).sparse_values

    assert f().numpy().tolist() == [1, 9]
    assert f().numpy().tolist() == [1, 9]


def test_wrong_requests_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="in map: never made"):
        _take([0], "never made")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must have at least 1 serialized SparseTensor"):
        _take(tf.zeros([0], tf.int64), "wrong")
    with pytest.raises(tf.errors.InvalidArgumentError, match="sparse_handles should be a vector"):
        _take(0, "wrong")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requested SparseTensor of type float"):
        _take([_add([[0]], [1], [3], "wrong")], "wrong", tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inconsistent rank across SparseTensors"):
        _take([_add([[0]], [1], [3], "wrong"), _add([[0, 0]], [1], [3, 1], "wrong")], "wrong")
