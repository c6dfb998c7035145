"""Iterators wherever a user can put one: in functions, loops and branches, made there, captured or passed."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

Dataset = tf.data.Dataset


def test_an_iterator_is_passed_to_a_function_with_one_trace_for_each_element_spec() -> None:
    @tf.function
    def take(iterator: Any) -> Any:
        return next(iterator)

    first, second = iter(Dataset.range(5)), iter(Dataset.range(5, 9).map(lambda x: x))
    assert [take(first).numpy(), take(first).numpy(), take(second).numpy()] == [0, 1, 5]
    assert take.experimental_get_tracing_count() == 1
    take(iter(Dataset.from_tensors(2.0)))
    assert take.experimental_get_tracing_count() == 2


def test_a_captured_iterator_goes_on_from_call_to_call() -> None:
    iterator = iter(Dataset.range(5))

    @tf.function
    def take() -> Any:
        return iterator.get_next()

    assert [take().numpy(), next(iterator).numpy(), take().numpy()] == [0, 1, 2]


def test_an_iterator_made_in_a_function_begins_anew_in_each_call() -> None:
    @tf.function
    def two(dataset: Any) -> Any:
        iterator = iter(dataset)
        return next(iterator), next(iterator)

    for dataset in (Dataset.range(3), Dataset.range(4).map(lambda x: x)):
        assert [t.numpy() for t in two(dataset)] == [0, 1]
    assert two.experimental_get_tracing_count() == 1


def test_loops_and_branches_take_from_an_iterator() -> None:
    @tf.function
    def sum_of_three(iterator: Any) -> Any:
        start = (0, tf.constant(0, tf.int64))
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + next(iterator)), start)

    @tf.function
    def either(iterator: Any, condition: Any) -> Any:
        return tf.cond(condition, lambda: next(iterator), lambda: next(iterator) * 100)

    iterator = iter(Dataset.range(10))
    assert sum_of_three(iterator)[1].numpy() == 3
    assert either(iterator, tf.constant(False)).numpy() == 300
    assert either(iterator, tf.constant(True)).numpy() == 4


def test_a_signature_describes_a_dataset() -> None:
    @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))])
    def first(dataset: Any) -> Any:
        return next(iter(dataset))

    assert first(Dataset.range(3, 5)).numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected int64 but got float"):
        first(Dataset.from_tensors(2.0))


def test_effects_of_a_pipeline_come_in_program_order() -> None:
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def take_twice(iterator: Any) -> Any:
        seen = [v + 0, next(iterator), v + 0]
        v.assign(10)
        return [*seen, next(iterator), v + 0]

    iterator = iter(Dataset.range(5).map(lambda x: v.assign_add(1)))
    assert [t.numpy() for t in take_twice(iterator)] == [0, 1, 1, 11, 11]


def test_an_element_that_is_not_read_is_taken() -> None:
    iterator = iter(Dataset.range(5))

    @tf.function
    def skip() -> None:
        next(iterator)

    skip()
    assert next(iterator).numpy() == 1


def test_the_end_in_a_function_is_an_error_of_its_op() -> None:
    @tf.function
    def take(iterator: Any) -> Any:
        return next(iterator)

    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        take(iter(Dataset.range(0)))


def test_the_public_class_is_abstract() -> None:
    assert isinstance(iter(Dataset.range(1)), tf.data.Iterator)
    with pytest.raises(TypeError, match="abstract"):
        tf.data.Iterator()


def test_an_iterator_from_components_needs_both() -> None:
    owned = type(iter(Dataset.range(1)))
    with pytest.raises(ValueError, match="both `components` and `element_spec` must be specified"):
        owned()
    with pytest.raises(ValueError, match="must not be specified"):
        owned(Dataset.range(1), element_spec=tf.TensorSpec([], tf.int64))


def test_specs_of_iterators_print_and_compare() -> None:
    spec = tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))
    assert repr(spec) == "IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)"
    assert tf.data.IteratorSpec.from_value(iter(Dataset.range(1))) == spec
    assert spec.is_compatible_with(iter(Dataset.range(1)))


def test_iterating_in_a_plain_graph_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="only supports Python-style iteration"):
        iter(Dataset.range(1))


def test_an_error_of_a_function_names_the_stage_the_element_and_the_line() -> None:
    def check(x: Any) -> Any:
        return tf.debugging.check_numerics(1 / x, "not finite")

    numbers = Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0, 0.0])
    passed = numbers.map(check)
    iterator = iter(passed)
    messages = []
    for _ in range(5):
        try:
            next(iterator)
        except tf.errors.InvalidArgumentError as error:
            messages.append(error.message)
    assert len(messages) == 2
    for message, index in zip(messages, (2, 4), strict=True):
        assert f"Error in user-defined function passed to MapDataset transformation at element {index}: " in message
        assert "in check" in message
        assert "not finite" in message
        assert message.endswith("[Op:IteratorGetNext] name: ")
    with pytest.raises(tf.errors.InvalidArgumentError, match="passed to FilterDataset transformation at element 2"):
        list(numbers.filter(lambda x: check(x) > 0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="ParallelMapDatasetV2 transformation at element 2"):
        list(numbers.map(check, num_parallel_calls=2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="passed to FlatMapDataset transformation: "):
        list(numbers.flat_map(lambda x: Dataset.from_tensors(check(x))))


def test_the_index_of_an_element_survives_saving() -> None:
    dataset = Dataset.from_tensor_slices([1.0, 2.0, 0.0]).map(lambda x: tf.debugging.check_numerics(1 / x, "bad"))
    first, second = dataset.as_numpy_iterator(), dataset.as_numpy_iterator()
    next(first)
    second.restore(first.save())
    next(second)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at element 2"):
        next(second)


def test_an_end_inside_of_a_function_is_not_the_end_of_the_dataset() -> None:
    ended = iter(Dataset.range(0))
    dataset = Dataset.range(3).map(lambda x: x + ended.get_next())
    with pytest.raises(tf.errors.InvalidArgumentError, match="Function invocation produced OutOfRangeError"):
        next(iter(dataset))


def test_iterators_over_one_dataset_have_one_spec() -> None:
    dataset = Dataset.range(3)
    first, second = iter(dataset)._type_spec, iter(dataset)._type_spec
    assert first is second
    assert hash(first) == hash(tf.data.IteratorSpec(tf.TensorSpec([], tf.int64)))


@pytest.mark.xla
def test_a_compiled_function_refuses_iterators_and_loops_over_datasets() -> None:
    iterator = iter(tf.data.Dataset.range(3))

    @tf.function(jit_compile=True)
    def step() -> tf.Tensor:
        return next(iterator)

    @tf.function(jit_compile=True)
    def loop() -> tf.Tensor:
        total = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(3):
            total += x
        return total

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"unsupported operations.*IteratorGetNext"):
        step()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"unsupported operations.*ReduceDataset"):
        loop()
