"""Computing 16-bit floats in 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.math.precision import in_single, is_half
from tests.ops.math.samples import DTYPES


def test_half_floats_are_computed_in_single_precision() -> None:
    seen: list[Any] = []
    result = in_single(xp, lambda x: seen.append(x.dtype) or x + 1, np.array([1.0], DTYPES["bfloat16"]))
    assert seen == [np.float32]
    assert result.dtype == DTYPES["bfloat16"]


def test_larger_floats_are_left_alone() -> None:
    assert in_single(xp, lambda x: x, np.float64([1.0])).dtype == np.float64
    assert not is_half(np.float32([1.0]))
