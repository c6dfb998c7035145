"""Dense, sparse and ragged tensors of columns."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.io.example_fields import Field, FieldLayout, column_of
from millrace._src.ops.io.example_tensors import dense_fields, dense_tensor, fits, ragged_parts, sparse_parts

_COLUMN = column_of([[1, 2], None, [3, 4]], tf.int64)
_FIXED = Field(b"a", tf.int64, FieldLayout.FIXED, (2,))
_PADDED = Field(b"a", tf.int64, FieldLayout.PADDED, (1,))


def test_missing_values_of_a_fixed_field_are_its_default() -> None:
    assert dense_tensor(_COLUMN, _FIXED, np.array([8, 9]), is_single=False).tolist() == [[1, 2], [8, 9], [3, 4]]
    single = column_of([None], tf.int64)
    assert dense_tensor(single, _FIXED, np.array([8, 9]), is_single=True).tolist() == [8, 9]


def test_rows_are_padded_to_the_longest() -> None:
    column = column_of([[1, 2], None, [3]], tf.int64)
    padded = dense_tensor(column, _PADDED, np.array(7), is_single=False)
    assert padded.tolist() == [[[1], [2]], [[7], [7]], [[3], [7]]]
    assert dense_tensor(column_of([[1, 2]], tf.int64), _PADDED, np.array(7), is_single=True).tolist() == [[1], [2]]


def test_sparse_parts_of_a_batch_and_of_a_single_example() -> None:
    indices, values, shape = sparse_parts(_COLUMN, is_single=False)
    assert (indices.tolist(), values.tolist(), shape.tolist()) == (
        [[0, 0], [0, 1], [2, 0], [2, 1]],
        [1, 2, 3, 4],
        [3, 2],
    )
    indices, values, shape = sparse_parts(column_of([None], tf.int64), is_single=True)
    assert (indices.shape, values.shape, shape.tolist()) == ((0, 1), (0,), [0])


def test_ragged_parts_have_the_asked_dtype_of_splits() -> None:
    for dtype in (tf.int32, tf.int64):
        splits = ragged_parts(_COLUMN, dtype, is_single=False)[1]
        assert (splits.tolist(), splits.dtype) == ([0, 2, 2, 4], dtype.np_dtype)
        assert ragged_parts(_COLUMN, dtype, is_single=True)[1].shape == (0,)


def test_counts_that_do_not_fit_are_told() -> None:
    required = Field(b"a", tf.int64, FieldLayout.FIXED, (2,), is_required=True)
    assert fits(_COLUMN, _FIXED)
    assert not fits(_COLUMN, required)
    assert not fits(column_of([[1]], tf.int64), _FIXED)
    assert not fits(column_of([[1, 2, 3]], tf.int64), Field(b"a", tf.int64, FieldLayout.PADDED, (2,)))
    assert not fits(column_of([[1]], tf.int64), Field(b"a", tf.int64, FieldLayout.PADDED, (0,)))
    assert fits(_COLUMN, Field(b"a", tf.int64, FieldLayout.RAGGED))


@pytest.mark.parametrize(
    ("shape", "default", "words"),
    [
        (None, [], "dense_shapes[0] has unknown rank or unknown inner dimensions: <unknown>"),
        ([2, None], [], "dense_shapes[0] has unknown rank or unknown inner dimensions: [2,?]"),
        ([None, 2], [], "dense_shape[0] is a variable length shape: [?,2], therefore def_value[0] must"),
        ([2], [1], "def_value[0].shape() == [1] is not compatible with dense_shapes_[0] == [2]"),
    ],
)
def test_dense_fields_need_shapes_and_defaults_that_fit(
    shape: list[int | None], default: list[int], words: str
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        dense_fields([b"a"], [tf.int64], [tf.TensorShape(shape)], [np.array(default, np.int64)])
    assert str(caught.value).startswith(words)
