"""Programs as the guide of sparse tensors teaches them, with the values that TensorFlow 2.21 gives."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


@pytest.fixture
def stars() -> Any:
    """A map of the sky of 3 x 10 fields, two of which hold a star."""
    return tf.sparse.SparseTensor(indices=[[0, 3], [2, 4]], values=[10, 20], dense_shape=[3, 10])


def entries(sparse: Any) -> dict[tuple[int, ...], Any]:
    """Returns the values by their coordinates."""
    return {
        tuple(coordinates): value
        for coordinates, value in zip(sparse.indices.numpy().tolist(), sparse.values.numpy().tolist(), strict=True)
    }


# --- making, looking, printing -----------------------------------------------------------------------------------


def test_three_tensors_make_a_sparse_one(stars: Any) -> None:
    assert (stars.shape.as_list(), stars.dtype) == ([3, 10], tf.int32)
    assert entries(stars) == {(0, 3): 10, (2, 4): 20}
    assert str(stars).replace("\n", "") == (
        "SparseTensor(indices=tf.Tensor([[0 3] [2 4]], shape=(2, 2), dtype=int64), "
        "values=tf.Tensor([10 20], shape=(2,), dtype=int32), "
        "dense_shape=tf.Tensor([ 3 10], shape=(2,), dtype=int64))"
    )


def test_dense_and_back() -> None:
    found = tf.sparse.from_dense([[1, 0, 0, 8], [0, 0, 0, 0], [0, 0, 3, 0]])
    assert entries(found) == {(0, 0): 1, (0, 3): 8, (2, 2): 3}
    assert tf.sparse.to_dense(found).numpy().tolist() == [[1, 0, 0, 8], [0, 0, 0, 0], [0, 0, 3, 0]]


def test_zeros_may_be_stored_and_are_then_present() -> None:
    values = tf.sparse.SparseTensor([[0, 0], [1, 2]], [0.0, 5.0], [2, 3])
    assert values.values.shape.as_list() == [2]
    assert tf.sparse.from_dense(tf.sparse.to_dense(values)).values.shape.as_list() == [1]


# --- arithmetic --------------------------------------------------------------------------------------------------


def test_sums_of_sparse_tensors(stars: Any) -> None:
    others = tf.sparse.SparseTensor([[0, 3], [1, 0]], [-4, 9], [3, 10])
    assert entries(tf.sparse.add(stars, others)) == {(0, 3): 6, (1, 0): 9, (2, 4): 20}
    dense = tf.sparse.add(stars, tf.ones([3, 10], tf.int32))
    assert dense.numpy()[0].tolist() == [1, 1, 1, 11, 1, 1, 1, 1, 1, 1]


def test_products_with_dense_matrices() -> None:
    links = tf.sparse.SparseTensor([[0, 1], [0, 2], [2, 1]], [1.0, 2.0, -3.0], [3, 3])
    ranks = tf.constant([[1.0], [10.0], [100.0]])
    assert tf.sparse.sparse_dense_matmul(links, ranks).numpy().tolist() == [[210.0], [0.0], [-30.0]]
    assert tf.sparse.sparse_dense_matmul(links, ranks, adjoint_a=True).numpy().tolist() == [[0.0], [-299.0], [2.0]]


def test_dense_factors_scale_what_is_stored(stars: Any) -> None:
    assert entries(stars * 3) == {(0, 3): 30, (2, 4): 60}
    assert entries(stars * tf.constant([[1], [2], [3]])) == {(0, 3): 10, (2, 4): 60}
    assert entries(tf.cast(stars, tf.float32) / 4.0) == {(0, 3): 2.5, (2, 4): 5.0}


def test_tables_are_put_together_side_by_side() -> None:
    left = tf.sparse.SparseTensor([[0, 2], [1, 3]], [1, 1], [2, 5])
    right = tf.sparse.SparseTensor([[0, 0], [1, 1]], [2, 2], [2, 2])
    wide = tf.sparse.concat(axis=1, sp_inputs=[left, right])
    assert tf.sparse.to_dense(wide).numpy().tolist() == [[0, 0, 1, 0, 0, 2, 0], [0, 0, 0, 1, 0, 0, 2]]


def test_a_part_is_cut_out(stars: Any) -> None:
    corner = tf.sparse.slice(stars, start=[0, 2], size=[2, 4])
    assert (corner.shape.as_list(), entries(corner)) == ([2, 4], {(0, 1): 10})
    first, second = tf.sparse.split(stars, 2, axis=1)
    assert (entries(first), entries(second)) == ({(0, 3): 10, (2, 4): 20}, {})


def test_functions_of_the_values_that_are_there(stars: Any) -> None:
    doubled = tf.sparse.map_values(tf.multiply, stars, 2)
    assert entries(doubled) == {(0, 3): 20, (2, 4): 40}
    logs = tf.SparseTensor(stars.indices, tf.math.log(tf.cast(stars.values, tf.float32)), stars.dense_shape)
    assert [round(value, 4) for value in entries(logs).values()] == [2.3026, 2.9957]


def test_order_is_needed_and_restored() -> None:
    shuffled = tf.sparse.SparseTensor([[1, 2], [0, 4]], [5, 6], [2, 5])
    with pytest.raises(tf.errors.InvalidArgumentError, match="is out of order"):
        tf.sparse.to_dense(shuffled)
    assert tf.sparse.to_dense(tf.sparse.reorder(shuffled)).numpy().tolist() == [[0, 0, 0, 0, 6], [0, 0, 5, 0, 0]]


def test_reductions(stars: Any) -> None:
    assert tf.sparse.reduce_sum(stars).numpy() == 30
    assert tf.sparse.reduce_sum(stars, axis=1).numpy().tolist() == [10, 0, 20]
    assert tf.sparse.reduce_max(tf.cast(stars, tf.float32), axis=1, keepdims=True).numpy().tolist() == [
        [10.0],
        [0.0],
        [20.0],
    ]


# --- other parts of TensorFlow -----------------------------------------------------------------------------------


def test_functions_take_sparse_arguments() -> None:
    traces = []

    @tf.function
    def product(x: Any, y: Any) -> Any:
        traces.append(x.shape)
        return tf.sparse.sparse_dense_matmul(x, y)

    a = tf.sparse.SparseTensor([[0, 3], [2, 4]], [1.0, 2.0], [3, 10])
    b = tf.sparse.SparseTensor([[1, 0]], [5.0], [3, 10])
    ones = tf.ones([10, 2])
    assert product(a, ones).numpy().tolist() == [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]
    assert product(b, ones).numpy().tolist() == [[0.0, 0.0], [5.0, 5.0], [0.0, 0.0]]
    assert len(traces) == 1


def test_a_linear_model_of_sparse_rows_learns() -> None:
    rows = tf.sparse.SparseTensor(
        [[0, 0], [0, 2], [1, 1], [2, 2], [3, 0], [3, 1]], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [4, 3]
    )
    labels = tf.constant([[3.0], [-1.0], [2.0], [0.0]])
    weights = tf.Variable(tf.zeros([3, 1]))

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            error = tf.sparse.sparse_dense_matmul(rows, weights) - labels
            loss = tf.reduce_mean(error * error)
        weights.assign_sub(0.5 * tape.gradient(loss, weights))
        return loss

    losses = [float(step()) for _ in range(60)]
    assert losses[0] == 3.5
    assert losses[-1] < 1e-4
    assert abs(weights.numpy().ravel() - [1.0, -1.0, 2.0]).max() < 0.02


def test_datasets_of_sparse_rows(stars: Any) -> None:
    dataset = tf.data.Dataset.from_tensor_slices(stars)
    assert [entries(row) for row in dataset] == [{(3,): 10}, {}, {(4,): 20}]
    assert [batch.shape.as_list() for batch in dataset.batch(2)] == [[2, 10], [1, 10]]
    dense = [row.numpy().nonzero()[0].tolist() for row in dataset.map(tf.sparse.to_dense)]
    assert dense == [[3], [], [4]]


def test_examples_are_parsed_into_sparse_tensors() -> None:
    def example(values: list[int]) -> bytes:
        feature = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        return tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()

    parsed = tf.io.parse_example([example([7, 8]), example([]), example([9])], {"x": tf.io.VarLenFeature(tf.int64)})
    assert entries(parsed["x"]) == {(0, 0): 7, (0, 1): 8, (2, 0): 9}
    assert parsed["x"].shape.as_list() == [3, 2]


def test_words_become_indicators_and_crosses() -> None:
    colors = tf.sparse.SparseTensor([[0, 0], [1, 0]], ["red", "green"], [2, 1])
    shapes = tf.sparse.SparseTensor([[0, 0], [1, 0], [1, 1]], ["ball", "box", "cone"], [2, 2])
    crossed = tf.sparse.cross([colors, shapes])
    assert entries(crossed) == {(0, 0): b"red_X_ball", (1, 0): b"green_X_box", (1, 1): b"green_X_cone"}
    ids = tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 3, 1], tf.int64), [2, 2])
    assert tf.sparse.to_indicator(ids, 4).numpy().tolist() == [[True, False, False, True], [False, True, False, False]]


def test_embeddings_of_bags_of_ids() -> None:
    table = tf.constant([[1.0, 0.0], [0.0, 2.0], [4.0, 4.0]])
    ids = tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, 2], tf.int64), [2, 2])
    weights = tf.sparse.SparseTensor(ids.indices, [3.0, 1.0, 2.0], ids.dense_shape)
    found = tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="mean")
    assert found.numpy().tolist() == [[0.75, 0.5], [4.0, 4.0]]


def test_empty_rows_are_filled_and_counted() -> None:
    tags = tf.sparse.SparseTensor([[0, 0], [2, 1]], ["a", "b"], [4, 2])
    filled, was_empty = tf.sparse.fill_empty_rows(tags, "none")
    assert entries(filled) == {(0, 0): b"a", (1, 0): b"none", (2, 1): b"b", (3, 0): b"none"}
    assert was_empty.numpy().tolist() == [False, True, False, True]


def test_sets_of_each_row() -> None:
    a = tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2])
    b = tf.sparse.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 3, 4], [2, 2])
    assert entries(tf.sets.union(a, b)) == {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 4}
    assert entries(tf.sets.intersection(a, b)) == {(0, 0): 2, (1, 0): 3}
    assert tf.sets.size(tf.sets.difference(a, b)).numpy().tolist() == [1, 0]


def test_generic_functions_refuse_sparse_tensors_by_name(stars: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        tf.add(stars, 1)
    with pytest.raises(TypeError, match="unsupported operand"):
        stars + 1
