"""`Dataset.unbatch`: rows as elements."""

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
    drained,
    elements,
    failing_at,
    noting,
    outcomes,
)

Dataset = tf.data.Dataset


def uneven(count: int) -> Any:
    """Elements of 0, 1, 2 ... rows."""
    return Dataset.range(count).map(lambda n: (tf.fill([n], n), tf.fill([n, 2], n)))


@settings(max_examples=50, deadline=None)
@given(
    count=st.integers(0, 20),
    size=st.integers(1, 6),
    drop=st.booleans(),
    limits=st.lists(st.integers(1, 9), min_size=1, max_size=3),
)
def test_the_rows_of_batches_are_the_elements_again(count: int, size: int, drop: bool, limits: list[int]) -> None:
    rows = drained(Dataset.range(count).batch(size, drop_remainder=drop).unbatch(), limits)
    assert rows == [[n] for n in range(count // size * size if drop else count)]


@pytest.mark.parametrize("limits", [[1], [2], [3, 5]])
def test_elements_may_have_different_numbers_of_rows(limits: list[int]) -> None:
    expected = [[n, [n, n]] for n in range(5) for _ in range(n)]
    assert drained(uneven(5).unbatch(), limits) == expected
    assert drained(uneven(5).shuffle(1).unbatch(), limits) == expected


def test_every_component_is_split() -> None:
    dataset = Dataset.from_tensors({"a": [1, 2], "b": ([[3], [4]], ["x", "y"])}).unbatch()
    assert elements(dataset) == [{"a": 1, "b": ([3], b"x")}, {"a": 2, "b": ([4], b"y")}]
    assert dataset.element_spec["b"][0] == tf.TensorSpec([1], tf.int32)


def test_a_component_of_unknown_shape_has_rows_of_unknown_shape() -> None:
    def unknown(x: Any) -> Any:
        return tf.py_function(lambda n: np.arange(int(n)), [x], tf.int64)

    dataset = Dataset.range(3).map(unknown).unbatch()
    assert dataset.element_spec == tf.TensorSpec(None, tf.int64)
    assert elements(dataset) == [0, 0, 1]


def test_missing_components_stay_missing() -> None:
    assert [row[1] for row in Dataset.from_tensors(([1, 2], None)).unbatch()] == [None, None]


def test_scalars_and_first_dimensions_that_differ_are_refused() -> None:
    for scalars in (Dataset.range(3), Dataset.from_tensors(([1, 2], 3))):
        with pytest.raises(ValueError, match=r"Cannot unbatch an input with scalar components."):
            scalars.unbatch()
    with pytest.raises(ValueError, match=r"matching leading dimension. Encountered both 2 and 3."):
        Dataset.from_tensors(([1, 2], [1, 2, 3])).unbatch()


def test_an_element_with_different_numbers_of_rows_is_an_error_of_its_own() -> None:
    dataset = Dataset.range(3).map(lambda x: (tf.fill([x], x), tf.fill([x + x % 2], x))).unbatch()
    assert outcomes(dataset) == ["InvalidArgumentError", (2, 2), (2, 2)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Component 0 had size 1 but component 1 had size, 2."):
        next(iter(dataset))


def test_a_scalar_of_unknown_shape_is_an_error_of_its_own() -> None:
    dataset = Dataset.range(2).map(lambda x: tf.py_function(lambda n: n, [x], tf.int64)).unbatch()
    assert outcomes(dataset) == ["InvalidArgumentError"] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have a non-scalar value in each component"):
        next(iter(dataset))


def test_an_error_of_the_source_is_that_of_all_its_rows() -> None:
    assert outcomes(failing_at(Dataset.range(4), 2).map(lambda x: tf.fill([2], x)).unbatch()) == [
        *[0, 0, 1, 1, "InvalidArgumentError", 3, 3]
    ]


def test_the_cardinality_is_known_if_the_number_of_rows_is() -> None:
    rows = Dataset.from_tensor_slices(np.zeros((5, 2, 3)))
    assert rows.unbatch().node.cardinality() == 10
    assert Dataset.range(5).batch(2).unbatch().node.cardinality() == UNKNOWN
    assert rows.repeat().unbatch().node.cardinality() == INFINITE
    assert rows.filter(lambda x: True).unbatch().node.cardinality() == UNKNOWN


def test_elements_are_opened_when_their_rows_are_asked_for() -> None:
    seen: list[int] = []
    dataset = noting(Dataset.range(9), seen).batch(3, drop_remainder=True).unbatch()
    iterator = iter(dataset)
    next(iterator)
    assert seen == [0, 1, 2]
    seen.clear()
    next(iter(dataset.batch(4)))
    assert seen == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("make", [lambda: Dataset.range(9).batch(4).unbatch(), lambda: uneven(5).unbatch()])
def test_a_pass_is_restored_at_every_position(make: Any) -> None:
    check_restores_everywhere(make)


def test_rows_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(5).batch(2).unbatch(), 5)


def test_the_function_of_datasets_splits_too() -> None:
    assert elements(Dataset.range(4).batch(3).apply(tf.data.experimental.unbatch())) == [0, 1, 2, 3]


def test_the_older_op_makes_the_same() -> None:
    handle = tf.raw_ops.ExperimentalUnbatchDataset(
        input_dataset=Dataset.range(3).batch(2)._variant_tensor, output_types=[tf.int64], output_shapes=[[]]
    )
    assert elements(tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.int64))) == [0, 1, 2]
