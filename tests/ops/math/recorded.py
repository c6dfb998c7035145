"""Running the small programs of the math tests and comparing with what TensorFlow 2.21 answered.

A program is an expression of `tf`, `np` and `c` (`tf.constant`); `grads(f, *values)` is the list of gradients
of `f`. Each is run twice, eagerly and inside a `tf.function`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf

MODES = ("eager", "function")


def grads(function: Callable[..., Any], *values: Any) -> Any:
    """The gradients of a function with respect to its arguments."""
    tensors = [v if isinstance(v, tf.Tensor) else tf.constant(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = function(*tensors)
    return tape.gradient(result, tensors)


def run(program: str, mode: str) -> Any:
    """The value of a program, computed eagerly or by a graph."""
    names = {"tf": tf, "np": np, "c": tf.constant, "grads": grads}
    code = compile(program, "<program>", "eval")
    if mode == "eager":
        return eval(code, names)
    return tf.function(lambda: eval(code, names), autograph=False)()


_TOLERANCE = {"bfloat16": 2e-2, "float16": 2e-3, "float32": 3e-5, "complex64": 3e-5}


def check_value(program: str, mode: str, dtype: str, expected: Any) -> None:
    """Asserts that a program gives one tensor of this dtype, shape and value."""
    compare(run(program, mode), dtype, expected)


def compare(result: Any, dtype: str, expected: Any) -> None:
    """Asserts the dtype, shape and values of a tensor."""
    assert result.dtype.name == dtype
    actual = np.asarray(result.numpy())
    wanted = np.array(expected, object if actual.dtype == object else None)
    if not wanted.size:
        assert actual.size == 0
        return
    assert actual.shape == wanted.shape
    if actual.dtype.kind in "biuO":
        assert actual.tolist() == expected
        return
    wide = np.complex128 if actual.dtype.kind == "c" else np.float64
    tolerance = _TOLERANCE.get(dtype, 1e-9)
    np.testing.assert_allclose(actual.astype(wide), wanted.astype(wide), rtol=tolerance, atol=tolerance)


def check_gradients(program: str, mode: str, expected: list[Any]) -> None:
    """Asserts the values of gradients; None where there is none."""
    results = run(program, mode)
    assert [r is None for r in results] == [e is None for e in expected]
    for result, values in zip(results, expected, strict=True):
        if values is not None:
            wide = np.complex128 if result.dtype.is_complex else np.float64
            actual = tf.convert_to_tensor(result).numpy().astype(wide)
            np.testing.assert_allclose(actual, np.array(values), rtol=1e-4, atol=1e-4)


def check_error(program: str, mode: str, kind: str, message: str) -> None:
    """Asserts the class of a program's exception and a part of its message."""
    with pytest.raises(Exception) as caught:
        run(program, mode)
    assert type(caught.value).__name__ == kind
    assert message in str(caught.value)
