"""Permutations: TensorFlow's bits, and that nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import philox
from millrace._src.ops.random.shuffles import permutation
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
