"""Arrays and lists whose size only the running program knows: XLA leaves those functions to the NumPy tier."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_an_array_grows_in_a_loop(jit: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="tensorflow")

    @tf.function(autograph=False, jit_compile=jit)
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        _, ta = tf.while_loop(
            lambda y, _: y < 20.0, lambda y, ta: (y * x, ta.write(ta.size(), y)), (tf.constant(1.0), ta)
        )
        return ta.stack(), ta.size()

    values, size = f(tf.constant(2.0))
    assert values.numpy().tolist() == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert int(size) == 5
    assert jit == any("NumPy tier" in r.getMessage() for r in caplog.records)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_the_gradient_of_a_loop_that_decides_when_to_stop(jit: bool) -> None:
    @tf.function(autograph=False, jit_compile=jit)
    def f(x: Any) -> Any:
        y = tf.while_loop(lambda y: y < 20.0, lambda y: (y * x,), (x,))[0]
        return y, tf.gradients(y, x)[0]

    assert [float(v) for v in f(tf.constant(2.0))] == [32.0, 80.0]


@pytest.mark.xla
def test_a_bound_on_the_iterations_is_enough_for_xla(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="tensorflow")

    @tf.function(autograph=False, jit_compile=True)
    def f(x: Any) -> Any:
        y = tf.while_loop(lambda y: y < 20.0, lambda y: (y * x,), (x,), maximum_iterations=10)[0]
        return y, tf.gradients(y, x)[0]

    assert [float(v) for v in f(tf.constant(2.0))] == [32.0, 80.0]
    assert not [r for r in caplog.records if "NumPy tier" in r.getMessage()]
