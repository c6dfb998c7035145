"""Tangents of single ops: found from the gradient alone, with none of the backward computation left in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff import tangent_plans
from millrace._src.autodiff.op_recording import forget_rules
from millrace._src.autodiff.tangent_plans import tangent_plan
from millrace._src.core.op_registry import get_op


def plan(name: str, inputs: list[Any], output: Any, tangents: list[Any], **attrs: Any) -> Any:
    op = get_op(name)
    return tangent_plan(op, inputs, [output], op.normalize_attrs(attrs), tangents)


def types(found: Any) -> list[str]:
    return [operation.type for operation in found.operations if operation.type != "Const"]


A, B = tf.ones([2, 3]), tf.ones([3, 4])


def test_the_tangent_of_a_product_of_matrices_is_two_products() -> None:
    found = plan("MatMul", [A, B], tf.matmul(A, B), [A, B])
    assert sorted(types(found)) == ["AddN", "MatMul", "MatMul"]
    assert found.needs_seeds is False


def test_the_tangent_of_a_linear_op_of_one_factor_is_the_op_itself() -> None:
    assert types(plan("MatMul", [A, B], tf.matmul(A, B), [A, None])) == ["MatMul"]
    assert types(plan("Neg", [A], -A, [A])) == ["Neg"]
    assert types(plan("Identity", [A], A, [A])) == []


def test_plans_are_cached_by_shapes_until_there_are_many() -> None:
    plans = []
    for size in range(1, 40):
        x = tf.ones([size, 7, 1])
        plans.append(plan("Tanh", [x], x, [x]))
    assert plans[0] is plan("Tanh", [tf.ones([1, 7, 1])], tf.ones([1, 7, 1]), [tf.ones([1, 7, 1])])
    assert len({id(p) for p in plans}) <= tangent_plans._MAX_SHAPES + 1
    assert plans[-1] is plans[-2]


def test_the_cache_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tangent_plans, "_MAX_PLANS", 4)
    for axis in range(3):
        for size in range(2, 6):
            x = tf.ones([size] * 3)
            plan("Cumsum", [x, tf.constant(axis)], x, [x, None], exclusive=False, reverse=False)
            assert len(tangent_plans._plans) <= 4


def test_axes_are_part_of_a_plan() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for axis in (0, 1):
        with tf.autodiff.ForwardAccumulator(x, x) as acc:
            y = tf.reduce_sum(x, axis)
        np.testing.assert_array_equal(acc.jvp(y), y)


def test_an_op_whose_gradient_is_missing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_op("Erf").rules, "gradient", None)
    forget_rules()
    x = tf.constant(1.0)
    with (
        tf.autodiff.ForwardAccumulator(x, x),
        pytest.raises(LookupError, match="gradient registry has no entry for: Erf"),
    ):
        tf.math.erf(x)
    monkeypatch.undo()
    forget_rules()


def test_the_second_order_of_an_op_is_seen_by_an_outer_tape() -> None:
    x = tf.constant(0.3, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0, tf.float64)) as acc:
            y = tf.tanh(x)
        d = acc.jvp(y)
    t = np.tanh(0.3)
    np.testing.assert_allclose(tape.gradient(d, x), -2 * t * (1 - t * t))
