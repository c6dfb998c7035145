"""Positions in a permutation: TensorFlow's, each taken once, in batches and on every engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.random.bits import PROGRAMS, check

_SEED = np.array([5, 6, 7], np.int32)
SAMPLES = [
    *(
        Sample("RandomIndexShuffle", (np.arange(4).astype(d), _SEED, d(9)))
        for d in (np.int32, np.uint32, np.int64, np.uint64)
    ),
    Sample("RandomIndexShuffle", (np.int32(3), _SEED.astype(np.int64), np.int32(70000)), {"rounds": 8}),
    Sample("RandomIndexShuffle", (np.int32(3), np.stack([_SEED, _SEED + 1]), np.array([5, 6], np.int32))),
    Sample("RandomIndexShuffle", (np.zeros(0, np.int32), _SEED, np.int32(9))),
]


@pytest.mark.parametrize("program", PROGRAMS["index_shuffle"])
def test_positions_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@given(size=st.integers(1, 500), first=st.integers(-(2**31), 2**31 - 1), second=st.integers(-(2**31), 2**31 - 1))
def test_every_position_is_taken_once(size: int, first: int, second: int) -> None:
    positions = tf.random.experimental.index_shuffle(tf.range(size), [first, second], size - 1)
    assert sorted(positions.numpy().tolist()) == list(range(size))


def test_each_index_of_a_batch_may_have_a_seed() -> None:
    both = tf.random.experimental.index_shuffle([3, 4], [[1, 2], [3, 4]], 9).numpy().tolist()
    alone = [int(tf.random.experimental.index_shuffle(i, s, 9)) for i, s in ((3, [1, 2]), (4, [3, 4]))]
    assert both == alone


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, [5, 6, 7], 9), "index must be >= 0 but was -1"),
        ((1, [5, 6, 7], -9), "max_index must be >= 0 but was -9"),
        ((11, [5, 6, 7], 9), "max_index must be >= index, but 9 < 11"),
        ((1, [5, 6], 9), "Seed must be a vector of size [3] or a matrix of size [1, 3] but got [2]"),
        (([1, 2], [5, 6, 7], [9, 9, 9]), "index must be a scalar or a vector of size 3"),
        (([[1, 2]], [5, 6, 7], 9), "index must be a scalar or a vector"),
    ],
)
def test_arguments_that_do_not_fit_raise(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.raw_ops.RandomIndexShuffle(**dict(zip(("index", "seed", "max_index"), arguments, strict=True)))
    assert message in str(error.value)
