"""`smart_cond`: which predicates are known while tracing, and what is built for them."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.control_flow.smart_cond import smart_cond, smart_constant_value


def fail() -> Any:
    raise AssertionError("the branch that is not taken was called")


@pytest.mark.parametrize("predicate", [True, 1, tf.constant(True)])
def test_a_known_predicate_calls_one_branch_alone(predicate: Any) -> None:
    assert smart_cond(predicate, lambda: "yes", fail) == "yes"
    assert smart_cond(0, fail, lambda: "no") == "no"


def test_what_a_trace_can_compute_is_known_and_an_argument_is_not() -> None:
    with tf.Graph().as_default() as graph:
        known = smart_cond(tf.constant(2) > tf.constant(1), lambda: tf.constant(1.0), fail)
        assert known.op.type == "Const"
        predicate = tf.compat.v1.placeholder(tf.bool, [])
        assert smart_constant_value(predicate) is None
        smart_cond(predicate, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
        assert any(operation.type in ("If", "StatelessIf") for operation in graph.get_operations())


def test_a_branch_must_be_callable_even_if_it_is_not_taken() -> None:
    with pytest.raises(TypeError, match=r"Argument `false_fn` must be callable\. Received None"):
        smart_cond(True, lambda: 1)


@pytest.mark.parametrize("predicate", [2, "yes", None])
def test_any_other_predicate_is_refused(predicate: Any) -> None:
    with pytest.raises(TypeError, match="Argument `pred` must be a Tensor, or a Python bool, or 1 or 0"):
        smart_cond(predicate, lambda: 1, lambda: 2)
