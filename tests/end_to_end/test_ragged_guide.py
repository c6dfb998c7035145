"""Programs as the guide of ragged tensors teaches them, with the values that TensorFlow 2.21 gives."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

DIARY = [["we", "sailed", "at", "dawn"], [], ["rain"], ["no", "wind", "today"]]


@pytest.fixture
def days() -> Any:
    """Words of four days; the second day has none."""
    return tf.ragged.constant(DIARY)


@pytest.fixture
def catches() -> Any:
    """Weights of fish, day by day."""
    return tf.ragged.constant([[3.5, 1.25, 0.75], [], [4.0], [2.0, 2.5]])


# --- what a ragged tensor is -------------------------------------------------------------------------------------


def test_rows_of_different_lengths_are_one_value(catches: Any) -> None:
    assert catches.shape.as_list() == [4, None]
    assert catches.dtype == tf.float32
    assert catches.to_list() == [[3.5, 1.25, 0.75], [], [4.0], [2.0, 2.5]]
    assert repr(catches) == "<tf.RaggedTensor [[3.5, 1.25, 0.75], [], [4.0], [2.0, 2.5]]>"


def test_four_ways_to_cut_the_same_values_into_rows() -> None:
    values = tf.constant([3, 1, 4, 1, 5, 9, 2])
    made = [
        tf.RaggedTensor.from_row_splits(values, [0, 4, 4, 6, 7]),
        tf.RaggedTensor.from_row_lengths(values, [4, 0, 2, 1]),
        tf.RaggedTensor.from_row_starts(values, [0, 4, 4, 6]),
        tf.RaggedTensor.from_value_rowids(values, [0, 0, 0, 0, 2, 2, 3], nrows=4),
    ]
    for ragged in made:
        assert ragged.to_list() == [[3, 1, 4, 1], [], [5, 9], [2]]
        assert ragged.row_lengths().numpy().tolist() == [4, 0, 2, 1]
        assert ragged.value_rowids().numpy().tolist() == [0, 0, 0, 0, 2, 2, 3]


def test_rows_may_be_cut_again() -> None:
    paragraphs = tf.RaggedTensor.from_row_splits(
        tf.ragged.constant([["a", "b"], ["c"], [], ["d", "e", "f"]]), [0, 2, 4]
    )
    assert paragraphs.to_list() == [[[b"a", b"b"], [b"c"]], [[], [b"d", b"e", b"f"]]]
    assert (paragraphs.ragged_rank, paragraphs.shape.as_list()) == (2, [2, None, None])
    assert paragraphs.flat_values.numpy().tolist() == [b"a", b"b", b"c", b"d", b"e", b"f"]
    assert [splits.numpy().tolist() for splits in paragraphs.nested_row_splits] == [[0, 2, 4], [0, 2, 3, 3, 6]]


def test_inner_dimensions_may_be_uniform() -> None:
    tracks = tf.ragged.constant([[[1, 3], [0, 0], [1, 3]], [[5, 3], [3, 3]]], ragged_rank=1)
    assert tracks.shape.as_list() == [2, None, 2]
    assert tracks.flat_values.shape.as_list() == [5, 2]


def test_an_outer_dimension_may_be_uniform() -> None:
    weeks = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2)
    assert weeks.shape.as_list() == [2, 2, None]
    assert weeks.to_list() == [[[1], [2, 3]], [[], [4]]]


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="all scalar values must have the same nesting depth"):
        tf.ragged.constant([["one", "two"], "three"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not form a valid RaggedTensor"):
        tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2])


# --- functions of TensorFlow -------------------------------------------------------------------------------------


def test_functions_take_ragged_tensors_instead_of_dense_ones(catches: Any, days: Any) -> None:
    assert tf.add(catches, 1.0).to_list() == [[4.5, 2.25, 1.75], [], [5.0], [3.0, 3.5]]
    assert tf.reduce_sum(catches, axis=1).numpy().tolist() == [5.5, 0.0, 4.0, 4.5]
    assert tf.reduce_sum(catches, axis=0).numpy().tolist() == [9.5, 3.75, 0.75]
    assert tf.concat([days, [["and", "home"]]], axis=0).nrows().numpy() == 5
    assert tf.tile(days, [1, 2])[2].numpy().tolist() == [b"rain", b"rain"]
    assert tf.strings.substr(days, 0, 2).to_list()[0] == [b"we", b"sa", b"at", b"da"]
    assert tf.map_fn(tf.math.square, catches).to_list()[3] == [4.0, 6.25]


def test_the_mean_of_an_empty_row_is_not_a_number(catches: Any) -> None:
    found = tf.reduce_mean(catches, axis=1).numpy().tolist()
    assert found[1] != found[1]
    assert found[2:] == [4.0, 2.25]


def test_operators_work_element_by_element(catches: Any) -> None:
    assert (catches + catches).to_list()[0] == [7.0, 2.5, 1.5]
    assert (catches * [[1.0], [10.0], [100.0], [0.0]]).to_list() == [[3.5, 1.25, 0.75], [], [400.0], [0.0, 0.0]]
    assert (catches > 2.0).to_list() == [[True, False, False], [], [True], [False, True]]
    assert (10.0 - catches)[3].numpy().tolist() == [8.0, 7.5]


def test_rows_of_other_lengths_cannot_be_added() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold"):
        tf.ragged.constant([[1, 2], [3]]) + tf.ragged.constant([[1], [2, 3]])


def test_a_function_of_flat_values_keeps_the_rows(catches: Any) -> None:
    grams = tf.ragged.map_flat_values(lambda weights: tf.cast(tf.round(weights * 1000.0), tf.int32), catches)
    assert grams.to_list() == [[3500, 1250, 750], [], [4000], [2000, 2500]]


# --- conversions -------------------------------------------------------------------------------------------------


def test_padding_and_back(days: Any) -> None:
    padded = days.to_tensor(default_value="", shape=[None, 5])
    assert padded.shape.as_list() == [4, 5]
    assert padded.numpy().tolist()[2] == [b"rain", b"", b"", b"", b""]
    assert tf.RaggedTensor.from_tensor(padded, padding="").to_list() == days.to_list()


def test_sparse_and_back(days: Any) -> None:
    sparse = days.to_sparse()
    assert sparse.indices.numpy().tolist()[-3:] == [[3, 0], [3, 1], [3, 2]]
    assert sparse.dense_shape.numpy().tolist() == [4, 4]
    assert tf.RaggedTensor.from_sparse(sparse).to_list() == days.to_list()


# --- indexing ----------------------------------------------------------------------------------------------------


def test_rows_and_words_by_number(days: Any) -> None:
    assert days[3].numpy().tolist() == [b"no", b"wind", b"today"]
    assert days[3, 1].numpy() == b"wind"
    assert days[-1, -1].numpy() == b"today"
    assert days[:, :2].to_list() == [[b"we", b"sailed"], [], [b"rain"], [b"no", b"wind"]]
    assert days[:, -1:].to_list() == [[b"dawn"], [], [b"rain"], [b"today"]]
    assert days[1:3].to_list() == [[], [b"rain"]]


def test_a_column_of_a_ragged_dimension_is_refused(days: Any) -> None:
    with pytest.raises(ValueError, match="Cannot index into an inner ragged dimension"):
        days[:, 0]


def test_masks_choose_words(days: Any) -> None:
    is_long = tf.strings.length(days) > 3
    assert tf.ragged.boolean_mask(days, is_long).to_list() == [[b"sailed", b"dawn"], [], [b"rain"], [b"wind", b"today"]]
    assert tf.where(is_long, days, "-").to_list()[0] == [b"-", b"sailed", b"-", b"dawn"]
    assert tf.gather(days, [3, 0]).row_lengths().numpy().tolist() == [3, 4]


# --- functions of the user ---------------------------------------------------------------------------------------


def test_a_function_is_traced_once_for_any_rows() -> None:
    traces = []

    @tf.function(input_signature=[tf.RaggedTensorSpec(shape=[None, None], dtype=tf.int32)])
    def longest(rows: Any) -> Any:
        traces.append(1)
        return tf.reduce_max(rows.row_lengths())

    found = [longest(tf.ragged.constant(rows)).numpy() for rows in ([[1, 2], [3]], [[1]], [[], [1, 2, 3], []])]
    assert (found, len(traces)) == ([2, 1, 3], 1)


def test_loops_of_autograph_take_rows() -> None:
    @tf.function
    def palindromes(rows: Any) -> Any:
        count = 0
        for row in rows:
            if tf.reduce_all(row == row[::-1]):
                count += 1
        return count

    assert palindromes(tf.ragged.constant([[1, 2, 1], [], [1, 2], [4]])).numpy() == 3


def test_gradients_reach_the_values() -> None:
    weights = tf.Variable([0.5, 1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = tf.RaggedTensor.from_row_lengths(weights * weights, [1, 0, 3])
        loss = tf.reduce_sum(tf.reduce_sum(rows, axis=1) * [1.0, 2.0, 10.0])
    assert tape.gradient(loss, weights).numpy().tolist() == [1.0, 20.0, 40.0, 60.0]


# --- the longer example: words and pairs of words are looked up, and averaged row by row -------------------------


def bag_of_words(questions: Any, table: Any, buckets: int) -> Any:
    """Averages the embeddings of words and of pairs of words, for each question."""
    words = tf.strings.split(questions)
    unigrams = tf.nn.embedding_lookup(table, tf.strings.to_hash_bucket_fast(words, buckets))
    marked = tf.concat([tf.fill([words.nrows(), 1], "#"), words, tf.fill([words.nrows(), 1], "#")], axis=1)
    pairs = tf.strings.join([marked[:, :-1], marked[:, 1:]], separator="+")
    bigrams = tf.nn.embedding_lookup(table, tf.strings.to_hash_bucket_fast(pairs, buckets))
    return tf.reduce_mean(tf.concat([unigrams, bigrams], axis=1), axis=1)


QUESTIONS = ["who ate the plums", "why", "where is the cold box of plums"]


@pytest.mark.parametrize("traced", [False, True])
def test_the_average_of_words_and_pairs(traced: bool) -> None:
    table = tf.reshape(tf.range(32.0), [16, 2])
    f = tf.function(bag_of_words) if traced else bag_of_words
    found = f(tf.constant(QUESTIONS), table, 16).numpy()
    expected = BAG_OF_WORDS
    assert found.shape == (3, 2)
    assert abs(found - expected).max() < 1e-5


BAG_OF_WORDS = [[19.1111107, 20.1111107], [20.6666660, 21.6666660], [16.2666664, 17.2666664]]
"""Printed by TensorFlow 2.21.0 for the table 0, 1, 2, ... of 16 rows."""


# --- datasets ----------------------------------------------------------------------------------------------------


def test_datasets_of_rows() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [3], [], [4, 5, 6]]))
    assert [row.numpy().tolist() for row in dataset] == [[1, 2], [3], [], [4, 5, 6]]
    batches = [batch.to_list() for batch in dataset.batch(3)]
    assert batches == [[[1, 2], [3], []], [[4, 5, 6]]]
    tripled = [batch.to_list() for batch in dataset.batch(2).map(lambda rows: rows * 3)]
    assert tripled == [[[3, 6], [9]], [[], [12, 15, 18]]]


def test_rows_of_different_lengths_become_ragged_batches() -> None:
    dataset = tf.data.Dataset.range(1, 5).map(tf.range)
    assert [batch.to_list() for batch in dataset.ragged_batch(2)] == [[[0], [0, 1]], [[0, 1, 2], [0, 1, 2, 3]]]


def test_examples_are_parsed_into_rows() -> None:
    def example(**values: list[Any]) -> bytes:
        features = {
            name: tf.train.Feature(bytes_list=tf.train.BytesList(value=[v.encode() for v in items]))
            if items and isinstance(items[0], str)
            else tf.train.Feature(int64_list=tf.train.Int64List(value=items))
            for name, items in values.items()
        }
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    records = [
        example(colors=["red", "blue"], lengths=[7]),
        example(colors=["orange"], lengths=[]),
        example(colors=["black", "yellow"], lengths=[1, 3]),
    ]
    parsed = tf.io.parse_example(
        records, {"colors": tf.io.RaggedFeature(tf.string), "lengths": tf.io.RaggedFeature(tf.int64)}
    )
    assert parsed["colors"].to_list() == [[b"red", b"blue"], [b"orange"], [b"black", b"yellow"]]
    assert parsed["lengths"].to_list() == [[7], [], [1, 3]]


# --- shapes ------------------------------------------------------------------------------------------------------


def test_shapes_that_depend_on_values(catches: Any) -> None:
    shape = tf.shape(catches)
    assert repr(shape) == "<DynamicRaggedShape lengths=[4, (3, 0, 1, 2)] num_row_partitions=1>"
    column = tf.reshape(tf.range(4.0), [4, 1])
    assert tf.broadcast_to(column, shape).to_list() == [[0.0, 0.0, 0.0], [], [2.0], [3.0, 3.0]]
    assert tf.reshape(tf.range(6), shape).to_list() == [[0, 1, 2], [], [3], [4, 5]]
    assert catches.bounding_shape().numpy().tolist() == [4, 3]


def test_a_column_is_broadcast_along_ragged_rows() -> None:
    rows = tf.ragged.constant([[87, 72], [15, 10, 26]])
    assert (rows + tf.constant([[1000], [2000]])).to_list() == [[1087, 1072], [2015, 2010, 2026]]
    deep = tf.ragged.constant([[[1, 2], [3, 4], [5, 6]], [[7, 8]]], ragged_rank=1)
    assert (deep + tf.constant([10, 20])).to_list() == [[[11, 22], [13, 24], [15, 26]], [[17, 28]]]
