"""The formulas of optimizers; `test_dense_updates` compares all of them with TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.ops.training import update_rules as rules

XP: Any = np


def test_gradient_descent_steps_against_the_gradient() -> None:
    assert rules.gradient_descent(XP, np.float64(2), np.float64(1), np.float64(0.25))[0] == 0.5


def test_proximal_steps_shrink_to_zero() -> None:
    (moved,) = rules.proximal_gradient_descent(
        XP, np.zeros(3), np.array([0.1, -0.1, 2.0]), np.float64(1), np.float64(0.5), np.float64(1)
    )
    assert moved.tolist() == [0.0, 0.0, 0.75]


def test_signs_that_disagree_shorten_the_step() -> None:
    numbers = [np.float64(x) for x in (1, 1, 0.9, 0)]
    agreeing, disagreeing = (
        rules.add_sign(XP, np.float64(1), np.float64(0), m, *numbers[:3], np.float64(1))[0] for m in (1.0, -1.0)
    )
    assert -agreeing > -disagreeing
