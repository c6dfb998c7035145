"""Jacobians of eager tapes: the program of a form that has come back gives what the slow path gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff import jacobian_programs, sweep_programs

X = tf.constant([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
W = tf.constant([[0.5, 1.0], [-2.0, 0.25], [1.0, 3.0]])

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "matrix product": lambda x, w: tf.tanh(x @ w),
    "a scalar": lambda x, w: tf.reduce_sum(tf.nn.softmax(x @ w) ** 2),
    "rows that are picked": lambda x, w: tf.gather(w, [2, 0, 2]) * tf.reduce_sum(x),
    "several outputs": lambda x, w: tf.split(x, 3, axis=1)[1] * w[0],
    "no tensor of the tape": lambda x, w: x * 2.0,
    "the source itself": lambda x, w: x,
    "convolution": lambda x, w: tf.nn.conv2d(tf.reshape(x, [1, 2, 3, 1]), tf.reshape(w, [3, 2, 1, 1]), 1, "SAME"),
    "complex": lambda x, w: tf.signal.fft(tf.complex(x, -x)),
}


@pytest.fixture
def forms(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """The table of forms, empty; a program is made when a form comes for the second time."""
    table: dict[Any, Any] = {}
    monkeypatch.setattr(sweep_programs, "_SWEEPS_BEFORE", 1)
    monkeypatch.setattr(sweep_programs, "_forms", table)
    return table


def jacobians(function: Callable[[Any, Any], Any], x: Any, w: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = function(x, w)
    return [None if j is None else j.numpy() for j in tape.jacobian(y, [x, w])]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_program_gives_what_the_general_way_gives(name: str, forms: dict[Any, Any]) -> None:
    first, *later = [jacobians(FUNCTIONS[name], X, W) for _ in range(3)]
    if name != "the source itself":  # a tape without entries has no form
        assert any(type(entry) is sweep_programs.SweepRunner for entry in forms.values())
    for found in later:
        for expected, value in zip(first, found, strict=True):
            assert (expected is None) == (value is None)
            if expected is not None:
                assert value.dtype == expected.dtype
                np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


def test_the_values_of_each_tape_are_its_own(forms: dict[Any, Any]) -> None:
    for factor in (1.0, 2.0, 3.0, 4.0):
        found, _ = jacobians(lambda x, w: x * x, X * factor, W)
        diagonal = np.diagonal(found.reshape(6, 6))
        np.testing.assert_allclose(diagonal, 2.0 * factor * X.numpy().reshape(-1), rtol=1e-6)


def test_another_shape_is_another_form(forms: dict[Any, Any]) -> None:
    for x in (X, X[:1], X, X[:1], X, X[:1]):
        assert jacobians(lambda x, w: x @ w, x, W)[0].shape == (x.shape[0], 2, x.shape[0], 3)
    assert len(forms) == 2


def test_an_operation_without_a_rule_for_all_rows_takes_the_slow_path(
    forms: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> Any:
        raise NotImplementedError

    monkeypatch.setattr(jacobian_programs, "vectorize", refuse)
    first, *later = [jacobians(FUNCTIONS["matrix product"], X, W) for _ in range(3)]
    assert set(forms.values()) == {None}
    for found in later:
        np.testing.assert_allclose(found[0], first[0], rtol=1e-4)


def test_zeros_for_unconnected_sources_and_loops_take_the_slow_path(forms: dict[Any, Any]) -> None:
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([X, W])
            y = X * 2.0
        zeros = tape.jacobian(y, W, unconnected_gradients="zero")
        assert zeros.shape == (2, 3, 3, 2)
        assert not zeros.numpy().any()
        tape.jacobian(y, X, experimental_use_pfor=False)
    assert not any(type(form) is tuple and form[0] == "rows" for form in forms)


def test_a_jacobian_that_a_program_made_can_be_differentiated(forms: dict[Any, Any]) -> None:
    for _ in range(3):
        with tf.GradientTape() as outer:
            outer.watch(X)
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = X**3
            first = tape.jacobian(y, X)
            total = tf.reduce_sum(first)
        np.testing.assert_allclose(outer.gradient(total, X).numpy(), 6 * X.numpy(), rtol=1e-5)
