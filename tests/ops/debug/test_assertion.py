"""The Assert op and tf.debugging.Assert."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_REFUSED = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("value", "summarize", "expected"),
    [
        (np.arange(4), 3, "[0 1 2...]"),
        (np.arange(12).reshape(3, 4), 3, "[[0 1 2...]...]"),
        (np.arange(12).reshape(3, 4), 5, "[[0 1 2 3][4...]...]"),
        (np.arange(24).reshape(2, 3, 4), 5, "[[[0 1 2 3][4...]]...]"),
        (np.arange(12).reshape(3, 4), -1, "[[0 1 2 3][4 5 6 7][8 9 10 11]]"),
        (np.array([[1, 2], [3, 4]]), 3, "[[1 2][3...]...]"),
        (np.zeros([2, 0]), 3, "[]"),
        (5, 3, "[5]"),
        (5, 0, "[...]"),
        (["a", 'b"\n', "c", "d"], 3, '[a b\\"\\n c...]'),
        ([True, False], 3, "[1 0]"),
        ([0.1, 1 / 3], 3, "[0.1 0.333333343]"),
        ([1 + 2j], 3, "[?]"),
    ],
)
def test_the_op_summarizes_its_data(value: Any, summarize: int, expected: str) -> None:
    call = tf.raw_ops.Assert
    check_refusal(
        lambda: call(condition=False, data=[value], summarize=summarize), _REFUSED, f"assertion failed: {expected}"
    )


def test_the_op_takes_a_scalar_condition_and_some_data() -> None:
    call = tf.raw_ops.Assert
    assert call(condition=True, data=[1]) is None
    check_refusal(lambda: call(condition=[True, True], data=[1]), _REFUSED, "In[0] should be a scalar: [2]")
    check_refusal(
        lambda: call(condition=True, data=[]), _REFUSED, "Length for attr 'T' of 0 must be at least minimum 1"
    )


@pytest.mark.parametrize(
    ("condition", "data", "options", "expected"),
    [
        (
            False,
            ["a", 1, [1.5, 2, 3, 4]],
            {},
            "Expected 'False' to be true. Summarized data: b'a'\n1\n1.5, 2.0, 3.0, ...",
        ),
        (0, ["x"], {}, "Expected '0' to be true. Summarized data: b'x'"),
        (False, [], {}, "Expected 'False' to be true. Summarized data: "),
        (False, [np.arange(9)], {"summarize": 1}, "Expected 'False' to be true. Summarized data: 0, ..."),
        (False, [np.arange(5)], {"summarize": -1}, "Expected 'False' to be true. Summarized data: 0, 1, 2, 3, 4"),
    ],
)
def test_assert_in_eager_mode_raises_at_once(condition: Any, data: Any, options: dict[str, Any], expected: str) -> None:
    with pytest.raises(_REFUSED) as caught:
        tf.debugging.Assert(condition, data, **options)
    assert caught.value.message == expected


def test_a_tensor_condition_is_shown_as_a_tensor() -> None:
    words = "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: b'a', b'b'"
    check_refusal(lambda: tf.debugging.Assert(tf.constant(False), [tf.constant(["a", "b"])]), _REFUSED, words)
    assert tf.Assert(tf.constant(True), ["never"]) is None


def test_data_must_be_a_sequence() -> None:
    check_refusal(lambda: tf.debugging.Assert(False, None), TypeError, "values must be a sequence.")
    assert tf.debugging.Assert(True, None) is None


def test_assert_in_a_function_runs_in_every_call_and_by_itself() -> None:
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.Assert(tf.reduce_all(x > 0), ["msg", x])
        return x

    assert f(tf.constant([1])).numpy().tolist() == [1]
    with pytest.raises(_REFUSED, match=r"assertion failed: \[msg\] \[-1 2\]"):
        f(tf.constant([-1, 2]))


def test_assert_in_a_graph_is_an_operation() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1], name="x")
        operation = tf.debugging.Assert(tf.constant(True, name="c"), ["m", x])
        assert tf.debugging.Assert(True, [x], name="named").name == "named/Assert"
    assert operation.name == "Assert/Assert"
    assert [t.name for t in operation.inputs] == ["c:0", "Assert/Assert/data_0:0", "x:0"]
    assert "named/Assert/condition" in {o.name for o in graph.get_operations()}


def test_a_condition_known_to_be_no_scalar_is_refused_while_tracing() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.debugging.Assert([True, True], ["m"])
