"""Iterators of graphs: one-shot, initializable, reinitializable, fed; in graphs run for tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1
Dataset = tf.data.Dataset


@pytest.fixture
def session() -> Iterator[Any]:
    with tf.Graph().as_default() as graph:
        yield tf.compat.v1.Session(graph=graph)


def test_a_one_shot_iterator_goes_once_over_its_dataset_in_each_session(session: Any) -> None:
    dataset = Dataset.from_tensor_slices(([1, 2], ["a", "b"])).map(lambda x, y: (x * 10, y))
    element = v1.data.make_one_shot_iterator(dataset).get_next()
    assert [session.run(element) for _ in range(2)] == [(10, b"a"), (20, b"b")]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        session.run(element)
    assert tf.compat.v1.Session(graph=v1.get_default_graph()).run(element) == (10, b"a")


def test_an_initializable_iterator_begins_anew_with_each_run_of_its_initializer(session: Any) -> None:
    limit = v1.placeholder(tf.int64, [])
    iterator = v1.data.make_initializable_iterator(Dataset.range(limit))
    element = iterator.get_next()
    with pytest.raises(tf.errors.FailedPreconditionError, match="the iterator has not been initialized"):
        session.run(element)
    for count in (1, 3):
        session.run(iterator.initializer, {limit: count})
        assert [session.run(element) for _ in range(count)] == list(range(count))
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_one_iterator_serves_several_datasets(session: Any) -> None:
    iterator = v1.data.Iterator.from_structure(tf.int64, [])
    first = iterator.make_initializer(Dataset.range(2))
    second = iterator.make_initializer(Dataset.range(10, 12), name="second")
    element = iterator.get_next()
    assert second.name == "second"
    session.run(first)
    assert session.run(element) == 0
    session.run(second)
    assert session.run(element) == 10
    with pytest.raises(ValueError, match="does not have an initializer"):
        _ = iterator.initializer


@pytest.mark.parametrize(
    ("dataset", "error", "message"),
    [
        (lambda: Dataset.from_tensors(1.0), TypeError, "Expected output types tf.int64 but got"),
        (lambda: Dataset.range(3).batch(2), TypeError, "Expected output shapes compatible with"),
        (lambda: Dataset.from_tensors((1, 2)), ValueError, "nested structure"),
    ],
)
def test_a_dataset_of_other_elements_is_refused(session: Any, dataset: Any, error: Any, message: str) -> None:
    iterator = v1.data.Iterator.from_structure(tf.int64, [])
    with pytest.raises(error, match=message):
        iterator.make_initializer(dataset())


def test_an_iterator_is_chosen_by_the_text_that_is_fed(session: Any) -> None:
    handle = v1.placeholder(tf.string, [])
    element = v1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    iterators = [v1.data.make_one_shot_iterator(Dataset.range(*bounds)) for bounds in ((2,), (10, 13))]
    texts = [session.run(iterator.string_handle()) for iterator in iterators]
    assert [session.run(element, {handle: texts[i]}) for i in (0, 1, 0, 1)] == [0, 10, 1, 11]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse string_handle"):
        session.run(element, {handle: "nonsense"})


def test_an_iterator_of_other_elements_is_not_taken_for_the_one_that_is_fed(session: Any) -> None:
    handle = v1.placeholder(tf.string, [])
    element = v1.data.Iterator.from_string_handle(handle, tf.float32, []).get_next()
    text = session.run(v1.data.make_one_shot_iterator(Dataset.range(2)).string_handle("text"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected float but got int64"):
        session.run(element, {handle: text})


def test_two_iterators_of_one_shared_name_are_one(session: Any) -> None:
    first = v1.data.make_initializable_iterator(Dataset.range(5), shared_name="numbers")
    second = v1.data.make_initializable_iterator(Dataset.range(5), shared_name="numbers")
    session.run(first.initializer)
    assert [session.run(i.get_next()) for i in (first, second, first)] == [0, 1, 2]


def test_optionals_of_an_iterator(session: Any) -> None:
    optional = tf.data.experimental.get_next_as_optional(v1.data.make_one_shot_iterator(Dataset.range(1)))
    assert [bool(session.run(optional.has_value())) for _ in range(2)] == [True, False]


def test_what_an_iterator_says_of_itself(session: Any) -> None:
    iterator = v1.data.make_initializable_iterator(Dataset.from_tensors((1, "a")))
    assert iterator.output_types == (tf.int32, tf.string)
    assert iterator.output_shapes == (tf.TensorShape([]), tf.TensorShape([]))
    assert iterator.output_classes == (tf.Tensor, tf.Tensor)
    assert iterator.element_spec == (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string))
    assert iterator.initializer.type == "MakeIterator"
    assert v1.data.Iterator.from_structure(tf.int64).output_shapes.rank is None
    with pytest.raises(ValueError, match="must be given"):
        v1.data.Iterator(None, None, tf.int64, [], tf.Tensor)


def test_the_nodes_are_those_of_tensorflow(session: Any) -> None:
    v1.data.make_initializable_iterator(Dataset.range(3), shared_name="shared").get_next("value")
    operations = {operation.name: operation for operation in v1.get_default_graph().get_operations()}
    assert {"IteratorV2", "MakeIterator", "IteratorToStringHandle", "value"} <= set(operations)
    assert operations["IteratorV2"].get_attr("shared_name") == b"shared"
    assert operations["value"].get_attr("_class") == [b"loc:@RangeDataset"]


def test_a_one_shot_iterator_captures_nothing_that_a_copy_would_not_have(session: Any) -> None:
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        v1.data.make_one_shot_iterator(Dataset.range(v1.placeholder(tf.int64, [])))
    v = tf.Variable(1, dtype=tf.int64)
    with pytest.raises(ValueError, match=r"(?s)Cannot capture a stateful node .*Use `make_initializable_iterator\(\)`"):
        v1.data.make_one_shot_iterator(Dataset.range(3).map(lambda x: x + v))


def test_many_calls_of_get_next_warn(session: Any) -> None:
    iterator = v1.data.make_one_shot_iterator(Dataset.range(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(32):
            iterator.get_next()
    with pytest.warns(UserWarning, match="unusually high number of times"):
        iterator.get_next()


def test_eager_mode_has_one_shot_iterators_only() -> None:
    iterator = v1.data.make_one_shot_iterator(Dataset.range(2))
    assert [int(x) for x in iterator] == [0, 1]
    with pytest.raises(RuntimeError, match="not supported in eager mode"):
        v1.data.make_initializable_iterator(Dataset.range(2))
