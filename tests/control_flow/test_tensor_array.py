"""`tf.TensorArray`: eager and in graphs, in loops, branches and functions, on both engines, with gradients."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import millrace as tf


def value(x: Any) -> Any:
    return tf.nest.map_structure(lambda t: None if t is None else t.numpy().tolist(), x)


def graph(f: Any) -> Any:
    return tf.function(f, autograph=False)


def compiled(f: Any) -> Any:
    return tf.function(f, autograph=False, jit_compile=True)


MODES = [
    pytest.param(lambda f: f, id="eager"),
    pytest.param(graph, id="graph"),
    pytest.param(compiled, id="xla", marks=pytest.mark.xla),
]
every_mode = pytest.mark.parametrize("mode", MODES)
in_graphs = pytest.mark.parametrize("mode", MODES[1:])


@pytest.fixture(autouse=True)
def _xla_does_the_work(caplog: pytest.LogCaptureFixture) -> Any:
    """No test here is meant to fall back to NumPy."""
    caplog.set_level(logging.INFO, logger="tensorflow")
    yield
    assert not [r for r in caplog.get_records("call") if "runs on the NumPy tier" in r.getMessage()]


@every_mode
def test_what_is_written_is_read(mode: Any) -> None:
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x).write(1, x[0] * 5.0)
        return ta.read(1), ta.stack(), ta.gather([2, 0]), ta.size(), ta.scatter([0, 2], x[:2]).stack()

    expected = [5.0, [1.0, 5.0, 3.0], [3.0, 1.0], 3, [1.0, 5.0, 2.0]]
    assert value(list(mode(f)(tf.constant([1.0, 2.0, 3.0])))) == expected


@every_mode
def test_pieces_of_one_length_split_and_join(mode: Any) -> None:
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=2).split(x, [2, 2])
        return ta.concat(), ta.read(1)

    assert value(mode(f)(tf.constant([1.0, 2.0, 3.0, 4.0]))) == ([1.0, 2.0, 3.0, 4.0], [3.0, 4.0])


@every_mode
@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_loop_fills_an_array(mode: Any, n: int) -> None:
    def f(x: Any, n: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=n, element_shape=[2])
        body = lambda i, ta: (i + 1, ta.write(i, x * tf.cast(i, tf.float32)))  # noqa: E731
        return tf.while_loop(lambda i, _: i < n, body, (0, ta))[1].stack()

    assert value(mode(f)(tf.constant([1.0, 2.0]), tf.constant(n))) == [[float(i), 2.0 * i] for i in range(n)]


@in_graphs
def test_the_shape_of_the_elements_is_found_in_the_loop(mode: Any) -> None:
    def f(x: Any) -> Any:
        def body(i: Any, ta: Any, total: Any) -> Any:
            ta = ta.write(i, x + tf.cast(i, tf.float32))
            return i + 1, ta, total + ta.read(i)

        ta = tf.TensorArray(tf.float32, size=3)
        _, ta, total = tf.while_loop(lambda i, *_: i < 3, body, (0, ta, x * 0.0))
        return ta.stack(), total

    assert value(mode(f)(tf.constant([1.0]))) == ([[1.0], [2.0], [3.0]], [6.0])


@in_graphs
@pytest.mark.parametrize("flag", [True, False])
def test_a_branch_may_be_the_first_to_write(mode: Any, flag: bool) -> None:
    def f(x: Any, flag: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 2)
        return tf.cond(flag, lambda: ta.write(0, x), lambda: ta).stack()

    assert value(mode(f)(tf.constant([1.0]), tf.constant(flag))) == [[1.0 if flag else 0.0], [0.0]]


@in_graphs
def test_gradients_through_a_loop_that_reads_and_writes(mode: Any) -> None:
    @mode
    def f(x: Any) -> Any:
        source = tf.TensorArray(tf.float32, 3).unstack(x)
        target = tf.TensorArray(tf.float32, 3)

        def body(i: Any, y: Any, target: Any) -> Any:
            y = y * source.read(i)
            return i + 1, y, target.write(i, y * y)

        _, y, target = tf.while_loop(lambda i, *_: i < 3, body, (0, tf.constant(1.0), target))
        return tf.gradients([target.stack(), y], x)[0]

    def expected(x: Any) -> float:
        y = np.cumprod(x)
        return float(np.sum(y**2) + y[-1])

    x = np.array([1.5, 0.5, 2.0])
    steps = np.eye(3) * 1e-6
    numeric = [(expected(x + s) - expected(x - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(value(f(tf.constant(x, tf.float32))), numeric, rtol=1e-4)


@in_graphs
def test_a_tape_outside_of_a_function_with_a_loop(mode: Any) -> None:
    @mode
    def f(x: Any) -> Any:
        return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))[1]

    x = tf.constant(1.7)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(value(tape.gradient(y, x)), 0.8244553, rtol=1e-5)


@in_graphs
def test_nested_loops_have_gradients(mode: Any) -> None:
    @mode
    def f(x: Any) -> Any:
        def inner(y: Any) -> Any:
            return tf.while_loop(lambda j, _: j < 2, lambda j, z: (j + 1, z * x + y), (0, y))[1]

        y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tf.sin(inner(y))), (0, x))[1]
        return y, tf.gradients(y, x)[0]

    y, dy = f(tf.constant(1.7))
    np.testing.assert_allclose([value(y), value(dy)], [-0.70093, 265.70312], rtol=1e-4)


@in_graphs
def test_a_gathered_element_gets_the_gradient_of_every_use(mode: Any) -> None:
    @mode
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 3).unstack(x)
        return tf.gradients(ta.gather([2, 0, 2]) * [1.0, 10.0, 100.0], x)[0]

    assert value(f(tf.constant([1.0, 2.0, 3.0]))) == [10.0, 0.0, 101.0]


def test_a_function_takes_and_returns_an_array() -> None:
    @graph
    def twice(ta: Any) -> Any:
        return ta.write(0, ta.read(0) * 2.0)

    x = tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        ta = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(x)
        result = twice(ta)
        y = result.stack()
    assert isinstance(result, tf.TensorArray)
    assert value(y) == [[2.0], [2.0]]
    assert value(ta.stack()) == [[1.0], [2.0]]
    assert value(tape.gradient(y, x)) == [[2.0], [1.0]]


def test_a_signature_with_an_array() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorArraySpec([None], tf.float32)])
    def f(ta: Any) -> Any:
        return ta.stack()

    assert value(f(tf.TensorArray(tf.float32, 1, element_shape=[None]).unstack([[1.0, 2.0]]))) == [[1.0, 2.0]]


def test_a_nest_takes_an_array_apart() -> None:
    ta = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    assert tf.nest.flatten([ta, 3]) == [ta, 3]
    (parts,) = tf.nest.flatten([ta], expand_composites=True)
    assert parts.dtype is tf.variant
    rebuilt = tf.nest.pack_sequence_as([ta], [parts], expand_composites=True)[0]
    assert value(rebuilt.stack()) == [1.0, 2.0]


def test_what_an_eager_array_refuses() -> None:
    ta = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    ta.read(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        ta.read(0)
    with pytest.raises(tf.errors.OutOfRangeError, match="Tried to write to index 2"):
        ta.write(2, 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="TensorArray dtype is float32"):
        ta.write(0, tf.constant(1))
    with pytest.raises(NotImplementedError, match="grad is not supported"):
        ta.grad("g")


def test_a_graph_refuses_an_element_of_another_shape() -> None:
    with pytest.raises(ValueError, match=r"Inconsistent shapes: saw \(2,\) but expected \(1,\)"):
        graph(lambda: tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]).stack())()


@pytest.mark.xla
def test_xla_refuses_elements_of_two_shapes() -> None:
    def f(x: Any) -> Any:
        return tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, x).write(1, x[:1]).concat()

    with pytest.raises(tf.errors.InternalError, match="Invalid TensorList shape"):
        compiled(f)(tf.constant([1.0, 2.0]))


@pytest.mark.xla
def test_xla_reads_nothing_from_an_array_of_unknown_shape() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="TensorList is not initialized"):
        compiled(lambda x: tf.TensorArray(tf.float32, 2).read(0) + x)(tf.constant(1.0))


def test_spec_of_another_value_is_refused() -> None:
    with pytest.raises(TypeError, match="Expected value to be a TensorArray"):
        tf.TensorArraySpec.from_value(5)
