"""`Dataset.group_by_window`: windows of elements with the same key."""

from __future__ import annotations

from typing import Any

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
ERROR = "InvalidArgumentError"


def batch_of(key: Any, window: Any) -> Any:
    return window.batch(100)


def by(dataset: Any, divisor: int, **sizes: Any) -> Any:
    return dataset.group_by_window(lambda x: x % divisor, batch_of, **sizes)


def expected_groups(numbers: list[int], divisor: int, size: int) -> list[list[int]]:
    """The windows of numbers by their remainders, by the definition."""
    open_windows: dict[int, list[int]] = {}
    groups = []
    for number in numbers:
        window = open_windows.setdefault(number % divisor, [])
        window.append(number)
        if len(window) == size:
            groups.append(open_windows.pop(number % divisor))
    return groups + [open_windows[key] for key in sorted(open_windows)]


@settings(max_examples=30, deadline=None)
@given(
    numbers=st.lists(st.integers(0, 30), max_size=30),
    divisor=st.integers(1, 4),
    size=st.integers(1, 5),
    limits=st.lists(st.integers(1, 4), min_size=1, max_size=2),
)
def test_windows_are_those_of_the_definition(numbers: list[int], divisor: int, size: int, limits: list[int]) -> None:
    dataset = by(Dataset.from_tensor_slices(tf.constant(numbers, tf.int64)), divisor, window_size=size)
    assert drained(dataset, limits) == [[group] for group in expected_groups(numbers, divisor, size)]


def test_windows_that_are_left_follow_in_the_order_of_their_keys() -> None:
    dataset = Dataset.range(4).group_by_window(lambda x: -x, lambda key, window: window.map(lambda v: (key, v)), 3)
    assert elements(dataset) == [(-3, 3), (-2, 2), (-1, 1), (0, 0)]


def test_each_key_may_have_a_size_of_its_own() -> None:
    dataset = by(Dataset.range(10), 3, window_size_func=lambda key: key + 1)
    assert elements(dataset) == [[0], [3], [1, 4], [6], [2, 5, 8], [9], [7]]


def test_elements_of_several_components_reach_the_key_one_by_one_and_the_window_as_they_are() -> None:
    pairs = Dataset.range(6).map(lambda x: (x, {"double": 2 * x}))
    groups = pairs.group_by_window(lambda x, doubles: x % 2, batch_of, window_size=2)
    assert elements(groups)[0] == ([0, 2], {"double": [0, 4]})


def test_a_window_knows_its_number_of_elements_and_may_give_none() -> None:
    counts = Dataset.range(5).group_by_window(
        lambda x: x % 2, lambda key, window: Dataset.from_tensors(window.cardinality()), window_size=2
    )
    assert elements(counts) == [2, 2, 1]
    assert elements(Dataset.range(9).group_by_window(lambda x: x, lambda key, window: window.take(0), 2)) == []


def test_a_key_may_be_a_python_number_and_a_size_a_tensor() -> None:
    dataset = Dataset.range(3).group_by_window(lambda x: 1, batch_of, window_size=tf.constant(2, tf.int64))
    assert elements(dataset) == [[0, 1], [2]]


@pytest.mark.parametrize("sizes", [{}, {"window_size": 2, "window_size_func": lambda key: key}])
def test_there_is_one_size(sizes: Any) -> None:
    message = "Either the `window_size` argument or the `window_size_func` argument must be specified."
    with pytest.raises(ValueError, match=message):
        by(Dataset.range(5), 2, **sizes)
    with pytest.raises(ValueError, match=message):
        tf.data.experimental.group_by_window(lambda x: x, batch_of, **sizes)


@pytest.mark.parametrize("key", [lambda x: [x], lambda x: tf.cast(x, tf.int32), lambda x: tf.cast(x, tf.float32)])
def test_a_key_that_is_no_scalar_of_int64_is_refused(key: Any) -> None:
    with pytest.raises(ValueError, match=r"`key_func` must return a single `tf.int64` scalar|requested dtype int64"):
        Dataset.range(4).group_by_window(key, batch_of, window_size=2)


def test_a_size_that_is_no_scalar_of_int64_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"`window_size_func` must return a single `tf.int64` scalar tensor but its retu"
    ):
        by(Dataset.range(4), 2, window_size_func=lambda key: [key, key])
    with pytest.raises(TypeError):
        by(Dataset.range(4), 2, window_size_func=lambda key: "a")


@pytest.mark.parametrize("reduce", [lambda key, window: key, lambda key, window: (window, window)])
def test_a_result_that_is_no_dataset_is_refused(reduce: Any) -> None:
    with pytest.raises(TypeError, match=r"must return a single `tf.data.Dataset` object but its return type is"):
        Dataset.range(4).group_by_window(lambda x: x, reduce, window_size=2)


def test_a_size_that_is_not_positive_is_an_error_of_the_element() -> None:
    assert outcomes(by(Dataset.range(3), 2, window_size=0)) == [ERROR] * 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="Window size must be greater than zero, but got -1"):
        next(iter(by(Dataset.range(4), 2, window_size_func=lambda key: key - 1)))


def test_an_error_of_the_source_or_the_key_is_that_of_one_element() -> None:
    expected = [[0, 2], ERROR, [1, 5], [4, 6], [7]]
    assert outcomes(by(failing_at(Dataset.range(8), 3), 2, window_size=2)) == expected

    def key(x: Any) -> Any:
        return x % 2 + tf.gather(tf.constant([0], tf.int64), tf.cast(tf.equal(x, 3), tf.int32))

    assert outcomes(Dataset.range(8).group_by_window(key, batch_of, window_size=2)) == expected


def test_an_error_in_a_window_is_that_of_one_of_its_elements() -> None:
    dataset = Dataset.range(8).group_by_window(lambda x: x % 2, lambda key, window: failing_at(window, 3), 2)
    assert outcomes(dataset) == [0, 2, 1, ERROR, 4, 6, 5, 7]


def test_an_error_of_the_function_of_windows_is_internal_and_the_pass_goes_on() -> None:
    def reduce(key: Any, window: Any) -> Any:
        return window.batch(tf.gather(tf.constant([9], tf.int64), key))

    dataset = Dataset.range(8).group_by_window(lambda x: x % 2, reduce, 2)
    assert outcomes(dataset) == [[0, 2], "InternalError", [4, 6], "InternalError"]
    with pytest.raises(tf.errors.InternalError, match="Got error code INVALID_ARGUMENT and message: "):
        elements(dataset)


def test_no_more_elements_are_asked_for_than_a_window_needs() -> None:
    seen: list[int] = []
    iterator = iter(by(noting(Dataset.range(9), seen), 2, window_size=2))
    next(iterator)
    assert seen == [0, 1, 2]
    next(iterator)
    assert seen == [0, 1, 2, 3]


def test_the_cardinality_is_known_only_if_there_is_no_end() -> None:
    assert by(Dataset.range(5), 2, window_size=2).node.cardinality() == UNKNOWN
    assert by(Dataset.range(5).repeat(), 2, window_size=2).node.cardinality() == INFINITE


@pytest.mark.parametrize("make", [lambda: Dataset.range(17), lambda: Dataset.range(17).shuffle(5, seed=1)])
def test_a_pass_is_restored_at_every_position(make: Any) -> None:
    check_restores_everywhere(lambda: by(make(), 3, window_size=4))
    check_restores_everywhere(lambda: by(make(), 3, window_size=4).unbatch())


def test_a_pass_with_effects_is_restored_at_every_position() -> None:
    def make() -> Any:
        return noting(Dataset.range(13), []).group_by_window(lambda x: x % 2, lambda key, window: window, 3)

    check_restores_everywhere(make)


def test_groups_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: by(Dataset.range(8), 2, window_size=2), 4)


def test_the_function_of_datasets_does_the_same() -> None:
    grouping = tf.data.experimental.group_by_window(lambda x: x % 2, batch_of, window_size=2)
    assert elements(Dataset.range(5).apply(grouping)) == [[0, 2], [1, 3], [4]]


def test_the_older_op_makes_the_same() -> None:
    node = by(Dataset.range(5), 2, window_size=2).node
    functions = {"key_func": node.key, "reduce_func": node.reduce, "window_size_func": node.window_size}
    handle = tf.raw_ops.ExperimentalGroupByWindowDataset(
        input_dataset=Dataset.range(5)._variant_tensor,
        key_func_other_arguments=[],
        reduce_func_other_arguments=[],
        window_size_func_other_arguments=[tf.constant(2, tf.int64)][: len(node.window_size.captures)],
        output_types=[tf.int64],
        output_shapes=[[None]],
        **{name: function.function for name, function in functions.items()},
    )
    assert elements(tf.data.experimental.from_variant(handle, tf.TensorSpec([None], tf.int64))) == [[0, 2], [1, 3], [4]]
