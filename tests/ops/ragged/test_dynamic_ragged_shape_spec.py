"""Specs of ragged shapes: what neighbours know, batches, and shapes in datasets."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.ragged.row_partition_spec import RowPartitionSpec

Shape = tf.experimental.DynamicRaggedShape
_LENGTHS: list[Any] = [
    [5],
    [2, 3],
    [2, (1, 3)],
    [2, (1, 3), 4],
    [2, (1, 3), (1, 0, 2, 1)],
    [2, 3, (1, 2, 0, 1, 1, 1), 5],
]


def _parts(spec: Any) -> Any:
    partitions = [(p.nrows, p.nvals, p.uniform_row_length) for p in spec._row_partitions]
    return partitions, spec._static_inner_shape.as_list()


def test_neighbours_tell_each_other_sizes() -> None:
    spec = Shape.Spec([RowPartitionSpec(nrows=2), RowPartitionSpec(uniform_row_length=3)], [12], tf.int64)
    assert _parts(spec) == ([(2, 4, None), (4, 12, 3)], [12])
    assert _parts(Shape.Spec([RowPartitionSpec(nrows=2, nvals=4)], [None, 5], tf.int64))[1] == [4, 5]
    with pytest.raises(ValueError, match="not compatible"):
        Shape.Spec([RowPartitionSpec(nvals=4)], [5], tf.int64)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([5], ([], [3, 5])),
        ([], ([], [3])),
        ([2, (1, 3)], ([(3, 6, 2), (6, 12, None)], [12])),
        ([2, (1, 3), 4], ([(3, 6, 2), (6, 12, None)], [12, 4])),
    ],
)
def test_batches(lengths: Any, expected: Any) -> None:
    assert _parts(Shape.from_lengths(lengths)._type_spec._batch(3)) == expected


def test_batches_of_unknown_size() -> None:
    spec = Shape.from_lengths([2, (1, 3)])._type_spec._batch(None)
    assert _parts(spec) == ([(None, None, 2), (None, None, None)], [None])
    assert spec._to_tensor_shape().as_list() == [None, 2, None]


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([5], ([], [])),
        ([2, 3], ([], [3])),
        ([2, (1, 3)], ([], [None])),
        ([2, (1, 3), 4], ([], [None, 4])),
        ([2, (1, 3), (1, 0, 2, 1)], ([(None, None, None)], [None])),
        ([2, 3, (1, 2, 0, 1, 1, 1), 5], ([(3, None, None)], [None, 5])),
    ],
)
def test_elements_of_batches(lengths: Any, expected: Any) -> None:
    assert _parts(Shape.from_lengths(lengths)._type_spec._unbatch()) == expected


def test_a_scalar_is_no_batch() -> None:
    with pytest.raises(ValueError, match="Unbatching a tensor is only supported for rank >= 1"):
        Shape.from_lengths([])._type_spec._unbatch()


def _rows(lengths: Any) -> list[Any]:
    """Returns the shapes of the rows of a tensor of a shape, as static lengths."""
    rows: Any = tf.ones(Shape.from_lengths(lengths))
    return [Shape.from_tensor(rows[i]).static_lengths() for i in range(lengths[0])]


@pytest.mark.parametrize("lengths", _LENGTHS)
def test_shapes_are_elements_of_datasets(lengths: Any) -> None:
    shape = Shape.from_lengths(lengths)
    whole = [element.static_lengths() for element in tf.data.Dataset.from_tensors(shape)]
    assert whole == [shape.static_lengths()]
    slices = tf.data.Dataset.from_tensor_slices(shape)
    assert [element.static_lengths() for element in slices] == _rows(lengths)
    batches = list(slices.batch(lengths[0]))
    assert [batch.static_lengths() for batch in batches] == [shape.static_lengths()]
    assert tf.nest.flatten(shape, expand_composites=True)[0].numpy().tolist() == shape.inner_shape.numpy().tolist()
