"""Row splits and segment ids."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import millrace as tf
from tests.ops.array.answers import check_refusal
from tests.ops.ragged.nests import Nest, nests

_ids = tf.ragged.row_splits_to_segment_ids
_splits = tf.ragged.segment_ids_to_row_splits


@pytest.mark.parametrize(
    ("splits", "options", "dtype", "expected"),
    [
        ([0, 2, 2, 3], {}, tf.int64, [0, 0, 2]),
        ([0], {}, tf.int64, []),
        ([0, 2], {"out_type": tf.int32}, tf.int32, [0, 0]),
        (tf.constant([0, 2]), {}, tf.int32, [0, 0]),
        (tf.constant([0, 2]), {"out_type": tf.int64}, tf.int64, [0, 0]),
    ],
)
def test_segment_ids_of_row_splits(splits: Any, options: Any, dtype: Any, expected: Any) -> None:
    for call in (_ids, tf.function(_ids, autograph=False)):
        ids = call(splits, **options)
        assert ids.numpy().tolist() == expected
        assert ids.dtype == dtype


@pytest.mark.parametrize(
    ("ids", "options", "dtype", "expected"),
    [
        ([0, 0, 2], {}, tf.int64, [0, 2, 2, 3]),
        ([], {}, tf.int64, [0]),
        ([], {"num_segments": 2}, tf.int64, [0, 0, 0]),
        ([0, 0, 2], {"num_segments": 5}, tf.int64, [0, 2, 2, 3, 3, 3]),
        ([0, 0, 2], {"num_segments": 2}, tf.int64, [0, 2, 2]),
        ([0, 0, 2], {"out_type": tf.int32}, tf.int32, [0, 2, 2, 3]),
        (tf.constant([0, 0, 2]), {}, tf.int32, [0, 2, 2, 3]),
        (tf.constant([0], tf.uint8), {}, tf.int64, [0, 1]),
    ],
)
def test_row_splits_of_segment_ids(ids: Any, options: Any, dtype: Any, expected: Any) -> None:
    splits = _splits(ids, **options)
    assert splits.numpy().tolist() == expected
    assert splits.dtype == dtype


def test_ids_may_be_unknown_while_tracing() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.int64)])
    def both(ids: Any) -> Any:
        return _splits(ids), _splits(ids, num_segments=3)

    assert [s.numpy().tolist() for s in both([0, 0, 2])] == [[0, 2, 2, 3]] * 2
    assert [s.numpy().tolist() for s in both([])] == [[0], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: _ids([]), ValueError, "Invalid row_splits: []"),
        (lambda: _ids([0.0, 1.0]), ValueError, "splits must have dtype int32 or int64"),
        (lambda: _ids(5), ValueError, "Shape () must have rank 1"),
        (lambda: _splits([-1]), tf.errors.InvalidArgumentError, "Input arr must be non-negative!"),
        (lambda: _splits([0], num_segments=-1), tf.errors.InvalidArgumentError, "size (-1) must be non-negative"),
        (lambda: _splits([0.0]), TypeError, "Argument `tensor` (name: segment_ids) must be of type integer. Received"),
        (lambda: _splits([[0]]), ValueError, "Shape (1, 1) must have rank 1"),
        (lambda: _splits([0], num_segments=[1]), ValueError, "Shape (1,) must have rank 0"),
    ],
)
def test_bad_arguments_are_refused(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


@given(nests(max_depth=2))
def test_ids_and_splits_lead_to_each_other(nest: Nest) -> None:
    (splits,) = nest.nested_splits
    assert _splits(_ids(splits), num_segments=len(splits) - 1).numpy().tolist() == splits.tolist()
