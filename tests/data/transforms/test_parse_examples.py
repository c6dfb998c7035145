"""`tf.data.experimental.parse_example_dataset`: batches of Examples, many of them at once."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.composites import contents
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, drained, elements, outcomes

Dataset = tf.data.Dataset
parse = tf.data.experimental.parse_example_dataset
NUMBER = {"n": tf.io.FixedLenFeature([], tf.int64)}


def example(number: int) -> bytes:
    feature = {
        "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "f": tf.train.Feature(float_list=tf.train.FloatList(value=[number + 0.5] * number)),
    }
    text: bytes = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
    return text


def batches(count: int = 5, size: int = 2) -> Any:
    return Dataset.from_tensor_slices([example(number) for number in range(count)]).batch(size)


@pytest.mark.parametrize("calls", [1, 2, tf.data.AUTOTUNE])
def test_each_batch_becomes_tensors(calls: int) -> None:
    dataset = batches().apply(parse({"n": tf.io.FixedLenFeature([1], tf.int64)}, num_parallel_calls=calls))
    assert dataset.element_spec == {"n": tf.TensorSpec([None, 1], tf.int64)}
    assert elements(dataset) == [{"n": [[0], [1]]}, {"n": [[2], [3]]}, {"n": [[4]]}]
    assert len(dataset) == 3


def test_a_block_of_batches_is_parsed_at_once() -> None:
    dataset = batches(60, 3).apply(parse(NUMBER))
    assert drained(dataset, [7, 1, 12]) == [[[n, n + 1, n + 2]] for n in range(0, 60, 3)]


def test_sequences_are_padded_within_their_batch() -> None:
    feature = tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True)
    assert elements(batches(4).apply(parse({"f": feature}))) == [
        {"f": [[0.0], [1.5]]},
        {"f": [[2.5, 2.5, 0.0], [3.5, 3.5, 3.5]]},
    ]


def test_a_missing_feature_has_its_default() -> None:
    feature = tf.io.FixedLenFeature([], tf.int64, default_value=7)
    assert elements(batches(2).apply(parse({"z": feature}))) == [{"z": [7, 7]}]


def test_an_error_belongs_to_its_batch() -> None:
    texts = [[example(1)], [b"junk"], [example(2)]]
    dataset = Dataset.from_tensor_slices(texts).apply(parse(NUMBER))
    assert outcomes(dataset) == [{"n": [1]}, "InvalidArgumentError", {"n": [2]}]


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: batches(9).apply(parse(NUMBER)))


def test_tensors_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: batches().apply(parse(NUMBER)), 3)


@pytest.mark.parametrize("name", ["ParseExampleDataset", "ExperimentalParseExampleDataset"])
def test_the_older_ops_make_the_same_dataset(name: str) -> None:
    handle = getattr(tf.raw_ops, name)(
        input_dataset=batches()._variant_tensor,
        num_parallel_calls=tf.constant(1, tf.int64),
        dense_defaults=[tf.constant([], tf.int64)],
        sparse_keys=[],
        dense_keys=["n"],
        sparse_types=[],
        dense_shapes=[[]],
        output_types=[tf.int64],
        output_shapes=[[None]],
    )
    made = tf.data.experimental.from_variant(handle, tf.TensorSpec([None], tf.int64))
    assert elements(made) == [[0, 1], [2, 3], [4]]


def _example(**values: Any) -> bytes:
    def feature(items: list[Any]) -> Any:
        if isinstance(items[0], float):
            return tf.train.Feature(float_list=tf.train.FloatList(value=items))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=items))

    features = tf.train.Features(feature={name: feature(items) for name, items in values.items()})
    return tf.train.Example(features=features).SerializeToString()


EXAMPLES = [
    _example(a=[1], v=[1, 2], r=[1.5], i=[0, 3], w=[1.0, 2.0], p=[1, 0], q=[5]),
    _example(a=[2], r=[2.5, 3.5], i=[1], w=[7.0], p=[2], q=[6, 7]),
    _example(a=[3], v=[9]),
]


def _parsed(**features: Any) -> Any:
    parse_all = tf.data.experimental.parse_example_dataset(features)
    return Dataset.from_tensor_slices(EXAMPLES).batch(2).apply(parse_all)


def test_features_of_any_length_are_sparse_tensors() -> None:
    dataset = _parsed(v=tf.io.VarLenFeature(tf.int64), a=tf.io.FixedLenFeature([], tf.int64))
    assert dataset.element_spec["v"] == tf.SparseTensorSpec([None, None], tf.int64)
    assert contents(dataset) == [{"v": [[1, 2], [0, 0]], "a": [1, 2]}, {"v": [[9]], "a": [3]}]
    assert type(dataset).__name__ == "_ParseExampleDataset"


def test_features_of_indices_and_values_are_sparse_tensors() -> None:
    dataset = _parsed(x=tf.io.SparseFeature("i", "w", tf.float32, 5), a=tf.io.FixedLenFeature([], tf.int64))
    assert dataset.element_spec["x"] == tf.SparseTensorSpec([None, 5], tf.float32)
    assert contents(dataset) == [
        {"x": [[1.0, 0.0, 0.0, 2.0, 0.0], [0.0, 7.0, 0.0, 0.0, 0.0]], "a": [1, 2]},
        {"x": [[0.0] * 5], "a": [3]},
    ]


def test_ragged_features_are_ragged_tensors() -> None:
    lengths = tf.io.RaggedFeature.RowLengths("p")
    dataset = _parsed(
        r=tf.io.RaggedFeature(tf.float32, row_splits_dtype=tf.int64),
        z=tf.io.RaggedFeature(tf.int64, value_key="q", partitions=[lengths]),
    )
    assert dataset.element_spec["r"] == tf.RaggedTensorSpec([None, None], tf.float32)
    assert dataset.element_spec["z"] == tf.RaggedTensorSpec([None, None, None], tf.int64, 2, tf.int32)
    assert contents(dataset) == [
        {"r": [[1.5], [2.5, 3.5]], "z": [[[5], []], [[6, 7]]]},
        {"r": [[]], "z": [[]]},
    ]


def test_a_number_of_calls_that_cannot_be_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"num_parallel_calls must be greater than zero\."):
        batches().apply(parse(NUMBER, num_parallel_calls=0))


@pytest.mark.parametrize(
    "dataset",
    [Dataset.from_tensors("a"), Dataset.range(3).batch(2), batches().batch(2), Dataset.zip(batches(), batches())],
)
def test_elements_that_are_no_vectors_of_strings_are_refused(dataset: Any) -> None:
    with pytest.raises(TypeError, match=r"Input dataset should be a dataset of vectors of strings. Instead it is"):
        dataset.apply(parse(NUMBER))


def test_features_are_required() -> None:
    with pytest.raises(ValueError, match="Argument `features` is required, but not specified"):
        parse(None)


def test_a_function_may_take_items_out_of_its_dictionary() -> None:
    popped = batches(2, 1).apply(parse(NUMBER)).map(lambda batch: (batch.pop("n"), batch))
    assert elements(popped) == [([0], {}), ([1], {})]
