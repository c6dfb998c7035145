"""The fast path must agree with the slow path on every kind of argument."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.function.fast_calls import NoFastCallError, flat_key

Point = namedtuple("Point", "x y")


def key(*args: Any, **kwargs: Any) -> Any:
    return flat_key(args, kwargs, {"x": 0, "y": 1})[0]


def test_tensors_are_keyed_by_dtype_and_shape() -> None:
    assert key(tf.constant(1)) == key(tf.constant(2)) == key(np.int32(3)) == key(np.array(4, np.int32))
    assert len({key(tf.constant(1)), key(tf.constant(1.0)), key(tf.constant([1])), key(1)}) == 4


@pytest.mark.parametrize(
    "pair", [(1, 1.0), (1, True), (0.0, -0.0), ("1", 1), ([1], (1,)), ({"a": 1}, {"b": 1}), ((1, 2), Point(1, 2))]
)
def test_different_arguments_have_different_keys(pair: Any) -> None:
    assert key(pair[0]) != key(pair[1])


def test_equal_arguments_have_equal_keys() -> None:
    thing = object.__new__(type("Thing", (), {}))
    for value in (float("nan"), [1, (2, None)], {"b": 1, "a": 2}, thing, Point(1, "a"), 1j):
        assert key(value) == key(value)
    assert key({"b": 1, "a": 2}) == key({"a": 2, "b": 1})


def test_keywords_are_keyed_by_name() -> None:
    assert key(x=1, y=2) == key(y=2, x=1) != key(x=2, y=1)
    assert key(1, y=2) != key(1, 2)


@pytest.mark.parametrize(
    "value",
    [
        tf.TensorSpec([]),
        np.array("a"),
        np.array([object()]),
        np.array([1.0], ">f4"),
    ],
)
def test_what_has_no_simple_key_takes_the_slow_path(value: Any) -> None:
    with pytest.raises(NoFastCallError):
        key(value)


def slices(count: int, dtype: Any = tf.float32) -> Any:
    return tf.IndexedSlices(tf.ones([count, 2], dtype), tf.range(count))


def test_composite_tensors_are_keyed_by_their_specs() -> None:
    assert key(slices(1)) == key(slices(1)) != key(slices(1, tf.float64))
    numbers, more = tf.data.Dataset.range(2), tf.data.Dataset.range(5)
    assert key(iter(numbers)) == key(iter(numbers)) == key(iter(more)) != key(iter(numbers.batch(2)))
    (array,) = flat_key([iter(numbers)], {}, {})[1]
    assert array.dtype == object


def test_each_iterator_is_asked_by_the_plan_of_all() -> None:
    f = tf.function(lambda iterator: next(iterator) * 10, autograph=False)
    first, second = (iter(tf.data.Dataset.range(n, 4)) for n in (1, 3))
    assert [int(f(i)) for i in (first, second, first, first)] == [10, 30, 20, 30]
    assert (f.experimental_get_tracing_count(), len(f._plans)) == (1, 1)
    for iterator in (first, second):
        with pytest.raises(tf.errors.OutOfRangeError):
            f(iterator)


def test_a_composite_tensor_of_a_class_with_its_own_trace_type_takes_the_slow_path() -> None:
    class Own(type(iter(tf.data.Dataset.range(1)))):  # type: ignore[misc]  # a class found at run time
        def __tf_tracing_type__(self, context: Any) -> Any:
            raise AssertionError

    with pytest.raises(NoFastCallError):
        key(Own(tf.data.Dataset.range(1)))


def test_arrays_are_copied() -> None:
    array = np.ones(2)
    (copy,) = flat_key((array,), {}, {})[1]
    assert copy is not array and not np.shares_memory(copy, array)


leaf = st.one_of(
    st.integers(-2, 2),
    st.sampled_from([0.0, -0.0, 1.0, float("nan")]),
    st.booleans(),
    st.none(),
    st.sampled_from(["a", b"a"]),
    st.builds(lambda v: tf.constant(v), st.sampled_from([1, 1.0, [1, 2], True])),
    st.builds(lambda v: np.array(v), st.sampled_from([1, 1.0, [1, 2]])),
)
arguments = st.recursive(
    leaf,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.tuples(inner, inner)
        | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(st.lists(arguments, min_size=2, max_size=6))
def test_equal_keys_mean_equal_traces(values: list[Any]) -> None:
    f = tf.function(lambda x: 1)
    traces = [f.get_concrete_function(value) for value in values]
    keys = [key(value) for value in values]
    for one, trace in zip(keys, traces):
        for other, other_trace in zip(keys, traces):
            if one == other:
                assert trace is other_trace


@given(st.lists(arguments, min_size=1, max_size=4))
def test_the_second_call_gives_what_the_first_gave(values: list[Any]) -> None:
    f = tf.function(lambda x: [t for t in tf.nest.flatten(x) if isinstance(t, tf.Tensor)])
    for value in values:
        first, second = f(value), f(value)
        assert [t.numpy().tolist() for t in first] == [t.numpy().tolist() for t in second]


def test_variables_are_passed_by_handle() -> None:
    f = tf.function(lambda v, w: v * 10.0 + w)
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    assert [float(f(*pair)) for pair in ((v, w), (w, v), (v, w), (v, v), (w, w), (v, v))] == [
        12.0,
        21.0,
        12.0,
        11.0,
        22.0,
        11.0,
    ]
    assert f.experimental_get_tracing_count() == 2


def test_converted_arguments_never_leave_a_plan() -> None:
    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None])])
    for value in ([1, 2], np.array([1.0, 2.0]), np.array([3.0, 4.0]), [5, 6]):
        result = f(value)
        assert result.dtype is tf.float32 and result.numpy().tolist() == list(value)


def test_replaced_captures_are_seen_by_plans() -> None:
    k = tf.constant(1.0)
    f = tf.function(lambda x: x + k)
    x = tf.constant(1.0)
    f(x), f(x)
    f.get_concrete_function(x).set_external_captures([tf.constant(5.0)])
    assert float(f(x)) == 6.0


class Wrapped(tf.__internal__.types.Tensor):
    """A variable as Keras's are: it holds a `tf.Variable` and derives from the interface of tensors."""

    _should_act_as_resource_variable = True

    def __init__(self, number: float) -> None:
        self.value = tf.Variable(number)
        self.trainable = True

    @property
    def handle(self) -> Any:
        return self.value.handle

    @property
    def dtype(self) -> str:
        return self.value.dtype.name

    @property
    def shape(self) -> Any:
        return self.value.shape

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return tf.convert_to_tensor(self.value, dtype=dtype, name=name)


def test_a_variable_that_holds_a_variable_is_an_argument() -> None:
    first, second = Wrapped(2.0), Wrapped(3.0)
    f = tf.function(lambda x, y: tf.convert_to_tensor(x) * 10.0 + y.value)
    assert [f(first, second).numpy() for _ in range(3)] == [23.0] * 3
    first.value.assign(4.0)
    assert f(first, second).numpy() == 43.0
    assert f.experimental_get_tracing_count() == 1
    assert f(second, first).numpy() == 34.0
    assert f(first, first).numpy() == 44.0


def test_a_variable_that_holds_a_variable_gives_its_value_to_a_signature() -> None:
    f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([], tf.float32)])
    assert [f(Wrapped(2.0)).numpy(), f(Wrapped(5.0)).numpy()] == [4.0, 10.0]


def test_gradients_through_calls_with_such_variables() -> None:
    first, second = Wrapped(2.0), Wrapped(3.0)
    f = tf.function(lambda x, y: tf.convert_to_tensor(x) ** 2 * y.value)
    for _ in range(2):
        with tf.GradientTape() as tape:
            total = f(first, second)
        assert [g.numpy() for g in tape.gradient(total, [first, second])] == [12.0, 4.0]


@pytest.mark.parametrize("pack", [lambda y: y, lambda y: [y], lambda y: (y,), lambda y: {"y": y}, lambda y: (2, [y])])
def test_a_single_result_has_the_same_container_in_each_call(pack: Any) -> None:
    function = tf.function(lambda x: pack(x + 1.0))
    results = [function(tf.constant(1.0)) for _ in range(3)]
    expected = tf.nest.map_structure(float, pack(tf.constant(2.0)))
    assert [tf.nest.map_structure(float, result) for result in results] == [expected] * 3
