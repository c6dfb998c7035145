"""`tf.vectorized_map`: against `tf.map_fn`, eager and in graphs, with gradients; what runs in a loop."""

from __future__ import annotations

import importlib
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff.vectorize import vectorize

vectorized_map_module = importlib.import_module("millrace._src.control_flow.vectorized_map")

X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
W = [[1.0, 2.0], [3.0, 4.0]]

FUNCTIONS = {
    "arithmetic": lambda e: e * 2.0 + 1.0,
    "reductions": lambda e: tf.reduce_sum(e) * tf.reduce_mean(e, axis=-1, keepdims=True),
    "matrix and vector": lambda e: tf.linalg.matvec(tf.constant(W), e),
    "outer product": lambda e: tf.matmul(e[:, None], e[None]),
    "transposed product": lambda e: tf.matmul(e[None], tf.constant(W), transpose_b=True),
    "reshape and transpose": lambda e: tf.transpose(tf.reshape(e, [1, 2])),
    "stack and concat": lambda e: tf.concat([tf.stack([e, tf.zeros([2])], 1), [[9.0, 9.0]]], 0),
    "softmax": lambda e: tf.nn.softmax(e),
    "a branch": lambda e: tf.cond(e[0] > 2.0, lambda: e, lambda: -e),
    "a loop": lambda e: tf.while_loop(lambda a: tf.reduce_sum(a) < 10.0, lambda a: (a * 2.0,), (e,))[0],
    "reversed": lambda e: e[::-1],
    "the same for all": lambda e: tf.constant(7.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("traced", [False, True])
def test_it_is_map_fn(name: str, traced: bool) -> None:
    f, x = FUNCTIONS[name], tf.constant(X)
    call = lambda x: tf.vectorized_map(f, x, warn=False)  # noqa: E731
    found = (tf.function(call, autograph=False) if traced else call)(x)
    np.testing.assert_allclose(found.numpy(), tf.map_fn(f, x).numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", ["arithmetic", "reductions", "outer product", "a branch"])
def test_gradients_reach_the_rows(name: str) -> None:
    found = []
    for mapping in (tf.vectorized_map, tf.map_fn):
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = mapping(FUNCTIONS[name], x)
        found.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


def test_gradients_reach_what_the_function_captures() -> None:
    v, k = tf.Variable(2.0), tf.constant([1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(k)
        y = tf.vectorized_map(lambda e: tf.reduce_sum(e * k * k) * v, tf.constant(X))
    dv, dk = tape.gradient(y, [v, k])
    assert (float(dv), dk.numpy().tolist()) == (117.0, [36.0, 144.0])


def test_structures_and_missing_results() -> None:
    x = tf.constant(X)
    found = tf.vectorized_map(lambda d: {"s": d["a"] - d["b"], "n": None}, {"a": x, "b": x[:1]})
    assert found["n"] is None
    assert found["s"].numpy().tolist() == [[0.0, 0.0], [2.0, 2.0], [4.0, 4.0]]


def test_random_numbers_differ_from_row_to_row() -> None:
    found = tf.vectorized_map(lambda e: tf.random.uniform([3]), tf.constant(X)).numpy()
    assert found.shape == (3, 3)
    assert len(np.unique(found)) == 9


def test_a_copy_of_what_is_the_same_for_all_rows_is_one_for_each() -> None:
    found = tf.vectorized_map(lambda e: tf.raw_ops.DeepCopy(x=tf.ones([2])), tf.constant(X))
    assert found.numpy().tolist() == [[1.0, 1.0]] * 3


def test_a_number_of_rows_that_is_not_known_while_tracing() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 2])])
    def f(x: Any) -> Any:
        return tf.vectorized_map(lambda e: (tf.reduce_sum(e), tf.constant(1.0)), x)

    sums, ones = f(tf.constant(X))
    assert (sums.numpy().tolist(), ones.numpy().tolist()) == ([3.0, 7.0, 11.0], [1.0, 1.0, 1.0])


@pytest.mark.parametrize("first", [[1, 2], [None, 2]])
@pytest.mark.parametrize("second", [[3, 2], [None, 2]])
def test_one_row_serves_for_all_where_the_other_number_is_not_known(first: Any, second: Any) -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec(first), tf.TensorSpec(second)])
    def f(a: Any, b: Any) -> Any:
        return tf.vectorized_map(lambda e: (e[0] * e[1], tf.constant(1.0)), (a, b))

    rows = 3 if None in first else 1
    x = tf.constant(X)
    products, ones = f(x[:rows], x)
    np.testing.assert_allclose(products, x[:rows] * x)
    assert ones.shape == (3,)


def test_effects_happen_once_per_row() -> None:
    v = tf.Variable(0.0)
    tf.vectorized_map(lambda e: v.assign_add(1.0), tf.constant(X), warn=False)
    assert float(v) == 3.0


@pytest.mark.xla
def test_it_compiles() -> None:
    f = tf.function(lambda x: tf.vectorized_map(lambda e: tf.reduce_sum(e * e), x), jit_compile=True, autograph=False)
    assert f(tf.constant(X)).numpy().tolist() == [5.0, 25.0, 61.0]


def test_what_it_refuses() -> None:
    with pytest.raises(ValueError, match="No pfor vectorization defined for AsString"):
        tf.vectorized_map(lambda e: tf.strings.as_string(e), tf.constant(X), fallback_to_while_loop=False)
    with pytest.raises(IndexError, match="list index out of range"):
        tf.vectorized_map(lambda e: e, tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in \\[0, 2\\)"):
        tf.vectorized_map(lambda e: e[0], (tf.zeros([2, 2]), tf.zeros([3, 2])))


def test_rows_of_different_sizes_are_refused() -> None:
    ragged = tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [1, 2])
    for elems in (ragged, tf.SparseTensor([[0, 1]], [1.0], [2, 2])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="the rows of a ragged or sparse"):
            tf.vectorized_map(lambda row: row, elems)


def test_a_trace_of_the_same_form_runs_the_program_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(vectorized_map_module, "_functions", {})
    monkeypatch.setattr(vectorized_map_module, "vectorize", lambda *args: made.append(1) or vectorize(*args))
    calls = []

    def row(e: Any) -> Any:
        calls.append(1)
        return e * factor, tf.reduce_sum(e * k)

    for factor, k in ((2.0, tf.ones([2])), (2.0, tf.constant([1.0, 3.0])), (3.0, tf.ones([2]))):
        doubled, sums = tf.vectorized_map(row, tf.constant(X))
        assert doubled.numpy().tolist() == (np.array(X) * factor).tolist()
        assert sums.numpy().tolist() == (np.array(X) @ k.numpy()).tolist()
    tf.vectorized_map(row, tf.constant(X[:2]))
    assert len(calls) == 4  # the Python code runs each time
    assert len(made) == 3  # another factor, another number of rows


def test_a_program_that_is_there_serves_tapes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectorized_map_module, "_functions", {})
    gradients = []
    for _ in range(3):
        x = tf.constant(X)
        tf.vectorized_map(FUNCTIONS["outer product"], x)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.vectorized_map(FUNCTIONS["outer product"], x)
            first = tape.gradient(y, x)
        gradients.append((first.numpy().tolist(), outer.gradient(first, x).numpy().tolist()))
    assert gradients[0] == gradients[1] == gradients[2]
    assert len(vectorized_map_module._functions) == 2  # one for each line of the program


def test_few_programs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectorized_map_module, "_functions", {})
    monkeypatch.setattr(vectorized_map_module, "_MAX_FUNCTIONS", 2)
    for factor in (1.0, 2.0, 1.0, 3.0, 1.0):
        result = tf.vectorized_map(lambda e, factor=factor: e * factor, tf.constant(X))
        assert result.numpy().tolist() == (np.array(X) * factor).tolist()
    assert len(vectorized_map_module._functions) == 2


def test_an_operation_that_runs_in_a_loop_is_told_each_time(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        caplog.clear()
        tf.vectorized_map(lambda e: tf.numpy_function(lambda a: a + 1, [e], tf.float32), tf.constant(X))
        assert "while_loop" in caplog.text


def test_captured_tensors_are_let_go() -> None:
    captured = [tf.constant(np.ones((200, 2), np.float32))]
    reference = weakref.ref(captured[0])
    tf.vectorized_map(lambda e: tf.reduce_sum(captured[0] * e), tf.constant(X))
    captured.clear()
    assert reference() is None
