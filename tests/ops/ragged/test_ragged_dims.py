"""row_lengths, bounding_shape and merge_dims."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.ragged.ragged_dims import known_axis
from tests.ops.array.answers import check_refusal
from tests.ops.ragged.nests import Nest, nests

_R = tf.RaggedTensor


def _deep() -> Any:
    return tf.ragged.constant([[[1, 2], []], [], [[3]]])


def _uniform() -> Any:
    return _R.from_uniform_row_length(tf.ragged.constant([[1, 2], [], [3], [4]]), 2)


def _wide() -> Any:
    return _R.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 3])


def _plain(value: Any) -> Any:
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


@pytest.mark.parametrize(
    ("ragged", "axis", "expected"),
    [
        (_deep, 0, 3),
        (_deep, 1, [2, 0, 1]),
        (_deep, 2, [[2, 0], [], [1]]),
        (_deep, -1, [[2, 0], [], [1]]),
        (_deep, -3, 3),
        (_wide, 2, [[2, 2], [2]]),
        (_uniform, 2, [[2, 0], [1, 1]]),
    ],
)
def test_row_lengths_along_an_axis(ragged: Any, axis: int, expected: Any) -> None:
    assert _plain(ragged().row_lengths(axis)) == expected
    assert _plain(tf.function(lambda x: x.row_lengths(axis))(ragged())) == expected


@pytest.mark.parametrize(
    ("ragged", "axis", "expected"),
    [
        (_deep, None, [3, 2, 2]),
        (_deep, 0, 3),
        (_deep, 1, 2),
        (_deep, 2, 2),
        (_deep, [0, 2], [3, 2]),
        (_wide, None, [2, 2, 2]),
        (_uniform, None, [2, 2, 2]),
    ],
)
def test_bounding_shapes(ragged: Any, axis: Any, expected: Any) -> None:
    assert _plain(ragged().bounding_shape(axis)) == expected
    shape = ragged().bounding_shape(axis, out_type=tf.int32)
    assert shape.dtype == tf.int32
    assert _plain(shape) == expected


def test_the_bounding_shape_of_nothing() -> None:
    assert _plain(tf.ragged.constant([], ragged_rank=2).bounding_shape()) == [0, 0, 0]
    no_pairs = _R.from_uniform_row_length(tf.ragged.constant([], tf.int32, ragged_rank=1), 2)
    assert _plain(no_pairs.bounding_shape()) == [0, 0, 0]


@pytest.mark.parametrize(
    ("ragged", "axes", "expected"),
    [
        (_deep, (0, 1), [[1, 2], [], [3]]),
        (_deep, (1, 2), [[1, 2], [], [3]]),
        (_deep, (0, 2), [1, 2, 3]),
        (_deep, (0, -1), [1, 2, 3]),
        (_deep, (1, 1), [[[1, 2], []], [], [[3]]]),
        (_uniform, (1, 2), [[1, 2], [3, 4]]),
        (_wide, (0, 1), [[1, 2], [3, 4], [5, 6]]),
        (_wide, (1, 2), [[1, 2, 3, 4], [5, 6]]),
        (_wide, (0, 2), [1, 2, 3, 4, 5, 6]),
    ],
)
def test_merged_dimensions(ragged: Any, axes: Any, expected: Any) -> None:
    assert _plain(ragged().merge_dims(*axes)) == expected
    spec = ragged()._type_spec
    unknown = tf.RaggedTensorSpec([None] * spec.shape.rank, spec.dtype, spec.ragged_rank)
    merge = tf.function(lambda x: x.merge_dims(*axes), input_signature=[unknown], autograph=False)
    assert _plain(merge(ragged())) == expected


def test_merged_uniform_dimensions_stay_uniform() -> None:
    x = _R.from_uniform_row_length(_uniform(), 1)
    assert x.shape.as_list() == [2, 1, 2, None]
    assert x.merge_dims(1, 2).shape.as_list() == [2, 2, None]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: _deep().row_lengths(3), "axis=3 out of bounds: expected -3<=axis<3"),
        (lambda: _deep().merge_dims(0, 5), "inner_axis=5 out of bounds: expected -3<=inner_axis<3"),
        (lambda: _deep().merge_dims(-4, 1), "outer_axis=-4 out of bounds: expected -3<=outer_axis<3"),
        (lambda: _deep().merge_dims(2, 1), "Expected outer_axis (2) to be less than or equal to inner_axis (1)."),
        (lambda: known_axis(-1, None), "axis=-1 may only be negative if rank is statically known."),
    ],
)
def test_bad_axes_are_refused(call: Any, words: str) -> None:
    check_refusal(call, ValueError, words)


def test_an_axis_is_an_int() -> None:
    check_refusal(lambda: known_axis(1.5, 2), TypeError, "axis must be an int; got float")  # type: ignore[arg-type]  # on purpose
    assert known_axis(5, None) == 5


@given(nests(), st.data())
def test_merged_dimensions_agree_with_plain_lists(nest: Nest, data: st.DataObject) -> None:
    outer = data.draw(st.integers(0, nest.depth - 1))
    inner = data.draw(st.integers(outer, nest.depth - 1))

    def merged(rows: Any, outer: int, count: int) -> Any:
        if outer:
            return [merged(row, outer - 1, count) for row in rows]
        for _ in range(count):
            rows = [item for row in rows for item in row]
        return rows

    x = _R.from_nested_row_splits(nest.flat, nest.nested_splits)
    assert _plain(x.merge_dims(outer, inner)) == merged(nest.rows, outer, inner - outer)
