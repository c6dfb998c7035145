"""Rewrites of a pipeline: they happen, they can be turned off, and they change no element."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf
from millrace._src.data.debug_mode import set_debug_mode
from millrace._src.data.options import Options
from millrace._src.data.pipeline_optimizer import optimize, read_ahead
from millrace._src.data.transforms.map_elements import MapNode
from millrace._src.data.transforms.prefetch import InjectedPrefetchNode
from millrace._src.data.transforms.with_options import options_of
from tests.data.parallel import always_ahead, noting, stable_count
from tests.data.pipelines import check_restores_everywhere, outcomes

Dataset = tf.data.Dataset
__all__ = ["always_ahead"]


def rewritten(dataset: Any) -> Any:
    return optimize(dataset.node, options_of(dataset.node))


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


# --- elements that are made ahead --------------------------------------------------------------------------------


def node_of_pass(dataset: Any) -> Any:
    """Returns the node that a pass over a dataset goes over."""
    return read_ahead(dataset.node)


def is_made_ahead(dataset: Any) -> bool:
    return isinstance(node_of_pass(dataset), InjectedPrefetchNode)


def in_turn(dataset: Any, inner: Any) -> Any:
    return dataset.flat_map(lambda x: inner)


def with_option(dataset: Any, group: str, name: str, value: bool) -> Any:
    options = tf.data.Options()
    setattr(getattr(options, group), name, value)
    return dataset.with_options(options)


def waiting(threads: list[int], seconds: float = 0.005) -> Any:
    """Returns a map function that notes its thread, and waits."""

    def wait(x: Any) -> Any:
        threads.append(threading.get_ident())
        time.sleep(seconds)
        return x

    return lambda x: tf.py_function(wait, [x], tf.int64)


def test_the_options_say_whether_elements_are_made_ahead() -> None:
    dataset = Dataset.range(9).map(lambda x: x + 1)
    assert is_made_ahead(dataset)
    assert not is_made_ahead(with_option(dataset, "experimental_optimization", "inject_prefetch", False))
    assert not is_made_ahead(with_option(dataset, "autotune", "enabled", False))
    without = with_option(dataset, "experimental_optimization", "apply_default_optimizations", False)
    assert not is_made_ahead(without)
    assert is_made_ahead(with_option(without, "experimental_optimization", "inject_prefetch", True))


@pytest.mark.parametrize(
    "build",
    [
        lambda d: d.prefetch(2),
        lambda d: d.prefetch(2).with_options(tf.data.Options()),
        lambda d: d.prefetch(0).map(lambda x: x),
        lambda d: d.map(lambda x: x, num_parallel_calls=2),
        lambda d: d.batch(2, num_parallel_calls=2),
        lambda d: d.interleave(Dataset.from_tensors, cycle_length=2, num_parallel_calls=2),
        lambda d: d.shuffle(3, seed=1).repeat(),
        lambda d: d.concatenate(d.shuffle(3, seed=1)),
        lambda d: in_turn(d, Dataset.range(5).shuffle(3, seed=1)),
    ],
)
def test_some_pipelines_are_not_made_ahead(build: Any) -> None:
    assert not is_made_ahead(build(Dataset.range(9)))


def test_passes_with_unknown_seeds_may_begin_early() -> None:
    assert is_made_ahead(Dataset.range(9).shuffle(3).repeat())
    assert is_made_ahead(Dataset.range(9).shuffle(3, seed=1))
    assert is_made_ahead(Dataset.range(9).shuffle(3, seed=1, reshuffle_each_iteration=False).repeat())
    tf.random.set_seed(1)
    assert not is_made_ahead(Dataset.range(9).shuffle(3).repeat())


def from_slow_generator(threads: list[int]) -> Any:
    def generate() -> Iterator[int]:
        for number in range(40):
            threads.append(threading.get_ident())
            time.sleep(0.005)
            yield number

    return Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int64))


@pytest.mark.parametrize(
    "build",
    [
        lambda threads: Dataset.range(40).map(waiting(threads)),
        lambda threads: Dataset.range(40).map(waiting(threads)).batch(1),
        from_slow_generator,
    ],
)
def test_a_slow_pipeline_and_a_slow_consumer_work_at_a_time(build: Any) -> None:
    threads: list[int] = []
    for _ in build(threads):
        time.sleep(0.005)
    assert threads.count(threading.get_ident()) < 20


def test_the_elements_of_a_loop_in_a_function_are_made_while_its_body_runs() -> None:
    makers: list[int] = []
    bodies: list[int] = []

    def note() -> None:
        bodies.append(threading.get_ident())
        time.sleep(0.005)

    @tf.function
    def count(dataset: Any) -> Any:
        number = tf.constant(0)
        for _ in dataset:
            tf.py_function(note, [], [])
            number += 1
            if number == 40:
                break
        return number

    assert int(count(Dataset.range(60).map(waiting(makers)))) == 40
    assert makers.count(threading.get_ident()) < 20
    assert set(bodies) == {threading.get_ident()}


def test_what_functions_see_of_the_program_does_not_change_for_quick_elements() -> None:
    variable = tf.Variable(0, dtype=tf.int64)
    seen = []
    for value in Dataset.range(50).map(lambda x: variable + 0 * x):
        seen.append(int(value))
        variable.assign_add(1)
    assert seen == list(range(50))


def test_errors_belong_to_their_elements_also_when_these_are_made_ahead(always_ahead: None) -> None:
    dataset = Dataset.range(-2, 3).map(lambda x: tf.debugging.check_numerics(1 / x, "no inverse"))
    assert outcomes(dataset) == [-0.5, -1, "InvalidArgumentError", 1, 0.5]


def test_a_pass_goes_on_from_every_position_of_what_was_made_ahead(always_ahead: None) -> None:
    check_restores_everywhere(lambda: Dataset.range(20).filter(lambda x: x % 2 == 0).batch(2))
    check_restores_everywhere(lambda: Dataset.range(12).shuffle(4, seed=3).map(lambda x: x + 1))
    check_restores_everywhere(lambda: Dataset.range(3).cache().repeat(3))


def test_a_pass_that_is_left_early_takes_no_further_elements(always_ahead: None) -> None:
    seen: list[int] = []
    for count, _ in enumerate(Dataset.range(1000).map(noting(seen, lambda x: 0.002))):
        if count == 5:
            break
    gc.collect()
    made = len(seen)
    assert made < 60
    assert stable_count(lambda: len(seen)) <= made + 1


def test_many_passes_at_a_time_do_not_mix(always_ahead: None) -> None:
    dataset = Dataset.range(30).map(noting([]))
    iterators = [iter(dataset) for _ in range(20)]
    for number in range(30):
        assert [int(next(iterator)) for iterator in iterators] == [number] * 20
    assert all(next(iterator, None) is None for iterator in iterators)


def test_in_debug_mode_functions_run_where_elements_are_asked_for(always_ahead: None) -> None:
    threads: list[int] = []
    set_debug_mode(True)
    try:
        elements(Dataset.range(9).map(lambda x: threads.append(threading.get_ident()) or x))
    finally:
        set_debug_mode(False)
    assert set(threads) == {threading.get_ident()}
