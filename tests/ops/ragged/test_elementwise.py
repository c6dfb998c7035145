"""Element-wise functions and operators of ragged tensors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import millrace as tf

_ROWS = [[1, 2], [3]]
_ONE = tf.Variable(1)


def _ragged(value: Any = _ROWS, **options: Any) -> Any:
    return tf.ragged.constant(value, **options)


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [
        (operator.neg, _ROWS, [[-1, -2], [-3]]),
        (abs, [[-1.5], []], [[1.5], []]),
        (operator.invert, [[True], []], [[False], []]),
        (tf.math.square, _ROWS, [[1, 4], [9]]),
        (tf.nn.relu, [[1.0, -1.0], []], [[1.0, 0.0], []]),
        (tf.ones_like, _ROWS, [[1, 1], [1]]),
        (lambda x: tf.cast(x, tf.float32), _ROWS, [[1.0, 2.0], [3.0]]),
        (lambda x: tf.clip_by_value(x, 1, 2), _ROWS, [[1, 2], [2]]),
    ],
)
def test_a_unary_function_works_on_the_flat_values(function: Any, value: Any, expected: Any) -> None:
    x = _ragged(value)
    result = function(x)
    assert result.to_list() == expected
    assert result.row_splits is x.row_splits


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x + 1, [[2, 3], [4]]),
        (lambda x: 1 + x, [[2, 3], [4]]),
        (lambda x: x - 1, [[0, 1], [2]]),
        (lambda x: 1 - x, [[0, -1], [-2]]),
        (lambda x: x * x, [[1, 4], [9]]),
        (lambda x: x / 2, [[0.5, 1.0], [1.5]]),
        (lambda x: 6 / x, [[6.0, 3.0], [2.0]]),
        (lambda x: x // 2, [[0, 1], [1]]),
        (lambda x: 10 // x, [[10, 5], [3]]),
        (lambda x: x % 2, [[1, 0], [1]]),
        (lambda x: 7 % x, [[0, 1], [1]]),
        (lambda x: x**2, [[1, 4], [9]]),
        (lambda x: 2**x, [[2, 4], [8]]),
        (lambda x: x < 2, [[True, False], [False]]),
        (lambda x: x <= 2, [[True, True], [False]]),
        (lambda x: x > 2, [[False, False], [True]]),
        (lambda x: x >= x, [[True, True], [True]]),
        (lambda x: x == 2, [[False, True], [False]]),
        (lambda x: x != 2, [[True, False], [True]]),
        (lambda x: (x > 1) & (x < 3), [[False, True], [False]]),
        (lambda x: (x > 1) | True, [[True, True], [True]]),
        (lambda x: False | (x > 1), [[False, True], [True]]),
        (lambda x: (x > 1) ^ True, [[True, False], [False]]),
        (lambda x: np.int32(1) + x, [[2, 3], [4]]),
        (lambda x: tf.constant(1) + x, [[2, 3], [4]]),
        (lambda x: x + _ONE, [[2, 3], [4]]),
        (lambda x: _ONE * x, [[1, 2], [3]]),
        (lambda x: tf.maximum(x, 2), [[2, 2], [3]]),
    ],
)
def test_operators_take_scalars_and_equal_rows(function: Any, expected: Any) -> None:
    assert function(_ragged()).to_list() == expected
    assert tf.function(function, autograph=False)(_ragged()).to_list() == expected


def test_values_that_cannot_be_compared_are_unequal() -> None:
    x = _ragged()
    for other in (None, "a", [[1, 2], [3, 4]], _ragged([[1]])):
        assert (x == other) is False
        assert (x != other) is True
    assert x in [x]


def test_equal_partitions_need_no_broadcasting() -> None:
    @tf.function(autograph=False, input_signature=[tf.RaggedTensorSpec([None, None, 2], tf.int32, 1)])
    def double(x: Any) -> Any:
        y = x + x
        assert y.row_splits is x.row_splits
        return y + x[..., :1]

    assert double(tf.RaggedTensor.from_row_splits([[1, 2], [3, 4]], [0, 2])).numpy().tolist() == [[[3, 5], [9, 11]]]


def test_rows_that_differ_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold"):
        _ragged() + _ragged([[1], [2, 3]])

    @tf.function(autograph=False)
    def add(x: Any, y: Any) -> Any:
        return x + y

    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold"):
        add(_ragged(), _ragged([[1], [2, 3]]))


def test_row_splits_of_two_dtypes_are_refused() -> None:
    with pytest.raises(ValueError, match="Input RaggedTensors have mismatched row_splits dtypes"):
        _ragged() + _ragged(row_splits_dtype=tf.int32)


def test_operators_that_integers_do_not_have_are_refused() -> None:
    for call in (lambda: ~_ragged(), lambda: _ragged() & 1, lambda: 1 | _ragged(), lambda: _ragged() ^ 1):
        with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
            call()
    for call in (lambda: _ragged() @ _ragged(), lambda: _ragged() << 1, lambda: divmod(_ragged(), 2)):
        with pytest.raises(TypeError, match="unsupported operand"):
            call()


def test_assertions_compare_ragged_values() -> None:
    assert tf.debugging.assert_equal(_ragged(), _ragged()) is None
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_less(_ragged(), 2)


def test_gradients_flow_through_flat_values() -> None:
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        x = tf.RaggedTensor.from_row_splits(values, [0, 2, 3])
        y = (x * x + 2.0 * x) * tf.constant([[1.0], [10.0]])
        total = tf.reduce_sum(y.flat_values)
    assert tape.gradient(total, values).numpy().tolist() == [4.0, 6.0, 80.0]


def test_only_the_first_argument_of_a_function_of_one_value_may_be_ragged() -> None:
    text = tf.ragged.constant([["ab", "c"], []])
    with pytest.raises(TypeError, match="Only the first argument of this function may be a RaggedTensor"):
        tf.strings.substr(text, 0, tf.strings.length(text))


def test_version_1s_division_takes_ragged_tensors() -> None:
    x = tf.ragged.constant([[7, -7], [2]])
    assert tf.compat.v1.div(x, 2).to_list() == [[3, -4], [1]]
