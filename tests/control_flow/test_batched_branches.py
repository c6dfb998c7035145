"""Conditionals and calls on all rows at once, against one row after the other."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.control_flow.row_programs import X, at_once, compare, every_mode

PROGRAMS = {
    "rows take different branches": lambda e: tf.cond(e[0] > 2, lambda: e * 2, lambda: -e),
    "all rows take one branch": lambda e: tf.cond(e[0] < 100, lambda: e * 2, lambda: -e),
    "a predicate for all rows": lambda e: tf.cond(tf.random.uniform([]) < 2, lambda: e * 2, lambda: -e),
    "results of which one is the same for all rows": lambda e: tf.cond(
        tf.reduce_all(tf.shape(e) > 0), lambda: (e, tf.constant(1.0)), lambda: (tf.constant([1.0, 2.0]), e[0])
    ),
    "no row goes where nothing is batched": lambda e: tf.cond(e[0] > 100, lambda: tf.constant([1.0, 2.0]), lambda: e),
    "a branch that is not defined for the other rows": lambda e: tf.cond(e[0] > 2, lambda: tf.sqrt(e - 2), lambda: e),
    "an integer chooses": lambda e: tf.switch_case(tf.cast(e[0], tf.int32) - 1, [lambda: e, lambda: -e, lambda: e * 3]),
    "an integer for all rows": lambda e: tf.switch_case(tf.size(e) - 1, [lambda: e, lambda: -e, lambda: e * 3]),
    "the first of several": lambda e: tf.case([(e[0] < 1, lambda: e * 10), (e[0] < 4, lambda: e * e)], lambda: -e),
    "a condition in a condition": lambda e: tf.cond(
        e[0] > 2, lambda: tf.cond(e[1] > 5, lambda: e, lambda: e * e), lambda: -e
    ),
    "a function": tf.function(lambda e: tf.sin(e) * e),
    "rows of rows": lambda e: tf.vectorized_map(lambda x: tf.cond(x > 2, lambda: x * e, lambda: x + e), e),
}


@every_mode(PROGRAMS)
def test_rows_at_once_give_what_single_rows_give(name: str, mode: str) -> None:
    compare(PROGRAMS[name], mode)


def test_a_branch_is_not_run_with_values_of_rows_that_take_the_other() -> None:
    def one(e: Any) -> Any:
        def checked() -> Any:
            tf.debugging.assert_greater(e, 2.0)
            return e

        return tf.cond(e[0] > 2, checked, lambda: -e)

    assert at_once(one)(tf.constant(X)).numpy().tolist() == [[-1.0, -2.0], [3.0, 4.0], [5.0, 6.0], [-0.5, -0.25]]


def test_an_assertion_that_fails_for_one_row_fails() -> None:
    def one(e: Any) -> Any:
        tf.debugging.assert_greater(e, 0.4)
        return e

    with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold"):
        at_once(one)(tf.constant(X))


def test_effects_in_a_branch_happen_for_the_rows_that_take_it() -> None:
    v = tf.Variable(0.0)

    def one(e: Any) -> Any:
        return tf.cond(e[0] > 2, lambda: v.assign_add(e[0]), lambda: -e[0])

    found = tf.vectorized_map(one, tf.constant(X), warn=False)
    assert (found.numpy().tolist(), float(v)) == ([-1.0, 3.0, 8.0, -0.5], 8.0)


def test_no_rows_take_any_branch() -> None:
    found = at_once(PROGRAMS["rows take different branches"])(tf.zeros([0, 2]))
    assert found.shape == (0, 2)


def _cube(v: Any) -> Any:
    return tf.reduce_sum(v * v * v)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [(0, [27.0, 12.0, 3.0]), (1, [54.0, 24.0, 6.0]), (2, [2.0, 2.0, 2.0])],
)
def test_a_jacobian_knows_no_sizes_of_a_branch_that_did_not_run(chosen: int, expected: list[float]) -> None:
    """A branch that did not run left empty tensors, whose sizes contradict those of the sources."""
    branches = [_cube, lambda v: 2.0 * _cube(v), lambda v: tf.reduce_sum(tf.concat([v, v], 0))]

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)], autograph=False)
    def f(v: Any, i: Any) -> Any:
        two = tf.cond(i < 1, lambda: branches[0](v), lambda: branches[1](v))
        return tf.stack([tf.switch_case(i, [lambda b=b: b(v) for b in branches]), two])

    x = tf.constant([3.0, 2.0, -1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(chosen))
    assert tape.jacobian(y, x)[0].numpy().tolist() == expected
