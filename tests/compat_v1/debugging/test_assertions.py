"""The assertions of tf.compat.v1 show `data`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

v1 = tf.compat.v1
_REFUSED = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda d: v1.assert_equal([1], [2], data=d, message="m"), "m\na\n1"),
        (lambda d: v1.assert_none_equal([1], [1], d), "a\n1"),
        (lambda d: v1.assert_less([3], [1], d), "a\n1"),
        (lambda d: v1.assert_less_equal([3], [1], d), "a\n1"),
        (lambda d: v1.assert_greater([1], [1], d), "a\n1"),
        (lambda d: v1.debugging.assert_greater_equal([0], [1], d), "a\n1"),
        (lambda d: v1.assert_positive([-1], d), "a\n1"),
        (lambda d: v1.assert_negative([1], d), "a\n1"),
        (lambda d: v1.assert_non_negative([-1], d), "a\n1"),
        (lambda d: v1.debugging.assert_non_positive([1], d), "a\n1"),
    ],
)
def test_data_replaces_the_message(call: Any, expected: str) -> None:
    with pytest.raises(_REFUSED) as caught:
        call(["a", tf.constant(1)])
    assert caught.value.message == expected


def test_data_is_summarized() -> None:
    data = ["a", tf.range(9), 5, tf.constant("s")]
    words = "m\na\n['0', '1', '...']\n5\nb's'"
    check_refusal(lambda: v1.assert_less([3], [1], data=data, message="m", summarize=2), _REFUSED, words)


def test_near_and_ranks_take_data_too() -> None:
    with pytest.raises(_REFUSED, match="Summarized data: b'shown'"):
        v1.assert_near([1.0], [2.0], data=["shown"])
    words = "m.  Tensor  must have rank 2.  Received rank 1, shape (1,)"
    check_refusal(lambda: v1.assert_rank([3], 2, data=["a"], message="m"), ValueError, words)
    assert v1.assert_rank_at_least([3], 1, ["a"]) is None
    assert v1.assert_rank_in([3], (1, 2), ["a"]) is None


def test_message_and_data_in_a_graph() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2], name="x")
        operation = v1.assert_equal(x, 1.0, data=["a", x], message="m")
    guard = operation.inputs[0].op
    (check,) = [op for op in guard.attrs["else_branch"].graph.get_operations() if op.type == "Assert"]
    values = [t.op.attrs["value"].item() for t in check.inputs if t.op.type == "Const"]
    assert values == [b"m", b"a"]
