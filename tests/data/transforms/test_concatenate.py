"""`Dataset.concatenate`: one dataset after the other."""

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


def by_stream(start: int, stop: int) -> Any:
    return Dataset.range(start, stop).filter(lambda x: x >= 0)


@pytest.mark.parametrize("make", [Dataset.range, by_stream])
@settings(max_examples=40, deadline=None)
@given(first=st.integers(0, 6), second=st.integers(0, 6), limits=st.lists(st.integers(1, 9), min_size=1, max_size=3))
def test_blocks_of_all_lengths_give_both_in_order(make: Any, first: int, second: int, limits: list[int]) -> None:
    joined = make(0, first).concatenate(make(10, 10 + second))
    assert drained(joined, limits) == [[n] for n in (*range(first), *range(10, 10 + second))]


def test_elements_of_different_shapes_follow_one_another() -> None:
    joined = Dataset.from_tensors([1, 2]).concatenate(Dataset.from_tensors([3])).concatenate(Dataset.from_tensors(4))
    assert joined.element_spec == tf.TensorSpec(None, tf.int32)
    assert elements(joined) == [[1, 2], [3], 4]


def test_dimensions_that_differ_are_unknown() -> None:
    joined = Dataset.from_tensors([[1, 2]]).concatenate(Dataset.from_tensors([[1, 2], [3, 4]]))
    assert joined.element_spec == tf.TensorSpec([None, 2], tf.int32)


def test_the_order_of_keys_does_not_matter() -> None:
    joined = Dataset.from_tensors({"a": 1, "b": 2.0}).concatenate(Dataset.from_tensors({"b": 3.0, "a": 4}))
    assert elements(joined) == [{"a": 1, "b": 2.0}, {"a": 4, "b": 3.0}]


@pytest.mark.parametrize("other", ["a", (1, 1), {"a": 1}, 1.5])
def test_elements_of_another_structure_or_dtype_are_refused(other: Any) -> None:
    with pytest.raises(TypeError, match=r"Incompatible dataset elements:\n  TensorSpec.* vs\.   "):
        Dataset.from_tensors(1).concatenate(Dataset.from_tensors(other))


def test_what_is_no_dataset_is_refused() -> None:
    with pytest.raises(AttributeError, match="'int' object has no attribute 'element_spec'"):
        Dataset.range(1).concatenate(3)


def test_the_cardinality_is_the_sum() -> None:
    finite, endless, unknown = Dataset.range(5), Dataset.range(5).repeat(), by_stream(0, 5)
    pairs = [(finite, finite), (finite, endless), (finite, unknown), (unknown, endless), (unknown, finite)]
    assert [a.concatenate(b).node.cardinality() for a, b in pairs] == [10, INFINITE, UNKNOWN, INFINITE, UNKNOWN]


def test_the_second_pass_begins_when_the_first_has_ended() -> None:
    seen: list[int] = []
    joined = noting(Dataset.range(2), seen).concatenate(noting(Dataset.range(5, 7), seen))
    iterator = iter(joined)
    next(iterator)
    assert seen == [0]
    assert [x.numpy() for x in iterator] == [1, 5, 6]


def test_an_error_leaves_the_position_unchanged() -> None:
    joined = failing_at(Dataset.range(3), 1).concatenate(failing_at(Dataset.range(3, 6), 3))
    assert outcomes(joined) == [0, "InvalidArgumentError", 2, "InvalidArgumentError", 4, 5]


@pytest.mark.parametrize("make", [Dataset.range, by_stream])
@pytest.mark.parametrize("count", range(8))
def test_a_skip_goes_on_in_the_second(make: Any, count: int) -> None:
    assert elements(make(0, 3).concatenate(make(3, 6)).skip(count)) == list(range(6))[count:]


def test_a_shuffle_moves_positions() -> None:
    joined = Dataset.from_tensor_slices(([0, 1, 2], ["a", "b", "c"])).concatenate(
        Dataset.from_tensor_slices(([3, 4], ["d", "e"]))
    )
    assert joined.node.is_random_access
    shuffled = elements(joined.shuffle(5, seed=3))
    assert sorted(shuffled) == [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"d"), (4, b"e")]
    assert not Dataset.range(2).concatenate(by_stream(0, 2)).node.is_random_access


@pytest.mark.parametrize("make", [Dataset.range, by_stream])
def test_a_pass_is_restored_at_every_position(make: Any) -> None:
    check_restores_everywhere(lambda: make(0, 3).concatenate(make(3, 6)))


def test_datasets_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(3).concatenate(Dataset.range(2)), 5)


@pytest.mark.parametrize("kept", [lambda d: d, lambda d: d.filter(lambda x: x >= 0), lambda d: d.shuffle(50, seed=1)])
def test_hundreds_of_datasets_are_concatenated_in_a_loop(kept: Any) -> None:
    dataset = tf.data.Dataset.range(1)
    for number in range(1, 300):
        dataset = dataset.concatenate(tf.data.Dataset.range(number, number + 1))
    assert sorted(int(x) for x in kept(dataset)) == list(range(300))
