"""The rejection loop: first accepted values, outputs in TensorFlow's order, an end for what is never accepted."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import rejection


def _waiting(parameters: tuple[Any, ...], state: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """Accepts attempt `wait`, with the number of the attempt as its value."""
    (wait,), (attempts,) = parameters, state
    return attempts == wait, attempts.astype(np.float64), (attempts + np.uint64(1),)


def test_each_output_keeps_its_first_accepted_value() -> None:
    wait = np.array([3, 0, 7, 1], np.uint64)
    values = rejection.until_accepted(xp, _waiting, (wait,), (np.zeros(4, np.uint64),))
    assert values.tolist() == [3, 0, 7, 1]


def test_an_output_that_is_never_accepted_ends_with_its_stretch() -> None:
    values = rejection.until_accepted(xp, _waiting, (np.array([10**9], np.uint64),), (np.zeros(1, np.uint64),))
    assert values.tolist() == [255]


def test_outputs_are_numbered_parameter_by_parameter() -> None:
    def draw(first: int, index: Any) -> Any:
        return np.arange(first, first + len(index)) + index * 1000.0

    drawn = rejection.per_parameter(xp, (3, 2), draw)
    assert drawn.tolist() == [[0, 1003], [1, 1004], [2, 1005]]
