"""`tf.data.experimental.shuffle_and_repeat`: the elements of a shuffle and a repeat."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.data.nodes import INFINITE
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements

Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Sets the global seed that represents none where a dataset has a seed of its own."""
    tf.random.set_seed(87654321)


def repeated(buffer_size: int = 4, count: int | None = 3, seed: int | None = 5) -> Any:
    return Dataset.range(6).apply(tf.data.experimental.shuffle_and_repeat(buffer_size, count, seed))


def test_the_elements_are_those_of_a_shuffle_and_a_repeat() -> None:
    assert elements(repeated()) == elements(Dataset.range(6).shuffle(4, 5).repeat(3))
    assert elements(repeated(count=None).take(20)) == elements(Dataset.range(6).shuffle(4, 5).repeat().take(20))


def test_each_pass_has_an_order_of_its_own() -> None:
    dataset = repeated()
    assert elements(dataset) != elements(dataset)


def test_a_seed_generator_may_be_given() -> None:
    seeds = tf.constant(87654321, tf.int64), tf.constant(5, tf.int64)
    handle = tf.raw_ops.ShuffleAndRepeatDatasetV2(
        input_dataset=Dataset.range(6)._variant_tensor,
        buffer_size=tf.constant(4, tf.int64),
        seed=seeds[0],
        seed2=seeds[1],
        count=tf.constant(3, tf.int64),
        seed_generator=tf.raw_ops.AnonymousSeedGenerator(seed=seeds[0], seed2=seeds[1], reshuffle=True)[0],
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    made = tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.int64))
    assert elements(made) == elements(repeated())


def test_the_cardinality_counts_all_repetitions() -> None:
    assert repeated().node.cardinality() == 18
    assert repeated(count=-1).node.cardinality() == INFINITE


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(repeated)


def test_the_order_in_a_function_is_that_of_eager_mode() -> None:
    check_same_in_function(repeated, 18)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((4, 0), "count must be greater than zero or equal to -1."),
        ((4, -2), "count must be greater than zero or equal to -1."),
        ((0, 1), "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"),
    ],
)
def test_what_cannot_be_repeated_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        repeated(*arguments)
