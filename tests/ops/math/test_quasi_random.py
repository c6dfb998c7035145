"""Sobol's sequence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_value

SAMPLES = [
    Sample("SobolSample", (np.int32(3), np.int32(5), np.int32(0))),
    Sample("SobolSample", (np.int32(2), np.int32(3), np.int32(4)), {"dtype": tf.float64}),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.sobol_sample(2, 4)", "float32", [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75], [0.375, 0.375]]),
    (
        "tf.math.sobol_sample(3, 5)",
        "float32",
        [[0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625], [0.875, 0.875, 0.125]],
    ),
    (
        "tf.math.sobol_sample(3, 5, skip=2, dtype=tf.float64)",
        "float64",
        [
            [0.25, 0.75, 0.75],
            [0.375, 0.375, 0.625],
            [0.875, 0.875, 0.125],
            [0.625, 0.125, 0.875],
            [0.125, 0.625, 0.375],
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)
