"""Checks of partitions, at once or in a graph."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.ragged.partition_checks import check, check_not_decreasing, check_not_negative, depend_on_checks
from tests.ops.array.answers import check_refusal, check_refusal_while_tracing

_Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: check("==", tf.constant([1, 2, 3]), tf.constant([1, 5, 6]), "words"),
            "words\nCondition x == y did not hold.\nIndices of first 2 different values:\n[[1]\n [2]]\nCorresponding x "
            "values:\n[2 3]\nCorresponding y values:\n[5 6]\nFirst 3 elements of x:\n[1 2 3]\nFirst 3 elements of y:\n"
            "[1 5 6]",
        ),
        (
            lambda: check("<", tf.constant(3), tf.constant(2), ""),
            "Condition x < y did not hold.\nFirst 1 elements of x:\n[3]\nFirst 1 elements of y:\n[2]",
        ),
        (
            lambda: check_not_negative(tf.constant([0, -1, 2, 3]), "words"),
            "words.  \nCondition x >= 0 did not hold element-wise:\nx (shape=(4,) dtype=int32) = \n"
            "['0', '-1', '2', ...]",
        ),
        (
            lambda: check_not_decreasing(tf.constant([0, 3, 2]), "words"),
            "words.  \nCondition x >= 0 did not hold element-wise:\nx (shape=(2,) dtype=int32) = \n['3', '-1']",
        ),
    ],
)
def test_what_is_known_not_to_hold_is_refused_at_once(call: Any, words: str) -> None:
    check_refusal(call, _Invalid, words)
    check_refusal_while_tracing(call, _Invalid, words)


def test_what_is_known_to_hold_needs_no_operation() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1, 2])
        assert check("<=", x, x, "") == check_not_negative(x, "") == check_not_decreasing(x, "") == []
        assert depend_on_checks(x, [], []) is x


def test_unknown_values_are_asserted_when_the_graph_runs() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None, tf.int32)])
    def f(x: Any) -> Any:
        return depend_on_checks(x, check("==", x, tf.constant(1), "words"), check_not_negative(x, "words"))

    assert int(f(1)) == 1
    assert f([[1, 1]]).numpy().tolist() == [[1, 1]]
    with pytest.raises(_Invalid, match="words"):
        f([1, 2])
