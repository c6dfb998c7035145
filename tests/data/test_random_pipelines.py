"""Random pipelines give what plain Python gives: optimized or not, in blocks of all lengths, and in functions."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from tests.data.pipelines import drained, outcomes
from tests.data.plain_stages import PLAIN, plain
from tests.data.random_pipelines import PIPELINES, SOURCES, STAGES, build, pipelines_of

_MAX = 60
"""How many elements of a pipeline are compared."""
_LIMITS = st.lists(st.integers(1, 9), min_size=1, max_size=3)
_PLAIN_PIPELINES = pipelines_of(PLAIN)


def expected(pipeline: Any, passes: int = 1) -> list[list[list[int]]]:
    """Returns the first elements that plain Python gives, for each pass."""
    dataset = plain(pipeline)
    return [list(itertools.islice(dataset(), _MAX)) for _ in range(passes)]


def test_all_stages_have_a_plain_form_but_those_with_errors_and_random_numbers() -> None:
    assert {*SOURCES, *STAGES} - PLAIN.keys() == {"map_with_errors", "random_map"}
    assert PLAIN.keys() <= {*SOURCES, *STAGES}


def check_is_plain(pipeline: Any) -> None:
    """Checks a pipeline, optimized and not, for the elements of two passes, and for their number where it is known."""
    passes = expected(pipeline, 2)
    for optimizes in (True, False):
        dataset = build(pipeline, optimizes)
        first = dataset.take(_MAX)
        assert [[x.tolist() for x in first.as_numpy_iterator()] for _ in passes] == passes, optimizes
        size = int(dataset.cardinality())
        assert size < 0 or min(size, _MAX) == len(passes[0])


def check_is_the_same_in_a_function(pipeline: Any) -> None:
    """Checks what a pipeline gives that is made, and gone through, within a function."""

    def append(state: Any, x: Any) -> Any:
        values, lengths = state
        return tf.concat([values, x], 0), tf.concat([lengths, tf.size(x)[None]], 0)

    @tf.function
    def gathered() -> Any:
        start = tf.zeros([0], tf.int64), tf.zeros([0], tf.int32)
        return build(pipeline).take(_MAX).reduce(start, append)

    (elements,) = expected(pipeline)
    values, lengths = gathered()
    assert values.numpy().tolist() == [value for element in elements for value in element]
    assert lengths.numpy().tolist() == [len(element) for element in elements]


@settings(max_examples=60)
@given(_PLAIN_PIPELINES)
def test_a_pipeline_gives_what_plain_python_gives(pipeline: Any) -> None:
    check_is_plain(pipeline)


@settings(max_examples=20)
@given(_PLAIN_PIPELINES)
def test_a_pipeline_in_a_function_gives_what_plain_python_gives(pipeline: Any) -> None:
    check_is_the_same_in_a_function(pipeline)


@settings(max_examples=30)
@given(PIPELINES)
def test_errors_and_random_numbers_stay_where_they_are_when_a_pipeline_is_rewritten(pipeline: Any) -> None:
    assert outcomes(build(pipeline), _MAX) == outcomes(build(pipeline, optimizes=False), _MAX)


@settings(max_examples=30)
@given(_PLAIN_PIPELINES, _LIMITS)
def test_elements_do_not_depend_on_the_blocks_in_which_they_are_asked_for(pipeline: Any, limits: list[int]) -> None:
    assert [[row for (row,) in drained(build(pipeline).take(_MAX), limits)]] == expected(pipeline)


@pytest.mark.slow
@settings(max_examples=1000)
@given(_PLAIN_PIPELINES)
def test_many_pipelines_give_what_plain_python_gives(pipeline: Any) -> None:
    check_is_plain(pipeline)


@pytest.mark.slow
@settings(max_examples=200)
@given(_PLAIN_PIPELINES)
def test_many_pipelines_in_functions_give_what_plain_python_gives(pipeline: Any) -> None:
    check_is_the_same_in_a_function(pipeline)
