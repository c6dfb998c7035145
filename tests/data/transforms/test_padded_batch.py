"""`Dataset.padded_batch`: elements of different shapes in one batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
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


def fills(count: int) -> Any:
    """Elements of 0, 1, 2 ... numbers."""
    return Dataset.range(count).map(lambda n: tf.fill([n], n))


def expected_batches(rows: list[list[int]], size: int, width: int | None, value: int, drop: bool) -> list[Any]:
    """The padded batches by the definition."""
    batches = [rows[start : start + size] for start in range(0, len(rows), size)]
    if drop and batches and len(batches[-1]) < size:
        batches.pop()
    widths = [max(map(len, batch)) if width is None else width for batch in batches]
    return [[row + [value] * (w - len(row)) for row in batch] for batch, w in zip(batches, widths, strict=True)]


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(0, 12),
    size=st.integers(1, 5),
    width=st.none() | st.integers(12, 14),
    drop=st.booleans(),
    limits=st.lists(st.integers(1, 4), min_size=1, max_size=2),
)
def test_batches_are_those_of_the_definition(
    count: int, size: int, width: int | None, drop: bool, limits: list[int]
) -> None:
    value = tf.constant(-7, tf.int64)
    dataset = fills(count).padded_batch(size, padded_shapes=[width], padding_values=value, drop_remainder=drop)
    expected = expected_batches([[n] * n for n in range(count)], size, width, -7, drop)
    assert drained(dataset, limits) == [[batch] for batch in expected]
    assert dataset.node.cardinality() == len(expected)


def test_every_component_has_a_shape_and_a_value_of_its_own() -> None:
    def parts(n: Any) -> Any:
        return tf.fill([n], n), tf.fill([n, 2], 1.5), tf.constant("s")

    shapes, values = ([5], [None, 3], []), (tf.constant(-1, tf.int64), 9.0, "z")
    first = elements(Dataset.range(2).map(parts).padded_batch(2, shapes, values))[0]
    assert first == ([[-1] * 5, [1, -1, -1, -1, -1]], [[[9.0, 9.0, 9.0]], [[1.5, 1.5, 9.0]]], [b"s", b"s"])


def test_the_default_padding_is_zero_false_or_the_empty_string() -> None:
    def parts(n: Any) -> Any:
        return (
            tf.fill([n], True),
            tf.fill([n], tf.complex(1.0, 2.0)),
            tf.fill([n], "a"),
            tf.cast(tf.fill([n], n), tf.bfloat16),
        )

    (batch,) = elements(Dataset.range(2).map(parts).padded_batch(2))
    assert batch == ([[False], [True]], [[0j], [1 + 2j]], [[b""], [b"a"]], [[0.0], [1.0]])


def test_some_values_may_be_left_to_the_default() -> None:
    dataset = Dataset.range(2).map(lambda n: {"a": tf.fill([n], n), "b": tf.fill([n], 1.5)})
    assert elements(dataset.padded_batch(2, padding_values={"a": None, "b": 2.0})) == [
        {"a": [[0], [1]], "b": [[2.0], [1.5]]}
    ]


def test_one_value_is_that_of_all_components() -> None:
    dataset = Dataset.range(2).map(lambda n: (tf.fill([n], n), tf.fill([n], n)))
    assert elements(dataset.padded_batch(2, padding_values=tf.constant(7, tf.int64))) == [([[7], [1]], [[7], [1]])]


def test_elements_of_one_shape_are_padded_together() -> None:
    dataset = Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]])
    assert elements(dataset.padded_batch(2)) == [[[1, 2], [3, 4]], [[5, 6]]]
    assert elements(dataset.padded_batch(2, [3])) == [[[1, 2, 0], [3, 4, 0]], [[5, 6, 0]]]


SHAPES = [[4], (4,), 4, tf.TensorShape([4]), np.array([4]), tf.constant([4]), [tf.constant(4, tf.int64)]]


@pytest.mark.parametrize("shape", [*SHAPES, [tf.compat.v1.Dimension(4)]], ids=str)
def test_a_shape_has_many_forms(shape: Any) -> None:
    dataset = fills(2).padded_batch(2, padded_shapes=shape)
    assert dataset.element_spec == tf.TensorSpec([None, 4], tf.int64)
    assert elements(dataset) == [[[0, 0, 0, 0], [1, 0, 0, 0]]]


@pytest.mark.parametrize("shape", [[None], [-1], (None,), tf.TensorShape([None]), tf.constant([-1], tf.int64), None])
def test_an_unknown_dimension_is_that_of_the_largest_element(shape: Any) -> None:
    dataset = fills(4).padded_batch(2, padded_shapes=shape)
    assert dataset.element_spec == tf.TensorSpec([None, None], tf.int64)
    assert elements(dataset) == [[[0], [1]], [[2, 2, 0], [3, 3, 3]]]


def test_a_shape_that_is_computed_is_known_by_its_rank() -> None:
    @tf.function
    def first(width: tf.Tensor) -> tf.Tensor:
        dataset = Dataset.range(2).map(lambda n: tf.fill([n], n)).padded_batch(2, padded_shapes=[width])
        assert dataset.element_spec.shape.as_list() == [None, None]
        return next(iter(dataset))

    assert first(tf.constant(3, tf.int64)).numpy().tolist() == [[0, 0, 0], [1, 0, 0]]


def test_the_size_is_known_if_the_last_batch_is_dropped() -> None:
    assert fills(5).padded_batch(2, drop_remainder=True).element_spec == tf.TensorSpec([2, None], tf.int64)


def unknown_rank(count: int) -> Any:
    return Dataset.range(count).map(lambda x: tf.py_function(lambda n: np.arange(int(n)), [x], tf.int64))


def test_elements_of_unknown_rank_need_shapes() -> None:
    with pytest.raises(
        ValueError, match="You must provide `padded_shapes` argument because component 0 has unknown ra"
    ):
        unknown_rank(3).padded_batch(2)
    assert elements(unknown_rank(4).padded_batch(2, [None])) == [[[0], [0]], [[0, 1, 0], [0, 1, 2]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected rank 2 but got element with rank 1"):
        next(iter(unknown_rank(3).padded_batch(2, [None, None])))


COMPATIBLE = "is not compatible with the shape"


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        (
            [2, 2],
            ValueError,
            r"The padded shape \(2, 2\) is not compatible with the shape \(None,\) of the corresponding",
        ),
        ([-2], ValueError, "Dimension -2 must be >= 0"),
        ("a", ValueError, r"Padded shape a must be a `tf.int64` vector tensor, but its shape was \(\)."),
        ([[1]], ValueError, r"vector tensor, but its shape was \(1, 1\)"),
        (
            ["a"],
            TypeError,
            r"Padded shape \['a'\] must be a `tf.int64` vector tensor, but its element type was string.",
        ),
        ([2.5], TypeError, "element type was float32"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shape: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fills(3).padded_batch(2, padded_shapes=shape)


def test_a_shape_smaller_than_a_known_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match=r"The padded shape \(2,\) is not compatible with the shape \(3,\)"):
        Dataset.from_tensors([1, 2, 3]).padded_batch(2, [2])


@pytest.mark.parametrize("shapes", [[None], ([5],), ([5], [], []), {"a": [5], "b": []}])
def test_shapes_of_another_structure_are_refused(shapes: Any) -> None:
    dataset = Dataset.range(3).map(lambda n: (tf.fill([n], n), n))
    with pytest.raises((TypeError, ValueError)):
        dataset.padded_batch(2, padded_shapes=shapes)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (
            0.0,
            TypeError,
            "Invalid `padding_values`. `padding_values` values type <dtype: 'float32'> does not match type",
        ),
        (0, TypeError, "type <dtype: 'int32'> does not match type <dtype: 'int64'> of"),
        (tf.constant([1, 2], tf.int64), ValueError, r"`padding_values` values should be scalars, but got \(2,\)."),
        ((tf.constant(1, tf.int64),), ValueError, "values should be scalars"),
    ],
)
def test_values_that_do_not_fit_are_refused(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fills(3).padded_batch(2, padding_values=value)


def test_components_that_are_no_tensors_are_refused() -> None:
    with pytest.raises(TypeError, match="`padded_batch` is not supported for datasets of datasets"):
        Dataset.range(5).window(2).padded_batch(2)
    with pytest.raises(TypeError, match="not a subclass of TensorSpec: `NoneTensorSpec"):
        Dataset.from_tensors((1, None)).padded_batch(2)


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_that_is_not_positive_is_refused(size: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Batch size must be greater than zero."):
        fills(3).padded_batch(size)


def test_an_element_that_is_too_large_is_an_error_of_its_batch() -> None:
    dataset = fills(6).padded_batch(2, [3])
    assert outcomes(dataset) == [[[0, 0, 0], [1, 0, 0]], [[2, 2, 0], [3, 3, 3]], "DataLossError"]
    with pytest.raises(tf.errors.DataLossError, match=r"Attempted to pad to a smaller size than the input element."):
        elements(dataset)


def test_an_error_of_an_element_is_one_of_its_batch() -> None:
    dataset = failing_at(Dataset.range(6), 2).map(lambda n: tf.fill([n], n)).padded_batch(2)
    assert outcomes(dataset) == [[[0], [1]], "InvalidArgumentError", [[3, 3, 3, 0], [4, 4, 4, 4]], [[5] * 5]]


def test_no_more_elements_are_asked_for_than_a_batch_needs() -> None:
    seen: list[int] = []
    next(iter(noting(Dataset.range(9), seen).map(lambda n: tf.fill([n], n)).padded_batch(3)))
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("make", [lambda: fills(9).padded_batch(2), lambda: fills(9).padded_batch(2, [5])])
def test_a_pass_is_restored_at_every_position(make: Any) -> None:
    check_restores_everywhere(make)


def test_a_shuffle_moves_positions() -> None:
    dataset = Dataset.from_tensor_slices([[1, 2], [3, 4]]).padded_batch(1, [3])
    assert dataset.node.is_random_access
    assert sorted(elements(dataset.shuffle(2, seed=1))) == [[[1, 2, 0]], [[3, 4, 0]]]


def test_batches_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: fills(5).padded_batch(2, [7]), 3)


def test_the_older_op_keeps_the_last_batch() -> None:
    handle = tf.raw_ops.PaddedBatchDataset(
        input_dataset=fills(3)._variant_tensor,
        batch_size=tf.constant(2, tf.int64),
        padded_shapes=[tf.constant([-1], tf.int64)],
        padding_values=[tf.constant(0, tf.int64)],
        output_shapes=[[None, None]],
    )
    spec = tf.data.DatasetSpec(tf.TensorSpec([None, None], tf.int64))
    assert elements(spec._from_components(handle)) == [[[0], [1]], [[2, 2]]]
