"""The factories of tf.RaggedTensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.ops.array.answers import check_refusal
from tests.ops.ragged.nests import Nest, nests

_R = tf.RaggedTensor
_Invalid = tf.errors.InvalidArgumentError
_FITS = "Arguments to _from_row_partition do not form a valid RaggedTensor\nCondition x == y did not hold."


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: _R.from_row_splits([1, 2, 3], [0, 2, 2, 3]), [[1, 2], [], [3]]),
        (lambda: _R.from_row_lengths([1, 2, 3], [2, 0, 1]), [[1, 2], [], [3]]),
        (lambda: _R.from_row_starts([1, 2, 3], [0, 2, 2]), [[1, 2], [], [3]]),
        (lambda: _R.from_row_starts([1, 2, 3], []), []),
        (lambda: _R.from_row_limits([1, 2, 3], [2, 2, 3]), [[1, 2], [], [3]]),
        (lambda: _R.from_value_rowids([1, 2, 3], [0, 0, 2]), [[1, 2], [], [3]]),
        (lambda: _R.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4), [[1, 2], [], [3], []]),
        (lambda: _R.from_uniform_row_length([1, 2, 3, 4], 2), [[1, 2], [3, 4]]),
        (lambda: _R.from_uniform_row_length([], 0, nrows=3), [[], [], []]),
        (lambda: _R.from_uniform_row_length([], 0), []),
        (lambda: _R.from_nested_row_splits([1, 2, 3], [[0, 1], [0, 3]]), [[[1, 2, 3]]]),
        (lambda: _R.from_nested_row_lengths([1, 2, 3], [[2, 0], [1, 2]]), [[[1], [2, 3]], []]),
        (lambda: _R.from_nested_value_rowids([1, 2, 3], [[0, 0], [0, 1, 1]]), [[[1], [2, 3]]]),
        (lambda: _R.from_nested_value_rowids([1, 2], [[0, 0], [0, 1]], [2, 2]), [[[1], [2]], []]),
        (lambda: _R.from_row_splits([1, 2, 3], [0, 2, 2], validate=False), [[1, 2], []]),
        (lambda: _R.from_row_splits(tf.ragged.constant([[1], [2, 3]]), [0, 2]), [[[1], [2, 3]]]),
        (lambda: _R.from_row_splits(np.float32([0.5, 1.5]), np.array([0, 2])), [[0.5, 1.5]]),
        (
            lambda: _R.from_row_splits(tf.compat.v1.ragged.constant_value([[1], [2, 3]]), [0, 2]),
            [[[1], [2, 3]]],
        ),
    ],
)
def test_rows_of_each_factory(call: Any, expected: Any) -> None:
    assert call().to_list() == expected


def test_nothing_to_nest_gives_the_values() -> None:
    assert _R.from_nested_row_splits([1, 2, 3], []) == [1, 2, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda v: _R.from_row_splits(v, [0, 1]),
        lambda v: _R.from_row_splits(v, np.array([0, 1])),
        lambda v: _R.from_row_lengths(v, [1]),
        lambda v: _R.from_row_starts(v, [0]),
        lambda v: _R.from_row_limits(v, [1]),
        lambda v: _R.from_value_rowids(v, [0]),
        lambda v: _R.from_uniform_row_length(v, 1),
    ],
)
def test_plain_numbers_take_the_row_splits_dtype_of_ragged_values(make: Any) -> None:
    values = tf.ragged.constant([[1, 2, 3]], row_splits_dtype=tf.int32)
    ragged = make(values)
    assert ragged.row_splits.dtype == tf.int32
    assert ragged.to_list() == [[[1, 2, 3]]]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: _R.from_row_splits([1, 2, 3], [0, 2, 4]),
            _Invalid,
            f"{_FITS}\nFirst 1 elements of x:\n[4]\nFirst 1 elements of y:\n[3]",
        ),
        (lambda: _R.from_row_splits([1, 2, 3], [0, 2, 2]), _Invalid, _FITS),
        (lambda: _R.from_row_lengths([1, 2], [3]), _Invalid, _FITS),
        (lambda: _R.from_row_limits([1, 2], [1]), _Invalid, _FITS),
        (
            lambda: _R.from_value_rowids([1, 2, 3], [0, 0]),
            ValueError,
            "Shapes (3,) and (2,) are incompatible",
        ),
        (
            lambda: _R.from_uniform_row_length([1, 2, 3, 4], 3),
            ValueError,
            "uniform_row_length=3 times nrows=1 must equal nvals=4",
        ),
        (lambda: _R.from_row_splits(5, [0, 2]), _Invalid, "slice index 0 of dimension 0 out of bounds."),
        (
            lambda: _R.from_row_splits(tf.ragged.constant([[1]]), tf.constant([0, 1])),
            ValueError,
            "Argument `row_partition` of RaggedTensor with name: partition must have same dtype as Argument `values`. "
            "(tf.int32 vs. tf.int64).",
        ),
        (
            lambda: _R.from_row_splits([1], [0, 1], validate=1),
            TypeError,
            "Argument `validate` must have type bool. Received 1.",
        ),
        (
            lambda: _R.from_nested_row_splits([1, 2], tf.constant([[0, 1], [0, 2]])),
            TypeError,
            "Argument `nested_row_splits` must be a list of Tensors. Received",
        ),
        (
            lambda: _R.from_nested_row_lengths([1, 2], tf.constant([[1], [2]])),
            TypeError,
            "Argument `nested_row_lengths` must be a list of Tensors. Received",
        ),
        (
            lambda: _R.from_nested_value_rowids([1, 2], tf.constant([[0], [0]])),
            TypeError,
            "Argument `nested_value_rowids` must be a list of Tensors. Received",
        ),
        (
            lambda: _R.from_nested_value_rowids([1, 2], [[0, 0], [0, 1]], [2]),
            ValueError,
            "Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. len(nested_nrows) = "
            "1 vs. len(nested_values_rowids) = 2.",
        ),
        (
            lambda: _R._from_row_partition([1], [0, 1]),
            TypeError,
            "Argument `row_partition` must be a RowPartition. Received [0, 1].",
        ),
        (
            lambda: _R._from_nested_row_partitions([1], 5),
            TypeError,
            "Argument `nested_row_partitions` must be a list of RowPartitions. Received 5.",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


def test_a_graph_asserts_that_rows_end_with_the_values() -> None:
    specs = [tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int64)]

    @tf.function(autograph=False, input_signature=specs)
    def make(values: Any, splits: Any) -> Any:
        return _R.from_row_splits(values, splits)

    assert make(tf.constant([1, 2]), tf.constant([0, 2], tf.int64)).to_list() == [[1, 2]]
    with pytest.raises(_Invalid, match="Arguments to _from_row_partition do not form a valid RaggedTensor"):
        make(tf.constant([1, 2]), tf.constant([0, 3], tf.int64))


def test_static_facts_survive_in_a_graph() -> None:
    specs = [tf.TensorSpec([None, 3], tf.int32), tf.TensorSpec([5], tf.int64)]

    @tf.function(autograph=False, input_signature=specs)
    def make(values: Any, splits: Any) -> Any:
        rows = _R.from_row_splits(values, splits)
        assert rows.shape.as_list() == [4, None, 3]
        pairs = _R.from_uniform_row_length(rows, 2)
        assert pairs.shape.as_list() == [2, 2, None, 3]
        assert _R.from_value_rowids(values, rows.value_rowids(), nrows=4).shape.as_list() == [4, None, 3]
        return pairs

    result = make(np.zeros([4, 3]), [0, 1, 2, 2, 4])
    assert result.shape.as_list() == [2, 2, None, 3]
    assert int(result.uniform_row_length) == 2


@given(nests())
def test_every_factory_makes_the_same_nest(nest: Nest) -> None:
    splits = nest.nested_splits
    x = _R.from_nested_row_splits(nest.flat, splits)
    assert x.to_list() == nest.rows
    lengths = [np.diff(part) for part in splits]
    assert _R.from_nested_row_lengths(nest.flat, lengths).to_list() == nest.rows
    rowids = [np.repeat(np.arange(len(part)), part) for part in lengths]
    nrows = [len(part) for part in lengths]
    assert _R.from_nested_value_rowids(nest.flat, rowids, nrows).to_list() == nest.rows
    for name in ("starts", "limits"):
        y: Any = tf.constant(nest.flat)
        for part in reversed(splits):
            bounds = np.int64(part[:-1] if name == "starts" else part[1:])
            y = getattr(_R, f"from_row_{name}")(y, bounds)
        if name == "limits" or all(len(part) > 1 for part in splits):
            assert y.to_list() == nest.rows


@given(nests(), st.booleans())
def test_forms_agree_with_plain_lists(nest: Nest, in_graph: bool) -> None:
    def forms(x: Any) -> Any:
        return [x.row_lengths(), x.value_rowids(), x.row_starts(), x.row_limits(), x.nrows(), x.bounding_shape()]

    x = _R.from_nested_row_splits(nest.flat, nest.nested_splits)
    found = [form.numpy().tolist() for form in (tf.function(forms) if in_graph else forms)(x)]
    lengths = [len(row) for row in nest.rows]
    starts = [sum(lengths[:i]) for i in range(len(lengths))]
    rowids = [i for i, length in enumerate(lengths) for _ in range(length)]
    limits = [start + length for start, length in zip(starts, lengths, strict=True)]
    assert found == [lengths, rowids, starts, limits, len(lengths), list(nest.bounding_shape())]
