"""Shape, size and rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Shape", [x([2, 0, 3])]),
    Sample("Shape", [np.array("a", object)], {"out_type": tf.int64}),
    Sample("ShapeN", [[x([2, 3]), x([1])]]),
    Sample("Size", [x([2, 3], np.int8)], {"out_type": tf.int64}),
    Sample("Size", [x([])]),
    Sample("Rank", [x([2, 3], bool)]),
    Sample("Rank", [x([])]),
]


ANSWERS = [
    (lambda: tf.shape("a"), [("int32", [])]),
    (lambda: tf.shape_n([tf.zeros([2]), [1, 2]]), [("int32", [2]), ("int32", [2])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.size([[1], [2, 3]]), ValueError, "Can't convert non-rectangular Python sequence to Tensor."),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


NODE_NAMES = [
    (lambda x: tf.shape(x), [(tf.float32, [2, 3])], ["Shape"]),
    (lambda x: tf.shape(x), [(tf.float32, [None, 3])], ["Shape"]),
    (lambda x: tf.shape(x, tf.int64), [(tf.float32, [None, 3])], ["Shape"]),
    (lambda x: tf.shape_n([x, x]), [(tf.float32, [None, 3])], ["ShapeN"]),
    (lambda x: tf.shape_n([x, x]), [(tf.float32, [2, 3])], ["ShapeN"]),
    (lambda x: tf.size(x), [(tf.float32, [2, 3])], ["Size"]),
    (lambda x: tf.size(x), [(tf.float32, [None, 3])], ["Size"]),
    (lambda x: tf.rank(x), [(tf.float32, [None, 3])], ["Rank"]),
    (lambda x: tf.rank(x), [(tf.float32, None)], ["Rank"]),
    (lambda x: tf.size(x, name="s", out_type=tf.int64), [(tf.float32, [2, 3])], ["s"]),
    (
        lambda x: tf.shape(x)[0],
        [(tf.float32, [None, 4, 5])],
        ["Shape", "strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"],
    ),
    (
        lambda x: tf.shape(x)[:2],
        [(tf.float32, [None, 4, 5])],
        ["Shape", "strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


def test_known_dimensions_stay_known_through_a_shape_tensor() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 3, 4])])
    def merge(x: Any) -> Any:
        shape = tf.shape(x)
        result = tf.reshape(x, [shape[0], shape[1] * 4])
        assert tf.reshape(x, [shape[0], 12]).shape.as_list() == [None, 12]
        assert tf.zeros(tf.concat([shape[:1], [5], shape[2:]], 0)).shape.as_list() == [None, 5, 4]
        return result

    assert merge(tf.zeros([2, 3, 4])).shape == (2, 12)


def test_shapes_are_given_in_the_dtype_asked_for() -> None:
    assert tf.shape([1, 2], tf.int64).dtype is tf.int64
    assert tf.size([1, 2], out_type=tf.int64).dtype is tf.int64
    assert tf.compat.v1.shape([1, 2], out_type=tf.int64).dtype is tf.int64
