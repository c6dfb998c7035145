"""Random ops in functions of a pipeline: each pass starts their streams over; all numbers are TensorFlow's."""

from __future__ import annotations

from typing import Any

import millrace as tf

Dataset = tf.data.Dataset


def numbers(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


def draw(seed: int | None = None) -> Any:
    return tf.random.uniform([], 0, 1000, tf.int32, seed=seed)


def test_each_pass_draws_the_same_numbers() -> None:
    tf.random.set_seed(11)
    dataset = Dataset.range(4).map(lambda x: draw(3))
    assert numbers(dataset) == [856, 529, 322, 509] == numbers(dataset)
    assert numbers(Dataset.range(4).map(lambda x: draw(3))) == [856, 529, 322, 509]


def test_a_repetition_goes_on_in_the_stream() -> None:
    tf.random.set_seed(11)
    dataset = Dataset.range(4).map(lambda x: draw()).repeat(2)
    assert numbers(dataset) == [742, 420, 911, 356, 927, 909, 66, 680] == numbers(dataset)


def test_datasets_that_a_function_makes_share_the_stream() -> None:
    tf.random.set_seed(11)
    dataset = Dataset.range(3).flat_map(lambda x: Dataset.range(2).map(lambda y: draw(4)))
    assert numbers(dataset) == [443, 865, 172, 115, 128, 909] == numbers(dataset)


def test_a_random_predicate_lets_the_same_elements_pass_in_each_pass() -> None:
    tf.random.set_seed(11)
    dataset = Dataset.range(10).filter(lambda x: tf.random.uniform([], seed=1) > 0.5)
    assert numbers(dataset) == [0, 4, 7, 8] == numbers(dataset)


def test_setting_the_seed_does_not_disturb_a_pass() -> None:
    tf.random.set_seed(11)
    iterator = iter(Dataset.range(4).map(lambda x: draw(3)))
    first = int(next(iterator))
    tf.random.set_seed(99)
    assert [first, int(next(iterator))] == [856, 529]


def test_without_seeds_passes_differ() -> None:
    tf.random.set_seed(None)
    dataset = Dataset.range(20).map(lambda x: draw())
    assert numbers(dataset) != numbers(dataset)


def test_two_passes_at_once_do_not_disturb_each_other() -> None:
    tf.random.set_seed(11)
    dataset = Dataset.range(4).map(lambda x: draw(3))
    pairs = list(zip(iter(dataset), iter(dataset), strict=True))
    assert [(int(a), int(b)) for a, b in pairs] == [(n, n) for n in (856, 529, 322, 509)]


def test_a_generator_goes_on_from_pass_to_pass() -> None:
    generator = tf.random.Generator.from_seed(1)
    dataset = Dataset.range(3).map(lambda x: generator.uniform([], 0, 1000, tf.int32))
    assert numbers(dataset) != numbers(dataset)
