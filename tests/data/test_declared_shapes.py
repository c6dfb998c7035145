"""Elements of other shapes than declared are errors of their own; the others come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, outcomes

Dataset = tf.data.Dataset
REFUSED = "InvalidArgumentError"


def ones(shape: Any, count: int = 4) -> Any:
    """Returns a dataset of vectors of 0, 1, 2 ... ones, all of which are said to have one shape."""

    def make(number: Any) -> Any:
        vector = tf.numpy_function(lambda n: np.ones(int(n)), [number], tf.float64)
        vector.set_shape(shape)
        return vector

    return Dataset.range(count).map(make)


def test_an_element_of_another_shape_than_declared_is_an_error() -> None:
    assert outcomes(ones([2])) == [REFUSED, REFUSED, [1, 1], REFUSED]
    assert outcomes(ones([None])) == [[], [1], [1, 1], [1, 1, 1]]
    assert outcomes(ones([None, 2])) == [REFUSED] * 4
    message = r"^Incompatible shapes at component 0: expected \[2\] but got \[0\]\."
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        next(iter(ones([2])))


def test_the_component_is_named() -> None:
    pairs = ones([2]).map(lambda vector: (1, (vector, "x")))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes at component 1"):
        next(iter(pairs))


@pytest.mark.parametrize("buffer", [1, 5])
def test_elements_that_come_together_are_checked_one_by_one(buffer: int) -> None:
    seen = outcomes(ones([2], 6).shuffle(buffer, seed=1))
    assert seen.count([1, 1]) == 1
    assert seen.count(REFUSED) == 5


def test_stages_take_elements_as_they_are() -> None:
    assert outcomes(ones([2]).map(tf.reduce_sum)) == [0, 1, 2, 3]
    assert outcomes(ones([2]).batch(1)) == [REFUSED, REFUSED, [[1, 1]], REFUSED]


def test_a_checked_pass_is_restored_everywhere() -> None:
    check_restores_everywhere(lambda: Dataset.from_generator(lambda: iter([1, 2, 3]), tf.int32, []).map(lambda x: x))


def test_iterators_in_functions_check_too() -> None:
    iterator = iter(ones([2]))
    step = tf.function(lambda: next(iterator))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes at component 0"):
        step()
