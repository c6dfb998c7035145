"""Ragged tensors of random shapes against plain nested lists: joining, picking, reducing, choosing, broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf

_NUMBER = st.integers(-9, 9)
_ROWS = st.lists(st.lists(_NUMBER, max_size=4), max_size=5)
_DEEP = st.lists(st.lists(st.lists(_NUMBER, max_size=3), max_size=3), max_size=4)
_UP_TO_40_SHAPES = settings(max_examples=40, deadline=None)


def _ragged(lists: list[Any], ragged_rank: int = 1) -> Any:
    return tf.ragged.constant(lists, dtype=tf.int32, ragged_rank=ragged_rank)


def _plain(value: Any) -> Any:
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def _in_a_graph(call: Callable[..., Any], *values: Any) -> Any:
    """Calls a function that knows no size of its ragged arguments while tracing."""
    specs = [
        tf.RaggedTensorSpec([None] * v.shape.rank, v.dtype, v.ragged_rank)
        if isinstance(v, tf.RaggedTensor)
        else tf.TensorSpec([None] * v.shape.rank, v.dtype)
        for v in values
    ]
    return tf.function(call, input_signature=specs, autograph=False)(*values)


def _check(call: Callable[..., Any], expected: Any, *values: Any) -> None:
    assert _plain(call(*values)) == expected
    assert _plain(_in_a_graph(call, *values)) == expected


@given(_ROWS, _ROWS)
@_UP_TO_40_SHAPES
def test_concat_along_the_first_axis(x: list[Any], y: list[Any]) -> None:
    _check(lambda a, b: tf.concat([a, b], 0), x + y, _ragged(x), _ragged(y))


@given(st.lists(st.tuples(*[st.lists(_NUMBER, max_size=3)] * 3), max_size=5))
@_UP_TO_40_SHAPES
def test_concat_and_stack_within_rows(rows: list[Any]) -> None:
    parts = [_ragged([row[i] for row in rows]) for i in range(3)]
    _check(lambda *values: tf.concat(values, 1), [[*a, *b, *c] for a, b, c in rows], *parts)
    _check(lambda *values: tf.stack(values, 1), [list(row) for row in rows], *parts)


@given(_DEEP, st.data())
@_UP_TO_40_SHAPES
def test_gather_of_rows(lists: list[Any], data: st.DataObject) -> None:
    if not lists:
        return
    picks = data.draw(st.lists(st.lists(st.integers(0, len(lists) - 1), max_size=3), max_size=3))
    expected = [[lists[i] for i in row] for row in picks]
    _check(tf.gather, expected, _ragged(lists, 2), _ragged(picks))


@given(_ROWS.map(lambda rows: [row for row in rows if row]), st.data())
@_UP_TO_40_SHAPES
def test_gather_within_rows(rows: list[Any], data: st.DataObject) -> None:
    picks = [data.draw(st.lists(st.integers(0, len(row) - 1), max_size=3)) for row in rows]
    expected = [[row[i] for i in pick] for row, pick in zip(rows, picks, strict=True)]
    _check(lambda x, i: tf.gather(x, i, batch_dims=1), expected, _ragged(rows), _ragged(picks))


@given(st.lists(st.lists(st.tuples(_NUMBER, st.booleans()), max_size=4), max_size=5))
@_UP_TO_40_SHAPES
def test_masks_keep_what_is_true(rows: list[Any]) -> None:
    values = _ragged([[v for v, _ in row] for row in rows])
    mask = tf.ragged.constant([[keep for _, keep in row] for row in rows], dtype=tf.bool, ragged_rank=1)
    _check(tf.ragged.boolean_mask, [[v for v, keep in row if keep] for row in rows], values, mask)
    coordinates = [[i, j] for i, row in enumerate(rows) for j, (_, keep) in enumerate(row) if keep]
    _check(tf.where, coordinates, mask)
    _check(lambda m, v: tf.where(m, v, 0), [[v if keep else 0 for v, keep in row] for row in rows], mask, values)


@pytest.mark.parametrize(
    ("name", "plain"),
    [("reduce_sum", sum), ("reduce_prod", lambda v: int(np.prod(v, dtype=np.int32)))],
)
@given(lists=_DEEP)
@_UP_TO_40_SHAPES
def test_reductions(name: str, plain: Callable[[Any], int], lists: list[Any]) -> None:
    x, reduce = _ragged(lists, 2), getattr(tf, name)
    by_row = [[plain(row) for row in block] for block in lists]
    _check(lambda v: reduce(v, axis=2), by_row, x)
    _check(lambda v: reduce(v, axis=[1, 2]), [plain(block) for block in by_row], x)
    columns = [
        [plain([row[i] for row in block if len(row) > i]) for i in range(max(map(len, block), default=0))]
        for block in lists
    ]
    _check(lambda v: reduce(v, axis=1), columns, x)


@given(_ROWS)
@_UP_TO_40_SHAPES
def test_extremes_of_rows_that_are_not_empty(rows: list[Any]) -> None:
    rows = [row or [0] for row in rows]
    _check(lambda x: tf.reduce_max(x, axis=1), [max(row) for row in rows], _ragged(rows))
    _check(lambda x: tf.reduce_min(x, axis=1), [min(row) for row in rows], _ragged(rows))


@given(_DEEP)
@_UP_TO_40_SHAPES
def test_cumulative_sums(lists: list[Any]) -> None:
    expected = [[np.cumsum(row, dtype=np.int32).tolist() for row in block] for block in lists]
    _check(lambda x: tf.cumsum(x, axis=2), expected, _ragged(lists, 2))
    backwards = [[np.cumsum(row[::-1], dtype=np.int32)[::-1].tolist() for row in block] for block in lists]
    _check(lambda x: tf.cumsum(x, axis=2, reverse=True), backwards, _ragged(lists, 2))


@given(_DEEP)
@_UP_TO_40_SHAPES
def test_reverse_and_tile(lists: list[Any]) -> None:
    x = _ragged(lists, 2)
    _check(lambda v: tf.reverse(v, [1, 2]), [[row[::-1] for row in block[::-1]] for block in lists], x)
    _check(lambda v: tf.tile(v, [2, 1, 3]), [[row * 3 for row in block] for block in lists] * 2, x)


@given(_DEEP, st.data())
@_UP_TO_40_SHAPES
def test_numbers_of_each_row_are_repeated(lists: list[Any], data: st.DataObject) -> None:
    blocks = data.draw(st.lists(_NUMBER, min_size=len(lists), max_size=len(lists)))
    by_block = tf.reshape(tf.constant(blocks, tf.int32), [-1, 1, 1])
    expected = [[[v + n for v in row] for row in block] for block, n in zip(lists, blocks, strict=True)]
    _check(tf.add, expected, _ragged(lists, 2), by_block)
    rows = [[data.draw(st.lists(_NUMBER, min_size=1, max_size=1)) for _ in block] for block in lists]
    by_row = tf.ragged.constant(rows, dtype=tf.int32, ragged_rank=1, inner_shape=[1])
    expected = [
        [[v + n for v in row] for row, (n,) in zip(block, numbers, strict=True)]
        for block, numbers in zip(lists, rows, strict=True)
    ]
    _check(tf.add, expected, _ragged(lists, 2), by_row)


@given(_DEEP, st.lists(_NUMBER, min_size=3, max_size=3))
@_UP_TO_40_SHAPES
def test_a_ragged_tensor_is_repeated_along_new_axes(lists: list[Any], numbers: list[int]) -> None:
    outer = tf.reshape(tf.constant(numbers, tf.int32), [3, 1, 1, 1])
    expected = [[[[v + n for v in row] for row in block] for block in lists] for n in numbers]
    assert _plain(_ragged(lists, 2) + outer) == expected


@given(_ROWS, st.data())
@_UP_TO_40_SHAPES
def test_segments_of_rows(rows: list[Any], data: st.DataObject) -> None:
    ids = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    expected = []
    for segment in range(4):
        members = [row for row, i in zip(rows, ids, strict=True) if i == segment]
        width = max(map(len, members), default=0)
        expected.append([sum(row[c] for row in members if len(row) > c) for c in range(width)])
    call = tf.math.unsorted_segment_sum
    _check(lambda x, i: call(x, i, 4), expected, _ragged(rows), tf.constant(ids, tf.int32))
    grouped = [[row for row, i in zip(rows, ids, strict=True) if i == segment] for segment in range(4)]
    _check(lambda x, i: tf.ragged.stack_dynamic_partitions(x, i, 4), grouped, _ragged(rows), tf.constant(ids, tf.int32))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), max_size=4), st.randoms())
@_UP_TO_40_SHAPES
def test_products_of_ragged_matrices(sizes: list[tuple[int, int, int]], source: Any) -> None:
    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[source.randrange(-5, 6) for _ in range(columns)] for _ in range(rows)]

    # a matrix without rows says nothing of its columns
    sizes = [(i, k, j) for i, k, j in sizes if i and k]
    pairs = [(matrix(i, k), matrix(k, j)) for i, k, j in sizes]
    expected = [
        np.matmul(np.reshape(a, (i, k)), np.reshape(b, (k, j))).tolist()
        for (i, k, j), (a, b) in zip(sizes, pairs, strict=True)
    ]
    left, right = (_ragged([pair[side] for pair in pairs], 2) for side in range(2))
    _check(tf.matmul, expected, left, right)
