"""How arrays are cut into blocks: short rows are folded, arrays that repeat their elements are cut too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.util.block_plans import BlockPlan, stored_part


def cut(arrays: list[Any], shape: tuple[int, ...], most: int) -> list[list[Any]]:
    """Returns the pieces of the arrays for each block."""
    parts = [part for array in arrays if (part := stored_part(array)) is not None]
    is_expanded = [array.shape != part.shape for array, part in zip(arrays, parts, strict=True)]
    plan = BlockPlan(shape, [part.shape for part in parts], is_expanded, most)
    views = plan.views(parts)
    return [plan.pieces(views, index) for index in range(len(plan.cuts))]


def product(arrays: list[Any], shape: tuple[int, ...], most: int) -> Any:
    """Multiplies arrays block by block."""
    out = np.empty(shape, np.float32)
    for x, y, piece in cut([*arrays, out], shape, most):
        np.multiply(x, y, out=piece)
    return out


SHAPES = [
    ((3000, 16), (16,)),
    ((1031, 16), (16,)),  # a prime number of rows
    ((8, 9, 25, 3), (3,)),
    ((8, 100, 24), (8, 1, 24)),
    ((7, 101, 24), (7, 1, 24)),
    ((40, 100), (40, 1)),
    ((4, 50, 60), (4, 1, 1)),
    ((5000,), ()),
]


@pytest.mark.parametrize(("shape", "other"), SHAPES)
@pytest.mark.parametrize("most", [100, 5000, 1 << 20])
def test_blocks_together_are_the_whole(shape: tuple[int, ...], other: tuple[int, ...], most: int) -> None:
    random = np.random.RandomState(0)
    x, y = random.rand(*shape).astype(np.float32), np.asarray(random.rand(*other), np.float32)
    np.testing.assert_array_equal(product([x, y], shape, most), x * y)


@pytest.mark.parametrize(("shape", "other"), SHAPES[:-1])
def test_an_array_that_repeats_its_elements_has_pieces_of_the_shape_of_the_block(
    shape: tuple[int, ...], other: tuple[int, ...]
) -> None:
    x = np.random.RandomState(0).rand(*shape).astype(np.float32)
    y = np.broadcast_to(np.random.RandomState(1).rand(*other).astype(np.float32), shape)
    np.testing.assert_array_equal(product([x, y], shape, 5000), x * y)
    assert all(a.shape == b.shape for a, b in cut([x, y], shape, 5000))


def test_short_rows_are_folded_into_long_ones_that_still_fit_a_block() -> None:
    x, vector = np.ones((36864, 16), np.float32), np.ones(16, np.float32)
    blocks = cut([x, vector], x.shape, 1 << 16)
    assert {piece.shape for piece, _ in blocks} == {(8, 8192)}
    assert {piece.shape for _, piece in blocks} == {(1, 8192)}


def test_rows_that_are_left_over_are_a_block_of_their_own() -> None:
    x, vector = np.ones((1027, 16), np.float32), np.ones(16, np.float32)
    assert [piece.shape for piece, _ in cut([x, vector], x.shape, 1 << 16)] == [(2, 8192), (3, 16)]


def test_the_stored_part_of_an_array() -> None:
    x = np.arange(12.0).reshape(3, 4)
    assert stored_part(x) is x
    assert stored_part(x.T) is None
    for array, shape in ((np.broadcast_to(x[:1], (5, 4)), (1, 4)), (np.broadcast_to(x[:, :1], (3, 9)), (3, 1))):
        part = stored_part(array)
        assert (None if part is None else part.shape) == (shape if array.strides[0] == 0 else None)
