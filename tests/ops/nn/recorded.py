"""Small programs of `tf.nn` and what TensorFlow 2.21 answered.

A program is an expression of `tf`, `np`, `wave` (numbers of a given shape) and `grads` (gradients of a function with
respect to its arguments). Answers are dtype, shape and values of each tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import millrace as tf

MODES = ("eager", "function")
Answer = tuple[str, tuple[int, ...], list[Any]]
_TOLERANCE = {"bfloat16": 2e-2, "float16": 2e-3}


def wave(*shape: int, dtype: str = "float32", shift: float = 0.0) -> Any:
    """Numbers between -1 and 1 in no order, the same every time."""
    count = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(count) * 1.7 + shift).reshape(shape).astype(dtype))


def grads(function: Callable[..., Any], *values: Any) -> Any:
    """The gradients of the sum of a function's result, weighted, with respect to its arguments."""
    with tf.GradientTape() as tape:
        tape.watch(values)
        result = function(*values)
        weights = tf.reshape(tf.sin(tf.range(1.0, tf.cast(tf.size(result), tf.float32) + 1.0)), tf.shape(result))
        total = tf.reduce_sum(result * tf.cast(weights, result.dtype))
    return tape.gradient(total, values)


def answers(program: str, mode: str) -> list[Any]:
    """The tensors that a program gives, computed at once or by a graph."""
    names = {"tf": tf, "np": np, "wave": wave, "grads": grads}
    code = compile(program, "<program>", "eval")

    def compute() -> Any:
        return eval(code, names)

    if mode == "function":
        compute = tf.function(compute, autograph=False)
    return [tf.convert_to_tensor(t) for t in tf.nest.flatten(compute()) if t is not None]


def check(program: str, mode: str, expected: Sequence[Answer]) -> None:
    """Asserts dtypes, shapes and values of what a program gives."""
    results = answers(program, mode)
    assert len(results) == len(expected)
    for result, (dtype, shape, values) in zip(results, expected, strict=True):
        assert (result.dtype.name, tuple(result.shape)) == (dtype, shape)
        tolerance = _TOLERANCE.get(dtype, 1e-4)
        actual = result.numpy().reshape(-1)
        if actual.dtype.kind in "biu":
            assert actual.tolist() == values
            continue
        wide = np.complex128 if actual.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(actual.astype(wide), np.array(values, wide), rtol=tolerance, atol=tolerance)
