"""The recorder of forward mode: what it keeps, and what it makes of a backward function."""

from __future__ import annotations

import gc
import weakref

import millrace as tf
from millrace._src.autodiff.accumulator import TangentAccumulator, tangents_through
from millrace._src.core.context import state, tapes_scope


def test_a_tangent_is_forgotten_with_its_tensor() -> None:
    accumulator = TangentAccumulator()
    x = tf.constant([1.0])
    accumulator.set_tangent(x, tf.constant([2.0]))
    assert len(accumulator.watched) == 1
    del x
    assert not accumulator.watched
    assert not accumulator._tangents


def test_an_accumulator_takes_its_tangents_with_it_at_once() -> None:
    variable = tf.Variable([1.0])
    tangent = tf.constant([2.0])
    seen = weakref.ref(tangent)
    gc.disable()
    try:
        with tf.autodiff.ForwardAccumulator(variable, tangent) as accumulator:
            y = variable * 3.0
        assert accumulator.jvp(y).numpy().tolist() == [6.0]
        del accumulator, tangent
        assert seen() is None
    finally:
        gc.enable()


def test_only_recorders_around_an_accumulator_see_what_it_does() -> None:
    outer, inner, innermost = TangentAccumulator(), TangentAccumulator(), TangentAccumulator()
    with tapes_scope((outer, inner, innermost)):
        assert inner.outer_recorders() == (outer,)
        assert innermost.outer_recorders() == (outer, inner)
    assert state.tapes == ()


def test_a_backward_function_says_the_tangents() -> None:
    x = tf.constant([3.0, 4.0])
    found = tangents_through(lambda a, b: [a * x + b, None], [x, x], [tf.constant([1.0, 10.0]), x])
    assert [t.numpy().tolist() for t in found] == [[3.0, 40.0], [1.0, 10.0]]


def test_a_backward_function_that_gives_slices_says_the_tangents() -> None:
    table = tf.constant([[1.0], [2.0], [3.0]])

    def backward(dy: tf.Tensor) -> list[tf.IndexedSlices]:
        return [tf.IndexedSlices(dy * 2.0, tf.constant([2, 0]), tf.constant([3, 1]))]

    (found,) = tangents_through(backward, [tf.zeros([2, 1])], [table])
    assert found.numpy().tolist() == [[6.0], [2.0]]


def test_a_backward_function_that_is_not_linear_is_taken_at_ones() -> None:
    x = tf.constant(3.0)
    (found,) = tangents_through(lambda dy: [dy * dy * x], [x], [tf.constant(5.0)])
    assert float(found) == 30.0


def test_without_recorders_ops_take_the_fast_path() -> None:
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, x):
        assert state.run is None
    assert state.run is not None
