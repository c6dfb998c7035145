"""Seeds of datasets: words of a stream, generators of seeds, the seeds of an op."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.data.pass_seeds import SeedGenerator, Words, dataset_seeds, or_random


def test_words_do_not_depend_on_how_they_are_taken() -> None:
    at_once, in_parts = Words(1, 2), Words(1, 2)
    expected = at_once.take(5000).tolist()
    taken = [word for count in (1, 3, 0, 1020, 1, 2000, 1975) for word in in_parts.take(count).tolist()]
    assert taken == expected and in_parts.position == 5000


def test_words_are_taken_from_any_position() -> None:
    words = Words(1, 2)
    expected = words.take(3000).tolist()
    for position in (2999, 0, 1025, 7):
        words.position = position
        assert words.take(1).tolist() == [expected[position]]


def test_a_generator_goes_on_from_its_state() -> None:
    generator, restored = SeedGenerator(5, 6), SeedGenerator(7, 8)
    first = generator.next_seeds()
    restored.restore(generator.save())
    assert first != generator.next_seeds()
    assert [restored.next_seeds() for _ in range(3)][1:] == [generator.next_seeds() for _ in range(2)]


def test_two_zeros_stand_for_no_seed() -> None:
    assert or_random(3, 0) == (3, 0) and or_random(0, 3) == (0, 3)
    assert or_random(0, 0) != or_random(0, 0)


@pytest.mark.parametrize(
    ("global_seed", "seed", "expected"),
    [(None, None, (0, 0)), (None, 0, (87654321, 0)), (None, 5, (87654321, 5)), (3, 5, (3, 5))],
)
def test_the_seeds_of_an_op_follow_from_both_seeds(
    global_seed: int | None, seed: int | None, expected: tuple[int, int]
) -> None:
    tf.random.set_seed(global_seed)
    try:
        assert tuple(int(s) for s in dataset_seeds(seed)) == expected
    finally:
        tf.random.set_seed(None)


def test_two_zero_seeds_are_a_seed() -> None:
    tf.random.set_seed(0)
    try:
        assert tuple(int(s) for s in dataset_seeds(0)) == (0, 2**31 - 1)
        with tf.Graph().as_default():
            assert dataset_seeds(tf.constant(0, tf.int64))[1].dtype == tf.int64
    finally:
        tf.random.set_seed(None)
