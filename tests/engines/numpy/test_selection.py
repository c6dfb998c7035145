"""`where` by arithmetic on bits is NumPy's `where`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from millrace._src.engines.numpy import selection
from millrace._src.engines.numpy.selection import where

DTYPES = ["float16", "float32", "float64", "complex64", "complex128", "bool", "int8", "uint16", "int32", "int64"]
SHAPES: list[tuple[Any, Any, Any]] = [  # condition, x, y
    ((64, 100), (64, 100), (64, 100)),
    ((64, 100), (), (64, 100)),
    ((64, 100), (64, 100), (1, 1)),
    ((64, 100), (5, 64, 100), (64, 100)),
    ((64, 100), (5, 64, 100), (5, 1, 100)),
    ((64, 100), (64, 1), (100,)),
    ((64, 1), (64, 100), ()),
    ((3000,), (1, 1), (1,)),
    ((40_000,), (40_000,), (40_000,)),
    ((40_000,), (2, 40_000), ()),
]


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("dtype", [*DTYPES, ml_dtypes.bfloat16])
def test_it_gives_the_bits_that_numpy_gives(dtype: Any, shapes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_FEWEST", 1)
    rng = np.random.default_rng(0)
    condition = rng.random(shapes[0]) < 0.5
    x, y = (np.asarray(rng.integers(-9, 9, shape).astype(dtype)) for shape in shapes[1:])
    for other in (y, np.zeros_like(y)):
        chosen, expected = where(condition, x, other), np.where(condition, x, other)
        assert (chosen.dtype, chosen.shape) == (expected.dtype, expected.shape)
        assert chosen.tobytes() == expected.tobytes()


def test_nan_infinities_and_signs_of_zeros_are_taken_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_FEWEST", 1)
    x, y = np.float32([np.nan, np.inf, -0.0, 1.0] * 2), np.float32([-np.inf, np.nan, 0.0, -0.0] * 2)
    condition = np.array([True] * 4 + [False] * 4)
    assert where(condition, x, y).tobytes() == np.where(condition, x, y).tobytes()


def test_strided_arrays_and_objects_are_taken_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_FEWEST", 1)
    x = np.arange(24.0).reshape(4, 6)
    np.testing.assert_array_equal(where((x.T % 2 == 0), x.T, -x.T), np.where(x.T % 2 == 0, x.T, -x.T))
    words = np.array([b"a", b"b"], object)
    assert where(np.array([True, False]), words, words[::-1]).tolist() == [b"a", b"a"]


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        where(np.zeros((1 << 15,), bool), np.zeros(3), np.zeros(4))
