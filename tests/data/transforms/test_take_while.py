"""`Dataset.take_while`: where it ends, what it takes, errors, saved passes."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes

Dataset = tf.data.Dataset


def small(dataset: Any) -> Any:
    return dataset.take_while(lambda x: x < 3)


def test_it_ends_before_the_first_element_that_does_not_pass() -> None:
    assert elements(small(Dataset.range(5))) == [0, 1, 2]
    assert elements(small(Dataset.range(3, 9))) == []
    assert elements(small(Dataset.from_tensor_slices([1, 5, 1]))) == [1]
    assert elements(small(Dataset.range(5).repeat())) == [0, 1, 2]
    assert elements(Dataset.range(5).apply(tf.data.experimental.take_while(lambda x: x < 2))) == [0, 1]


def test_the_predicate_takes_the_components_of_a_tuple() -> None:
    pairs = Dataset.from_tensor_slices(([1, 5, 1], [1, 2, 3]))
    assert elements(pairs.take_while(lambda x, y: x + y < 3)) == [(1, 1)]


def test_it_has_ended_for_good() -> None:
    iterator = iter(small(Dataset.from_tensor_slices([1, 5, 1, 1])))
    assert [x if x is None else x.numpy() for x in (next(iterator, None) for _ in range(4))] == [1, None, None, None]


def test_the_class_and_the_length_are_those_of_tensorflow() -> None:
    assert repr(small(Dataset.range(5))).startswith("<_TakeWhileDataset element_spec=")
    with pytest.raises(TypeError, match="The dataset length is unknown"):
        len(small(Dataset.range(5)))


def test_no_element_behind_the_end_is_made_where_that_can_be_seen() -> None:
    seen: list[int] = []

    def note(x: Any) -> Any:
        return tf.py_function(lambda y: seen.append(int(y)) or y, [x], tf.int64)

    assert elements(small(Dataset.range(9).map(note)).batch(5)) == [[0, 1, 2]]
    assert seen == [0, 1, 2, 3]


def test_an_error_of_the_predicate_is_that_of_its_element() -> None:
    numbers = Dataset.from_tensor_slices([1.0, 0.0, 2.0, 4.0])
    large = numbers.take_while(lambda x: tf.debugging.check_numerics(1 / x, "not finite") > 0.3)
    assert outcomes(large) == [1.0, "InvalidArgumentError", 2.0]


def test_a_pass_is_saved_and_restored_at_every_element() -> None:
    check_restores_everywhere(lambda: small(Dataset.range(5)))
    check_restores_everywhere(lambda: Dataset.range(40).take_while(lambda x: x < 33))
    check_same_in_function(lambda: small(Dataset.range(5)), 3)


@pytest.mark.parametrize("predicate", [lambda x: x, lambda x: [x < 3], 3])
def test_what_is_no_predicate_is_refused(predicate: Any) -> None:
    with pytest.raises(ValueError, match=r"`predicate` must return a `tf.bool` scalar|must be a callable"):
        Dataset.range(5).take_while(predicate)
