"""`tf.foldl`, `tf.foldr`, `tf.scan`: directions, first states, both engines, against Python loops."""

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


def states(values: list[int], first: int | None, reverse: bool) -> list[int]:
    """What `scan` returns for `a * 2 - e`, by a loop."""
    order = values[::-1] if reverse else values
    state, rest, found = (first, order, []) if first is not None else (order[0], order[1:], [order[0]])
    for value in rest:
        state = state * 2 - value
        found.append(state)
    return found[::-1] if reverse else found


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.none() | st.integers(-9, 9), st.booleans(), st.booleans()
)
def test_scans_and_folds_are_loops(values: list[int], first: int | None, reverse: bool, traced: bool) -> None:
    def f(x: Any) -> Any:
        fold = tf.foldr if reverse else tf.foldl
        step = lambda a, e: a * 2 - e  # noqa: E731
        return tf.scan(step, x, initializer=first, reverse=reverse), fold(step, x, initializer=first)

    scanned, folded = (tf.function(f, autograph=False) if traced else f)(tf.constant(values))
    expected = states(values, first, reverse)
    assert scanned.numpy().tolist() == expected
    assert int(folded) == (expected[0] if reverse else expected[-1])


@pytest.mark.parametrize("options", MODES)
def test_the_gradient_of_a_scan(options: dict[str, Any]) -> None:
    @tf.function(autograph=False, **options)
    def f(x: Any, a: Any) -> Any:
        y = tf.scan(lambda a, e: a * e, x, initializer=a)
        return y, tf.gradients(y, [x, a])

    y, (dx, da) = f(tf.constant([2.0, 3.0]), tf.constant(5.0))
    assert (y.numpy().tolist(), dx.numpy().tolist(), float(da)) == ([10.0, 30.0], [20.0, 10.0], 8.0)


@pytest.mark.parametrize("options", MODES)
def test_states_are_structures(options: dict[str, Any]) -> None:
    @tf.function(autograph=False, **options)
    def f(x: Any) -> Any:
        first = {"sum": tf.zeros([]), "last": tf.zeros([])}
        return tf.scan(lambda a, e: {"sum": a["sum"] + e[0] * e[1], "last": e[0]}, (x, x), initializer=first)

    found = f(tf.constant([1.0, 2.0, 3.0]))
    assert {k: v.numpy().tolist() for k, v in found.items()} == {"sum": [1.0, 5.0, 14.0], "last": [1.0, 2.0, 3.0]}


def test_a_scan_checks_the_structure_of_the_state() -> None:
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.scan(lambda a, e: (a, a), tf.constant([1.0, 2.0]))
    assert np.asarray(tf.scan(lambda a, e: a, tf.constant([1.0, 2.0]))).tolist() == [1.0, 1.0]
