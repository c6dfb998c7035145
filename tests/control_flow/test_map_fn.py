"""`tf.map_fn`: structures, signatures, both engines, against a Python loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf

MODES = [
    pytest.param({}, id="graph"),
    pytest.param({"jit_compile": True}, id="xla", marks=pytest.mark.xla),
]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 4), st.lists(st.integers(0, 3), max_size=2), st.booleans())
def test_it_is_a_loop_over_the_rows(rows: int, inner: list[int], traced: bool) -> None:
    x = np.arange(rows * int(np.prod(inner)), dtype=np.float32).reshape([rows, *inner])
    f = lambda x: tf.map_fn(  # noqa: E731
        lambda e: (e * 2.0, tf.reduce_sum(e)), x, fn_output_signature=(tf.TensorSpec(inner), tf.TensorSpec([]))
    )
    doubled, sums = (tf.function(f, autograph=False) if traced else f)(tf.constant(x))
    np.testing.assert_array_equal(doubled.numpy(), x * 2.0)
    np.testing.assert_allclose(sums.numpy(), x.sum(tuple(range(1, x.ndim))))


@pytest.mark.parametrize("options", MODES)
def test_the_gradient_reaches_elements_and_captures(options: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="tensorflow")
    v = tf.Variable(2.0)

    @tf.function(autograph=False, **options)
    def f(x: Any, k: Any) -> Any:
        return tf.map_fn(lambda e: e * e * v + k, x)

    x, k = tf.constant([1.0, 2.0, 3.0]), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = f(x, k)
    dx, dk, dv = tape.gradient(y, [x, k, v])
    assert (dx.numpy().tolist(), float(dk), float(dv)) == ([4.0, 8.0, 12.0], 3.0, 14.0)
    assert not [r for r in caplog.records if "NumPy tier" in r.getMessage()]


@pytest.mark.parametrize("options", MODES)
def test_one_inside_another(options: dict[str, Any]) -> None:
    @tf.function(autograph=False, **options)
    def f(x: Any) -> Any:
        y = tf.map_fn(lambda row: tf.map_fn(lambda e: e * e, row), x)
        return y, tf.gradients(y, x)[0]

    y, dy = f(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert y.numpy().tolist() == [[1.0, 4.0], [9.0, 16.0]]
    assert dy.numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]


@pytest.mark.parametrize("traced", [False, True])
def test_what_it_refuses(traced: bool) -> None:
    def call(fn: Any, elems: Any) -> Any:
        f = lambda: tf.map_fn(fn, elems)  # noqa: E731
        return (tf.function(f, autograph=False) if traced else f)()

    with pytest.raises(ValueError, match=r"must be 1\+ dimensional Tensors"):
        call(lambda e: e, tf.constant(1.0))
    with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
        call(lambda e: e, (tf.zeros([3]), tf.zeros([2])))
    with pytest.raises(ValueError, match="does not contain any Tensors"):
        call(lambda e: e, [])
    with pytest.raises(AttributeError, match="fn must be callable"):
        call(3, tf.zeros([3]))
