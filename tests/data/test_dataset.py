"""`tf.data.Dataset` as a user meets it; what each transformation does is tested in its own module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf

Dataset = tf.data.Dataset


def test_elements_come_in_order_and_again_for_each_iterator() -> None:
    dataset = Dataset.range(5).map(lambda x: x * 2)
    assert [x.numpy() for x in dataset] == [0, 2, 4, 6, 8] == [x.numpy() for x in dataset]


def test_a_dataset_says_what_it_is() -> None:
    dataset = Dataset.range(5).batch(2)
    assert repr(dataset) == "<_BatchDataset element_spec=TensorSpec(shape=(None,), dtype=tf.int64, name=None)>"
    assert isinstance(dataset, Dataset)
    assert len(dataset) == 3
    assert bool(dataset)


def test_a_missing_argument_is_reported_by_the_name_of_the_method() -> None:
    for method, argument in (("map", "map_func"), ("filter", "predicate"), ("batch", "batch_size")):
        with pytest.raises(TypeError) as raised:
            getattr(tf.data.Dataset.range(3), method)()
        assert str(raised.value) == f"DatasetV2.{method}() missing 1 required positional argument: '{argument}'"


def test_the_length_of_a_filtered_dataset_is_an_error() -> None:
    with pytest.raises(TypeError, match="The dataset length is unknown"):
        len(Dataset.range(5).filter(lambda x: x > 2))


def test_an_error_comes_after_the_elements_before_it_and_the_pass_goes_on_behind_it() -> None:
    def refuse_two(x: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_none_equal(x, tf.constant(2, tf.int64))
        return x

    iterator = iter(Dataset.range(4).map(refuse_two))
    assert [next(iterator).numpy(), next(iterator).numpy()] == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert next(iterator).numpy() == 3


def test_a_function_with_effects_runs_once_for_each_element_that_is_asked_for() -> None:
    seen: list[int] = []

    def note(x: object) -> object:
        return tf.py_function(lambda y: seen.append(int(y)) or y, [x], tf.int64)

    iterator = iter(Dataset.range(10).map(note).batch(2))
    next(iterator)
    assert seen == [0, 1]


def test_the_second_get_next_after_the_end_raises_as_the_first() -> None:
    iterator = iter(Dataset.range(1))
    iterator.get_next()
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            iterator.get_next()


def test_a_dataset_made_in_a_function_is_gone_through_there() -> None:
    @tf.function
    def total(n: tf.Tensor) -> tf.Tensor:
        iterator = iter(Dataset.range(n).map(lambda x: x + n))
        return next(iterator) + next(iterator)

    assert total(tf.constant(5, tf.int64)).numpy() == 11


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda d: d.take([2]), "count"),
        (lambda d: d.repeat([2]), "count"),
        (lambda d: d.batch([2]), "batch_size"),
        (lambda d: d.shard([2], 0), "num_shards"),
        (lambda d: d.window([2]), "size"),
        (lambda d: d.padded_batch([2]), "batch_size"),
        (lambda d: Dataset.range([2]), "stop"),
    ],
)
def test_a_vector_in_place_of_a_number_is_refused(make: Callable[[Any], Any], name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{name} must be a scalar"):
        make(Dataset.range(5))


def test_a_number_of_another_dtype_is_refused_by_name() -> None:
    message = "batch_size: Tensor conversion requested dtype int64 for Tensor with dtype int32: <tf.Tensor"
    with pytest.raises(ValueError, match=message):
        Dataset.range(5).batch(tf.constant(2))


@pytest.mark.parametrize("name", ["a b", "1a", "a-b", "a/b", 3])
def test_a_name_that_is_no_identifier_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match=r"Invalid `name`\. The argument `name` needs to be a valid identifier"):
        Dataset.range(2).map(lambda x: x, name=name)
    with pytest.raises(ValueError, match="Invalid `name`"):
        Dataset.range(2, name=name)


def test_a_name_goes_into_the_metadata_of_the_op() -> None:
    with tf.Graph().as_default() as graph:
        Dataset.range(2, name="numbers").take(1, name="")
    found = [graph.get_operation_by_name(name).get_attr("metadata") for name in ("RangeDataset", "TakeDataset")]
    assert found == [b"\n\x07numbers", b""]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Dataset.from_tensors(()),
        lambda: Dataset.range(2).map(lambda x: None),
        lambda: Dataset.range(2).scan((), lambda s, x: (s, x)),
        lambda: Dataset.range(2).reduce((), lambda s, x: s),
    ],
)
def test_elements_and_states_without_tensors_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(types|Tstate)' of 0 must be at least minimum 1"):
        make()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="length 0 less than minimum 1"):
        make()


def test_the_length_is_no_number_in_a_graph() -> None:
    text = "only supports `len` in eager mode. Use `tf.data.Dataset.cardinality\\(\\)` instead."
    with tf.Graph().as_default(), pytest.raises(TypeError, match=text):
        len(Dataset.range(2))


def test_the_debug_string_has_a_line_for_each_dataset() -> None:
    dataset = Dataset.zip(Dataset.range(3), Dataset.range(4).batch(2)).prefetch(1)
    lines = [line.partition(" ")[0] for line in dataset.__debug_string__().split("\n")]
    kinds = ["_PrefetchDataset", "--_ZipDataset", "----_BatchDataset", "------_RangeDataset", "----_RangeDataset"]
    assert [line.replace("<", "") for line in lines] == kinds
    assert Dataset.range(3).__debug_string__() == repr(Dataset.range(3))
