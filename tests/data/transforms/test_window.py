"""`Dataset.window`: datasets as elements."""

from __future__ import annotations

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
    elements,
    failing_at,
    noting,
    outcomes,
    plain,
)

Dataset = tf.data.Dataset
NUMBER = tf.TensorSpec([], tf.int64)


def by_stream(count: int) -> Any:
    return Dataset.range(count).filter(lambda x: x >= 0)


def windows(dataset: Any) -> list[list[int]]:
    return [elements(window) for window in dataset]


def expected_windows(count: int, size: int, shift: int, stride: int, drop: bool) -> list[list[int]]:
    """The windows of the numbers below `count`, by the definition."""
    reach = (size - 1) * stride + 1
    starts = [start for start in range(0, count, shift) if not drop or start + reach <= count]
    return [list(range(count))[start : start + reach : stride] for start in starts]


@pytest.mark.parametrize("make", [Dataset.range, by_stream])
@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(0, 14),
    numbers=st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(1, 3)),
    drop=st.booleans(),
    limits=st.lists(st.integers(1, 4), min_size=1, max_size=2),
)
def test_windows_are_those_of_the_definition(
    make: Any, count: int, numbers: tuple[int, int, int], drop: bool, limits: list[int]
) -> None:
    dataset = make(count).window(*numbers, drop_remainder=drop)
    expected = expected_windows(count, *numbers, drop)
    assert windows(dataset) == expected
    assert elements(dataset.flat_map(lambda window: window.batch(20)).batch(1).unbatch()) == expected
    assert make(count).node.cardinality() == UNKNOWN or dataset.node.cardinality() == len(expected)
    taken, cursor = [], dataset.node.cursor(None)
    while (block := cursor.next_block(limits[len(taken) % len(limits)])) is not None:
        taken += [plain(handle[()].slice(0, handle[()].cardinality()).columns[0]) for (handle,) in block.rows()]
    assert taken == expected


def test_by_default_windows_follow_one_another() -> None:
    assert windows(Dataset.range(7).window(3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert windows(Dataset.range(7).window(3, drop_remainder=True)) == [[0, 1, 2], [3, 4, 5]]


def test_each_component_has_a_dataset_of_its_own() -> None:
    dataset = Dataset.range(4).map(lambda x: {"a": x, "b": (x, tf.strings.as_string(x))}).window(2)
    spec = tf.data.DatasetSpec(NUMBER)
    assert dataset.element_spec == {"a": spec, "b": (spec, tf.data.DatasetSpec(tf.TensorSpec([], tf.string)))}
    first = next(iter(dataset))
    assert (elements(first["a"]), elements(first["b"][0]), elements(first["b"][1])) == ([0, 1], [0, 1], [b"0", b"1"])


def test_a_window_is_a_dataset_with_a_number_of_elements() -> None:
    (window,) = Dataset.range(3).window(5)
    assert isinstance(window, Dataset)
    assert len(window) == 3
    assert repr(window) == "<_VariantDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    assert elements(window.map(lambda x: x * x)) == [0, 1, 4]
    assert elements(window) == elements(window) == [0, 1, 2]


def test_windows_of_windows() -> None:
    dataset = Dataset.range(8).window(2).window(2)
    assert [windows(outer) for outer in dataset] == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    assert elements(dataset.flat_map(lambda outer: outer.flat_map(lambda inner: inner))) == list(range(8))


def test_windows_hold_elements_of_different_shapes() -> None:
    dataset = Dataset.range(4).map(lambda x: tf.fill([x], x)).window(2)
    assert [elements(window) for window in dataset] == [[[], [1]], [[2, 2], [3, 3, 3]]]


def test_batches_of_windows_can_be_split_again() -> None:
    batches = Dataset.range(6).window(2).batch(2)
    assert batches.element_spec == tf.data.DatasetSpec(NUMBER, [None])
    assert windows(batches.unbatch()) == [[0, 1], [2, 3], [4, 5]]


def test_no_more_elements_are_asked_for_than_a_window_needs() -> None:
    def counts(*numbers: int) -> list[int]:
        seen: list[int] = []
        found = []
        for _ in noting(Dataset.range(8), seen).window(*numbers):
            found.append(len(seen))
        return found

    assert counts(2) == [2, 4, 6, 8]
    assert counts(3, 1) == [3, 4, 5, 6, 7, 8, 8, 8]
    assert counts(2, 1, 3) == [4, 5, 6, 7, 8, 8, 8, 8]
    assert counts(2, 5) == [2, 7]


ERROR = "InvalidArgumentError"


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((2,), [[0, 1], ERROR, [4, 5], [6, 7]]),
        ((3, 1), [[0, 1, 2], ERROR, ERROR, ERROR, [4, 5, 6], [5, 6, 7], [6, 7], [7]]),
        ((2, 3), [[0, 1], ERROR, [6, 7]]),
        ((2, 4), [[0, 1], [4, 5]]),
        ((2, 1, 2), [[0, 2], ERROR, [2, 4], ERROR, [4, 6], [5, 7], [6], [7]]),
    ],
)
def test_each_window_that_holds_an_element_that_failed_fails(numbers: tuple[int, ...], expected: list[Any]) -> None:
    dataset = failing_at(Dataset.range(8), 3).window(*numbers)
    iterator, found = iter(dataset), []
    for _ in range(20):
        try:
            found.append(elements(next(iterator)))
        except StopIteration:
            break
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    assert found == expected
    assert outcomes(dataset.flat_map(lambda window: window.batch(9))) == expected


@pytest.mark.parametrize(
    ("numbers", "name"), [((0,), "size"), ((-1,), "size"), ((2, 0), "shift"), ((2, -1), "shift"), ((2, 1, 0), "stride")]
)
def test_numbers_that_are_not_positive_are_refused(numbers: tuple[int, ...], name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Window {name} must be greater than zero."):
        Dataset.range(5).window(*numbers)


@pytest.mark.parametrize(("size", "error"), [("a", TypeError), (2.5, TypeError), (None, ValueError)])
def test_a_size_that_is_no_integer_is_refused(size: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Dataset.range(5).window(size)


def test_components_of_several_tensors_are_refused_in_words() -> None:
    slices = tf.IndexedSlices(values=tf.constant([1.0]), indices=tf.constant([0]), dense_shape=tf.constant([3]))
    for element in (slices, (1, None)):
        with pytest.raises(NotImplementedError, match="components of no or several tensors"):
            Dataset.from_tensors(element).window(2)


def test_the_cardinality_of_endless_and_unknown_sources() -> None:
    assert Dataset.range(5).repeat().window(2).node.cardinality() == INFINITE
    assert by_stream(5).window(2).node.cardinality() == UNKNOWN


def test_a_shuffle_moves_positions() -> None:
    dataset = Dataset.range(8).window(3, 2)
    assert dataset.node.is_random_access
    assert sorted(windows(dataset.shuffle(9, seed=1))) == [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7]]


def test_windows_do_not_copy_their_elements() -> None:
    numbers = np.arange(10)
    first = next(iter(Dataset.from_tensor_slices(numbers).window(5)))
    base = Dataset.from_tensor_slices(numbers).node
    assert first.node.block.columns[0].base is not None
    assert base.cardinality() == 10


@pytest.mark.parametrize("make", [Dataset.range, by_stream])
@pytest.mark.parametrize("numbers", [(3,), (3, 1), (2, 5), (2, 1, 2)])
def test_a_pass_is_restored_at_every_position(make: Any, numbers: tuple[int, ...]) -> None:
    def rows() -> Any:
        return make(13).window(*numbers).flat_map(lambda window: window.batch(9))

    check_restores_everywhere(rows)


def test_elements_that_failed_are_restored() -> None:
    check_restores_everywhere(lambda: failing_at(by_stream(9), 3).window(3, 1).flat_map(lambda w: w.batch(9)))


def test_windows_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(7).window(3).flat_map(lambda window: window.batch(3)), 3)
