"""Loops on all rows at once, against one row after the other: with and without an end of their own for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.control_flow.row_programs import X, assert_rows, at_once, compare, every_mode, gradient_of


def _nested(e: Any) -> Any:
    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.while_loop(lambda j, b: j < i + 1, lambda j, b: (j + 1, b * e + 1.0), (0, a))[1]

    return tf.while_loop(lambda i, a: i < 3, body, (0, e))[1]


def _nested_by_row(e: Any) -> Any:
    def body(a: Any) -> Any:
        return (tf.while_loop(lambda b: tf.reduce_max(b) < 3.0, lambda b: (b * 1.5,), (a,))[0] * 1.2,)

    return tf.while_loop(lambda a: tf.reduce_sum(a) < 15.0, body, (e,))[0]


@tf.function
def _array(e: Any) -> Any:
    a = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        a = a.write(i, e * tf.cast(i, tf.float32))
    return a.stack()


@tf.function
def _growing_array(e: Any) -> Any:
    a = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
    for i in tf.range(3):
        a = a.write(i, e * tf.cast(i, tf.float32))
    return a.concat()


@tf.function
def _array_until(e: Any) -> Any:
    a = tf.TensorArray(tf.float32, 4, element_shape=[2])
    for i in tf.range(4):
        if tf.reduce_sum(e) > 20.0:
            break
        e = e * 2
        a = a.write(i, e)
    return a.stack()


@tf.function
def _indices_of_their_own(e: Any) -> Any:
    a = tf.TensorArray(tf.float32, 8, element_shape=[2], clear_after_read=False)
    a = a.write(tf.cast(e[0], tf.int32), e)
    return a.stack() + a.read(tf.cast(e[0], tf.int32))


@tf.function
def _unstacked(e: Any) -> Any:
    a = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(tf.stack([e, e * 2]))
    return a.read(0) + a.read(tf.cast(e[0], tf.int32) % 2) + a.concat()[:2] + tf.reduce_sum(a.gather([1, 0, 1]))


@tf.function
def _rnn(e: Any) -> Any:
    w = tf.constant([[0.1, 0.2], [0.3, 0.4]])
    h = tf.zeros([1, 2])
    for _ in tf.range(5):
        h = tf.tanh(h @ w + e)
    return h


@tf.function
def _early_return(e: Any) -> Any:
    for _ in tf.range(5):
        e = e * 2
        if e[0] > 7.0:
            return e
    return -e


@tf.function
def _elements(e: Any) -> Any:
    s = tf.constant(0.0)
    for x in e:
        if x > 2.0:
            s += x
        else:
            s -= x * x
    return s


PROGRAMS = {
    "as many iterations for all": lambda e: tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * e), (0, tf.ones([2]))
    )[1],
    "iterations of their own": lambda e: tf.while_loop(
        lambda a: tf.reduce_sum(a) < 10.0, lambda a: (a * a + 1.0,), (e,)
    )[0],
    "a division that the last iteration may not do": lambda e: tf.while_loop(
        lambda n, a: n > 0.0, lambda n, a: (n - 1.0, a / n), (tf.math.ceil(e[0]), e)
    )[1],
    "a loop in a loop": _nested,
    "a loop of its own in a loop of its own": _nested_by_row,
    "an array": _array,
    "a growing array": _growing_array,
    "indices of their own": _indices_of_their_own,
    "an array of the rows of a tensor": _unstacked,
    "a recurrent network": _rnn,
    "an early return": _early_return,
    "a loop over elements": _elements,
    "scan": lambda e: tf.scan(lambda a, x: a * x + 1.0, e),
    "map_fn": lambda e: tf.map_fn(lambda x: x * x + e[0], e),
}


@every_mode(PROGRAMS)
def test_rows_at_once_give_what_single_rows_give(name: str, mode: str) -> None:
    compare(PROGRAMS[name], mode)


@pytest.mark.parametrize("mode", ["eager", "graph", "unknown rows", "gradient outside"])
def test_an_array_that_each_row_fills_as_far_as_it_goes(mode: str) -> None:
    compare(_array_until, mode)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("compiled", [None, pytest.param(True, marks=pytest.mark.xla)])
def test_a_tape_inside_gives_the_gradient_of_every_row(name: str, compiled: bool | None) -> None:
    one = gradient_of(PROGRAMS[name])
    found = tf.function(at_once(one), jit_compile=compiled)(tf.constant(X))
    assert_rows(found, [one(row) for row in tf.constant(X)])


def test_a_row_that_runs_no_iteration_has_the_gradient_of_none() -> None:
    one = gradient_of(lambda e: tf.while_loop(lambda a: tf.reduce_sum(a) < 8.0, lambda a: (a * a,), (e,))[0])
    rows = tf.constant([[2.0, 1.5], [9.0, 9.0], [1.5, 1.5], [0.0, 20.0]])
    found = tf.function(at_once(one))(rows)
    assert_rows(found, [one(row) for row in rows])
    assert found.numpy()[1].tolist() == [1.0, 1.0]


def test_the_second_gradient_of_loops_that_end_for_each_row_is_that_of_every_row() -> None:
    one = gradient_of(gradient_of(tf.function(PROGRAMS["iterations of their own"])))
    found = tf.vectorized_map(tf.function(one), tf.constant(X), warn=False)
    assert_rows(found, [one(row) for row in tf.constant(X)])


def test_lists_of_different_lengths_go_row_by_row_where_a_rule_does_not_see_to_them() -> None:
    @tf.function
    def one(e: Any) -> Any:
        grown = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
        while tf.reduce_sum(e) < 20.0:
            e = e * 2.0
            grown = grown.write(grown.size(), e)
        return grown.read(0), grown.size()

    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.5, 0.25]])
    assert_rows(tf.vectorized_map(one, rows, warn=False), [one(row) for row in rows])


def test_the_jacobian_through_a_loop_needs_no_loop_over_rows() -> None:
    x = tf.constant(X[1])

    @tf.function
    def jacobian(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _rnn(x)
        return tape.jacobian(y, x)

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = _rnn(x)
    expected = tape.jacobian(y, x, experimental_use_pfor=False)
    for found in (jacobian(x), tape.jacobian(y, x)):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_effects_of_a_loop_happen_for_the_iterations_of_each_row() -> None:
    v = tf.Variable(0.0)

    def one(e: Any) -> Any:
        def body(a: Any) -> Any:
            v.assign_add(1.0)
            return (a + 1.0,)

        return tf.while_loop(lambda a: a < 3.0, body, (e,))[0]

    found = tf.vectorized_map(one, tf.constant([0.0, 2.0, 5.0]), warn=False)
    assert (found.numpy().tolist(), float(v)) == ([3.0, 3.0, 5.0], 4.0)


def test_random_numbers_of_a_loop_differ_from_row_to_row() -> None:
    def one(e: Any) -> Any:
        return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.random.uniform([])), (0, e))[1]

    found = at_once(one)(tf.zeros([5]))
    assert len(set(found.numpy().tolist())) == 5
