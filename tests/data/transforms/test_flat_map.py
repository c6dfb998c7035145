"""`Dataset.flat_map`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes

Dataset = tf.data.Dataset


def test_datasets_come_one_after_the_other_and_empty_ones_leave_no_trace() -> None:
    dataset = Dataset.range(4).flat_map(lambda x: Dataset.range(x).map(lambda y: 10 * x + y))
    assert elements(dataset) == [10, 20, 21, 30, 31, 32]


def test_components_are_arguments_and_elements_may_be_nests() -> None:
    pairs = Dataset.from_tensor_slices(([[1, 2], [3, 4]], ["a", "b"]))
    dataset = pairs.flat_map(lambda x, name: Dataset.from_tensor_slices(x).map(lambda y: {"y": y, "name": name}))
    assert elements(dataset)[1:3] == [{"y": 2, "name": b"a"}, {"y": 3, "name": b"b"}]
    assert dataset.element_spec["y"] == tf.TensorSpec([], tf.int32)


def test_a_dataset_may_be_captured() -> None:
    inner = Dataset.range(2)
    assert elements(Dataset.range(2).flat_map(lambda x: inner.map(lambda y: x + y))) == [0, 1, 1, 2]


def test_the_size_is_not_known() -> None:
    dataset = Dataset.range(4).flat_map(Dataset.range)
    assert repr(dataset) == "<_FlatMapDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    with pytest.raises(TypeError, match="unknown"):
        len(dataset)


@pytest.mark.parametrize("result", [lambda x: x, lambda x: (x, x), lambda x: 3])
def test_a_function_that_returns_no_dataset_is_refused(result: Any) -> None:
    with pytest.raises(TypeError, match="The `map_func` argument must return a `Dataset` object"):
        Dataset.range(3).flat_map(result)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ValueError, match="must be a callable"):
        Dataset.range(3).flat_map(3)


def inverse(x: Any) -> Any:
    return tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse")


def test_an_error_of_the_function_costs_the_element_only() -> None:
    dataset = Dataset.range(-1, 3).flat_map(lambda x: Dataset.from_tensors(inverse(x)))
    assert outcomes(dataset) == [-1, "InvalidArgumentError", 1, 0.5]


def test_an_error_of_an_inner_element_costs_that_element_only() -> None:
    dataset = Dataset.range(-1, 1).flat_map(lambda x: Dataset.range(x, x + 3).map(inverse))
    assert outcomes(dataset) == [-1, "InvalidArgumentError", 1, "InvalidArgumentError", 1, 0.5]


def test_a_pass_goes_on_from_every_position() -> None:
    check_restores_everywhere(lambda: Dataset.range(5).flat_map(lambda x: Dataset.range(x).batch(2)).take(5))
    check_restores_everywhere(lambda: Dataset.range(-1, 1).flat_map(lambda x: Dataset.range(x, x + 3).map(inverse)))


def test_it_works_in_a_function() -> None:
    check_same_in_function(lambda: Dataset.range(4).flat_map(Dataset.range), 5)


def test_an_inner_function_with_effects_runs_when_its_element_is_asked_for() -> None:
    seen: list[int] = []

    def note(x: Any) -> Any:
        return tf.py_function(lambda y: seen.append(int(y)) or y, [x], tf.int64)

    iterator = iter(Dataset.range(3).flat_map(lambda x: Dataset.range(10 * x, 10 * x + 2).map(note)))
    assert [next(iterator).numpy() for _ in range(3)] == seen == [0, 1, 10]
