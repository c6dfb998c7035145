"""tf.experimental.DynamicRaggedShape."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import millrace as tf

_Shape = tf.experimental.DynamicRaggedShape
_Rows = tf.experimental.RowPartition


def _rows() -> Any:
    return tf.ragged.constant([[1, 2], [], [3]])


def _pairs() -> Any:
    return tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


@pytest.mark.parametrize(
    ("lengths", "options", "partitions"),
    [
        ([], {}, 0),
        ([3, 2], {}, 0),
        ([2, (1, 2)], {}, 1),
        ([2, (1, 2), 3], {}, 1),
        ([2, (1, 2), (3, 4, 5)], {}, 2),
        ([2, 2, (1, 2, 3, 4), 5, 6], {}, 2),
        ([2, (1, 2), 3], {"num_row_partitions": 2}, 2),
        ([2, 3, 4], {"num_row_partitions": 1}, 1),
        ([2, (1, 2)], {"dtype": tf.int32}, 1),
    ],
)
def test_a_shape_is_made_of_lengths(lengths: list[Any], options: dict[str, Any], partitions: int) -> None:
    shape = _Shape.from_lengths(lengths, **options)
    assert (shape.static_lengths(), shape.num_row_partitions) == (lengths, partitions)
    assert (shape.rank, shape.dtype) == (len(lengths), options.get("dtype", tf.int64))


@pytest.mark.parametrize(
    ("lengths", "options", "error", "words"),
    [
        ([(1, 2)], {}, ValueError, "leaves no partition for the ragged lengths"),
        ([2, (1, 2, 3)], {}, ValueError, "Shape not consistent."),
        ([2, (1, -2)], {}, tf.errors.InvalidArgumentError, "do not form a valid RowPartition"),
        (["a"], {}, ValueError, "element of lengths should be int or tuple of ints: instead 'a'"),
        ([2, 3, 4], {"num_row_partitions": 3}, ValueError, "num_row_partitions should be less than"),
        ([2, (1, 2)], {"num_row_partitions": 0}, ValueError, "leaves no partition"),
        (5, {}, ValueError, "lengths should be a list"),
    ],
)
def test_bad_lengths_are_refused(lengths: Any, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        _Shape.from_lengths(lengths, **options)


def test_the_shape_of_a_tensor() -> None:
    assert repr(_Shape.from_tensor(_pairs())) == "<DynamicRaggedShape lengths=[2, (2, 1), 2] num_row_partitions=1>"
    assert _Shape.from_tensor(_pairs()).inner_shape.numpy().tolist() == [3, 2]
    assert _Shape.from_tensor([[1, 2]]).static_lengths() == [1, 2]
    assert _Shape.from_tensor(tf.constant(1)).rank == 0
    assert (_Shape.from_tensor([1]).dtype, _Shape.from_tensor(_rows()).dtype) == (tf.int32, tf.int64)


def test_a_shape_is_made_of_partitions() -> None:
    rows = _Rows.from_row_splits([0, 2, 3])
    assert _Shape.from_row_partitions([rows]).static_lengths() == [2, (2, 1)]
    assert _Shape([rows], [3, 4]).static_lengths() == [2, (2, 1), 4]
    assert _Shape([], [2, 3], dtype=tf.int32).dtype is tf.int32
    with pytest.raises(ValueError, match="row_partitions cannot be empty"):
        _Shape.from_row_partitions([])
    with pytest.raises(TypeError, match="row_partitions contains 1 which is not a RowPartition"):
        _Shape([1], [2])
    with pytest.raises(ValueError, match="must have at least one element"):
        _Shape([rows], [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Row partitions do not match"):
        _Shape([rows], tf.constant([4], tf.int64), validate=True)


def test_uniform_dimensions_are_read_by_number() -> None:
    shape = _Shape.from_tensor(_pairs())
    assert [shape[0].numpy(), shape[2].numpy(), shape[-1].numpy()] == [2, 2, 2]
    assert [shape.is_uniform(axis) for axis in range(3)] == [True, False, True]
    for key, error, words in [
        (1, ValueError, "Index 1 is not uniform"),
        (3, IndexError, "Index is too big: 3>=3"),
        ("a", TypeError, "Argument is not an int or a slice"),
        (slice(None, None, 2), IndexError, "Cannot stride through a shape"),
        (slice(1, None), ValueError, "All relevant dimensions must be uniform"),
    ]:
        with pytest.raises(error, match=words):
            shape[key]
    with pytest.raises(IndexError, match="Expected axis=3 < rank=3"):
        shape.is_uniform(3)


def test_slices_of_a_shape_are_shapes() -> None:
    shape = _Shape.from_tensor(_pairs())
    found = [shape[:stop].static_lengths() for stop in range(4)]
    assert found == [[], [2], [2, (2, 1)], [2, (2, 1), 2]]
    assert _Shape.from_lengths([2, 3, 4])[1:].static_lengths() == [3, 4]


def test_static_lengths_may_leave_out_ragged_rows() -> None:
    assert _Shape.from_lengths([2, (1, 2), 3]).static_lengths(ragged_lengths=False) == [2, None, 3]


def test_the_number_of_partitions_changes_within_uniform_dimensions() -> None:
    shape = _Shape.from_tensor(_pairs())
    more = shape._with_num_row_partitions(2)
    assert (more.num_row_partitions, more.static_lengths()) == (2, [2, (2, 1), 2])
    assert more._with_inner_rank(2).inner_shape.numpy().tolist() == [3, 2]
    assert [p.row_splits().numpy().tolist() for p in shape._as_row_partitions()] == [[0, 2, 3], [0, 2, 4, 6]]
    with pytest.raises(ValueError, match="All relevant dimensions must be uniform"):
        shape._with_num_row_partitions(0)


def test_shapes_are_compared_by_value() -> None:
    shape = _Shape.from_tensor(_rows())
    assert shape == _Shape.from_tensor(_rows())
    assert shape != _Shape.from_tensor(tf.ragged.constant([[1], [2], [3]]))
    assert shape != _Shape.from_tensor(tf.ragged.constant([[1, 2]]))
    assert (shape == _Shape.from_tensor(_pairs())) is False
    assert (shape == 5) is False


def test_a_shape_has_another_dtype() -> None:
    shape = _Shape.from_tensor(_rows()).with_dtype(tf.int32)
    assert (shape.dtype, shape.row_partitions[0].dtype, shape.inner_shape.dtype) == (tf.int32,) * 3
    with pytest.raises(ValueError, match="Illegal dtype"):
        shape.with_dtype(tf.float32)


def test_a_shape_passes_through_a_function() -> None:
    @tf.function
    def halves(shape: Any) -> Any:
        return tf.fill(shape, 0.5), shape

    made, shape = halves(_Shape.from_tensor(_rows()))
    assert made.to_list() == [[0.5, 0.5], [], [0.5]]
    assert shape.static_lengths() == [3, (2, 0, 1)]


def test_the_spec_knows_what_is_static() -> None:
    spec = _Shape.from_tensor(_pairs())._type_spec
    assert (spec.rank, spec.inner_rank, spec.num_row_partitions) == (3, 2, 1)
    assert spec._to_tensor_shape().as_list() == [2, None, 2]
    assert spec == copy.copy(spec) == pickle.loads(pickle.dumps(spec))
    assert type(spec).__name__ == "DynamicRaggedShape.Spec"
    made = _Shape.Spec._from_tensor_shape([2, None], num_row_partitions=1, dtype=tf.int64)
    text = "(RowPartitionSpec(nrows=2, nvals=None, uniform_row_length=None, dtype=tf.int64),)"
    expected = f"DynamicRaggedShape.Spec(row_partitions={text}, static_inner_shape=TensorShape([None]), dtype=tf.int64)"
    assert repr(made) == expected
    assert made.with_dtype(tf.int32).dtype is tf.int32
