"""What is known of values while tracing: folded constants, partially known vectors, shapes made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_registry import get_op
from millrace._src.core.shape_context import ShapeContext, partial_value, static_shape, static_value


def traced(f: Any, *shapes: Any) -> Any:
    """What `f` returns of symbolic float tensors of these shapes."""
    results = []
    specs = [tf.TensorSpec(s, tf.float32) for s in shapes]
    tf.function(lambda *xs: results.append(f(*xs)), autograph=False, input_signature=specs).get_concrete_function()
    return results[0]


def test_arithmetic_of_constants_is_known() -> None:
    assert traced(lambda: static_value(tf.constant([1, 2]) * 3 + 1)).tolist() == [4, 7]
    assert traced(lambda: tf.get_static_value(tf.concat([[1], [2, 3]], 0))).tolist() == [1, 2, 3]
    assert traced(lambda x: static_value(x), [2]) is None
    assert static_value(tf.constant(5)) == 5
    assert static_value("no tensor") is None


def test_shapes_are_known_even_of_unknown_values() -> None:
    assert traced(lambda x: static_value(tf.shape(x)), [2, 3]).tolist() == [2, 3]
    assert traced(lambda x: static_value(tf.rank(x)), [None, 3]) == 2
    assert traced(lambda x: static_value(tf.shape(x)), [None, 3]) is None


def test_a_vector_may_be_partially_known() -> None:
    assert traced(lambda x: partial_value(tf.shape(x)), [None, 3]) == [None, 3]
    assert traced(lambda x: partial_value(tf.stack([tf.shape(x)[0], 4])), [None, 3]) == [None, 4]
    assert traced(lambda x: partial_value(tf.concat([tf.shape(x), [7]], 0)), [None, 3]) == [None, 3, 7]
    assert traced(lambda x: partial_value(tf.shape(x)[1:]), [None, 3]) == [3]


def test_a_reshape_keeps_what_is_known() -> None:
    assert traced(lambda x: tf.reshape(x, [tf.shape(x)[0], -1]).shape.as_list(), [None, 3, 4])[0] is None
    assert traced(lambda x: tf.reshape(x, [tf.shape(x)[0], 12]).shape.as_list(), [5, 3, 4]) == [5, 12]
    assert traced(lambda x: tf.zeros(tf.shape(x)).shape.as_list(), [None, 3]) == [None, 3]


def test_minus_one_is_an_unknown_dimension() -> None:
    assert static_shape(tf.constant([2, -1])).as_list() == [2, None]
    assert static_shape(tf.constant(-1)).rank is None
    with pytest.raises(ValueError, match="scalar"):
        static_shape(tf.constant(3))


def test_random_numbers_and_variables_are_never_folded() -> None:
    v = tf.Variable([1, 2])
    assert traced(lambda: static_value(tf.random.uniform([2]))) is None
    assert traced(lambda: static_value(v + 1)) is None


def test_large_constants_are_not_folded() -> None:
    assert traced(lambda: static_value(tf.zeros([10000]) + tf.ones([10000]))) is None


def test_a_failing_computation_is_not_folded() -> None:
    assert traced(lambda: static_value(tf.constant([1]) // tf.constant([0]))) is None


def test_partial_static_values() -> None:
    got = traced(lambda x: tf.get_static_value(tf.stack([x[0], 2.0]), partial=True), [3])
    assert list(got) == [None, 2.0]
    assert traced(lambda x: tf.get_static_value(tf.stack([x[0], 2.0])), [3]) is None


def test_inputs_before_a_list_and_after_one_are_found_by_name() -> None:
    op = get_op("If")
    assert op.input_positions == {"cond": 0}
    c = ShapeContext(op, ["cond", "a", "b"], {"Tin": (tf.float32, tf.float32)})
    assert [list(c.tensors(name)) for name in ("cond", "input")] == [["cond"], ["a", "b"]]
    with pytest.raises(KeyError, match="If has no input 'x'"):
        c.tensors("x")


def test_a_value_is_known_at_the_end_of_a_chain_longer_than_calls_can_be_nested() -> None:
    def end_of_chain() -> Any:
        with tf.Graph().as_default() as graph:
            tensor = graph.constant(np.array([2, 3], np.int32), tf.int32, "c")
            for number in range(3000):
                operation = graph.add_operation(get_op("Neg"), (tensor,), {"T": tf.int32}, f"n{number}")
                (tensor,) = operation.outputs
            return static_value(tensor)

    assert end_of_chain().tolist() == [2, 3]
