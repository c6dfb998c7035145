"""The factories of RowPartition: what they take and refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_P = tf.experimental.RowPartition
_Invalid = tf.errors.InvalidArgumentError


def _splits(partition: Any) -> Any:
    return partition.row_splits().numpy().tolist()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: _P.from_row_splits([0, 2, 4]), [0, 2, 4]),
        (lambda: _P.from_row_lengths([0, 2, 4]), [0, 0, 2, 6]),
        (lambda: _P.from_row_lengths([]), [0]),
        (lambda: _P.from_row_limits([0, 2, 4]), [0, 0, 2, 4]),
        (lambda: _P.from_row_limits([]), [0]),
        (lambda: _P.from_row_starts([0, 2], 4), [0, 2, 4]),
        (lambda: _P.from_row_starts([], 4), [4]),
        (lambda: _P.from_value_rowids([0, 0, 2]), [0, 2, 2, 3]),
        (lambda: _P.from_value_rowids([]), [0]),
        (lambda: _P.from_value_rowids([], nrows=2), [0, 0, 0]),
        (lambda: _P.from_uniform_row_length(2, nvals=6), [0, 2, 4, 6]),
        (lambda: _P.from_uniform_row_length(2, nrows=2), [0, 2, 4]),
        (lambda: _P.from_uniform_row_length(0, 0), [0]),
        (lambda: _P.from_uniform_row_length(0, 0, 3), [0, 0, 0, 0]),
        (lambda: _P.from_row_splits([0, 3, 2], validate=False), [0, 3, 2]),
    ],
)
def test_row_splits_of_each_factory(call: Any, expected: Any) -> None:
    assert _splits(call()) == expected


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        ([0, 2], {}, tf.int64),
        (np.array([0, 2], np.int32), {}, tf.int32),
        (np.array([0, 2], np.int16), {}, tf.int64),
        (np.array([0, 2], np.uint8), {}, tf.int64),
        ([0, 2], {"dtype": tf.int32}, tf.int32),
        ([0, 2], {"dtype_hint": tf.int32}, tf.int32),
        (np.array([0, 2]), {"dtype_hint": tf.int32}, tf.int32),
        (tf.constant([0, 2]), {"dtype_hint": tf.int64}, tf.int32),
    ],
)
def test_the_dtype_follows_from_the_argument(value: Any, options: Any, expected: Any) -> None:
    assert _P.from_row_splits(value, **options).dtype == expected
    assert _P.from_row_lengths(value, **options).dtype == expected
    assert _P.from_row_limits(value, **options).dtype == expected
    assert _P.from_row_starts(value, 4, **options).dtype == expected
    assert _P.from_value_rowids(value, 4, **options).dtype == expected


_SPLITS = "Arguments to from_row_splits do not form a valid RaggedTensor"
_ROWIDS = "Arguments to from_value_rowids do not form a valid RowPartition.  \nCondition x >= 0 did not hold"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: _P.from_row_splits([]), ValueError, "row_splits tensor may not be empty."),
        (
            lambda: _P.from_row_splits([1, 2]),
            _Invalid,
            f"{_SPLITS}:zero\nCondition x == y did not hold.\nFirst 1 elements of x:\n[1]\nFirst 1 elements of y:\n[0]",
        ),
        (
            lambda: _P.from_row_splits([0, 3, 2]),
            _Invalid,
            f"{_SPLITS}:monotonic.  \nCondition x >= 0 did not hold element-wise:\nx (shape=(2,) dtype=int64) = \n"
            "['3', '-1']",
        ),
        (lambda: _P.from_row_splits([0.0, 1.0]), ValueError, "row_splits must have dtype int32 or int64"),
        (lambda: _P.from_row_splits(["a"]), ValueError, "row_splits must have dtype int32 or int64"),
        (lambda: _P.from_row_splits(5), ValueError, "Shape () must have rank 1"),
        (lambda: _P.from_row_splits([[0, 1]]), ValueError, "Shape (1, 2) must have rank 1"),
        (
            lambda: _P.from_row_splits(tf.constant([0, 2]), dtype=tf.int64),
            ValueError,
            "row_splits: Tensor conversion requested dtype int64 for Tensor with dtype int32",
        ),
        (
            lambda: _P.from_row_splits([0, 1], validate=None),  # type: ignore[arg-type]  # a wrong argument on purpose
            TypeError,
            "Argument `validate` must have type bool. Received None.",
        ),
        (
            lambda: _P.from_row_lengths([-1, 2]),
            _Invalid,
            "Arguments to from_row_lengths do not form a valid RowPartition.  \nCondition x >= 0 did not hold "
            "element-wise:\nx (shape=(2,) dtype=int64) = \n['-1', '2']",
        ),
        (lambda: _P.from_row_lengths([0.5]), ValueError, "row_lengths must have dtype int32 or int64"),
        (
            lambda: _P.from_row_limits([-1, 2]),
            _Invalid,
            "Arguments to from_row_limits do not form a valid RaggedTensor.  \nCondition x >= 0 did not hold",
        ),
        (
            lambda: _P.from_row_limits([3, 2]),
            _Invalid,
            "Arguments to from_row_limits do not form a valid RaggedTensor.  \nCondition x >= 0 did not hold",
        ),
        (
            lambda: _P.from_row_starts([1, 2], 4),
            _Invalid,
            "Arguments to from_row_starts do not form a valid RaggedTensor\nCondition x == y did not hold.",
        ),
        (
            lambda: _P.from_row_starts([0, 5], 4),
            _Invalid,
            "Arguments to from_row_starts do not form a valid RaggedTensor\nCondition x <= y did not hold.",
        ),
        (lambda: _P.from_value_rowids([2, 1]), _Invalid, _ROWIDS),
        (lambda: _P.from_value_rowids([-1, 0]), _Invalid, _ROWIDS),
        (
            lambda: _P.from_value_rowids([0, 0, 2], nrows=2),
            ValueError,
            "Expected nrows >= value_rowids[-1] + 1; got nrows=2, value_rowids[-1]=2",
        ),
        (lambda: _P.from_value_rowids([0, 1], nrows=-1), ValueError, "Expected nrows >= 0; got -1"),
        (lambda: _P.from_value_rowids([0, 1], nrows=[2]), ValueError, "Shape (1,) must have rank 0"),
        (
            lambda: _P.from_uniform_row_length(2),
            ValueError,
            "Either (or both) of nvals and nrows must be specified",
        ),
        (
            lambda: _P.from_uniform_row_length(2, 5),
            ValueError,
            "uniform_row_length=2 times nrows=2 must equal nvals=5",
        ),
        (lambda: _P.from_uniform_row_length(-2, 6), ValueError, "uniform_row_length must be >= 0."),
        (lambda: _P.from_uniform_row_length([2], 6), ValueError, "Shape (1,) must have rank 0"),
        (lambda: _P.from_uniform_row_length(2.0, 6), TypeError, "Cannot convert 2.0 to EagerTensor of dtype int64"),
        (
            lambda: _P.from_uniform_row_length(tf.constant(2, tf.int64), tf.constant(6)),
            ValueError,
            "nvals: Tensor conversion requested dtype int64 for Tensor with dtype int32",
        ),
    ],
)
def test_what_is_no_partition_is_refused(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


@pytest.mark.parametrize(
    ("factory", "value", "words"),
    [
        ("from_row_splits", [1, 2], "from_row_splits do not form a valid RaggedTensor:zero"),
        ("from_row_splits", [0, 3, 2], "from_row_splits do not form a valid RaggedTensor:monotonic"),
        ("from_row_lengths", [2, -1], "from_row_lengths do not form a valid RowPartition"),
        ("from_row_limits", [3, 2], "from_row_limits do not form a valid RaggedTensor"),
        ("from_value_rowids", [2, 1], "from_value_rowids do not form a valid RowPartition"),
    ],
)
def test_a_graph_asserts_what_it_cannot_know(factory: str, value: Any, words: str) -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.int64)])
    def splits(x: Any) -> Any:
        return getattr(_P, factory)(x).row_splits()

    with pytest.raises(_Invalid, match=words):
        splits(tf.constant(value, tf.int64))


def test_the_assertions_of_a_plain_graph_run_before_the_splits() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.int64, [None])
        splits = _P.from_row_splits(x).row_splits()
        assert len(splits.op.control_inputs) == 2


def test_a_uniform_length_may_be_unknown_while_tracing() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([], tf.int64)] * 2)
    def splits(length: Any, nvals: Any) -> Any:
        return _P.from_uniform_row_length(length, nvals).row_splits()

    assert splits(2, 6).numpy().tolist() == [0, 2, 4, 6]
    assert splits(0, 0).numpy().tolist() == [0]
    with pytest.raises(_Invalid, match="from_uniform_row_length do not form a valid RowPartition"):
        splits(2, 5)
