"""`Dataset.map` with parallel calls; `map_and_batch` and the op that filters in parallel."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.data import blocks, traced_functions
from tests.data.parallel import always_ahead, noting, of_variant, passes, pool_threads, stable_count
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes

Dataset = tf.data.Dataset
__all__ = ["always_ahead"]


def inverse(x: Any) -> Any:
    return tf.cast(60 * tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse"), tf.int32)


@pytest.mark.parametrize("calls", [1, 3, tf.data.AUTOTUNE])
@pytest.mark.parametrize("deterministic", [None, True])
def test_results_come_in_order(calls: int, deterministic: bool | None, always_ahead: None) -> None:
    dataset = Dataset.range(50).map(lambda x: x * 2, num_parallel_calls=calls, deterministic=deterministic)
    assert elements(dataset) == list(range(0, 100, 2))
    assert len(dataset) == 50
    assert repr(dataset) == "<_ParallelMapDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"


def test_calls_run_at_a_time_where_that_takes_less_time() -> None:
    seen: list[int] = []
    running: list[int] = []

    def wait(x: Any) -> Any:
        running.append(1)
        seen.append(len(running))
        time.sleep(0.01)
        running.pop()
        return x

    dataset = Dataset.range(40).map(lambda x: tf.py_function(wait, [x], tf.int64), num_parallel_calls=4)
    assert elements(dataset) == list(range(40))
    assert 2 <= max(seen) <= 4


def test_a_quick_function_stays_in_the_thread_that_asks() -> None:
    threads: set[int] = set()

    def note(x: Any) -> Any:
        threads.add(threading.get_ident())
        return x

    elements(Dataset.range(300).map(lambda x: tf.py_function(note, [x], tf.int64), num_parallel_calls=4).take(200))
    assert threading.get_ident() in threads


def test_a_function_with_effects_runs_ahead_by_the_number_of_calls(always_ahead: None) -> None:
    seen: list[int] = []
    iterator = iter(Dataset.range(100).map(noting(seen), num_parallel_calls=3))
    assert not seen
    for given in range(1, 20):
        next(iterator)
        assert stable_count(lambda: len(seen)) <= given + 3
    assert len(seen) == 22


def test_results_come_as_they_are_ready_if_the_order_does_not_matter(always_ahead: None) -> None:
    seen: list[int] = []
    slow = 30
    function = noting(seen, lambda x: 0.2 if x == slow else 0.001)
    results = elements(Dataset.range(60).map(function, num_parallel_calls=4, deterministic=False))
    assert sorted(results) == list(range(60))
    assert results.index(slow) > slow


def test_the_options_say_whether_order_matters(always_ahead: None) -> None:
    options = tf.data.Options()
    options.deterministic = False
    seen: list[int] = []
    function = noting(seen, lambda x: 0.2 if x == 30 else 0.001)
    results = elements(Dataset.range(60).map(function, num_parallel_calls=4).with_options(options))
    assert results.index(30) > 30


@pytest.mark.parametrize("calls", [8, tf.data.AUTOTUNE])
@pytest.mark.parametrize("name", ["threading.private_threadpool_size", "autotune.cpu_budget"])
def test_the_options_say_how_many_threads_there_may_be(calls: int, name: str, always_ahead: None) -> None:
    options = tf.data.Options()
    group, option = name.split(".")
    setattr(getattr(options, group), option, 2)
    seen: list[int] = []
    iterator = iter(Dataset.range(100).map(noting(seen), num_parallel_calls=calls).with_options(options))
    for given in range(1, 20):
        next(iterator)
        assert stable_count(lambda: len(seen)) <= given + 2


def test_an_error_belongs_to_its_element(always_ahead: None) -> None:
    for calls in (2, 8):
        dataset = Dataset.range(-2, 3).map(inverse, num_parallel_calls=calls)
        assert outcomes(dataset) == [-30, -60, "InvalidArgumentError", 60, 30]


def test_an_error_of_the_source_belongs_to_its_index(always_ahead: None) -> None:
    dataset = Dataset.range(-2, 3).map(inverse).map(lambda x: x + 1, num_parallel_calls=4)
    assert outcomes(dataset) == [-29, -59, "InvalidArgumentError", 61, 31]


@pytest.mark.parametrize("calls", [0, -2])
def test_a_number_of_calls_that_is_not_positive_is_refused(calls: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls must be greater than zero"):
        Dataset.range(3).map(lambda x: x, num_parallel_calls=calls)


@pytest.mark.parametrize("calls", [2, tf.data.AUTOTUNE])
def test_synchronous_parallel_calls_are_refused(calls: int) -> None:
    with pytest.raises(ValueError, match="`synchronous` is not supported with `num_parallel_calls`"):
        Dataset.range(3).map(lambda x: x, num_parallel_calls=calls, synchronous=True)


def test_determinism_without_parallel_calls_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="The `deterministic` argument has no effect"):
        Dataset.range(3).map(lambda x: x, deterministic=True)


def test_the_ops_have_the_names_and_attributes_of_tensorflow() -> None:
    @tf.function
    def program() -> Any:
        plain = Dataset.range(3).map(lambda x: x, synchronous=True)
        return next(iter(plain.map(lambda x: x, 2, False, use_unbounded_threadpool=True, name="q")))

    operations = {op.type: op for op in program.get_concrete_function().graph.get_operations()}
    assert operations["MapDataset"].get_attr("force_synchronous") is True
    parallel = operations["ParallelMapDatasetV2"]
    assert parallel.get_attr("deterministic") == b"false"
    assert parallel.get_attr("use_unbounded_threadpool") is True
    assert parallel.get_attr("metadata") == b"\n\x01q"


def test_a_pass_goes_on_from_every_position(always_ahead: None) -> None:
    check_restores_everywhere(lambda: Dataset.range(12).map(lambda x: x * x, num_parallel_calls=3))
    check_restores_everywhere(lambda: Dataset.range(-2, 3).map(inverse, num_parallel_calls=3).batch(2))
    check_restores_everywhere(lambda: Dataset.range(-2, 3).map(inverse).map(lambda x: x, num_parallel_calls=3))


def test_it_works_in_a_function() -> None:
    check_same_in_function(lambda: Dataset.range(4).map(lambda x: x + 1, num_parallel_calls=2), 4)


def test_the_older_op_does_the_same() -> None:
    function = Dataset.range(3).map(lambda x: x + 1, num_parallel_calls=2)._functions()[0]
    variant = tf.raw_ops.ParallelMapDataset(
        input_dataset=Dataset.range(3)._variant_tensor,
        other_arguments=[],
        num_parallel_calls=2,
        f=function.graph_function,
        output_types=[tf.int64],
        output_shapes=[[]],
        sloppy=True,
    )
    dataset = of_variant(variant)
    assert elements(dataset) == [1, 2, 3]


# --- batches of results ------------------------------------------------------------------------------------------


def squares(x: Any) -> Any:
    return {"square": tf.fill([3], x * x), "text": tf.strings.as_string(x)}


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("size", [1, 2, 7, 64])
@pytest.mark.parametrize("count", [0, 1, 30, 201])
def test_batches_of_results_are_those_of_one_call_after_the_other(
    count: int, size: int, deterministic: bool, always_ahead: None
) -> None:
    found = Dataset.range(count).map(squares, 3, deterministic).batch(size)
    expected = Dataset.range(count).map(squares).batch(size)
    if deterministic:
        assert_equal_elements(found, expected)
    else:
        assert [len(batch["text"]) for batch in found] == [len(batch["text"]) for batch in expected]
        assert_equal_elements(sorted_squares(found), sorted_squares(expected))


def sorted_squares(batches: Any) -> Any:
    return Dataset.from_tensor_slices(sorted(int(x) for batch in batches for x in batch["square"][:, 0].numpy()) or [0])


def assert_equal_elements(found: Any, expected: Any) -> None:
    for left, right in zip(found.as_numpy_iterator(), expected.as_numpy_iterator(), strict=True):
        np.testing.assert_equal(left, right)


def test_threads_put_results_into_the_memory_of_batches(always_ahead: None, monkeypatch: pytest.MonkeyPatch) -> None:
    join, joined = blocks._join_columns, []

    def noting_join(columns: Any) -> Any:
        joined.append(columns)
        return join(columns)

    monkeypatch.setattr(blocks, "_join_columns", noting_join)
    dataset = Dataset.range(100).map(lambda x: tf.fill([64, 64], x), num_parallel_calls=3).batch(8)
    batches = [batch[:, 0, 0].tolist() for batch in dataset.as_numpy_iterator()]
    assert batches == [list(range(first, min(first + 8, 100))) for first in range(0, 100, 8)]
    assert len(joined) == 1  # in the first batch, whose first elements were made before the threads began


@pytest.mark.parametrize("size", [4, 16])
@pytest.mark.parametrize("calls", [1, 2, 5])
def test_a_batch_of_results_ends_before_an_error(calls: int, size: int, always_ahead: None) -> None:
    for zero in (0, 3, 4, 7, 9, 18):
        numbers = Dataset.range(-zero, 49 - zero)
        found = numbers.map(inverse, num_parallel_calls=calls).batch(size)
        assert outcomes(found) == outcomes(numbers.map(inverse).batch(size))
        found = numbers.map(inverse, num_parallel_calls=calls).ignore_errors().batch(size)
        assert elements(found) == elements(numbers.map(inverse).ignore_errors().batch(size))


def test_results_of_many_shapes_cannot_be_batched_but_go_on(always_ahead: None) -> None:
    numbers = Dataset.range(40)

    def lengths(x: Any) -> Any:
        return tf.fill([1 + tf.cast(x == 21, tf.int32)], x)

    found = numbers.map(lengths, num_parallel_calls=3).batch(4)
    assert outcomes(found) == outcomes(numbers.map(lengths).batch(4))
    found = numbers.map(lengths, num_parallel_calls=3).padded_batch(4)
    assert elements(found) == elements(numbers.map(lengths).padded_batch(4))


def test_large_results_are_put_side_by_side_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traced_functions, "_LARGE", 1)
    numbers = Dataset.range(-3, 20)
    pairs = numbers.map(lambda x: (inverse(x), tf.as_string(x), tf.py_function(lambda y: y + 1, [x], tf.int64)))
    alone = outcomes(numbers.map(inverse).batch(4))
    assert outcomes(pairs.map(lambda x, y, z: x).batch(4)) == alone
    found = list(pairs.ignore_errors().batch(4).as_numpy_iterator())
    assert np.concatenate([batch[1] for batch in found]).tolist() == [b"%d" % x for x in range(-3, 20) if x]
    assert np.concatenate([batch[2] for batch in found]).tolist() == [x + 1 for x in range(-3, 20) if x]
    uneven = numbers.map(lambda x: tf.random.uniform(tf.reshape(1 + tf.cast(x == 5, tf.int32), [1])))
    assert [len(row) for row in uneven.as_numpy_iterator()] == [2 if x == 5 else 1 for x in range(-3, 20)]
    assert [batch.shape[1] for batch in uneven.padded_batch(4).as_numpy_iterator()] == [1, 1, 2, 1, 1, 1]


def test_batches_of_results_go_on_from_every_position(always_ahead: None) -> None:
    check_restores_everywhere(lambda: Dataset.range(23).map(lambda x: tf.fill([2], x), num_parallel_calls=3).batch(4))
    check_restores_everywhere(lambda: Dataset.range(9).map(lambda x: x, 2).with_options(tf.data.Options()).batch(2))


# --- threads -----------------------------------------------------------------------------------------------------


def test_an_iterator_that_is_dropped_half_way_leaves_nothing_behind(always_ahead: None) -> None:
    seen: list[int] = []
    dataset = Dataset.range(1000).map(noting(seen, lambda x: 0.002), num_parallel_calls=4).prefetch(2)
    iterator = iter(dataset)
    for _ in range(5):
        next(iterator)
    before = passes()
    del iterator
    assert passes() == before - 1
    count = stable_count(lambda: len(seen))
    assert count < 20


def test_many_dropped_iterators_share_their_threads(always_ahead: None) -> None:
    for _ in range(30):
        iterator = iter(Dataset.range(1000).map(noting([], lambda x: 0.001), num_parallel_calls=4))
        next(iterator)
    del iterator
    gc.collect()
    assert len(list(pool_threads())) <= 64


def test_parallel_maps_within_parallel_maps_do_not_wait_for_each_other(always_ahead: None) -> None:
    inner = Dataset.range(8).map(lambda y: tf.py_function(lambda z: z, [y], tf.int64), num_parallel_calls=8)

    def total(x: Any) -> Any:
        return tf.py_function(lambda y: y + sum(elements(inner)), [x], tf.int64)

    outer = Dataset.range(80).map(total, num_parallel_calls=80)
    assert elements(outer) == [28 + x for x in range(80)]


_INTERRUPTED = """
import threading, time
import millrace as tf

def wait(x):
    time.sleep(0.05)
    return x

dataset = tf.data.Dataset.range(10**6).map(lambda x: tf.py_function(wait, [x], tf.int64), num_parallel_calls=4)
try:
    for element in dataset.prefetch(4):
        print("element", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupt_ends_a_program_with_a_parallel_map() -> None:
    program = subprocess.Popen([sys.executable, "-c", _INTERRUPTED], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert program.stdout is not None
    for _ in range(12):
        assert program.stdout.readline() == "element\n"
    program.send_signal(signal.SIGINT)
    output, _ = program.communicate(timeout=20)
    assert output.endswith("interrupted\n")
    assert program.returncode == 0


# --- map_and_batch, and the op that filters ----------------------------------------------------------------------


def test_map_and_batch_is_a_map_and_a_batch() -> None:
    for kwargs in ({}, {"num_parallel_batches": 2}, {"num_parallel_calls": 3}):
        dataset = Dataset.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 2, **kwargs))
        assert elements(dataset) == [[0, 2], [4, 6], [8]]
        assert len(dataset) == 3
        assert type(dataset).__name__ == "_MapAndBatchDataset"
    dataset = Dataset.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x, 2, drop_remainder=True))
    assert dataset.element_spec == tf.TensorSpec([2], tf.int64)
    check_restores_everywhere(lambda: Dataset.range(7).apply(tf.data.experimental.map_and_batch(lambda x: x, 2)))


def test_map_and_batch_refuses_what_tensorflow_refuses() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch_size must be greater than zero"):
        Dataset.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x, 0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls must be greater than zero"):
        Dataset.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x, 2, num_parallel_calls=0))
    with pytest.raises(ValueError, match="allows only one of `num_parallel_batches` and `num_parallel_calls`"):
        tf.data.experimental.map_and_batch(lambda x: x, 2, num_parallel_batches=2, num_parallel_calls=2)


def test_the_parallel_filter_op_filters(always_ahead: None) -> None:
    function = Dataset.range(9).filter(lambda x: x % 3 == 0)._functions()[0]
    variant = tf.raw_ops.ParallelFilterDataset(
        input_dataset=Dataset.range(9)._variant_tensor,
        other_arguments=[],
        num_parallel_calls=4,
        predicate=function.graph_function,
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    assert elements(of_variant(variant)) == [0, 3, 6]


def test_parallel_batches_are_batches(always_ahead: None) -> None:
    dataset = Dataset.range(7).batch(2, num_parallel_calls=3, deterministic=True)
    assert elements(dataset) == [[0, 1], [2, 3], [4, 5], [6]]
    assert type(dataset).__name__ == "_ParallelBatchDataset"
    assert np.isin(elements(Dataset.range(7).batch(3, True, num_parallel_calls=-1)), range(6)).all()
    check_restores_everywhere(lambda: Dataset.range(9).batch(2, num_parallel_calls=2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Batch size must be greater than zero"):
        Dataset.range(7).batch(0, num_parallel_calls=3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls must be greater than zero"):
        Dataset.range(7).batch(2, num_parallel_calls=-5)


def checked(x: Any) -> Any:
    tf.debugging.assert_none_equal(x, tf.constant(5, tf.int64))
    return x + tf.random.uniform([], maxval=9, dtype=tf.int64, seed=3)


@pytest.mark.parametrize("calls", [None, 1, 3, tf.data.AUTOTUNE])
def test_an_assertion_is_an_error_of_its_element(calls: int | None, always_ahead: None) -> None:
    mapped = Dataset.range(15).map(lambda x: checked(x) - x, calls)
    found = outcomes(mapped)
    assert len(found) == 15
    assert [index for index, outcome in enumerate(found) if outcome == "InvalidArgumentError"] == [5]
    assert len(elements(mapped.ignore_errors().batch(4))) == 4
    plain = Dataset.range(15).map(lambda x: tf.random.uniform([], maxval=9, dtype=tf.int64, seed=3))
    if calls in (None, 1):
        assert found[:5] == elements(plain)[:5]


def test_a_function_that_asserts_is_pure_but_for_its_errors() -> None:
    def checked_inside(x: Any) -> Any:
        tf.debugging.assert_positive(x + 1)
        return -x

    def halves(x: Any) -> Any:
        tf.debugging.assert_less(x, tf.constant(30, tf.int64))
        return tf.cond(x > 3, lambda: tf.identity(x), lambda: checked_inside(x))

    mapped = Dataset.range(9).map(halves)
    assert mapped.node.function.is_pure
    assert elements(mapped.batch(4)) == [[0, -1, -2, -3], [4, 5, 6, 7], [8]]
    assert outcomes(Dataset.range(28, 31).map(halves).batch(2)) == [[28, 29], "InvalidArgumentError"]
    assert not Dataset.range(2).map(lambda x: (tf.print(x), x)[1]).node.function.is_pure
