"""Control flow that ops use is the public functions' own, found by name, eagerly and in a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_registry import find_late_bound
from millrace._src.ops import control_flow


@pytest.mark.parametrize("name", ["cond", "foldl", "map_fn", "vectorized_map", "while_loop"])
def test_the_late_bound_function_is_the_public_function(name: str) -> None:
    assert find_late_bound(name) is getattr(tf, name)


def results(x: Any) -> list[Any]:
    return [
        control_flow.cond(x[0] > 0, lambda: x * 2, lambda: x * 3),
        control_flow.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + x), (tf.constant(0), x))[1],
        control_flow.foldl(lambda a, b: a - b, x, initializer=tf.constant(1.0)),
        control_flow.map_fn(lambda a: a * a, x),
        control_flow.vectorized_map(lambda a: a + 1, x),
    ]


@pytest.mark.parametrize("run", [results, tf.function(results)], ids=["eager", "graph"])
def test_each_function_computes_what_the_public_one_does(run: Any) -> None:
    found = [np.asarray(r).tolist() for r in run(tf.constant([1.0, 2.0]))]
    assert found == [[2.0, 4.0], [4.0, 8.0], -2.0, [1.0, 4.0], [2.0, 3.0]]
