"""Ragged and sparse tensors as variables of loops of the graph."""

from __future__ import annotations

import pytest

import millrace as tf


def a_sparse(row: int = 0) -> tf.SparseTensor:
    return tf.SparseTensor([[row, row]], [1.0], [3, 4])


def test_components_grow_while_the_shape_stays() -> None:
    @tf.function
    def grown() -> tuple[tf.RaggedTensor, tf.SparseTensor, dict[str, tf.RaggedTensor]]:
        ragged, total = tf.ragged.constant([[1], [2, 3]]), a_sparse()
        nested = {"r": ragged}
        for _ in tf.range(2):
            ragged = tf.concat([ragged, ragged], axis=1)
            total = tf.sparse.add(total, a_sparse(1))
            nested = {"r": tf.concat([nested["r"], [[0], [0]]], axis=1)}
        return ragged, total, nested

    ragged, total, nested = grown()
    assert ragged.to_list() == [[1, 1, 1, 1], [2, 3, 2, 3, 2, 3, 2, 3]]
    assert tf.sparse.to_dense(total).numpy().tolist() == [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0]]
    assert nested["r"].to_list() == [[1, 0, 0], [2, 3, 0, 0]]


def test_a_loop_over_a_dataset_lets_components_grow() -> None:
    @tf.function
    def grown() -> tuple[tf.RaggedTensor, tf.SparseTensor]:
        ragged, total = tf.ragged.constant([[1], [2, 3]]), a_sparse()
        for _ in tf.data.Dataset.range(2):
            ragged = tf.concat([ragged, ragged], axis=0)
            total = tf.sparse.concat(0, [total, total])
        return ragged, total

    ragged, total = grown()
    assert ragged.to_list() == [[1], [2, 3]] * 4
    assert total.dense_shape.numpy().tolist() == [12, 4]


@pytest.mark.parametrize("is_spec", [False, True])
def test_an_invariant_lets_the_shape_change(is_spec: bool) -> None:
    rows = tf.RaggedTensorSpec([None, None], tf.int32) if is_spec else tf.TensorShape([None, None])
    matrices = tf.SparseTensorSpec([None, 4], tf.float32) if is_spec else tf.TensorShape([None, 4])

    @tf.function
    def grown() -> tuple[tf.RaggedTensor, tf.SparseTensor]:
        ragged, total = tf.ragged.constant([[1], [2, 3]]), a_sparse()
        for _ in tf.range(2):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(ragged, rows), (total, matrices)])
            ragged = tf.concat([ragged, ragged], axis=0)
            total = tf.sparse.concat(0, [total, total])
        return ragged, total

    ragged, total = grown()
    assert ragged.to_list() == [[1], [2, 3]] * 4
    assert total.shape.as_list() == [12, 4]


def test_a_change_of_the_shape_is_refused_in_terms_of_the_whole_value() -> None:
    @tf.function
    def sparse_loop() -> tf.SparseTensor:
        total = a_sparse()
        for _ in tf.range(2):
            total = tf.sparse.concat(0, [total, total])
        return total

    with pytest.raises(ValueError, match=r"'total' has shape \(3, 4\) before the loop, but shape \(6, 4\) after one"):
        sparse_loop()

    @tf.function
    def ragged_loop() -> tf.RaggedTensor:
        ragged = tf.ragged.constant([[1], [2, 3]])
        for _ in tf.range(2):
            ragged = tf.concat([ragged, ragged], axis=0)
        return ragged

    advice = r"'ragged' has shape \(2, None\) before .*\[\(ragged, tf.TensorShape\(\[None, None\]\)\)\]"
    with pytest.raises(ValueError, match=advice):
        ragged_loop()


def test_a_first_value_from_the_body_has_any_size() -> None:
    @tf.function
    def last() -> tuple[tf.RaggedTensor, tf.SparseTensor]:
        for i in tf.range(3):
            ragged = tf.RaggedTensor.from_row_lengths(tf.range(i + 1), [i, 1])
            total = tf.sparse.from_dense([[1, 2]])
        return ragged, total

    ragged, total = last()
    assert ragged.to_list() == [[0, 1], [2]]
    assert tf.sparse.to_dense(total).numpy().tolist() == [[1, 2]]
