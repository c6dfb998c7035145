"""Gradients of loops under `jit_compile=True`: compiled where the number of iterations is known, else on NumPy.

Which of the two it is can be asked: the logger says so at level INFO, and `experimental_get_compiler_ir` gives either
the program or the reason why there is none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf

pytestmark = pytest.mark.xla

X = tf.constant([1.5, -1.2])


def counted(x: Any) -> Any:
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]


def bounded(x: Any) -> Any:
    return tf.while_loop(
        lambda y: tf.reduce_max(tf.abs(y)) < 50.0, lambda y: (y * x * 2.0,), (x,), maximum_iterations=9
    )[0]


def unbounded(x: Any) -> Any:
    return tf.while_loop(lambda y: tf.reduce_max(tf.abs(y)) < 50.0, lambda y: (y * x * 2.0,), (x,))[0]


def nested(x: Any) -> Any:
    def row(y: Any) -> Any:
        return tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z * x), (0, y))[1]

    return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, row(y)), (0, x))[1]


def mapped(x: Any) -> Any:
    return tf.map_fn(lambda e: e**3, x)


def derivatives(function: Callable[[Any], Any], order: int = 2) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        if order == 1:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return (tape.gradient(y, x),)
        with tf.GradientTape() as tape:
            tape.watch(x)
            lower = derivatives(function, order - 1)(x)
        return (*lower, tape.gradient(lower[-1], x))

    return run


def remarks(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if "runs on the NumPy tier" in r.getMessage()]


@pytest.mark.parametrize(
    ("function", "order"), [(f, order) for f in (counted, bounded, nested, mapped) for order in (1, 2)]
)
def test_a_loop_of_known_or_bounded_length_is_differentiated_in_the_compiled_program(
    function: Callable[[Any], Any], order: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tensorflow")
    compiled = tf.function(derivatives(function, order), jit_compile=True)
    for found, expected in zip(compiled(X), derivatives(function, order)(X), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert not remarks(caplog)
    assert "HloModule" in compiled.experimental_get_compiler_ir(X)(stage="hlo")


@pytest.mark.parametrize("order", [1, 2])
def test_another_loop_is_differentiated_on_the_numpy_tier_and_the_log_says_why(
    order: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tensorflow")
    compiled = tf.function(derivatives(unbounded, order), jit_compile=True)
    for _ in range(2):
        for found, expected in zip(compiled(X), derivatives(unbounded, order)(X), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5)
    (remark,) = remarks(caplog)
    assert "maximum_iteration" in remark
    assert "{{node " in remark
    assert "test_gradients_of_loops_under_xla.py" in remark


def test_who_asks_for_its_program_is_told_that_there_is_none() -> None:
    compiled = tf.function(derivatives(unbounded), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="has no XLA program, it runs on the NumPy tier: XLA"):
        compiled.experimental_get_compiler_ir(X)(stage="hlo")


def test_so_is_who_asks_for_that_of_a_function_whose_shapes_depend_on_values(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tensorflow")
    compiled = tf.function(lambda x: tf.unique(x)[0], jit_compile=True)
    assert compiled(X).shape == (2,)
    assert "Unique {{node Unique}}" in remarks(caplog)[0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"it runs on the NumPy tier: .*Unique"):
        compiled.experimental_get_compiler_ir(X)(stage="hlo")


def test_the_value_of_an_unbounded_loop_alone_is_compiled(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tensorflow")
    np.testing.assert_allclose(tf.function(unbounded, jit_compile=True)(X), unbounded(X), rtol=1e-6)
    assert not remarks(caplog)
