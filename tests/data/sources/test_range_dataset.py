"""`Dataset.range`: numbers, cardinality, positions, arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements

Dataset = tf.data.Dataset


@pytest.mark.parametrize("args", [(5,), (2, 5), (0, 10, 3), (10, 0, -4), (0, -5), (5, 5), (5, 1), (-3,), (0, 7, 100)])
def test_the_numbers_are_those_of_python(args: tuple[int, ...]) -> None:
    dataset = Dataset.range(*args)
    assert elements(dataset) == list(range(*args))
    assert len(dataset) == len(range(*args))


@pytest.mark.parametrize("dtype", [tf.int32, tf.uint8, tf.float16, tf.float64])
def test_the_numbers_have_the_dtype_that_was_asked_for(dtype: Any) -> None:
    dataset = Dataset.range(3, output_type=dtype)
    assert dataset.element_spec == tf.TensorSpec([], dtype)
    assert [n.dtype for n in dataset] == [dtype] * 3 and elements(dataset) == [0, 1, 2]


def test_a_range_up_to_the_largest_number_is_infinite() -> None:
    largest = np.iinfo(np.int64).max
    assert Dataset.range(largest).cardinality().numpy() == tf.data.INFINITE_CARDINALITY
    assert elements(Dataset.range(largest).skip(10).take(2)) == [10, 11]
    assert Dataset.range(largest - 1).cardinality().numpy() == largest - 1


def test_elements_are_had_by_position() -> None:
    node = Dataset.range(5, 50, 10).node
    assert node.is_random_access
    assert node.gather(np.array([4, 0, 0])).columns[0].tolist() == [45, 5, 5]
    assert node.slice(1, 3).columns[0].tolist() == [15, 25]


def test_a_pass_is_restored_everywhere_and_the_same_in_a_function() -> None:
    check_restores_everywhere(lambda: Dataset.range(7, 0, -2))
    check_same_in_function(lambda: Dataset.range(2, 9, 3), 3)


def test_wrong_arguments_are_refused() -> None:
    for args in ((), (1, 2, 3, 4)):
        with pytest.raises(ValueError, match="The length of `args` should be between 1 and 3 but was"):
            Dataset.range(*args)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"step must be a non-zero integer."):
        Dataset.range(0, 5, 0)
