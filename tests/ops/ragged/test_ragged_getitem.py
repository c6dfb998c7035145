"""ragged[...]."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.ops.array.answers import check_refusal
from tests.ops.ragged.nests import Nest, nests, slices

_R = tf.RaggedTensor
_Invalid = tf.errors.InvalidArgumentError
_ALL = slice(None)


def _flat() -> Any:
    return tf.ragged.constant([[1, 2], [], [3]])


def _deep() -> Any:
    return _R.from_nested_row_splits([1, 2, 3, 4, 5], [[0, 1, 1, 3], [0, 3, 4, 5]])


def _uniform() -> Any:
    return _R.from_uniform_row_length(_R.from_row_lengths([1, 2, 3, 4], [2, 0, 1, 1]), 2)


def _wide() -> Any:
    return _R.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 3])


def _lists(value: Any) -> Any:
    """A value as nested lists, inner dense dimensions too."""
    if isinstance(value, tf.RaggedTensor):
        return [_lists(row) for row in value]
    return value.numpy().tolist()


_ITEMS = [
    (_flat, 0, [1, 2]),
    (_flat, -1, [3]),
    (_flat, np.int64(1), []),
    (_flat, np.array(0), [1, 2]),
    (_flat, tf.constant(2), [3]),
    (_flat, tf.constant(1, tf.int64), []),
    (_flat, [0], [1, 2]),
    (_flat, (), [[1, 2], [], [3]]),
    (_flat, ..., [[1, 2], [], [3]]),
    (_flat, (..., ...), [[1, 2], [], [3]]),
    (_flat, None, [[[1, 2], [], [3]]]),
    (_flat, slice(1, None), [[], [3]]),
    (_flat, slice(None, None, 2), [[1, 2], [3]]),
    (_flat, slice(None, None, -1), [[3], [], [1, 2]]),
    (_flat, slice(-2, None), [[], [3]]),
    (_flat, slice(None, 100), [[1, 2], [], [3]]),
    (_flat, slice(1, 1), []),
    (_flat, slice(tf.constant(1), None), [[], [3]]),
    (_flat, (0, 0), 1),
    (_flat, (0, -1), 2),
    (_flat, (0, ..., 0), 1),
    (_flat, (0, slice(1)), [1]),
    (_flat, (None, 0), [[1, 2]]),
    (_flat, (_ALL, slice(1)), [[1], [], [3]]),
    (_flat, (_ALL, slice(None, -1)), [[1], [], []]),
    (_flat, (_ALL, slice(-1, None)), [[2], [], [3]]),
    (_flat, (_ALL, slice(None, None, 2)), [[1], [], [3]]),
    (_flat, (_ALL, slice(None, None, -1)), [[2, 1], [], [3]]),
    (_flat, (_ALL, slice(tf.constant(1), None)), [[2], [], []]),
    (_flat, (_ALL, slice(tf.constant(-1, tf.int64), None)), [[2], [], [3]]),
    (_flat, (_ALL, slice(None, None, tf.constant(-1))), [[2, 1], [], [3]]),
    (_flat, (_ALL, slice(None, tf.constant(1), tf.constant(1))), [[1], [], [3]]),
    (_flat, (slice(1, 3), slice(1)), [[], [3]]),
    (_flat, (_ALL, None), [[[1, 2]], [[]], [[3]]]),
    (_flat, (_ALL, None, slice(1)), [[[1]], [[]], [[3]]]),
    (_flat, (None, _ALL, slice(1)), [[[1], [], [3]]]),
    (_flat, (..., None), [[[1], [2]], [], [[3]]]),
    (_flat, (_ALL, ..., None), [[[1], [2]], [], [[3]]]),
    (_deep, 0, [[1, 2, 3]]),
    (_deep, (2, 1), [5]),
    (_deep, (2, 1, 0), 5),
    (_deep, (2, _ALL, slice(1)), [[4], [5]]),
    (_deep, (_ALL, slice(1)), [[[1, 2, 3]], [], [[4]]]),
    (_deep, (..., slice(1)), [[[1]], [], [[4], [5]]]),
    (_deep, (_ALL, _ALL, slice(1, None, 2)), [[[2]], [], [[], []]]),
    (_deep, (_ALL, _ALL, None), [[[[1, 2, 3]]], [], [[[4]], [[5]]]]),
    (_deep, (_ALL, None, None), [[[[[1, 2, 3]]]], [[[]]], [[[[4], [5]]]]]),
    (_deep, (slice(2, None), slice(None, 1), None, slice(None, 2)), [[[[4]]]]),
    (_deep, (slice(None, None, -1),) * 3, [[[5], [4]], [], [[3, 2, 1]]]),
    (_uniform, (_ALL, 0), [[1, 2], [3]]),
    (_uniform, (_ALL, -1), [[], [4]]),
    (_uniform, (_ALL, tf.constant(0)), [[1, 2], [3]]),
    (_uniform, (_ALL, 0, slice(1)), [[1], [3]]),
    (_uniform, (_ALL, slice(1)), [[[1, 2]], [[3]]]),
    (_uniform, (_ALL, slice(None, None, -1)), [[[], [1, 2]], [[4], [3]]]),
    (_uniform, (_ALL, None, 0), [[[1, 2]], [[3]]]),
    (_wide, (0, 0), [1, 2]),
    (_wide, (_ALL, _ALL, 0), [[1, 3], [5]]),
    (_wide, (..., 0), [[1, 3], [5]]),
    (_wide, (_ALL, _ALL, slice(1)), [[[1], [3]], [[5]]]),
    (_wide, (_ALL, slice(1), 0), [[1], [5]]),
    (_wide, (..., None), [[[[1], [2]], [[3], [4]]], [[[5], [6]]]]),
    (_wide, (_ALL, _ALL, None, 0), [[[1], [3]], [[5]]]),
    (_wide, (_ALL, None, slice(1), 0), [[[1]], [[5]]]),
]


@pytest.mark.parametrize(("ragged", "key", "expected"), _ITEMS)
def test_parts_of_ragged_tensors(ragged: Any, key: Any, expected: Any) -> None:
    assert _lists(ragged()[key]) == expected


@pytest.mark.parametrize(("ragged", "key", "expected"), _ITEMS)
def test_parts_in_a_graph(ragged: Any, key: Any, expected: Any) -> None:
    spec = ragged()._type_spec
    unknown_rows = tf.RaggedTensorSpec([None, *spec.shape[1:]], spec.dtype, spec.ragged_rank)

    @tf.function(autograph=False, input_signature=[unknown_rows])
    def part(x: Any) -> Any:
        return x[key]

    assert _lists(part(ragged())) == expected


def test_bounds_may_be_symbolic() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([], tf.int32)] * 3)
    def part(start: Any, stop: Any, step: Any) -> Any:
        return _flat()[:, start:stop:step], _uniform()[:, start], _flat()[start]

    columns, column, row = part(-1, -3, -1)
    assert columns.to_list() == [[2, 1], [], [3]]
    assert column.to_list() == [[], [4]]
    assert row.numpy().tolist() == [3]
    assert part(1, 2, 1)[0].to_list() == [[2], [], []]
    with pytest.raises(_Invalid, match="Index out of bounds when indexing into a ragged tensor"):
        part(2, 3, 1)
    with pytest.raises(_Invalid, match="Requires delta != 0"):
        part(0, 1, 0)


_BAD_KEY = "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are"


@pytest.mark.parametrize(
    ("ragged", "key", "error", "words"),
    [
        (_flat, 5, IndexError, "Row key 5 out of bounds"),
        (_flat, tf.constant(5), IndexError, "Row key 5 out of bounds"),
        (_flat, -4, _Invalid, "slice index -1 of dimension 0 out of bounds."),
        (_flat, "a", TypeError, f"{_BAD_KEY} valid indices, got 'a'"),
        (_flat, 0.5, TypeError, f"{_BAD_KEY} valid indices, got 0.5"),
        (_flat, tf.constant([0]), TypeError, _BAD_KEY),
        (_flat, tf.constant(0.5), TypeError, _BAD_KEY),
        (_flat, np.array([1, 2]), TypeError, _BAD_KEY),
        (_flat, slice("a"), TypeError, f"{_BAD_KEY} valid indices, got 'a'"),
        (_flat, slice(None, None, 0), _Invalid, "strides[0] must be non-zero"),
        (_flat, (0, 5), _Invalid, "slice index 5 of dimension 0 out of bounds."),
        (_flat, (0, 0, 0), _Invalid, "Index out of range using input dim 1; input has only 1 dims"),
        (_flat, (_ALL, 0), ValueError, "Cannot index into an inner ragged dimension."),
        (_flat, (..., 0), ValueError, "Cannot index into an inner ragged dimension."),
        (_flat, (_ALL, slice("a")), TypeError, "slice offsets must be integers or None"),
        (_flat, (_ALL, slice(0.5)), TypeError, "slice offsets must be integers or None"),
        (_flat, (_ALL, slice(tf.constant(0.5))), TypeError, "slice offsets must be integers or None"),
        (_flat, (_ALL, slice(None, None, 0)), _Invalid, "Requires delta != 0"),
        (_deep, (_ALL, _ALL, 0), ValueError, "Cannot index into an inner ragged dimension."),
        (
            _uniform,
            (_ALL, 2),
            _Invalid,
            "Index out of bounds when indexing into a ragged tensor\nCondition x < y did not hold.",
        ),
        (_uniform, (_ALL, -3), _Invalid, "Index out of bounds when indexing into a ragged tensor"),
        (_uniform, (_ALL, "a"), TypeError, _BAD_KEY),
        (_wide, (_ALL, _ALL, 5), _Invalid, "slice index 5 of dimension 1 out of bounds."),
    ],
)
def test_bad_keys_are_refused(ragged: Any, key: Any, error: Any, words: str) -> None:
    check_refusal(lambda: ragged()[key], error, words)


def test_a_ragged_key_is_no_index() -> None:
    with pytest.raises(ValueError, match="RaggedTensor"):
        _flat()[_flat()]


def test_static_sizes_of_parts() -> None:
    shapes = [
        (_flat()[None], [1, 3, None]),
        (_flat()[:, None], [3, 1, None]),
        (_flat()[1:], [2, None]),
        (_flat()[::2], [2, None]),
        (_flat()[:, :2], [3, None]),
        (_uniform()[1:], [1, 2, None]),
        (_uniform()[:, :1], [2, 1, None]),
        (_uniform()[:, ::-1], [2, 2, None]),
        (_uniform()[:, 0], [2, None]),
        (_wide()[:, :, 0], [2, None]),
        (_wide()[:, :, :1], [2, None, 1]),
    ]
    assert [part.shape.as_list() for part, _ in shapes] == [shape for _, shape in shapes]


def test_an_ellipsis_needs_a_known_rank() -> None:
    spec = tf.RaggedTensorSpec(None, tf.int32, ragged_rank=1)

    @tf.function(autograph=False, input_signature=[spec])
    def last(x: Any) -> Any:
        return x[..., :1]

    with pytest.raises(ValueError, match="Rank must be known to use ellipsis"):
        last(_flat())


def test_gradients_of_parts() -> None:
    values = tf.constant([1.0, 2.0, 3.0, 4.0])
    for part, expected in (
        (lambda x: x[:, :1], [1.0, 0.0, 1.0, 1.0]),
        (lambda x: x[1:], [0.0, 0.0, 1.0, 1.0]),
        (lambda x: x[::-1, ::-1] * 2.0, [2.0, 2.0, 2.0, 2.0]),
        (lambda x: x[0], [1.0, 1.0, 0.0, 0.0]),
    ):
        with tf.GradientTape() as tape:
            tape.watch(values)
            found = part(_R.from_row_splits(values, [0, 2, 3, 4]))
            total = tf.reduce_sum(found.flat_values if isinstance(found, tf.RaggedTensor) else found)
        gradient = tf.convert_to_tensor(tape.gradient(total, values))
        assert gradient.numpy().tolist() == expected


@given(nests(), st.lists(slices(), max_size=4), st.booleans())
def test_slices_agree_with_plain_lists(nest: Nest, keys: list[slice], in_graph: bool) -> None:
    key = tuple(keys[: nest.depth])
    x = _R.from_nested_row_splits(nest.flat, nest.nested_splits)

    def part(x: Any) -> Any:
        return x[key]

    assert (tf.function(part, autograph=False) if in_graph else part)(x).to_list() == nest.item(key)


@given(nests(min_rows=1), st.data())
def test_rows_agree_with_plain_lists(nest: Nest, data: st.DataObject) -> None:
    row = data.draw(st.integers(-len(nest.rows), len(nest.rows) - 1))
    key = (row, *data.draw(st.lists(slices(), max_size=nest.depth - 1)))
    x = _R.from_nested_row_splits(nest.flat, nest.nested_splits)
    assert _lists(x[key]) == nest.item(key)
