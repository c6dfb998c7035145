"""Seeds: how op seeds follow from the global one, and where a kernel's stream starts over."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.random import seeds


@pytest.fixture(autouse=True)
def no_global_seed() -> Iterator[None]:
    tf.random.set_seed(None)
    yield
    tf.random.set_seed(None)


def first(tensor: Any) -> float:
    return float(np.ravel(tensor.numpy())[0])


def test_eager_numbers_after_set_seed_are_those_of_tensorflow() -> None:
    for _ in range(2):
        tf.random.set_seed(1)
        drawn = [first(tf.random.uniform([])) for _ in range(3)]
        assert drawn == [0.16513085365295410, 0.51010704040527344, 0.82927739620208740]


def test_numbers_of_a_function_after_set_seed_are_those_of_tensorflow() -> None:
    tf.random.set_seed(1)

    @tf.function(autograph=False)
    def draw() -> Any:
        return [tf.random.uniform([]) for _ in range(3)]

    first_call = [np.float32(0.81269646), np.float32(0.055544138), np.float32(0.40639675)]
    assert [t.numpy() for t in draw()] == first_call
    assert [t.numpy() for t in draw()] == [np.float32(0.5272893), np.float32(0.8388307), np.float32(0.43159842)]
    tf.random.set_seed(2)
    assert [t.numpy() for t in draw()] == first_call, "the seed is in the graph; set_seed only starts streams over"


@pytest.mark.parametrize(
    ("global_seed", "op_seed", "seeds_"),
    [
        (None, None, (None, None)),
        (None, 0, (87654321, 0)),
        (None, 2**31 + 5, (87654321, 6)),
        (None, -3, (87654321, 2147483644)),
        (0, 0, (0, 2147483647)),
        (5, 9, (5, 9)),
        (-1, 9, (2147483646, 9)),
        (2**31 - 1, 0, (0, 2147483647)),
        (2**35 + 7, 3, (23, 3)),
        (2**64, 3, (4, 3)),
    ],
)
def test_two_seeds_are_made_as_tensorflow_makes_them(global_seed: Any, op_seed: Any, seeds_: Any) -> None:
    tf.random.set_seed(global_seed)
    assert seeds.get_seed(op_seed) == seeds_


def test_eager_op_seeds_are_numbered_by_the_global_seed() -> None:
    tf.random.set_seed(5)
    assert [seeds.get_seed(None) for _ in range(3)] == [(5, 1097127993), (5, 1539898300), (5, 124576495)]


def test_ops_of_a_graph_are_numbered_from_zero() -> None:
    with tf.Graph().as_default() as graph:
        tf.random.set_seed(3)
        tf.random.uniform([2])
        tf.random.normal([2])
        tf.random.uniform([2], seed=9)
    found = [
        (op.get_attr("seed"), op.get_attr("seed2")) for op in graph.get_operations() if op.type.startswith("Random")
    ]
    assert found == [(3, 0), (3, 1), (3, 9)]


def test_a_plain_graph_does_not_inherit_the_eager_seed() -> None:
    tf.random.set_seed(11)
    with tf.Graph().as_default():
        assert seeds.get_seed(None) == (None, None)


def test_a_nested_function_inherits_the_seed_and_counts_anew() -> None:
    tf.random.set_seed(11)
    found = []

    @tf.function(autograph=False)
    def outer() -> Any:
        found.append(seeds.get_seed(None))

        @tf.function(autograph=False)
        def inner() -> Any:
            found.append(seeds.get_seed(None))
            return tf.constant(0)

        inner()
        found.append(seeds.get_seed(None))
        return tf.constant(0)

    outer()
    assert found == [(11, 0), (11, 0), (11, 1)]


def test_ops_of_one_seed_and_kind_share_a_stream_in_eager_mode() -> None:
    tf.random.set_seed(1)
    both = [first(tf.random.uniform([], seed=5)), first(tf.random.uniform([2], seed=5))]
    tf.random.set_seed(1)
    assert both == [first(tf.random.uniform([], seed=5)), first(tf.random.uniform([2], seed=5))]
    assert both[0] != both[1]


def test_nodes_of_one_seed_have_a_stream_each() -> None:
    @tf.function(autograph=False)
    def same() -> Any:
        return tf.random.uniform([], seed=5), tf.random.uniform([], seed=5)

    a, b = same()
    c, d = same()
    assert first(a) == first(b) != first(c) == first(d)


def test_without_a_seed_nothing_repeats() -> None:
    drawn = {first(tf.random.uniform([])) for _ in range(20)}
    assert len(drawn) > 15


def test_a_stream_carries_into_the_upper_half_of_its_counter() -> None:
    stream = seeds.KernelStream(1, 2)
    stream.take(2**64 + 5)
    position = stream.take(1)
    assert (position.low.tolist(), position.high.tolist()) == ([5], [3])


def test_streams_of_forgotten_calls_are_let_go() -> None:
    kept = {"seed": 1, "seed2": 2}
    mine = seeds.stream_of(kept)
    for number in range(1000):
        seeds.stream_of({"seed": number, "seed2": 0})
    gc.collect()
    assert len(seeds._streams) < 800
    assert seeds.stream_of(kept) is mine


def test_numbered_eager_ops_leave_no_kernels_behind() -> None:
    from millrace._src.core.op_registry import get_op

    tf.random.set_seed(1)
    tf.random.normal([2], seed=5)
    before = get_op("RandomStandardNormal").kernel_cache.keys()
    for _ in range(50):
        tf.random.normal([2])
    assert get_op("RandomStandardNormal").kernel_cache.keys() == before
    tf.random.set_seed(1)
    a = tf.random.normal([2], seed=5).numpy()
    tf.random.normal([2])
    assert (tf.random.normal([2], seed=5).numpy() != a).all(), "an op with a seed of its own goes on"
