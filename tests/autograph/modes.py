"""Runs a case of the corpus in one of its four modes, and says whether two answers are the same.

A tracing mode makes one `tf.function` and calls it with every argument tuple, so that a later call takes branches that
the traced values did not take.
"""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.autograph.corpus import Case

MODES = ("plain", "eager", "graph", "xla")
_TOLERANCES = {"float32": (1e-5, 1e-6), "float64": (1e-9, 1e-12)}


def refusal(case: Case, mode: str) -> str | None:
    """Why the case does not run in the mode, or None."""
    return {"eager": case.no_eager, "xla": case.no_xla}.get(mode)


def against_tensorflow(case: Case, mode: str) -> str | None:
    """Why TensorFlow does not give Python's answer in the mode, or None."""
    if mode in ("plain", "eager"):
        return None
    return case.superset or case.wrong or (case.superset_xla if mode == "xla" else None)


def prepared(case: Case, mode: str, tf: Any) -> Callable[..., Any]:
    """The function of the case as it is called in the mode."""
    if mode == "graph":
        return tf.function(case.function)
    if mode == "xla":
        return tf.function(case.function, jit_compile=True)
    return case.function


def arguments(case: Case, given: tuple[Any, ...], mode: str, tf: Any) -> list[Any]:
    """Fresh copies of one argument tuple, with tensors for NumPy values outside plain mode."""
    copies = copy.deepcopy(given)
    if mode == "plain":
        return list(copies)
    chosen = range(len(copies)) if case.tensor_args is None else case.tensor_args
    return [_with_tensors(value, tf) if index in chosen else value for index, value in enumerate(copies)]


def run(case: Case, mode: str, tf: Any) -> list[Any]:
    """What the case returns for each of its argument tuples; the first error ends it."""
    function = prepared(case, mode, tf)
    return [function(*arguments(case, given, mode, tf)) for given in case.args]


def attempt(case: Case, mode: str, tf: Any) -> tuple[list[Any], str]:
    """What the case returns or raises for each argument tuple, and what it printed in all."""
    function = prepared(case, mode, tf)
    results: list[Any] = []
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for given in case.args:
            try:
                results.append(function(*arguments(case, given, mode, tf)))
            except Exception as error:
                results.append(error)
    return results, out.getvalue()


def assert_same_value(expected: Any, actual: Any, where: str = "result") -> None:
    """Raises AssertionError unless `actual` has the structure and the values of `expected`; dtypes may differ."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict) and sorted(expected) == sorted(actual), f"{where}: {expected} and {actual}"
        for key, value in expected.items():
            assert_same_value(value, actual[key], f"{where}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        actual = _as_sequence(actual)
        assert len(expected) == len(actual), f"{where}: {expected} and {actual}"
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            assert_same_value(left, right, f"{where}[{index}]")
    elif expected is None:
        assert actual is None, f"{where}: None and {actual}"
    else:
        _assert_same_array(_as_array(expected), _as_array(actual), where)


def _with_tensors(value: Any, tf: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return tf.constant(value)
    if isinstance(value, dict):
        return {key: _with_tensors(part, tf) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_with_tensors(part, tf) for part in value)
    return value


def _as_sequence(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else list(_as_array(value))


def _as_array(value: Any) -> Any:
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if array.dtype.kind in "SUO":
        return np.array([part.decode() if isinstance(part, bytes) else part for part in array.reshape(-1)])
    return array


def _assert_same_array(expected: Any, actual: Any, where: str) -> None:
    if "float" not in str(expected.dtype) + str(actual.dtype):
        np.testing.assert_array_equal(actual, expected, err_msg=where)
        return
    either = {str(expected.dtype), str(actual.dtype)}
    rtol, atol = _TOLERANCES["float32" if either & {"float32", "float16"} else "float64"]
    np.testing.assert_allclose(actual, expected, rtol, atol, err_msg=where)
