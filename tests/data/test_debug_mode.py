"""Debug mode: functions run in Python for each element, and debuggers stop at the user's line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf
from millrace._src.data.debug_mode import set_debug_mode
from tests.data.pipelines import elements

Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def debug_mode() -> Iterator[None]:
    tf.data.experimental.enable_debug_mode()
    yield
    set_debug_mode(False)


def test_functions_run_eagerly_for_each_element() -> None:
    seen: list[Any] = []

    def note(x: Any) -> Any:
        if tf.executing_eagerly():
            seen.append(x.numpy())
        return x + 1

    assert elements(Dataset.range(3).map(note)) == [1, 2, 3]
    assert seen == [0, 1, 2]


def test_breakpoint_stops_at_the_line_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    stops: list[tuple[str, str, Any]] = []

    def stop(*args: Any) -> None:
        frame = sys._getframe(1)
        stops.append((frame.f_code.co_filename, frame.f_code.co_name, frame.f_locals.get("x")))

    def double(x: Any) -> Any:
        breakpoint()  # where the debugger stops is what this test is about
        return x * 2

    monkeypatch.setattr(sys, "breakpointhook", stop)
    assert elements(Dataset.range(2).map(double, num_parallel_calls=4).prefetch(1)) == [0, 2]
    of_elements = stops[-2:]
    assert [(file, name) for file, name, _ in of_elements] == [(__file__, "double")] * 2
    assert [int(x) for _, _, x in of_elements] == [0, 1]


def test_all_transformations_with_functions_work() -> None:
    numbers = Dataset.range(5)
    assert elements(numbers.filter(lambda x: x > 2)) == [3, 4]
    assert elements(numbers.flat_map(Dataset.range)) == [0, 0, 1, 0, 1, 2, 0, 1, 2, 3]
    assert elements(Dataset.range(3).interleave(Dataset.range, cycle_length=2, num_parallel_calls=2)) == [0, 0, 1]
    assert elements(numbers.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s))) == [0, 0, 1, 3, 6]
    assert elements(numbers.take_while(lambda x: x < 2)) == [0, 1]
    assert numbers.reduce(tf.constant(0, tf.int64), lambda s, x: s + x).numpy() == 10


def test_structures_and_shapes_stay() -> None:
    pairs = Dataset.from_tensor_slices(({"a": [1, 2]}, ["x", "y"])).map(lambda d, s: (d["a"] * 2, {"s": s + "!"}))
    assert elements(pairs) == [(2, {"s": b"x!"}), (4, {"s": b"y!"})]
    assert Dataset.range(3).map(lambda x: tf.zeros([2, 3])).element_spec == tf.TensorSpec([2, 3])


def test_nothing_runs_in_parallel() -> None:
    assert "_MapDataset" in repr(Dataset.range(3).map(lambda x: x, num_parallel_calls=4))
    assert "_BatchDataset" in repr(Dataset.range(3).batch(2, num_parallel_calls=4))
    dataset = Dataset.range(3)
    assert dataset.prefetch(4) is dataset


def test_an_error_names_the_element_and_the_line() -> None:
    def divide(x: Any) -> Any:
        return x // int(x - 1) if tf.executing_eagerly() else x

    with pytest.raises(tf.errors.UnknownError, match=r"(?s)at element 1: .*division by zero.*in divide"):
        elements(Dataset.range(3).map(divide))


def test_a_result_of_another_dtype_than_traced_is_an_error() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Can not cast"):
        elements(Dataset.range(3).map(lambda x: "a" if tf.executing_eagerly() else x))


def test_a_dataset_of_a_function_runs_as_without_debug_mode() -> None:
    @tf.function
    def total(k: Any) -> Any:
        return Dataset.range(3).map(lambda x: x + k).reduce(k, lambda s, x: s + x)

    assert total(tf.constant(1, tf.int64)).numpy() == 7


def test_it_is_switched_on_in_eager_mode_only() -> None:
    with pytest.raises(ValueError, match="only supported in eager mode"):
        tf.function(tf.data.experimental.enable_debug_mode)()
