"""`Dataset.choose_from_datasets`: choices in blocks, ends and errors in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.data.nodes import INFINITE, UNKNOWN
from tests.data.pipelines import (
    check_restores_everywhere,
    check_same_in_function,
    drained,
    elements,
    failing_at,
    noting,
    outcomes,
)

Dataset = tf.data.Dataset
choose = Dataset.choose_from_datasets


def choices(*numbers: int) -> Any:
    return Dataset.from_tensor_slices(np.array(numbers, np.int64))


def expected(sizes: list[int], chosen: list[int], stops: bool) -> Iterator[list[int]]:
    """What the choices give, one by one."""
    inputs = [iter(range(100 * k, 100 * k + size)) for k, size in enumerate(sizes)]
    ended = [False] * len(sizes)
    for choice in chosen:
        if not ended[choice]:
            number = next(inputs[choice], None)
            if number is not None:
                yield [number]
                continue
            ended[choice] = True
            if stops or all(ended):
                return


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 6), min_size=1, max_size=4),
    raw_choices=st.lists(st.integers(0, 3), max_size=25),
    stops=st.booleans(),
    limits=st.lists(st.integers(1, 9), min_size=1, max_size=3),
)
def test_blocks_of_all_lengths_follow_the_choices(
    sizes: list[int], raw_choices: list[int], stops: bool, limits: list[int]
) -> None:
    chosen = [choice % len(sizes) for choice in raw_choices]
    datasets = [Dataset.range(100 * k, 100 * k + size) for k, size in enumerate(sizes)]
    selector = Dataset.from_tensor_slices(np.array(chosen, np.int64))
    assert drained(choose(datasets, selector, stops), limits) == list(expected(sizes, chosen, stops))


def test_elements_of_different_shapes_are_mixed() -> None:
    dataset = choose([Dataset.range(3).batch(2), Dataset.range(10, 12).batch(1)], choices(0, 1, 0, 1))
    assert dataset.element_spec == tf.TensorSpec([None], tf.int64)
    assert elements(dataset) == [[0, 1], [10], [2], [11]]


@pytest.mark.parametrize("bad", [2, -1])
def test_a_choice_of_no_dataset_is_an_error_at_its_index(bad: int) -> None:
    dataset = choose([Dataset.range(3), Dataset.range(10, 13)], choices(0, 1, bad, 0))
    assert outcomes(dataset) == [0, 10, "InvalidArgumentError", 1]
    iterator = iter(dataset.skip(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Selector index out of range: {bad} >= 2"):
        next(iterator)


def test_an_error_of_a_dataset_comes_at_its_choice() -> None:
    dataset = choose([failing_at(Dataset.range(3), 1), Dataset.range(10, 15)], choices(1, 0, 1, 0, 1, 0))
    assert outcomes(dataset) == [10, 0, 11, "InvalidArgumentError", 12, 2]


def test_functions_with_effects_run_in_the_order_of_the_choices() -> None:
    seen: list[int] = []
    datasets = [noting(Dataset.range(3), seen), noting(Dataset.range(10, 13), seen)]
    assert elements(choose(datasets, choices(1, 1, 0, 1, 0)).batch(5)) == [[10, 11, 0, 12, 1]]
    assert seen == [10, 11, 0, 12, 1]


def test_choices_with_effects_are_made_one_by_one() -> None:
    seen: list[int] = []
    iterator = iter(choose([Dataset.range(3), Dataset.range(10, 13)], noting(choices(1, 1, 0, 1), seen)))
    counts = [(next(iterator).numpy(), len(seen)) for _ in range(3)]
    assert counts == [(10, 1), (11, 2), (0, 3)]


def test_what_waits_behind_an_error_of_a_dataset_with_effects_is_kept() -> None:
    seen: list[int] = []
    datasets = [noting(failing_at(Dataset.range(5), 1, 3), seen), noting(Dataset.range(10, 13), seen)]
    dataset = choose(datasets, choices(0, 0, 0, 1, 0, 0)).batch(1)
    assert outcomes(dataset) == [[0], "InvalidArgumentError", [2], [10], "InvalidArgumentError", [4]]
    assert seen == [0, 2, 10, 4]


def test_the_end_of_all_datasets_is_the_end_of_endless_choices() -> None:
    datasets = [Dataset.range(2), Dataset.range(10, 11)]
    assert elements(choose(datasets, Dataset.range(2).repeat(), stop_on_empty_dataset=False)) == [0, 10, 1]


@pytest.mark.parametrize("stops", [False, True])
def test_a_pass_is_restored_at_every_position(stops: bool) -> None:
    def make() -> Any:
        datasets = [failing_at(Dataset.range(4), 2), Dataset.range(10, 13), Dataset.range(20, 28)]
        return choose(datasets, Dataset.range(3).repeat(6), stops)

    check_restores_everywhere(make)


def test_choices_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: choose([Dataset.range(3), Dataset.range(10, 13)], choices(0, 1, 1, 0)), 4)


def test_the_older_form_and_the_older_op_pass_over_datasets_that_ended() -> None:
    datasets, selector = [Dataset.range(1), Dataset.range(10, 13)], choices(0, 0, 1)
    assert elements(tf.data.experimental.choose_from_datasets(datasets, selector)) == [0, 10]
    handles = [dataset._variant_tensor for dataset in datasets]
    handle = tf.raw_ops.ExperimentalDirectedInterleaveDataset(
        selector_input_dataset=selector._variant_tensor,
        data_input_datasets=handles,
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    assert elements(tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.int64))) == [0, 10]


def test_the_cardinality_is_known_only_where_a_dataset_has_no_end() -> None:
    assert choose([Dataset.range(3), Dataset.range(3)], choices(0)).node.cardinality() == UNKNOWN
    assert choose([Dataset.range(3).repeat(), Dataset.range(3)], choices(0)).node.cardinality() == INFINITE


@pytest.mark.parametrize(
    ("datasets", "selector", "error", "message"),
    [
        ([], Dataset.range(1), ValueError, "`datasets` should not be empty"),
        ([Dataset.range(1)], 3, TypeError, "`choice_dataset` should be a `tf.data.Dataset` but is <class 'int'>"),
        ([Dataset.range(1)], Dataset.from_tensors(1), TypeError, "must be scalar `tf.int64` tensors"),
        (
            [Dataset.range(1), Dataset.from_tensors("a")],
            Dataset.range(1),
            TypeError,
            "must have compatible element specs",
        ),
    ],
)
def test_what_cannot_be_chosen_from_is_refused(datasets: Any, selector: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        choose(datasets, selector)
