"""Patches of images and volumes."""

from __future__ import annotations

import numpy as np

from tests.contracts.sample import Sample
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample(
        "ExtractImagePatches",
        [x([2, 4, 3, 2])],
        {"ksizes": [1, 2, 2, 1], "strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "SAME"},
        grad=True,
    ),
    Sample(
        "ExtractImagePatches",
        [x([1, 2, 2, 1], np.uint8)],
        {"ksizes": [1, 3, 3, 1], "strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"},
    ),
    Sample(
        "ExtractVolumePatches",
        [x([1, 3, 2, 2, 1])],
        {"ksizes": [1, 2, 2, 1, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"},
        grad=True,
    ),
]
