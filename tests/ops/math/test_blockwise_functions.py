"""Functions of float arrays, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.ops.math.blockwise_functions import BLOCK, in_blocks, polynomial, singles


def add(x: Any, y: Any, result: Any) -> None:
    np.add(x, y, out=result)


@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 0, 2), (2, BLOCK + 1), (5, 3 * BLOCK // 4)])
def test_every_element_is_in_a_block(shape: Any) -> None:
    x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    result = in_blocks(add, x, x, nanoseconds=1)
    assert (result.shape, result.dtype) == (x.shape, x.dtype)
    np.testing.assert_array_equal(result, x + x)
    np.testing.assert_array_equal(in_blocks(add, x.T, x.T, nanoseconds=1), (x + x).T)


def test_a_polynomial_begins_with_its_constant() -> None:
    x = np.float32([0, 1, 2])
    assert polynomial(singles([5, 3, 2]), x).tolist() == [5, 10, 19]
    assert polynomial(singles([5, 3]), x).tolist() == [5, 8, 11]
