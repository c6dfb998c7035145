"""`Dataset.reduce`: states of every structure, shapes that change, effects, errors."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import millrace as tf

Dataset = tf.data.Dataset


def long(value: Any) -> Any:
    return tf.constant(value, tf.int64)


def test_the_elements_are_combined_in_order() -> None:
    words = Dataset.from_tensor_slices(["a", "b", "c"])
    assert words.reduce("", lambda text, word: text + word).numpy() == b"abc"


def test_the_state_may_be_a_nest() -> None:
    Pair = collections.namedtuple("Pair", "total count")
    pair = Dataset.range(5).reduce(Pair(long(0), 0), lambda s, x: Pair(s.total + x, s.count + 1))
    assert type(pair) is Pair
    assert (pair.total.numpy(), pair.count.numpy()) == (10, 5)
    assert Dataset.range(5).reduce({"a": long(0)}, lambda s, x: {"a": s["a"] + x})["a"].numpy() == 10
    assert Dataset.range(5).reduce((long(0), None), lambda s, x: (s[0] + x, None))[1] is None


def test_an_element_that_is_a_tuple_is_one_argument() -> None:
    pairs = Dataset.from_tensor_slices(([1, 2], [3, 4]))
    assert pairs.reduce(0, lambda s, pair: s + pair[0] * pair[1]).numpy() == 11
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        pairs.reduce(0, lambda s, a, b: s + a * b)


def test_without_elements_the_initial_state_comes_back() -> None:
    assert Dataset.range(0).reduce(long(7), lambda s, x: s + x).numpy() == 7


def test_the_state_may_grow() -> None:
    grown = Dataset.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))
    assert grown.numpy().tolist() == [0, 1, 2]
    assert Dataset.range(3).reduce(long(5), lambda s, x: tf.expand_dims(s, 0)).shape == (1, 1, 1)


def test_the_static_shape_in_a_graph_is_what_holds_for_all_states() -> None:
    @tf.function
    def grow() -> Any:
        grown = Dataset.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))
        assert grown.shape.as_list() == [None]
        return grown

    assert grow().numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("state", "function", "error", "message"),
    [
        (0, lambda s, x: x, TypeError, "Expected <dtype: 'int32'> but got <dtype: 'int64'>"),
        ((0, 0), lambda s, x: s[0], tf.errors.InvalidArgumentError, r"\(initial_state=2, output=1\)"),
        (0, lambda s, x: None, TypeError, "element classes for the new state must match"),
        (0, lambda s, x: object(), TypeError, r"Unsupported return value from function passed to reduce\(\)"),
        (0, 3, ValueError, "must be a callable"),
    ],
)
def test_a_next_state_of_another_type_is_refused(state: Any, function: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        Dataset.range(5).reduce(state, function)


def test_a_function_of_another_number_of_states_is_refused_by_the_op() -> None:
    @tf.function
    def one(a: Any, x: Any) -> Any:
        return a

    function = one.get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(initial_state=2, output=1\)"):
        tf.raw_ops.ReduceDataset(
            input_dataset=Dataset.range(2)._variant_tensor,
            initial_state=[1, 2],
            other_arguments=[],
            f=function.graph_function,
            output_types=[tf.int32],
            output_shapes=[[]],
        )


def test_captures_and_variables_are_read_as_the_function_runs() -> None:
    v = tf.Variable(long(1))

    def add(s: Any, x: Any) -> Any:
        v.assign_add(x)
        return s + v

    assert Dataset.range(4).reduce(long(0), add).numpy() == 1 + 2 + 4 + 7
    assert v.numpy() == 7


def test_effects_in_a_function_come_in_program_order() -> None:
    v = tf.Variable(long(0))

    def note(x: Any) -> Any:
        return v.assign_add(x)

    @tf.function
    def around(dataset: Any) -> Any:
        before = v + 0
        total = dataset.reduce(long(0), lambda s, x: s + x)
        return before, total, v + 0

    assert [t.numpy() for t in around(Dataset.range(3).map(note))] == [0, 4, 3]


def test_a_reduction_whose_result_is_not_read_runs() -> None:
    v = tf.Variable(long(0))

    @tf.function
    def run(dataset: Any) -> None:
        dataset.reduce(long(0), lambda s, x: s + v.assign_add(1))

    run(Dataset.range(3))
    assert v.numpy() == 3


def test_an_error_of_the_function_names_the_op() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)not finite.*\[Op:ReduceDataset\] name: "):
        Dataset.from_tensor_slices([1.0, 0.0]).reduce(
            0.0, lambda s, x: s + tf.debugging.check_numerics(1 / x, "not finite")
        )


def test_the_nodes_are_those_of_tensorflow() -> None:
    concrete = tf.function(lambda ds: ds.reduce(long(0), lambda s, x: s + x)).get_concrete_function(Dataset.range(5))
    reduce = next(o for o in concrete.graph.get_operations() if o.type == "ReduceDataset")
    assert reduce.name == "ReduceDataset"
    assert reduce.get_attr("use_inter_op_parallelism") is True
    assert reduce.get_attr("f").name.startswith("__inference_reduce_lambda_")


def test_no_gradient_flows_out_of_a_reduction() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        total = Dataset.from_tensor_slices([1.0, 2.0]).reduce(0.0, lambda s, x: s + x * w)
    assert tape.gradient(total, w) is None


def test_a_dataset_of_other_shapes_than_its_spec_is_found_out() -> None:
    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    total = tf.function(lambda d: d.reduce(np.int64(0), lambda s, x: s + x), input_signature=[spec])
    assert total(Dataset.range(5)).numpy() == 10
    text = r"Incompatible shapes at component 0: expected \[\] but got"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        total(Dataset.range(4).batch(2))
