"""`tf.data.experimental.group_by_reducer`: one element for each key."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.data.nodes import UNKNOWN
from tests.data.pipelines import (
    check_restores_everywhere,
    check_same_in_function,
    elements,
    failing_at,
    noting,
    outcomes,
)

Dataset = tf.data.Dataset
Reducer = tf.data.experimental.Reducer


def zero(key: Any) -> Any:
    return tf.constant(0, tf.int64)


def add(total: Any, x: Any) -> Any:
    return total + x


def same(value: Any) -> Any:
    return value


SUM = Reducer(zero, add, same)


def grouped(dataset: Any, key: Any, reducer: Any = SUM) -> Any:
    return dataset.apply(tf.data.experimental.group_by_reducer(key, reducer))


def test_the_results_come_in_the_order_of_the_keys() -> None:
    assert elements(grouped(Dataset.range(10), lambda x: x % 3)) == [18, 12, 15]
    assert elements(grouped(Dataset.range(10), lambda x: -(x % 3))) == [15, 12, 18]


def test_states_and_results_may_have_structures_of_their_own() -> None:
    reducer = Reducer(
        lambda key: (key, 0), lambda state, x: (state[0], state[1] + 1), lambda key, n: {"k": key, "n": n}
    )
    dataset = grouped(Dataset.range(10), lambda x: x % 3, reducer)
    assert elements(dataset) == [{"k": 0, "n": 4}, {"k": 1, "n": 3}, {"k": 2, "n": 3}]


def test_elements_of_several_components_reach_the_key_one_by_one_and_the_reducer_as_they_are() -> None:
    pairs = Dataset.range(4).map(lambda x: (x, 10 * x))
    reducer = Reducer(zero, lambda total, pair: total + pair[1], same)
    assert elements(grouped(pairs, lambda x, tens: x % 2, reducer)) == [20, 40]


def test_a_state_may_grow() -> None:
    reducer = Reducer(lambda key: tf.zeros([0], tf.int64), lambda state, x: tf.concat([state, [x]], 0), same)
    dataset = grouped(Dataset.range(5), lambda x: x % 2, reducer)
    assert dataset.element_spec == tf.TensorSpec([None], tf.int64)
    assert elements(dataset) == [[0, 2, 4], [1, 3]]


def test_a_dataset_without_elements_has_no_keys() -> None:
    assert elements(grouped(Dataset.range(0), lambda x: x)) == []


@pytest.mark.parametrize(
    "key", [lambda x: 1, lambda x: tf.cast(x, tf.int32), lambda x: (x, x), lambda x: tf.fill([1], x)]
)
def test_a_key_that_is_no_scalar_of_int64_is_refused(key: Any) -> None:
    with pytest.raises(ValueError, match=r"Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor"):
        grouped(Dataset.range(3), key)


def test_a_state_of_another_dtype_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Invalid `reducer`. The element types for the new state"):
        grouped(Dataset.range(3), lambda x: x, Reducer(lambda key: 0, lambda state, x: x, same))


def test_what_is_no_reducer_is_refused() -> None:
    with pytest.raises(AttributeError, match="init_func"):
        grouped(Dataset.range(3), lambda x: x, 3)


def test_a_reducer_has_three_functions() -> None:
    assert (SUM.init_func, SUM.reduce_func, SUM.finalize_func) == (zero, add, same)


def test_an_error_comes_first_and_the_other_elements_are_reduced() -> None:
    assert outcomes(grouped(failing_at(Dataset.range(6), 3), lambda x: x % 2)) == ["InvalidArgumentError", 6, 6]
    reducer = Reducer(zero, lambda total, x: total + failing_number(x), same)
    assert outcomes(grouped(Dataset.range(6), lambda x: x % 2, reducer)) == ["InvalidArgumentError", 6, 6]


def failing_number(x: Any) -> Any:
    return x + tf.gather(tf.constant([0], tf.int64), tf.cast(tf.equal(x, 3), tf.int32))


def test_the_source_is_gone_through_once() -> None:
    seen: list[int] = []
    assert elements(grouped(noting(Dataset.range(5), seen), lambda x: x % 2)) == [6, 4]
    assert seen == [0, 1, 2, 3, 4]


def test_the_cardinality_is_not_known() -> None:
    dataset = grouped(Dataset.range(5), lambda x: x % 2)
    assert dataset.node.cardinality() == UNKNOWN
    assert repr(dataset).startswith("<_GroupByReducerDataset")


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: grouped(Dataset.range(9), lambda x: x % 4))
    check_restores_everywhere(lambda: grouped(failing_at(Dataset.range(9), 2, 5), lambda x: x % 4))


def test_groups_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: grouped(Dataset.range(9), lambda x: x % 4), 4)
