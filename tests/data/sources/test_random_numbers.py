"""`Dataset.random`: TensorFlow's numbers, in blocks."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.data.nodes import INFINITE
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, drained, elements, rest, started

Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Sets the global seed that represents none where a dataset has a seed of its own."""
    tf.random.set_seed(87654321)


def test_all_passes_over_numbers_with_a_seed_are_alike() -> None:
    dataset = Dataset.random(3).take(2)
    assert elements(dataset) == elements(dataset) == [3534849767, 279844183]


def test_passes_have_numbers_of_their_own_on_request() -> None:
    dataset = Dataset.random(3, rerandomize_each_iteration=True).take(2)
    assert [elements(dataset) for _ in range(2)] == [[2698304964, 3230936430], [1595858328, 3580113443]]


def test_numbers_without_a_seed_differ_from_pass_to_pass() -> None:
    tf.random.set_seed(None)
    dataset = Dataset.random().take(3)
    assert elements(dataset) != elements(dataset)


def test_blocks_of_all_lengths_are_one_stream() -> None:
    expected = [[n] for n in elements(Dataset.random(3).take(3000))]
    assert drained(Dataset.random(3).take(3000), [1, 7, 2000, 3]) == expected


def test_a_skip_is_a_step_in_the_stream() -> None:
    numbers = elements(Dataset.random(3).take(20))
    assert elements(Dataset.random(3).skip(17).take(3)) == numbers[17:]


@pytest.mark.parametrize("rerandomizes", [False, True])
def test_a_pass_is_restored_at_every_position(rerandomizes: bool) -> None:
    check_restores_everywhere(lambda: Dataset.random(3, rerandomizes).take(4).repeat(3))


def test_a_state_holds_the_unknown_seeds() -> None:
    tf.random.set_seed(None)
    first, second = started(Dataset.random().take(5)), started(Dataset.random().take(5))
    second.restore(first.save())
    assert rest(second) == rest(first)


def test_numbers_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.random(3), 4)
    check_same_in_function(lambda: Dataset.random(3, rerandomize_each_iteration=True), 4)


def test_the_older_name_and_the_older_op_give_the_same_numbers() -> None:
    named = tf.data.experimental.RandomDataset(3)
    assert type(named).__name__ == "RandomDatasetV2"
    seeds: dict[str, Any] = {"seed": tf.constant(87654321, tf.int64), "seed2": tf.constant(3, tf.int64)}
    handle = tf.raw_ops.ExperimentalRandomDataset(**seeds, output_types=[tf.int64], output_shapes=[[]])
    made = tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.int64))
    assert elements(named.take(3)) == elements(made.take(3)) == elements(Dataset.random(3).take(3))


def test_there_is_no_end() -> None:
    assert Dataset.random(3).node.cardinality() == INFINITE


def test_a_seed_that_is_no_integer_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Cannot convert 1\.5 to EagerTensor of dtype int64"):
        Dataset.random(1.5)
