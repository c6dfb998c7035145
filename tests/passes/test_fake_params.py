"""Which values of an optimized graph may represent a value of a branch that did not run."""

from __future__ import annotations

import millrace as tf
from millrace._src.passes.fake_params import may_be_stand_in
from tests.passes.tracing import SCALAR, optimized


def test_a_fake_param_is_one_and_what_is_computed_of_it_is_not() -> None:
    graph = optimized(
        lambda x: (tf.raw_ops.FakeParam(dtype=tf.float32, shape=[]), x + 1.0, x), SCALAR, passes="dead_code_elimination"
    )
    assert [may_be_stand_in(value) for value in graph.outputs] == [True, False, False]


def test_a_result_of_a_choice_is_one_if_some_branch_returns_one() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        def fake() -> tuple[tf.Tensor, tf.Tensor]:
            return tf.raw_ops.FakeParam(dtype=tf.float32, shape=[]), x

        return tf.cond(x > 0.0, fake, lambda: (x, x))

    graph = optimized(function, SCALAR, passes="dead_code_elimination")
    assert [may_be_stand_in(value) for value in graph.outputs] == [True, False]
