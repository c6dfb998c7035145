"""assert_equal and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_REFUSED = tf.errors.InvalidArgumentError
_NAMES = ["equal", "none_equal", "less", "less_equal", "greater", "greater_equal"]


def _assert(name: str) -> Any:
    return getattr(tf.debugging, f"assert_{name}")


@pytest.mark.parametrize("name", _NAMES)
def test_comparisons_agree_with_numpy(name: str) -> None:
    compare = {"none_equal": "not_equal"}.get(name, name)
    for x in ([1.0, 2.0, 3.0], [[1.0], [5.0]], 2.0, []):
        for y in (2.0, [0.0, 2.0, 4.0] if x == [1.0, 2.0, 3.0] else 5.0):
            if getattr(np, compare)(x, y).all():
                assert _assert(name)(x, y) is None
            else:
                with pytest.raises(_REFUSED):
                    _assert(name)(x, y)


def test_the_message_shows_the_differences() -> None:
    expected = """msg
Condition x == y did not hold.
Indices of first 2 different values:
[[0]
 [2]]
Corresponding x values:
[1. 3.]
Corresponding y values:
[5. 0.]
First 3 elements of x:
[1. 2. 3.]
First 3 elements of y:
[5. 2. 0.]"""
    with pytest.raises(_REFUSED) as caught:
        tf.debugging.assert_equal([1.0, 2.0, 3.0], [5.0, 2.0, 0.0], message="msg")
    assert caught.value.message == expected


def test_broadcast_sides_have_no_indices() -> None:
    words = "Condition x > y did not hold.\nFirst 1 elements of x:\n[5.]\nFirst 1 elements of y:\n[5.]"
    check_refusal(lambda: tf.debugging.assert_greater(5.0, 5.0), _REFUSED, words)


def test_summarize_limits_what_is_shown() -> None:
    words = (
        "Condition x == y did not hold.\nIndices of first 1 different values:\n[[0 0]]\nCorresponding x values:\n[1.]"
    )
    check_refusal(lambda: tf.debugging.assert_equal([[1.0, 2.0]], [[3.0, 3.0]], summarize=1), _REFUSED, words)
    with pytest.raises(_REFUSED, match="First 10 elements of x"):
        tf.debugging.assert_equal(tf.range(10), tf.range(10) + 1, summarize=-1)


def test_operands_must_fit() -> None:
    words = "Incompatible shapes: [2] vs. [3]"
    check_refusal(lambda: tf.debugging.assert_equal([1, 2], [1, 2, 3]), _REFUSED, words)
    with pytest.raises(_REFUSED, match="was expected to be a int32 tensor but is a string tensor"):
        tf.debugging.assert_less(1, "a")


@pytest.mark.parametrize(
    ("name", "condition", "good", "bad"),
    [
        ("positive", "x > 0", [1, 2], [1, -2, 0]),
        ("negative", "x < 0", [-1], [0]),
        ("non_negative", "x >= 0", [0, 1], [-1]),
        ("non_positive", "x <= 0", [0, -1], [1]),
    ],
)
def test_signs(name: str, condition: str, good: Any, bad: Any) -> None:
    assert _assert(name)(good) is None
    assert _assert(name)([]) is None
    between = "" if name == "non_positive" else "\n"
    shown = [str(b) for b in bad]
    value = f"x (shape=({len(bad)},) dtype=int32) = \n{shown}"
    words = f"msg.  \nCondition {condition} did not hold element-wise:{between}{value}"
    check_refusal(lambda: _assert(name)(bad, message="msg"), _REFUSED, words)
    with pytest.raises(TypeError, match="Cannot convert 0 to EagerTensor of dtype string"):
        _assert(name)("a")


def test_signs_show_three_elements() -> None:
    with pytest.raises(_REFUSED, match=r"\['-1', '-1', '-1', '\.\.\.'\]"):
        tf.debugging.assert_positive([-1] * 5)
    assert tf.debugging.assert_non_negative(tf.constant([1], tf.uint8)) is None


def test_near_has_tolerances() -> None:
    near = tf.debugging.assert_near
    assert near([1.0], [1.0 + 1e-7]) is None
    assert near([100.0], [101.0], rtol=0.02) is None
    assert near([1.0], [1.1], atol=0.2) is None
    assert near(tf.constant([1.0], tf.bfloat16), tf.constant([1.01], tf.bfloat16)) is None
    words = (
        "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: b'm.  '\n"
        "b'x and y not equal to tolerance rtol = tf.Tensor(0.01, shape=(), dtype=float32), "
        "atol = tf.Tensor(0.01, shape=(), dtype=float32)'\nb'x (shape=(1,) dtype=float32) = '\n1.0"
    )
    check_refusal(lambda: near([1.0], [1.1], rtol=0.01, atol=0.01, message="m"), _REFUSED, words)
    check_refusal(lambda: near([1], [2]), ValueError, "data type <class 'numpy.int32'> not inexact")


def test_constants_fail_while_tracing() -> None:
    with tf.Graph().as_default():
        words = (
            "m\nCondition x == y did not hold element-wise:\nx (assert_equal_1/x:0) = \n1\ny (assert_equal_1/y:0) = \n2"
        )
        check_refusal(lambda: tf.debugging.assert_equal(1, 2, message="m"), _REFUSED, words)
        words = "\nCondition x > 0 did not hold element-wise:\nx (assert_positive/x:0) = \n[ 1 -1]"
        check_refusal(lambda: tf.debugging.assert_positive([1, -1]), _REFUSED, words)


def test_the_rest_fails_when_the_graph_runs() -> None:
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.assert_less(x, 10, message="big")
        return x

    assert f(tf.constant([3])).numpy().tolist() == [3]
    expected = r"assertion failed: \[big\] \[Condition x < y did not hold element-wise:\] \[x \(x:0\) = \] \[30\] \[y"
    with pytest.raises(_REFUSED, match=expected):
        f(tf.constant([30]))


def test_the_nodes_of_assertions() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.int32, [None], name="x")
        tf.debugging.assert_positive(x)
        operation = tf.debugging.assert_equal(x, 3, name="same")
    names = [o.name for o in graph.get_operations() if "data_" not in o.name]
    assert names == [
        "x",
        "assert_positive/Const",
        "assert_positive/assert_less/Less",
        "assert_positive/assert_less/Const",
        "assert_positive/assert_less/All",
        *(f"assert_positive/assert_less/Assert/{n}" for n in ("Const", "Const_1", "Const_2", "Assert")),
        "same_1/y",
        "same_1/Equal",
        "same_1/Const",
        "same_1/All",
        *(f"same_1/Assert/{n}" for n in ("Const", "Const_1", "Const_2", "Assert")),
    ]
    assert operation.name == "same_1/Assert/Assert"
