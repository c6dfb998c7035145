"""A store of elements: slots are given, freed and used again."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.data.blocks import Block
from millrace._src.data.element_store import ElementStore


def block(*values: int, sizes: tuple[int, ...] = ()) -> Block:
    return Block.of_rows([[np.full(s, v)] for v, s in zip(values, sizes or (1,) * len(values), strict=True)])


def values(taken: Block) -> list[list[int]]:
    return [array.tolist() for (array,) in taken.rows()]


def test_elements_come_back_in_the_order_of_the_slots() -> None:
    store = ElementStore()
    slots = store.add(block(1, 2, 3))
    assert len(set(slots)) == 3
    assert values(store.remove([slots[2], slots[0]])) == [[3], [1]]


def test_a_store_keeps_copies() -> None:
    store, numbers = ElementStore(), np.array([1, 2])
    slots = store.add(Block([numbers], 2))
    numbers[:] = 0
    assert values(store.remove(slots)) == [1, 2]


def test_elements_of_other_shapes_turn_columns_into_lists() -> None:
    store = ElementStore()
    slots = store.add(block(1, 2)) + store.add(block(3, 4, sizes=(2, 0))) + store.add(block(5))
    assert values(store.remove(slots)) == [[1], [2], [3, 3], [], [5]]


def test_no_elements_have_no_state() -> None:
    store = ElementStore()
    assert store.save([]) is None
    slots = store.add(block(7, 8))
    assert values(Block.from_state(store.save(slots[1:]))) == [[8]]


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), max_size=12), st.randoms(use_true_random=False))
def test_a_store_never_gives_a_slot_twice_nor_grows_without_need(steps: list[tuple[int, int]], draw: object) -> None:
    store, held, largest, number = ElementStore(), dict[int, int](), 0, 0
    for added, removed in steps:
        new = list(range(number, number + added))
        number += added
        slots = store.add(block(*new))
        assert not set(slots) & set(held)
        held.update(zip(slots, new, strict=True))
        largest = max(largest, len(held))
        leaving = draw.sample(sorted(held), min(removed, len(held)))  # type: ignore[attr-defined]  # a random.Random
        if leaving:
            assert values(store.remove(leaving)) == [[held.pop(slot)] for slot in leaving]
    assert store._size < 2 * max(largest, 1)
