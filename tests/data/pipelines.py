"""What tests of pipelines share: the elements of a dataset, and checks that hold for every dataset."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.nodes import PassContext


def elements(dataset: Any) -> list[Any]:
    """Returns the elements as nests of Python values and lists."""
    return [plain(element) for element in dataset.as_numpy_iterator()]


def plain(value: Any) -> Any:
    """Returns a nest of arrays as nests of Python values."""
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def started(dataset: Any) -> IteratorResource:
    """Begins a pass over a dataset, without an iterator around it."""
    resource = IteratorResource(dataset.node.dtypes, dataset.node.shapes)
    resource.start(dataset.node)
    return resource


def rest(resource: IteratorResource) -> list[Any]:
    """Returns the elements that a pass has still to give; an error represents its element by its class."""
    rows: list[Any] = []
    while True:
        try:
            row = resource.next_row()
        except tf.errors.OpError as error:
            rows.append(type(error).__name__)
            continue
        if row is None:
            return rows
        rows.append([plain(array) for array in row])


def check_restores_everywhere(make: Callable[[], Any], most: int = 40) -> None:
    """Checks that a pass which is saved after each of its elements goes on from there, over a dataset made anew."""
    expected = rest(started(make()))
    for position in range(min(len(expected), most) + 1):
        resource = started(make())
        for _ in range(position):
            try:
                resource.next_row()
            except tf.errors.OpError:
                pass
        state = resource.save()
        again = started(make())
        again.restore(state)
        assert rest(again) == expected[position:], f"restored after {position} elements"
        assert rest(resource) == expected[position:], f"saved after {position} elements"


def check_same_in_function(make: Callable[[], Any], count: int) -> None:
    """Checks that the first elements of a dataset made in a `tf.function` are those of one made outside."""

    def first() -> Any:
        iterator = iter(make())
        return [next(iterator) for _ in range(count)]

    inside = tf.nest.map_structure(lambda tensor: plain(tensor.numpy()), tf.function(first, autograph=False)())
    assert inside == elements(make().take(count))


def outcomes(dataset: Any, most: int = 20) -> list[Any]:
    """Returns the elements of a dataset with the class of the error for an element that has one."""
    iterator, seen = iter(dataset), []
    for _ in range(most):
        try:
            seen.append(tf.nest.map_structure(lambda tensor: plain(tensor.numpy()), next(iterator)))
        except StopIteration:
            return seen
        except tf.errors.OpError as error:
            seen.append(type(error).__name__)
    return seen


def drained(dataset: Any, limits: Sequence[int]) -> list[Any]:
    """Returns the elements of a pass that asks for blocks of these lengths, in turn; each a list of plain values."""
    cursor, rows = dataset.node.cursor(PassContext()), []
    for limit in itertools.cycle(limits):
        block = cursor.next_block(limit)
        if block is None:
            assert cursor.next_block(limit) is None
            return rows
        assert 1 <= block.count <= limit
        rows += [[plain(array) for array in row] for row in block.rows()]
    raise AssertionError


def noting(dataset: Any, seen: list[int]) -> Any:
    """Returns a dataset of the same integers, each of which is noted when somebody asks for it."""

    def note(number: Any) -> Any:
        noted = tf.py_function(lambda n: seen.append(int(n)) or n, [number], tf.int64)
        noted.set_shape([])
        return noted

    return dataset.map(note)


def failing_at(dataset: Any, *numbers: int) -> Any:
    """Returns a dataset of the same integers, in which some are replaced by an error; the function has no effects."""

    def check(number: Any) -> Any:
        is_bad = tf.reduce_any(tf.equal(number, tf.constant(numbers, tf.int64)))
        return number + tf.gather(tf.constant([0], tf.int64), tf.cast(is_bad, tf.int32))

    return dataset.map(check)
