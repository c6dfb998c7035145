"""`Dataset.bucket_by_sequence_length`: batches of elements of similar length."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes

Dataset = tf.data.Dataset


def fills(*lengths: int) -> Any:
    return Dataset.from_tensor_slices(tf.constant(lengths, tf.int64)).map(lambda n: tf.fill([n], n))


def length(element: Any) -> Any:
    return tf.shape(element)[0]


def bucketed(lengths: tuple[int, ...] = (1, 4, 3, 5, 6, 2), **arguments: Any) -> Any:
    return fills(*lengths).bucket_by_sequence_length(length, [3, 5], [2, 2, 2], **arguments)


def test_elements_of_similar_length_are_batched() -> None:
    assert elements(bucketed()) == [
        [[4, 4, 4, 4], [3, 3, 3, 0]],
        [[5, 5, 5, 5, 5, 0], [6, 6, 6, 6, 6, 6]],
        [[1, 0], [2, 2]],
    ]
    assert bucketed().element_spec == tf.TensorSpec([None, None], tf.int64)
    assert repr(bucketed()).startswith("<_GroupByWindowDataset")


def test_a_boundary_belongs_to_the_bucket_above_it() -> None:
    assert [len(batch[0]) for batch in elements(bucketed((2, 3, 4, 5)))] == [4, 2, 5]


def test_each_bucket_has_a_batch_size() -> None:
    batches = fills(1, 1, 1, 9, 9).bucket_by_sequence_length(length, [5], [3, 1])
    assert [len(batch) for batch in elements(batches)] == [3, 1, 1]


def test_the_padding_is_that_of_padded_batch() -> None:
    padded = bucketed((1, 2), padding_values=tf.constant(-1, tf.int64), padded_shapes=[4])
    assert elements(padded) == [[[1, -1, -1, -1], [2, 2, -1, -1]]]


def test_padding_goes_up_to_the_boundary_on_request() -> None:
    batches = fills(1, 4, 3).bucket_by_sequence_length(length, [3, 6], [2, 2, 2], pad_to_bucket_boundary=True)
    assert elements(batches) == [[[4, 4, 4, 4, 0], [3, 3, 3, 0, 0]], [[1, 0]]]
    given = fills(1, 4).bucket_by_sequence_length(length, [3, 6], [1, 1, 1], [7], pad_to_bucket_boundary=True)
    assert [len(batch[0]) for batch in elements(given)] == [7, 7]


def test_an_element_longer_than_all_boundaries_cannot_be_padded_to_one() -> None:
    batches = bucketed((1, 6, 2, 6), pad_to_bucket_boundary=True)
    assert outcomes(batches) == [[[1, 0], [2, 2]], "InternalError"]
    with pytest.raises(tf.errors.InternalError, match=r"INVALID_ARGUMENT and(.|\n)*elements must have length < max"):
        elements(batches)


def test_without_padding_the_elements_of_a_batch_have_one_shape() -> None:
    same = fills(1, 4, 1, 4).bucket_by_sequence_length(length, [3], [2, 2], no_padding=True)
    assert elements(same) == [[[1], [1]], [[4] * 4, [4] * 4]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot batch tensors with different shapes"):
        elements(bucketed(no_padding=True))


def test_last_batches_with_fewer_elements_are_left_out_on_request() -> None:
    assert [len(batch) for batch in elements(bucketed((1, 2, 4), drop_remainder=True))] == [2]


def test_elements_of_several_components_are_padded_each() -> None:
    pairs = Dataset.range(4).map(lambda n: (tf.fill([n], n), n))
    batches = pairs.bucket_by_sequence_length(lambda fill, n: tf.shape(fill)[0], [3], [3, 3])
    assert elements(batches) == [([[0, 0], [1, 0], [2, 2]], [0, 1, 2]), ([[3, 3, 3]], [3])]


def test_one_bucket_takes_all() -> None:
    assert [len(batch) for batch in elements(fills(1, 9, 5).bucket_by_sequence_length(length, [], [2]))] == [2, 1]


def test_there_is_one_size_more_than_boundaries() -> None:
    with pytest.raises(ValueError, match=r"`len\(bucket_batch_sizes\)=2` and `len\(bucket_boundaries\)=2`."):
        fills(1).bucket_by_sequence_length(length, [3, 5], [2, 2])


def test_components_that_are_no_tensors_are_refused() -> None:
    with pytest.raises(TypeError, match="not a subclass of TensorSpec: `NoneTensorSpec"):
        Dataset.from_tensors((1, None)).bucket_by_sequence_length(lambda a, b: a, [3], [1, 1])


def test_a_length_is_an_int32() -> None:
    with pytest.raises(TypeError):
        fills(1).bucket_by_sequence_length(lambda x: tf.cast(length(x), tf.float32), [3], [2, 2])


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(bucketed)


def test_buckets_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: bucketed((4, 3), padded_shapes=[4]), 1)


def test_the_function_of_datasets_does_the_same() -> None:
    bucketing = tf.data.experimental.bucket_by_sequence_length(length, [3, 5], [2, 2, 2])
    assert elements(fills(1, 4, 3).apply(bucketing)) == [[[4, 4, 4, 4], [3, 3, 3, 0]], [[1]]]
