"""`Dataset.from_generator`: what is yielded, what is refused, and how often the user's code runs."""

from __future__ import annotations

import array
import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, outcomes

Dataset = tf.data.Dataset
INT = tf.TensorSpec([], tf.int32)
PAIR = (INT, INT)


def made(values: list[Any], signature: Any) -> Any:
    return Dataset.from_generator(lambda: values, output_signature=signature)


def elements(dataset: Any) -> list[Any]:
    return [tf.nest.map_structure(lambda t: t.numpy(), x) for x in dataset]


@pytest.mark.parametrize(
    ("value", "signature", "expected"),
    [
        (3, INT, 3),
        (1.5, INT, 1),
        (np.int64(3), INT, 3),
        (True, INT, 1),
        (2, tf.TensorSpec([], tf.bool), True),
        ("é", tf.TensorSpec([], tf.string), "é".encode()),
        (b"x\0", tf.TensorSpec([], tf.string), b"x\0"),
        ((1, 2), PAIR, (1, 2)),
        ({"a": 1, "b": (2, 3)}, {"a": INT, "b": PAIR}, {"a": 1, "b": (2, 3)}),
    ],
)
def test_values_become_tensors_of_the_signature(value: Any, signature: Any, expected: Any) -> None:
    assert elements(made([value], signature)) == [expected]


def test_tensors_and_lists_become_tensors() -> None:
    spec = tf.TensorSpec([None], tf.float32)
    assert [e.tolist() for e in elements(made([tf.constant([1.0]), [2, 3], []], spec))] == [[1], [2, 3], []]


@pytest.mark.parametrize(
    ("value", "signature", "text"),
    [
        ("a", INT, "could not be converted to the expected type. The expected type was int32, but the yielded"),
        (None, INT, "could not be converted to the expected type"),
        ([[1], [2, 3]], tf.TensorSpec(None, tf.int32), "could not be converted to the expected type"),
        ([1, 2], INT, r"yielded an element of shape \(2,\) where an element of shape \(\) was expected"),
        (1, PAIR, r"did not match the expected structure. The expected structure was \(tf.int32, tf.int32\)"),
        ([1, 2], PAIR, r"did not match the expected structure.* but the yielded element was \[1, 2\]"),
        ((1,), PAIR, "did not match the expected structure"),
        ({"a": 1}, {"a": INT, "b": INT}, "did not match the expected structure"),
    ],
)
def test_an_element_that_does_not_fit_is_an_error(value: Any, signature: Any, text: str) -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=f"TypeError: `generator` yielded an element.*{text}|{text}"
    ):
        elements(made([value], signature))


def test_the_generators_own_error_comes_after_the_elements_before_it() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise KeyError("k")

    iterator = iter(Dataset.from_generator(broken, output_signature=INT))
    assert next(iterator).numpy() == 1
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'k'"):
        next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)


def test_something_that_is_no_iterable_is_an_error_of_the_first_element() -> None:
    dataset = Dataset.from_generator(lambda: 3, output_signature=INT)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^TypeError: 'int' object is not iterable"):
        next(iter(dataset))


def test_arguments_arrive_as_numpy_values() -> None:
    seen: list[Any] = []
    arguments = (3, "a", [1.0, 2.0], np.float64(1))
    elements(Dataset.from_generator(lambda *args: seen.append(args) or [1], args=arguments, output_signature=INT))
    ((number, text, vector, double),) = seen
    assert (number, text, vector.tolist(), double) == (3, b"a", [1, 2], 1)
    assert (number.dtype, vector.dtype, double.dtype) == (np.int32, np.float32, np.float64)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Dataset.from_generator(3, tf.int32), "`generator` must be a Python callable"),
        (lambda: Dataset.from_generator(list), "you need to provide either the `output_signature` argument"),
        (lambda: Dataset.from_generator(list, tf.int32, output_signature=INT), "`output_types` argument can not be"),
        (lambda: Dataset.from_generator(list, output_signature=3), "must contain objects that are subclass of"),
    ],
)
def test_a_wrong_call_is_refused(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call()


def test_the_older_form_of_the_signature() -> None:
    dataset = Dataset.from_generator(lambda: [([1, 2], "x")], (tf.int32, tf.string), ([None], []))
    assert repr(dataset) == (
        "<_FlatMapDataset element_spec=(TensorSpec(shape=(None,), dtype=tf.int32, name=None), "
        "TensorSpec(shape=(), dtype=tf.string, name=None))>"
    )
    assert Dataset.from_generator(list, tf.int32).element_spec == tf.TensorSpec(None, tf.int32)


def test_no_element_is_taken_before_it_is_asked_for() -> None:
    taken: list[int] = []

    def count() -> Iterator[int]:
        for number in range(10):
            taken.append(number)
            yield number

    next(iter(Dataset.from_generator(count, output_signature=INT).batch(3)))
    assert taken == [0, 1, 2]


def test_an_iterator_that_is_dropped_closes_the_generator() -> None:
    closed: list[bool] = []

    def count() -> Iterator[int]:
        try:
            yield from range(10)
        finally:
            closed.append(True)

    iterator = iter(Dataset.from_generator(count, output_signature=INT))
    next(iterator)
    del iterator
    gc.collect()
    assert closed == [True]


def test_each_pass_calls_the_generator_anew() -> None:
    calls: list[int] = []
    dataset = Dataset.from_generator(lambda: calls.append(1) or [1, 2], output_signature=INT)
    elements(dataset)
    elements(dataset)
    assert len(calls) == 2


def test_a_generator_in_a_function() -> None:
    @tf.function
    def total() -> tf.Tensor:
        iterator = iter(Dataset.from_generator(lambda: [1, 2, 3], output_signature=INT).batch(3))
        return tf.reduce_sum(next(iterator))

    assert total().numpy() == 6


def test_the_graph_form_calls_python_too() -> None:
    dataset = Dataset.from_generator(lambda n: range(n), output_signature=INT, args=[3])
    handle = tf.raw_ops.DatasetFromGraph(graph_def=dataset._as_serialized_graph())
    assert elements(tf.data.experimental.from_variant(handle, INT)) == [0, 1, 2]


@pytest.mark.parametrize("args", [3, {"a": 3}, "abc", tf.constant([1])])
def test_arguments_of_a_generator_come_in_a_tuple_or_list(args: Any) -> None:
    with pytest.raises(TypeError, match=r"values must be a sequence\. `args` of `Dataset\.from_generator\(\)` is"):
        Dataset.from_generator(lambda a: iter([a]), output_signature=INT, args=args)


def _one_array() -> Iterator[Any]:
    buffer = np.zeros(2, np.int32)
    for number in range(4):
        buffer[:] = number
        yield buffer


def _views_of_one_array() -> Iterator[Any]:
    buffer = np.zeros(4, np.int32)
    for number in range(4):
        buffer[:] = number
        yield buffer[:2]


def _one_list() -> Iterator[Any]:
    row = [0, 0]
    for number in range(4):
        row[:] = [number, number]
        yield row


def _one_memory_view() -> Iterator[Any]:
    row = array.array("i", [0, 0])
    for number in range(4):
        row[0] = row[1] = number
        yield row


@pytest.mark.parametrize("generator", [_one_array, _views_of_one_array, _one_list, _one_memory_view])
@pytest.mark.parametrize("stage", ["batch", "padded_batch", "window", "shuffle"])
def test_a_generator_may_write_each_element_over_the_last_one(generator: Any, stage: str) -> None:
    dataset = Dataset.from_generator(generator, output_signature=tf.TensorSpec([2], tf.int32))
    if stage == "window":
        dataset = dataset.window(2).flat_map(lambda window: window.batch(2)).unbatch()
    elif stage == "shuffle":
        dataset = dataset.shuffle(4)
    else:
        dataset = getattr(dataset, stage)(3).unbatch()
    assert sorted(x.numpy().tolist() for x in dataset) == [[0, 0], [1, 1], [2, 2], [3, 3]]


def test_a_generator_may_fill_one_dictionary_again_and_again() -> None:
    def generate() -> Iterator[Any]:
        record: dict[str, Any] = {}
        for number in range(3):
            record["n"], record["row"] = number, [number]
            yield record

    signature = {"n": INT, "row": tf.TensorSpec([1], tf.int32)}
    (batch,) = Dataset.from_generator(generate, output_signature=signature).batch(3)
    assert batch["n"].numpy().tolist() == [0, 1, 2]
    assert batch["row"].numpy().tolist() == [[0], [1], [2]]


def test_what_cannot_be_copied_is_refused_as_an_element() -> None:
    dataset = Dataset.from_generator(lambda: iter([1, threading.Lock()]), output_signature=INT).batch(2)
    iterator = iter(dataset)
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not be converted to the expected type"):
        for _ in range(2):
            next(iterator)


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_a_pass_goes_on_behind_elements_that_do_not_fit(size: int) -> None:
    dataset = Dataset.from_generator(lambda: iter([1, "a", 3, [4], [5], 6, 7]), output_signature=INT)
    refused = "InvalidArgumentError"
    expected = [1, refused, 3, refused, refused, 6, 7]
    assert outcomes(dataset) == expected
    if size > 1:
        numbers = [x for batch in outcomes(dataset.batch(size)) if isinstance(batch, list) for x in batch]
        assert set(numbers) <= {1, 3, 6, 7}
        assert numbers[-1] == 7
    assert elements(dataset.ignore_errors()) == [1, 3, 6, 7]


def test_passes_with_errors_are_restored_everywhere() -> None:
    def generate() -> Iterator[Any]:
        yield from [1, "a", 3, 4]
        raise ValueError("the end")

    check_restores_everywhere(lambda: Dataset.from_generator(generate, output_signature=INT))
    check_restores_everywhere(lambda: Dataset.from_generator(generate, output_signature=INT).batch(2))
