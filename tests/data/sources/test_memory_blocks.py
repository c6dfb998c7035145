"""Datasets of elements that a transformation holds."""

from __future__ import annotations

import numpy as np

import millrace as tf
from millrace._src.core.shapes import TensorShape
from millrace._src.data.blocks import Block
from millrace._src.data.nodes import PassContext
from millrace._src.data.sources.memory_blocks import HeldNode


def held(*numbers: int) -> HeldNode:
    block = Block([np.array(numbers)], len(numbers)) if numbers else None
    return HeldNode((tf.int64,), (TensorShape([]),), block)


def test_elements_are_had_by_position() -> None:
    node = held(5, 6, 7)
    assert node.is_random_access
    assert node.cardinality() == 3
    assert node.slice(1, 3).columns[0].tolist() == [6, 7]
    assert node.gather(np.array([2, 0])).columns[0].tolist() == [7, 5]


def test_elements_of_different_shapes_are_had_by_position() -> None:
    node = HeldNode((tf.int64,), (TensorShape([None]),), Block([[np.arange(1), np.arange(2)]], 2))
    assert [row.tolist() for row in node.gather(np.array([1, 0])).columns[0]] == [[0, 1], [0]]


def test_a_dataset_of_no_elements_ends() -> None:
    node = held()
    assert node.cardinality() == 0
    assert node.cursor(PassContext()).next_block(3) is None


def test_a_pass_gives_all_elements_and_may_be_restored() -> None:
    cursor = held(5, 6, 7).cursor(PassContext())
    cursor.next_block(2)
    again = held(5, 6, 7).cursor(PassContext())
    again.restore(cursor.save())
    block = again.next_block(9)
    assert block is not None
    assert block.columns[0].tolist() == [7]


def test_the_handle_of_a_held_dataset_says_what_it_is() -> None:
    assert repr(held(1)) == "<Window>"
