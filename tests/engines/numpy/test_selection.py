"""`where` by arithmetic on bits is NumPy's `where`."""

from __future__ import annotations

import itertools
import math
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


@pytest.mark.parametrize("shapes", [((), (4, 3), (4, 3)), ((1, 1), (4, 3), (4, 3)), ((1,), (), ()), ((), (4, 1), (3,))])
@pytest.mark.parametrize("dtype", [*DTYPES, ml_dtypes.bfloat16])
@pytest.mark.parametrize("value", [True, False])
def test_one_condition_chooses_an_operand(dtype: Any, shapes: Any, value: bool) -> None:
    rng = np.random.default_rng(0)
    condition = np.full(shapes[0], value)
    x, y = (np.asarray(rng.integers(-9, 9, shape).astype(dtype)) for shape in shapes[1:])
    chosen, expected = where(condition, x, y), np.where(condition, x, y)
    assert (chosen.dtype, chosen.shape) == (expected.dtype, expected.shape)
    assert chosen.tobytes() == expected.tobytes()
    assert chosen.flags.c_contiguous
    assert chosen.flags.writeable


def test_one_condition_takes_objects_and_empty_arrays_and_promotes_dtypes() -> None:
    words = np.array([b"a", b"b"], object)
    assert where(np.array(False), words, words[::-1]).tolist() == [b"b", b"a"]
    assert where(np.array(True), np.zeros((0, 3), np.float32), np.zeros((1, 3), np.float32)).shape == (0, 3)
    assert where(np.array(True), np.int32([1]), np.float64([2])).dtype == np.float64
    with pytest.raises(ValueError, match="broadcast"):
        where(np.array(True), np.zeros(3), np.zeros(4))


def test_an_operand_that_is_chosen_whole_is_not_copied() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.zeros((2, 3))
    assert where(np.array(True), x, y) is x


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", object])
def test_mirrored_pictures_are_put_in_order(channels: int, dtype: Any) -> None:
    picture = np.arange(4 * 5 * channels).reshape(4, 5, channels).astype(dtype)
    for mirrored in (picture[:, ::-1], picture[::-1], picture.transpose(1, 0, 2), picture[..., ::-1]):
        copy = selection.copy_in_order(mirrored)
        assert copy.flags.c_contiguous
        np.testing.assert_array_equal(copy, mirrored)


@pytest.mark.parametrize("shape", [(40, 30, 3), (2, 40, 30, 1), (40, 30, 2), (2000, 4), (5000,), (3, 4, 3), (0, 30, 3)])
@pytest.mark.parametrize("dtype", ["uint8", "float32", object])
def test_axes_are_reversed_as_by_numpy(shape: tuple[int, ...], dtype: Any) -> None:
    array = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    for axes in (None, *[tuple(c) for n in (1, 2) for c in itertools.combinations(range(-len(shape), 0), n)]):
        np.testing.assert_array_equal(selection.flip(array, axes), np.flip(array, axes))
        in_columns = np.asarray(array, order="F")
        np.testing.assert_array_equal(selection.flip(in_columns, axes), np.flip(array, axes))


def test_a_picture_with_reversed_columns_is_a_copy_in_order() -> None:
    picture = np.zeros((40, 30, 3), np.float32)
    assert selection.flip(picture, -2).flags.c_contiguous
    assert np.shares_memory(selection.flip(picture, -3), picture)
