"""Taking steps of an optimizer's op, as the recording did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import millrace as tf


def arguments(op: str, slots: list[str], numbers: dict[str, float]) -> tuple[list[Any], dict[str, Any]]:
    """The variables, and the arguments of a step on them: the second of two draws, as in the recording."""
    generator = np.random.default_rng(3)
    for dtype in (np.float32, np.float64):
        variables = {name: tf.Variable((generator.random((3, 2)) + 0.1).astype(dtype)) for name in ["var", *slots]}
        gradient = generator.standard_normal((3, 2)).astype(dtype)
    keywords: dict[str, Any] = {name: variable.handle for name, variable in variables.items()}
    for name, number in numbers.items():
        keywords[name] = np.int64(number) if name == "global_step" else np.float64(number)
    is_sparse = "Sparse" in op
    keywords["delta" if "GradientDescent" in op and not is_sparse else "grad"] = gradient
    if is_sparse:
        keywords["indices"] = [2, 0, 2]
    return list(variables.values()), keywords


def after_two_steps(
    op: str,
    slots: list[str],
    numbers: dict[str, float],
    attrs: dict[str, Any],
    wrap: Callable[..., Any] | None = None,
) -> list[float]:
    """The variable and its slots after two steps, flat."""
    variables, keywords = arguments(op, slots, numbers)

    def step() -> None:
        getattr(tf.raw_ops, op)(**keywords, **attrs)

    stepping = step if wrap is None else wrap(step)
    for _ in range(2):
        stepping()
    return [number for variable in variables for number in variable.numpy().reshape(-1).tolist()]
