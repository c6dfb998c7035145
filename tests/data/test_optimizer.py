"""Rewrites of a pipeline: they happen, they can be turned off, and they change no element."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import millrace as tf
from millrace._src.data.optimizer import optimized
from millrace._src.data.options import Options
from millrace._src.data.transforms.map_elements import MapNode
from millrace._src.data.transforms.with_options import options_of

Dataset = tf.data.Dataset


def rewritten(dataset: Any) -> Any:
    return optimized(dataset.node, options_of(dataset.node))


def depth(node: Any) -> int:
    return 1 + max((depth(source) for source in node.inputs), default=0)


def elements(dataset: Any) -> list[Any]:
    return [x.numpy().tolist() for x in dataset]


def test_pure_functions_that_follow_one_another_become_one() -> None:
    offset = tf.constant(range(100), tf.int64)
    dataset = Dataset.range(5).map(lambda x: x + offset[3]).map(lambda x: (x * offset[2], x)).map(lambda a, b: a - b)
    fused = rewritten(dataset)
    assert isinstance(fused, MapNode)
    assert depth(fused) == 2
    assert elements(dataset) == [x + 3 for x in range(5)]


def test_functions_with_effects_stay_apart() -> None:
    counter = tf.Variable(0, dtype=tf.int64)
    dataset = Dataset.range(3).map(lambda x: x + counter.assign_add(1)).map(lambda x: x * 2)
    assert depth(rewritten(dataset)) == 3
    assert elements(dataset) == [2, 6, 10]


def test_fusion_can_be_turned_off() -> None:
    for switch in ("map_fusion", "apply_default_optimizations"):
        options = tf.data.Options()
        setattr(options.experimental_optimization, switch, False)
        dataset = Dataset.range(3).with_options(options).map(lambda x: x + 1).map(lambda x: x * 2)
        assert depth(rewritten(dataset)) == 4
        assert elements(dataset) == [2, 4, 6]


def test_a_switch_of_its_own_counts_more_than_that_of_all_rules() -> None:
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    options.experimental_optimization.map_fusion = True
    dataset = Dataset.range(3).map(lambda x: x + 1).map(lambda x: x * 2).with_options(options)
    assert depth(rewritten(dataset)) == 3


def test_stages_that_change_nothing_are_left_out() -> None:
    assert depth(rewritten(Dataset.range(3).take(-1).skip(0))) == 1
    assert depth(rewritten(Dataset.range(3).take(2).skip(1))) == 3


def test_the_rewritten_dataset_is_made_once() -> None:
    dataset = Dataset.range(3).map(lambda x: x + 1).map(lambda x: x * 2)
    elements(dataset)
    first = dataset.node.rewritten
    elements(dataset)
    assert dataset.node.rewritten is first is not None


def test_a_shuffle_keeps_its_seeds_through_a_rewrite() -> None:
    tf.random.set_seed(1)
    plain = [elements(d) for d in [Dataset.range(9).shuffle(4, seed=2)] for _ in range(2)]
    tf.random.set_seed(1)
    again = [elements(d) for d in [Dataset.range(9).take(-1).shuffle(4, seed=2)] for _ in range(2)]
    assert plain == again


def test_options_default_to_those_of_no_dataset() -> None:
    assert options_of(Dataset.range(3).node) == Options()


@pytest.mark.parametrize("stage", [lambda d: d, lambda d: d.batch(2), lambda d: d.map(lambda x: x).take(-1)])
def test_a_dataset_that_was_gone_through_ends_with_its_last_user(stage: Any) -> None:
    dataset = stage(Dataset.from_tensor_slices([1, 2, 3]))
    gc.disable()  # nothing may wait for a collection: the dataset may hold much
    try:
        for _ in range(2):
            assert len(list(dataset)) > 0
        node = weakref.ref(dataset.node)
        del dataset
        assert node() is None
    finally:
        gc.enable()
