"""Builtins over datasets in functions that AutoGraph converts."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import elements

Dataset = tf.data.Dataset
DATASET = Dataset.range(4)


def made(function: Any) -> list[Any]:
    return elements(tf.function(function)(DATASET))


def test_builtins_that_give_datasets() -> None:
    assert made(lambda ds: enumerate(ds)) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert made(lambda ds: enumerate(ds, 5))[0] == (5, 0)
    assert made(lambda ds: zip(ds, ds)) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert made(lambda ds: map(lambda x: x + 1, ds)) == [1, 2, 3, 4]  # noqa: C417 - the builtin is what is tested
    assert made(lambda ds: map(lambda x, y: x * y, ds, ds)) == [0, 1, 4, 9]
    assert made(lambda ds: filter(lambda x: x > 1, ds)) == [2, 3]
    assert made(lambda ds: abs(ds.map(lambda x: -x))) == [0, 1, 2, 3]


@pytest.mark.parametrize(("values", "some", "every"), [([], 0, 1), ([0], 0, 0), ([0, 1], 1, 0), ([1, 1], 1, 1)])
def test_any_and_all(values: list[int], some: int, every: int) -> None:
    dataset = Dataset.range(len(values)).map(lambda i: tf.constant([*values, 0])[i] > 0)
    assert int(tf.function(lambda ds: any(ds))(dataset)) == some
    assert int(tf.function(lambda ds: all(ds))(dataset)) == every


@pytest.mark.parametrize("builtin", [any, all])
def test_any_and_all_of_numbers_are_refused(builtin: Any) -> None:
    with pytest.raises(ValueError, match="only supports datasets that return bool scalars"):
        tf.function(lambda ds: builtin(ds))(DATASET)


def test_python_values_keep_their_builtins() -> None:
    @tf.function
    def f() -> Any:
        pairs = [(i, x) for i, x in enumerate([10, 20], 1)]
        return pairs, any([False, True]), abs(-3), list(zip([1], [2]))

    assert tf.nest.flatten(f())[:4] == [1, 10, 2, 20]


def test_a_loop_over_an_enumerated_dataset() -> None:
    @tf.function
    def f(ds: Any) -> Any:
        s = tf.constant(0, tf.int64)
        for i, (a, b) in enumerate(zip(ds, ds)):
            s += i * a * b
        return s

    assert f(DATASET).numpy() == 36


def test_the_length_is_known_when_the_graph_runs() -> None:
    length = tf.function(lambda ds: len(ds))
    assert length(DATASET).numpy() == 4
    for dataset in (DATASET.repeat(), DATASET.filter(lambda x: x > 1)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="len requires dataset with definitive cardinality"):
            length(dataset)
    assert tf.autograph.to_graph(lambda ds: len(ds))(DATASET) == 4
