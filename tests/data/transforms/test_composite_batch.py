"""`Dataset.ragged_batch`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.composites import contents, ragged, sparse
from tests.data.pipelines import elements

Dataset = tf.data.Dataset


def fills(count: int = 3) -> Any:
    return Dataset.range(count).map(lambda n: tf.fill([n], n))


def of(shape: Any, values: list[Any]) -> Any:
    return Dataset.from_generator(lambda: iter(values), output_signature=tf.TensorSpec(shape, tf.int32))


def test_elements_of_known_shapes_are_batched() -> None:
    assert elements(Dataset.range(5).ragged_batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert elements(Dataset.range(3).apply(tf.data.experimental.dense_to_ragged_batch(2))) == [[0, 1], [2]]


def test_elements_of_different_shapes_become_ragged() -> None:
    batches = fills().ragged_batch(2)
    assert batches.element_spec == tf.RaggedTensorSpec([None, None], tf.int64)
    assert contents(batches) == [[[], [1]], [[2, 2]]] and batches.cardinality().numpy() == 2
    assert contents(fills().apply(tf.data.experimental.dense_to_ragged_batch(2, drop_remainder=True))) == [[[], [1]]]
    assert type(batches).__name__ == "_BatchDataset"


@pytest.mark.parametrize(
    ("shape", "values", "ragged_rank"),
    [
        ([None, None], [[[1, 2]], [[3], [4]]], 2),
        ([None, 2], [[[1, 2]], [[3, 4], [5, 6]]], 1),
        ([2, None], [[[1], [2]], [[3, 4], [5, 6]]], 2),
    ],
)
def test_the_last_unknown_dimension_is_the_last_ragged_one(shape: Any, values: Any, ragged_rank: int) -> None:
    batches = of(shape, values).ragged_batch(2)
    assert batches.element_spec == tf.RaggedTensorSpec([None, *shape], tf.int32, ragged_rank)
    assert contents(batches) == [values]


def test_row_splits_have_the_wanted_dtype() -> None:
    (batch,) = fills(2).ragged_batch(2, row_splits_dtype=tf.int32)
    assert batch.row_splits.dtype is tf.int32


def test_components_are_stacked_each_by_their_own_rule() -> None:
    dataset = fills().map(lambda x: {"a": x, "b": (1, tf.sparse.from_dense([0, 5]))})
    batches = dataset.ragged_batch(3)
    assert [type(leaf).__name__ for leaf in tf.nest.flatten(batches.element_spec)] == [
        "RaggedTensorSpec",
        "TensorSpec",
        "SparseTensorSpec",
    ]
    assert contents(batches) == [{"a": [[], [1], [2, 2]], "b": ([1] * 3, [[0, 5]] * 3)}]


def test_ragged_and_sparse_elements_are_stacked_too() -> None:
    assert contents(Dataset.from_tensor_slices(ragged()).ragged_batch(2)) == [[[1, 2], []], [[3]]]
    assert contents(Dataset.from_tensors(ragged()).repeat(2).ragged_batch(2)) == [[[[1, 2], [], [3]]] * 2]
    assert contents(Dataset.from_tensor_slices(sparse()).ragged_batch(2)) == [[[0, 5], [0, 0]], [[7, 0]]]


def test_elements_of_unknown_rank_must_have_the_same_shape() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot batch tensors with different shapes"):
        contents(of(None, [[1], [2, 3]]).ragged_batch(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Batch size must be greater than zero"):
        fills().ragged_batch(0)
