"""tf.compat.v1.Print."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from tests.contracts.sample import GradientProgram

Print = tf.compat.v1.Print


def test_print_returns_its_input_and_shows_the_data(capfd: Any) -> None:
    x = tf.constant([1, 2])
    assert Print(x, [[1.0, 2, 3, 4], "a\n", 5], "msg ").numpy().tolist() == [1, 2]
    Print(x, [])
    Print(x, [[[1, 2], [3, 4]]], summarize=-1)
    assert capfd.readouterr().err == "msg [1 2 3...][a\\n][5]\n\n[[1 2][3 4]]\n"


def test_print_stops_after_the_first_n(capfd: Any) -> None:
    @tf.function(autograph=False)
    def f(x):
        return Print(x, [x], "f ", first_n=2) * 2.0

    assert [f(tf.constant(float(i))).numpy() for i in range(4)] == [0.0, 2.0, 4.0, 6.0]
    assert capfd.readouterr().err == "f [0]\nf [1]\n"


def test_the_gradient_passes_print(capfd: Any) -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = Print(x, [x]) * 3.0
    assert tape.gradient(y, x).numpy() == 3.0
    assert capfd.readouterr().err == "[2]\n"


# `first_n=0` is silent; XLA compiles nothing that prints.
GRADIENT_PROGRAMS = [
    GradientProgram("Print", lambda x: Print(x * x, [x], first_n=0), [np.array([1.0, -2.0])], xla=False)
]
