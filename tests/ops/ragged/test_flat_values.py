"""tf.ragged.map_flat_values."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_map = tf.ragged.map_flat_values


def _x(value: Any = ((1, 2), (3,)), **options: Any) -> Any:
    return tf.ragged.constant(value, **options)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: _map(tf.ones_like, _x()), [[1, 1], [1]]),
        (lambda: _map(tf.add, _x(), 1), [[2, 3], [4]]),
        (lambda: _map(tf.add, _x(), _x()), [[2, 4], [6]]),
        (lambda: _map(tf.add, _x(), y=_x()), [[2, 4], [6]]),
        (lambda: _map(lambda a, b: a + b[0], _x(), [_x()]), [[2, 4], [6]]),
        (lambda: _map(lambda d: d["a"] * 2, {"a": _x()}), [[2, 4], [6]]),
        (lambda: _map(lambda v: v + 1, _x([[[1], []], []])), [[[2], []], []]),
    ],
)
def test_the_function_sees_flat_values(call: Any, expected: Any) -> None:
    assert call().to_list() == expected


def test_values_may_gain_dimensions() -> None:
    assert _map(lambda v: tf.stack([v, v], 1), _x()).shape.as_list() == [2, None, 2]


def test_without_ragged_arguments_the_function_is_called() -> None:
    assert int(_map(tf.add, 1, 2)) == 3


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: _map(tf.add, _x(), _x([[1], [2, 3]])),
            tf.errors.InvalidArgumentError,
            "RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits",
        ),
        (
            lambda: _map(tf.add, _x(), _x([[1, 2]])),
            ValueError,
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got sizes: {2, 3}",
        ),
        (
            lambda: _map(tf.add, _x(), _x([[[1], [2]], [[3]]])),
            ValueError,
            "All ragged inputs must have the same ragged_rank.",
        ),
        (
            lambda: _map(tf.add, _x(), _x(row_splits_dtype=tf.int32)),
            ValueError,
            "Input RaggedTensors have mismatched row partition dtypes; use RaggedTensor.with_row_splits_dtype()",
        ),
        (
            lambda: _map(lambda v: v[:1], _x()),
            ValueError,
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as "
            "flat_values of any ragged inputs. (output shape: (1,); expected outer dimension size: 3)",
        ),
        (
            lambda: _map(tf.reduce_sum, _x()),
            ValueError,
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


def test_a_graph_asserts_equal_partitions() -> None:
    @tf.function(autograph=False)
    def add(x: Any, y: Any) -> Any:
        return _map(tf.add, x, y)

    assert add(_x(), _x()).to_list() == [[2, 4], [6]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="partitions have incompatible row_splits"):
        add(_x(), _x([[1], [2, 3]]))
