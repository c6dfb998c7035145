"""Comparing a function run on all rows at once with one that goes from row to row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf

X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [0.5, 0.25]]

MODES = ["eager", "graph", "unknown rows", "gradient outside", "gradient outside in a graph"]
XLA_WAYS = ["xla", "gradient outside under xla"]


def every_mode(names: Any) -> Any:
    """Marks a test of `(name, mode)` for each program, as it is and differentiated, on both engines."""
    cases = [pytest.param(name, mode, id=f"{name}, {mode}") for name in names for mode in MODES]
    cases += [pytest.param(n, w, id=f"{n}, {w}", marks=pytest.mark.xla) for n in names for w in XLA_WAYS]
    return pytest.mark.parametrize(("name", "mode"), cases)


def at_once(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: tf.vectorized_map(function, x, fallback_to_while_loop=False)


def gradient_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient of the sum of what a function returns."""

    def differentiated(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return differentiated


def compare(function: Callable[..., Any], mode: str) -> None:
    """Asserts that rows at once give, in a mode, what single rows give."""
    x = tf.constant(X)
    is_gradient = mode.startswith("gradient")
    one = gradient_of(function) if is_gradient else function
    program = gradient_of(at_once(function)) if is_gradient else at_once(function)
    if mode not in ("eager", "gradient outside"):
        signature = [tf.TensorSpec([None, 2])] if mode == "unknown rows" else None
        compiled = True if mode.endswith("xla") else None
        program = tf.function(program, input_signature=signature, jit_compile=compiled)
    assert_rows(program(x), [one(row) for row in x])


def assert_rows(found: Any, rows: list[Any]) -> None:
    expected = tf.nest.map_structure(lambda *parts: np.stack([np.asarray(p) for p in parts]), *rows)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        assert a.dtype.as_numpy_dtype == b.dtype
        np.testing.assert_allclose(a.numpy(), b, rtol=2e-5, atol=1e-5)
