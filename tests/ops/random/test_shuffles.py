"""Permutations: TensorFlow's bits, and that nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import philox, shuffles
from millrace._src.ops.random.shuffles import permutation
from millrace._src.ops.random.stateless_ops import shuffle_rows
from tests.ops.random.bits import PROGRAMS, check


@pytest.mark.parametrize("program", PROGRAMS["shuffles"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@given(size=st.integers(0, 300), seed=st.integers(0, 2**63))
def test_a_permutation_holds_every_index_once(size: int, seed: int) -> None:
    order = permutation(xp, philox.stream_from_seeds(seed, 0), size)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(size))


def test_every_order_of_three_is_as_likely() -> None:
    orders = [tuple(permutation(xp, philox.stream_from_seeds(seed, 0), 3).tolist()) for seed in range(3000)]
    assert all(400 < orders.count(order) < 600 for order in set(orders))
    assert len(set(orders)) == 6


@given(size=st.integers(0, 200), seed=st.integers(0, 2**63), steps=st.sampled_from([4, 12, 64, 1024]))
def test_an_order_is_that_of_exchanges_one_after_the_other(size: int, seed: int, steps: int) -> None:
    stream = philox.stream_from_seeds(seed, 0)
    expected = list(range(size))
    for index, word in enumerate(philox.blocks(xp, stream, -(-size // 4)).reshape(-1)[:size].tolist()):
        partner = index + word % (size - index)
        expected[index], expected[partner] = expected[partner], expected[index]
    assert permutation(xp, stream, size).tolist() == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffles, "_FEW", 0)
        patch.setattr(shuffles, "_STEPS_AT_ONCE", steps)
        assert permutation(xp, stream, size).tolist() == expected


def test_rows_elements_and_strings_move_alike() -> None:
    stream = philox.stream_from_seeds(7, 8)
    order = permutation(xp, stream, 200)
    numbers = np.arange(200.0, dtype=np.float32)
    assert (shuffle_rows(xp, stream, numbers) == numbers[order]).all()
    assert (shuffle_rows(xp, stream, numbers.reshape(-1, 1))[:, 0] == numbers[order]).all()
    texts = np.array([str(i).encode() for i in range(200)], object)
    assert shuffle_rows(xp, stream, texts).tolist() == texts[order].tolist()
    assert numbers.tolist() == list(range(200))
