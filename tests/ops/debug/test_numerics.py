"""check_numerics and assert_all_finite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.array.answers import check_refusal

_REFUSED = tf.errors.InvalidArgumentError
_NAN, _INF = np.nan, np.inf


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_finite_numbers_pass(dtype: str) -> None:
    x = tf.constant([[1.0, -2.0]], dtype)
    checked = tf.debugging.check_numerics(x, "fine")
    assert checked.dtype is x.dtype
    assert checked.numpy().tolist() == [[1.0, -2.0]]
    assert tf.debugging.check_numerics(tf.zeros([0], dtype), "empty").shape.as_list() == [0]


@pytest.mark.parametrize(
    ("values", "one", "two"),
    [
        ([_NAN], "NaN", "NaN"),
        ([_INF], "Inf", "+Inf"),
        ([-_INF], "Inf", "-Inf"),
        ([_INF, _NAN], "Inf and NaN", "+Inf and NaN"),
        ([_INF, -_INF], "Inf", "-Inf and +Inf"),
        ([-_INF, _INF, _NAN], "Inf and NaN", "-Inf, +Inf, and NaN"),
    ],
)
def test_others_are_named(values: list[float], one: str, two: str) -> None:
    for dtype in ("bfloat16", "float64"):
        x = tf.constant(values, dtype)
        check_refusal(lambda x=x: tf.debugging.check_numerics(x, "m"), _REFUSED, f"m : Tensor had {one} values")
        check_refusal(
            lambda x=x: tf.raw_ops.CheckNumericsV2(tensor=x, message="m"), _REFUSED, f"m : Tensor had {two} values"
        )


def test_wrong_arguments_are_refused() -> None:
    check = tf.debugging.check_numerics
    check_refusal(
        lambda: check([1], "m"), _REFUSED, "Value for attr 'T' of int32 is not in the list of allowed values: bfloat16"
    )
    check_refusal(lambda: check([1.0], 5), TypeError, "Expected string for argument 'message' not 5.")


@pytest.mark.parametrize("op", ["CheckNumerics", "CheckNumericsV2"])
def test_the_gradient_is_checked_too(op: str) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        checked = getattr(tf.raw_ops, op)(tensor=x, message="g")
        good, bad = checked * 3.0, checked * [_NAN, 1.0]
    assert tape.gradient(good, x).numpy().tolist() == [3.0, 3.0]
    words = "Not a number (NaN) or infinity (Inf) values detected in gradient. b'g' : Tensor had NaN values"
    check_refusal(lambda: tape.gradient(bad, x), _REFUSED, words)


def test_assert_all_finite_returns_its_argument() -> None:
    x = tf.constant([1.0])
    assert tf.debugging.assert_all_finite(x, "m") is x
    check_refusal(lambda: tf.debugging.assert_all_finite([_NAN], "m"), _REFUSED, "m : Tensor had NaN values")
    assert tf.compat.v1.verify_tensor_all_finite(x=x, message="m") is x
    check_refusal(lambda: tf.compat.v1.verify_tensor_all_finite([_NAN], "old"), _REFUSED, "old : Tensor had NaN values")


def test_checks_in_a_function_run_even_if_nobody_uses_them() -> None:
    @tf.function(autograph=False)
    def f(x):
        tf.debugging.check_numerics(x, "inside")
        return tf.debugging.assert_all_finite(x, "also")

    assert f(tf.constant([1.0])).numpy().tolist() == [1.0]
    with pytest.raises(_REFUSED, match="inside : Tensor had NaN values"):
        f(tf.constant([_NAN]))


def test_the_nodes_of_assert_all_finite() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        result: Any = tf.debugging.assert_all_finite(x, "m")
    assert result.name == "VerifyFinite/control_dependency:0"
    assert [c.name for c in result.op.control_inputs] == ["VerifyFinite/CheckNumerics"]
    assert len(graph.get_operations()) == 3


GRADIENT_PROGRAMS = [
    GradientProgram("CheckNumerics", lambda x: tf.debugging.check_numerics(x * x, "m"), [np.array([1.0, -2.0])]),
    GradientProgram(
        "CheckNumericsV2", lambda x: tf.raw_ops.CheckNumericsV2(tensor=x * x, message="m"), [np.array([1.0, -2.0])]
    ),
]
