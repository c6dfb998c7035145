"""`Dataset.zip` and `Dataset.enumerate`: datasets side by side."""

from __future__ import annotations

import weakref
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
NUMBER = tf.TensorSpec([], tf.int64)


def by_stream(count: int) -> Any:
    return Dataset.range(count).filter(lambda x: x >= 0)


def every_other(count: int) -> Any:
    return Dataset.range(2 * count).filter(lambda x: x % 2 == 0).map(lambda x: x // 2)


@settings(max_examples=60, deadline=None)
@given(
    makes=st.lists(st.sampled_from([Dataset.range, by_stream, every_other]), min_size=1, max_size=3),
    sizes=st.lists(st.integers(0, 12), min_size=3, max_size=3),
    limits=st.lists(st.integers(1, 9), min_size=1, max_size=3),
)
def test_blocks_of_all_lengths_stand_side_by_side(makes: list[Any], sizes: list[int], limits: list[int]) -> None:
    datasets = [make(size) for make, size in zip(makes, sizes, strict=False)]
    shortest = min(sizes[: len(datasets)])
    assert drained(Dataset.zip(tuple(datasets)), limits) == [[n] * len(datasets) for n in range(shortest)]


def test_every_input_is_asked_once_for_each_element_and_once_at_the_end() -> None:
    seen: dict[str, list[int]] = {"a": [], "b": [], "c": []}
    sizes = {"a": 5, "b": 3, "c": 9}
    inputs = [noting(Dataset.range(sizes[tag]), notes) for tag, notes in seen.items()]
    assert elements(Dataset.zip(*inputs)) == [(0, 0, 0), (1, 1, 1), (2, 2, 2)]
    assert seen == {"a": [0, 1, 2, 3], "b": [0, 1, 2], "c": [0, 1, 2, 3]}


@pytest.mark.parametrize("is_first", [True, False])
def test_an_input_with_effects_is_asked_for_what_the_other_can_give(is_first: bool) -> None:
    seen: list[int] = []
    effects, plain = noting(Dataset.range(50), seen), by_stream(5)
    pair = (effects, plain) if is_first else (plain, effects)
    iterator = iter(Dataset.zip(pair).batch(3))
    next(iterator)
    assert seen == [0, 1, 2]
    assert len(list(iterator)) == 1
    assert seen == [0, 1, 2, 3, 4, 5]


def test_two_inputs_with_effects_take_turns() -> None:
    seen: list[int] = []
    pair = noting(Dataset.range(3), seen), noting(Dataset.range(10, 13), seen)
    assert elements(Dataset.zip(pair).batch(3)) == [([0, 1, 2], [10, 11, 12])]
    assert seen == [0, 10, 1, 11, 2, 12]


def test_all_inputs_advance_over_an_error() -> None:
    zipped = Dataset.zip(failing_at(Dataset.range(6), 2), Dataset.range(6), failing_at(by_stream(6), 4))
    error = "InvalidArgumentError"
    assert outcomes(zipped) == [(0, 0, 0), (1, 1, 1), error, (3, 3, 3), error, (5, 5, 5)]


def test_two_errors_of_one_element_are_one() -> None:
    zipped = Dataset.zip(Dataset.range(4), failing_at(Dataset.range(6), 2), failing_at(Dataset.range(6), 2))
    assert outcomes(zipped) == [(0, 0, 0), (1, 1, 1), "InvalidArgumentError", (3, 3, 3)]


def test_of_an_error_and_an_end_that_of_the_first_input_counts() -> None:
    failing, short = failing_at(Dataset.range(6), 2), by_stream(2)
    assert outcomes(Dataset.zip(short, failing)) == [(0, 0), (1, 1)]
    assert outcomes(Dataset.zip(failing, short)) == [(0, 0), (1, 1), "InvalidArgumentError"]


def test_the_nest_of_datasets_is_the_structure_of_the_elements() -> None:
    a, b = Dataset.range(2), Dataset.range(5, 9)
    assert elements(Dataset.zip({"a": a, "b": (b, a)})) == [{"a": 0, "b": (5, 0)}, {"a": 1, "b": (6, 1)}]
    assert elements(Dataset.zip(datasets=(a, b))) == elements(Dataset.zip(a, b)) == [(0, 5), (1, 6)]
    assert Dataset.zip(a).element_spec == Dataset.zip(datasets=a).element_spec == NUMBER
    assert Dataset.zip((a,)).element_spec == (NUMBER,)
    pair = Dataset.zip(a, b)
    assert Dataset.zip(pair, a).element_spec == ((NUMBER, NUMBER), NUMBER)
    assert repr(pair).startswith("<_ZipDataset element_spec=(TensorSpec")


LIST = "Python `list` is not supported and you should use `tuple` instead"


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "Must pass at least one dataset to `zip`."),
        ((1,), {"datasets": 1}, r"Both `\*args` and `datasets` cannot be set"),
        ((1,), {}, "encountered object of type <class 'int'>"),
        ((Dataset.range(1), {"a": 1}), {}, "encountered object of type <class 'int'>"),
        (([Dataset.range(1)],), {}, LIST),
        (((Dataset.range(1), [Dataset.range(1)]),), {}, LIST),
        ((), {"datasets": [Dataset.range(1)]}, LIST),
    ],
)
def test_what_is_no_nest_of_datasets_is_refused(args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Dataset.zip(*args, **kwargs)


def test_the_cardinality_is_the_smallest() -> None:
    finite, endless, unknown = Dataset.range(5), Dataset.range(5).repeat(), by_stream(5)
    groups = [(finite, Dataset.range(3)), (finite, endless), (endless, endless), (finite, unknown), (endless, unknown)]
    assert [Dataset.zip(*g).node.cardinality() for g in groups] == [3, 5, INFINITE, UNKNOWN, UNKNOWN]


def test_a_shuffle_moves_positions() -> None:
    pairs = Dataset.zip(Dataset.range(4), Dataset.from_tensor_slices(["a", "b", "c"]).repeat())
    assert pairs.node.is_random_access
    assert sorted(elements(pairs.shuffle(9, seed=1))) == [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"a")]
    assert not Dataset.zip(Dataset.range(4), by_stream(4)).node.is_random_access
    assert not Dataset.zip(Dataset.range(4).repeat()).node.is_random_access


@pytest.mark.parametrize("second", [Dataset.range, by_stream, every_other])
def test_a_pass_is_restored_at_every_position(second: Any) -> None:
    check_restores_everywhere(lambda: Dataset.zip(by_stream(6), second(5)))
    check_restores_everywhere(lambda: Dataset.zip(second(6), Dataset.range(5)))


def test_errors_that_wait_are_restored() -> None:
    check_restores_everywhere(lambda: Dataset.zip(failing_at(by_stream(6), 2), every_other(6)))


def test_datasets_zipped_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.zip({"a": Dataset.range(3), "b": Dataset.range(5, 9)}), 3)


def test_elements_are_numbered() -> None:
    assert elements(Dataset.from_tensor_slices(["a", "b"]).enumerate()) == [(0, b"a"), (1, b"b")]
    numbered = by_stream(3).map(lambda x: (x, x)).enumerate(start=tf.constant(5, tf.int64))
    assert elements(numbered) == [(5, (0, 0)), (6, (1, 1)), (7, (2, 2))]
    assert numbered.element_spec == (NUMBER, (NUMBER, NUMBER))


def test_a_numbered_dataset_is_as_long_as_before_and_its_elements_can_be_had_by_position() -> None:
    assert Dataset.range(5).enumerate().node.cardinality() == 5
    assert Dataset.range(5).repeat().enumerate().node.cardinality() == INFINITE
    assert Dataset.range(5).enumerate(3).node.is_random_access
    assert elements(Dataset.range(5).enumerate(3).skip(4)) == [(7, 4)]
    check_restores_everywhere(lambda: by_stream(4).enumerate())
    check_same_in_function(lambda: Dataset.range(3).enumerate(2), 3)


@pytest.mark.parametrize("start", [1.5, "a"])
def test_a_start_that_is_no_integer_is_refused(start: Any) -> None:
    with pytest.raises(TypeError, match=r"Cannot convert .* to EagerTensor of dtype int64"):
        Dataset.range(2).enumerate(start)


def test_a_numbered_dataset_ends_with_its_last_user() -> None:
    node = weakref.ref(Dataset.range(3).enumerate().node.inputs[0])
    assert node() is None
