"""The order of `Dataset.shuffle`, against TensorFlow's rules in plain Python and against orders of TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.data.cursors import Cursor
from millrace._src.data.nodes import PassContext
from millrace._src.data.pass_seeds import Words
from millrace._src.data.transforms.shuffle import ShuffleNode
from tests.data.pipelines import check_restores_everywhere, failing_at, rest, started

Dataset = tf.data.Dataset
RECORDED_PASSES = [[1, 0, 2, 5, 4, 7, 6, 3], [0, 4, 5, 2, 3, 7, 6, 1]]


def shuffled(elements: list[int], size: int, seeds: tuple[int, int]) -> Iterator[int]:
    """TensorFlow's rule, one element at a time: a ring that is filled up before every output."""
    size = len(elements) + 1 if size == -2 else size
    words, source = Words(*seeds), iter(elements)
    ring: list[Any] = [None] * size
    start = end = 0
    while True:
        while end - start < size and (new := next(source, None)) is not None:
            ring[end % size] = new
            end += 1
        if start == end:
            return
        chosen = (start + int(words.take(1)[0]) % (end - start)) % size
        yield ring[chosen]
        ring[chosen] = ring[start % size]
        start += 1


def node(dataset: Any) -> ShuffleNode:
    assert isinstance(dataset.node, ShuffleNode)
    return dataset.node


def by_position(count: int) -> Any:
    return Dataset.range(count)


def by_stream(count: int) -> Any:
    return Dataset.range(count).filter(lambda x: x >= 0)


def drain(cursor: Cursor, limits: Iterator[int]) -> list[int]:
    numbers: list[int] = []
    while (block := cursor.next_block(next(limits))) is not None:
        numbers += block.columns[0].tolist()
    return numbers


def cycled(limits: list[int]) -> Iterator[int]:
    while True:
        yield from limits


@pytest.mark.parametrize("make", [by_position, by_stream])
@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(0, 50),
    size=st.integers(1, 60) | st.just(-2),
    limits=st.lists(st.integers(1, 20), min_size=1, max_size=4),
    seed=st.integers(1, 2**40),
)
def test_blocks_of_all_lengths_give_tensorflows_order(
    make: Any, count: int, size: int, limits: list[int], seed: int
) -> None:
    source = make(count).node
    shuffle = ShuffleNode(source.dtypes, source.shapes, source, size, (seed, 5), None)
    assert drain(shuffle.cursor(PassContext()), cycled(limits)) == list(shuffled(list(range(count)), size, (seed, 5)))


@pytest.mark.parametrize("make", [by_position, by_stream])
@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 30), size=st.integers(1, 40) | st.just(-2), taken=st.integers(0, 30), limit=st.integers(1, 9)
)
def test_a_pass_goes_on_from_a_saved_state(make: Any, count: int, size: int, taken: int, limit: int) -> None:
    source = make(count).node
    shuffle = ShuffleNode(source.dtypes, source.shapes, source, size, (3, 4), None)
    first, second = shuffle.cursor(PassContext()), shuffle.cursor(PassContext())
    while taken > 0 and (block := first.next_block(min(limit, taken))) is not None:
        taken -= block.count
    second.restore(first.save())
    assert drain(second, cycled([limit])) == drain(first, cycled([3, 1]))


@pytest.mark.parametrize("make", [by_position, by_stream])
def test_skipped_elements_are_those_that_would_have_come(make: Any) -> None:
    whole = [int(x) for x in make(20).shuffle(6, seed=9, reshuffle_each_iteration=False)]
    assert [int(x) for x in make(20).shuffle(6, seed=9, reshuffle_each_iteration=False).skip(7)] == whole[7:]


def test_each_pass_has_tensorflows_order_of_its_own() -> None:
    tf.random.set_seed(42)
    dataset = Dataset.range(8).shuffle(4, seed=7)
    passes = [[int(x) for x in dataset] for _ in range(2)]
    assert passes == RECORDED_PASSES


def test_without_reshuffling_all_passes_are_alike() -> None:
    dataset = Dataset.range(30).shuffle(30, reshuffle_each_iteration=False, seed=3)
    assert [int(x) for x in dataset] == [int(x) for x in dataset]


def test_without_seeds_orders_differ() -> None:
    tf.random.set_seed(None)
    dataset = Dataset.range(30).shuffle(30)
    assert len({tuple(int(x) for x in dataset) for _ in range(4)}) > 1


@pytest.mark.parametrize("size", [0, -1, -3])
def test_a_buffer_without_a_size_is_refused(size: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="buffer_size must be greater than zero or UNKNOWN"):
        Dataset.range(3).shuffle(size)


def test_a_shuffle_over_slices_holds_positions_not_elements() -> None:
    dataset = Dataset.from_tensor_slices(np.zeros([1000, 1000], np.float32)).shuffle(500)
    cursor = node(dataset).cursor(PassContext())
    cursor.next_block(1)
    seeds, drawn, *_ = cursor.save()
    assert drawn == 1
    assert len(seeds) == 2


def test_elements_of_different_shapes_are_shuffled() -> None:
    dataset = Dataset.range(6).map(lambda x: tf.ones([x % 3])).shuffle(3, seed=1)
    assert sorted(len(x) for x in dataset) == [0, 0, 1, 1, 2, 2]


def test_an_error_of_an_element_comes_at_its_index() -> None:
    def refuse_three(x: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_none_equal(x, tf.constant(3, tf.int64))
        return x

    iterator = iter(Dataset.range(6).map(refuse_three).shuffle(2, seed=4))
    found, failed = [], 0
    while (value := _next(iterator)) is not StopIteration:
        if isinstance(value, Exception):
            failed += 1
        else:
            found.append(value)
    assert (sorted(found), failed) == ([0, 1, 2, 4, 5], 1)


def _next(iterator: Any) -> Any:
    try:
        return int(next(iterator))
    except StopIteration:
        return StopIteration
    except tf.errors.InvalidArgumentError as error:
        return error


def test_a_function_gives_the_same_order_in_each_call() -> None:
    @tf.function
    def first() -> tf.Tensor:
        return next(iter(Dataset.range(100).shuffle(100, seed=5).batch(5)))

    assert first().numpy().tolist() == first().numpy().tolist()


@pytest.mark.parametrize("make", [by_position, by_stream])
def test_an_error_that_waits_is_restored(make: Any) -> None:
    check_restores_everywhere(lambda: failing_at(make(9), 3, 4).padded_batch(1).unbatch().shuffle(2, seed=5))
    check_restores_everywhere(lambda: failing_at(make(9), 3, 4).shuffle(1, seed=5))


@pytest.mark.parametrize("make", [by_position, by_stream])
def test_the_seeds_of_later_passes_are_those_of_the_pass_that_was_saved(make: Any) -> None:
    check_restores_everywhere(lambda: make(6).shuffle(4, seed=3).repeat(3))


@pytest.mark.parametrize("make", [by_position, by_stream])
def test_unchosen_seeds_are_restored_too(make: Any) -> None:
    first, again = started(make(9).shuffle(9).repeat(2)), started(make(9).shuffle(9).repeat(2))
    again.restore(first.save())
    assert rest(again) == rest(first)


def test_a_graph_for_sessions_has_the_op_without_a_generator() -> None:
    def op_of(dataset: Any) -> str:
        return str(dataset._variant_tensor.op.type)

    with tf.Graph().as_default():
        assert op_of(Dataset.range(3).shuffle(2)) == "ShuffleDataset"
    seen = []
    tf.function(lambda: seen.append(op_of(Dataset.range(3).shuffle(2)))).get_concrete_function()
    assert seen == ["ShuffleDatasetV3"]
