"""`tf.gradients` in functions and plain graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def run(f: Any, *args: Any) -> Any:
    return tf.nest.map_structure(value, tf.function(f, autograph=False)(*map(tf.constant, args)))


def test_one_gradient_per_source() -> None:
    assert run(lambda x, y: tf.gradients(x * x * y, [x, y]), 3.0, 2.0) == [12.0, 9.0]
    assert run(lambda x: tf.gradients(x * x, x), 3.0) == [6.0]


def test_several_targets_add_up_and_may_have_weights() -> None:
    assert run(lambda x: tf.gradients([x * x, 2.0 * x], x), 3.0) == [8.0]
    assert run(lambda x: tf.gradients([x * x, 2.0 * x], x, grad_ys=[tf.constant(10.0), None]), 3.0) == [62.0]
    assert run(lambda x: tf.gradients(x * x, x, grad_ys=tf.constant([1.0, 2.0])), [1.0, 2.0]) == [[2.0, 8.0]]


def test_an_unconnected_source_gives_none_or_zeros() -> None:
    seen = []

    def f(x, y):
        seen.extend(tf.gradients(x * 2.0, [y]))
        return tf.gradients(x * 2.0, [y], unconnected_gradients=tf.UnconnectedGradients.ZERO)

    assert run(f, 1.0, [1.0, 2.0]) == [[0.0, 0.0]]
    assert seen == [None]


def test_stop_gradients_are_treated_as_constants() -> None:
    def f(x):
        a = x * 2.0
        return tf.gradients(x + a * a, [x], stop_gradients=[a])

    assert run(f, 3.0) == [1.0]

    def g(x):
        a = tf.zeros([]) + 1.0 * x
        b = 2.0 * a
        return tf.gradients(a + b, [a, b], stop_gradients=[a, b])

    assert run(g, 1.0) == [1.0, 1.0]


def test_a_variable_is_a_source() -> None:
    v = tf.Variable(3.0)
    assert run(lambda x: tf.gradients(x * v * v, v), 2.0) == [12.0]


def test_gradients_of_gradients() -> None:
    def f(x):
        first = tf.gradients(x**4.0, x)[0]
        second = tf.gradients(first, x)[0]
        return first, second, tf.gradients(second, x)[0]

    assert run(f, 2.0) == (32.0, 48.0, 48.0)


def test_gradients_through_calls_branches_and_sparse_reads() -> None:
    inner = tf.function(lambda x: tf.sin(x) * x, autograph=False)
    np.testing.assert_allclose(
        run(lambda x: tf.gradients(inner(x), x), 0.5), [np.sin(0.5) + 0.5 * np.cos(0.5)], rtol=1e-6
    )
    assert run(lambda x: tf.gradients(tf.cond(x > 0.0, lambda: x * x, lambda: x), x), 3.0) == [6.0]

    def sparse(x):
        found = tf.gradients(tf.gather(x * 1.0, [1, 1]), x)[0]
        return tf.convert_to_tensor(found)

    assert run(sparse, [1.0, 2.0, 3.0]) == [0.0, 2.0, 0.0]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda x: tf.gradients(x, x, unconnected_gradients="nonsense"), ValueError),
        (lambda x: tf.gradients([x, x], x, grad_ys=[x]), ValueError),
        (lambda x: tf.gradients(None, x), (TypeError, ValueError, AttributeError)),
        (lambda x: tf.gradients(x, None), (TypeError, ValueError, AttributeError)),
    ],
    ids=["mode", "weights", "target", "source"],
)
def test_malformed_calls_raise(call: Any, kind: Any) -> None:
    with pytest.raises(kind):
        run(call, 1.0)


def test_in_eager_mode_they_are_refused() -> None:
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match=r"tf.gradients is not supported when eager execution is enabled"):
        tf.gradients(x, x)


def test_gradients_in_a_plain_graph_add_nodes_under_their_name() -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(3.0)
        y = x * x
        dy = tf.gradients(y, x)[0]
    assert dy.graph is g
    assert dy.op.name.startswith("gradients/")
