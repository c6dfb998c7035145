"""Where the elements of arrays begin."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from millrace._src.util.onednn import addresses
from millrace._src.util.onednn.addresses import address_of

ARRAYS = [
    np.zeros((3, 4), np.float32),
    np.zeros((3, 4), np.float32)[1:, ::-1],
    np.zeros(7, ml_dtypes.bfloat16)[2:],
    np.asfortranarray(np.zeros((3, 4))),
    np.broadcast_to(np.float32(1), (3, 4)),
    np.frombuffer(b"12345678", np.float32),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}-{array.strides}")
def test_both_ways_give_what_numpy_says(array: Any) -> None:
    assert address_of(array) == array.ctypes.data
    assert addresses._by_numpy(array) == array.ctypes.data


def test_the_quick_way_fits_this_interpreter() -> None:
    assert address_of is addresses._by_field
