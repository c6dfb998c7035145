"""Blocks: parts, rows, joins, with columns that are arrays and columns that are lists."""

from __future__ import annotations

import numpy as np
import pytest

from millrace._src.data.blocks import Block, alternating, join_blocks


def numbers(*values: int) -> Block:
    return Block([np.array(values)], len(values))


def ragged(*sizes: int) -> Block:
    return Block.of_rows([[np.arange(size)] for size in sizes])


def rows(block: Block) -> list[list[object]]:
    return [[array.tolist() for array in row] for row in block.rows()]


def test_rows_of_one_shape_share_an_array_and_others_make_a_list() -> None:
    assert Block.of_rows([[np.zeros(2), np.int64(1)], [np.ones(2), np.int64(2)]]).is_uniform
    assert ragged(2, 2).is_uniform and not ragged(2, 3).is_uniform


def test_a_block_gives_back_the_rows_it_was_made_of() -> None:
    assert rows(Block.of_rows([[np.array(1), np.array([2])], [np.array(3), np.array([4])]])) == [[1, [2]], [3, [4]]]
    assert rows(Block.of_row([np.array(5), np.array(b"a", object)])) == [[5, b"a"]]
    assert rows(ragged(1, 0, 2)) == [[[0]], [[]], [[0, 1]]]


def test_a_part_is_a_view_and_the_whole_part_the_block_itself() -> None:
    block = numbers(1, 2, 3, 4)
    assert rows(block.part(1, 3)) == [[2], [3]]
    assert np.shares_memory(block.part(1, 3).columns[0], block.columns[0])
    assert block.part(0, 4) is block
    assert rows(ragged(1, 2, 0).part(1, 3)) == [[[0, 1]], [[]]]


@pytest.mark.parametrize("block", [numbers(0, 1, 2), ragged(0, 1, 2)])
def test_elements_are_picked_in_the_order_of_the_indices(block: Block) -> None:
    assert rows(block.gather(np.array([2, 0, 2]))) == [rows(block)[i] for i in (2, 0, 2)]


def test_joined_blocks_have_all_rows_in_order() -> None:
    assert rows(join_blocks([numbers(1, 2), numbers(3)])) == [[1], [2], [3]]
    assert rows(join_blocks([ragged(1, 1), ragged(2)])) == [[[0]], [[0]], [[0, 1]]]
    block = numbers(1)
    assert join_blocks([block]) is block


def test_alternating_blocks_take_turns() -> None:
    first, second = numbers(1, 2, 3, 4), numbers(5, 6, 7, 8)
    assert rows(alternating([first, second], 2)) == [[1], [2], [5], [6], [3], [4], [7], [8]]
    assert rows(alternating([ragged(1, 2), ragged(0, 3)], 1)) == [[[0]], [[]], [[0, 1]], [[0, 1, 2]]]


def test_a_block_is_saved_and_restored() -> None:
    for block in (numbers(1, 2), ragged(1, 2)):
        assert rows(Block.from_state(block.save())) == rows(block)


def test_the_size_counts_numbers_and_the_characters_of_strings() -> None:
    assert numbers(1, 2, 3).nbytes == 24
    assert ragged(1, 2).nbytes == 24
    assert Block([np.array([b"four", b"more"], object)], 2).nbytes == 8
    assert Block([np.array([], object).reshape(2, 0)], 2).nbytes == 0
