"""Iterators that are saved and restored in mid-iteration: as tensors, by ops, as trackable objects."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import millrace as tf
from tests.data.random_pipelines import PIPELINES, build
from tests.trackable import memory_checkpoint

Dataset = tf.data.Dataset
raw = tf.raw_ops


def numbers() -> Any:
    return Dataset.range(20).shuffle(5, seed=3).map(lambda x: x * 2).batch(3)


def rest(iterator: Any) -> list[Any]:
    return [element.numpy().tolist() for element in iterator]


def test_a_saved_state_is_restored_by_ops() -> None:
    first, second = iter(numbers()), iter(numbers())
    next(first)
    state = raw.SerializeIterator(resource_handle=first._iterator_resource)
    assert state.dtype is tf.variant
    expected = rest(first)
    raw.DeserializeIterator(resource_handle=second._iterator_resource, serialized=state)
    assert rest(second) == expected


def test_iterators_are_in_checkpoints() -> None:
    module = tf.Module()
    module.iterator = iter(numbers())
    next(module.iterator)
    saved = memory_checkpoint.save(module)
    assert list(saved.children["iterator"].values) == ["_STATE"]
    expected = rest(module.iterator)

    other = tf.Module()
    other.iterator = iter(numbers())
    memory_checkpoint.restore_from(saved, other)
    assert rest(other.iterator) == expected


def test_a_numpy_iterator_is_saved_and_restored() -> None:
    iterator = numbers().as_numpy_iterator()
    next(iterator)
    state = iterator.save()
    assert (state.dtype, state.shape) == (tf.string, ())
    expected = [iterator.next().tolist(), *[x.tolist() for x in iterator]]
    iterator.restore(state)
    assert [x.tolist() for x in iterator] == expected
    iterator.restore(state.numpy())
    assert next(iterator).tolist() == expected[0]
    assert repr(iterator).startswith("NumpyIterator(iterator=<")


def test_random_functions_go_on_in_their_streams() -> None:
    def make() -> Any:
        tf.random.set_seed(4)
        return Dataset.range(9).map(lambda x: tf.random.uniform([], seed=2))

    first = make().as_numpy_iterator()
    taken = [next(first) for _ in range(3)]
    state = first.save()
    second = make().as_numpy_iterator()
    second.restore(state)
    expected = list(first)
    assert list(second) == expected
    assert not set(taken) & set(expected)


def test_another_pipeline_is_refused() -> None:
    state = numbers().as_numpy_iterator().save()
    with pytest.raises(tf.errors.NotFoundError, match="Make sure the dataset definition has not changed"):
        Dataset.range(5).as_numpy_iterator().restore(state)


def test_what_is_no_state_is_refused() -> None:
    with pytest.raises(tf.errors.DataLossError, match="not the saved state"):
        Dataset.range(5).as_numpy_iterator().restore("abc")
    iterator = iter(Dataset.range(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="what SerializeIterator gave"):
        raw.DeserializeIterator(
            resource_handle=iterator._iterator_resource, serialized=Dataset.range(2)._variant_tensor
        )


def test_an_iterator_that_has_not_begun_is_neither_saved_nor_restored() -> None:
    handle = raw.AnonymousIteratorV3(output_types=[tf.int64], output_shapes=[[]])
    with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
        raw.SerializeIterator(resource_handle=handle)
    state = raw.SerializeIterator(resource_handle=iter(Dataset.range(2))._iterator_resource)
    with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
        raw.DeserializeIterator(resource_handle=handle, serialized=state)


def test_an_iterator_of_a_graph_says_how_it_is_saved() -> None:
    @tf.function
    def f() -> None:
        iter(Dataset.range(2))._serialize_to_tensors()

    with pytest.raises(NotImplementedError, match="SerializeIterator"):
        f()


def outcome(iterator: Any) -> Any:
    """Returns the next element as plain values, the class of its error, or None at the end."""
    try:
        element = next(iterator, None)
    except tf.errors.OpError as error:
        return type(error).__name__
    return None if element is None else tf.nest.map_structure(lambda part: part.tolist(), element)


def outcomes(iterator: Any, most: int) -> list[Any]:
    found: list[Any] = []
    while len(found) < most and (not found or found[-1] is not None):
        found.append(outcome(iterator))
    return found


def check_goes_on_at_every_position(pipeline: Any) -> None:
    expected = outcomes(build(pipeline).as_numpy_iterator(), 30)
    running = build(pipeline).as_numpy_iterator()
    for position in range(len(expected)):
        restored = build(pipeline).as_numpy_iterator()
        restored.restore(running.save().numpy())
        left = len(expected) - position
        assert outcomes(restored, left) == expected[position:], position
        assert outcome(running) == expected[position]


@settings(max_examples=30)
@given(PIPELINES)
def test_a_pipeline_goes_on_from_the_bytes_of_its_state_at_every_position(pipeline: Any) -> None:
    check_goes_on_at_every_position(pipeline)


@pytest.mark.slow
@settings(max_examples=200)
@given(PIPELINES)
def test_many_pipelines_go_on_from_the_bytes_of_their_states_at_every_position(pipeline: Any) -> None:
    check_goes_on_at_every_position(pipeline)


def test_passes_that_begin_after_an_inner_repetition_has_ended_have_their_seeds() -> None:
    check_goes_on_at_every_position((("range", 2), [("shuffle_and_repeat", 2, 3), ("shuffle_and_repeat", 2, 2)]))
