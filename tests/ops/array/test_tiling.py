"""Tile and repeat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Tile", [x([2, 3]), np.int32([2, 1])], grad=True),
    Sample("Tile", [x([2], np.complex64), np.int64([0])]),
    Sample("Tile", [x([], np.int32), np.zeros([0], np.int32)]),
]


ANSWERS = [
    (lambda: tf.tile(tf.zeros([2, 3]), [0, 1]), [("float32", [])]),
    (lambda: tf.tile(tf.zeros([]), []), [("float32", 0.0)]),
    (lambda: tf.repeat([1, 2], [-1, 2]), [("int32", [2, 2])]),
    (lambda: tf.repeat(3, 4), [("int32", [3, 3, 3, 3])]),
    (lambda: tf.repeat([1, 2], [2], axis=0), [("int32", [1, 1, 2, 2])]),
    (lambda: tf.repeat(["a", "b"], [2, 1]), [("string", [b"a", b"a", b"b"])]),
    (lambda: tf.repeat([[1, 2], [3, 4]], [1, 2], axis=1), [("int32", [[1, 2, 2], [3, 4, 4]])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.tile(tf.zeros([2, 3]), [2]),
        tf.errors.InvalidArgumentError,
        "Expected multiples argument to be a vector of length 2 but got length 1",
    ),
    (
        lambda: tf.tile(tf.zeros([2, 3]), [2, -1]),
        tf.errors.InvalidArgumentError,
        "Expected multiples[1] >= 0, but got -1",
    ),
    (
        lambda: tf.tile(tf.zeros([2, 3]), 2),
        tf.errors.InvalidArgumentError,
        "Expected multiples to be 1-D, but got shape []",
    ),
    (lambda: tf.repeat(tf.zeros([2, 3]), [1, 2, 3], axis=0), ValueError, "Dimensions 2 and 3 are not compatible"),
    (lambda: tf.repeat([1, 2], -1), tf.errors.InvalidArgumentError, "Expected multiples[1] >= 0, but got -1"),
    (lambda: tf.repeat([1, 2], [[1, 2]]), ValueError, "Shape (1, 2) must have rank at most 1"),
    (lambda: tf.repeat([[1, 2]], 2, axis=5), ValueError, "axis=5 out of bounds: expected -2<=axis<2"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.tile(tf.zeros([2, 3]), [2]), ValueError, "Shape must be rank 2 but is rank 1"),
    (lambda: tf.tile(tf.zeros([2, 3]), 2), ValueError, "Shape must be rank 1 but is rank 0"),
    (lambda: tf.repeat(tf.zeros([2, 3]), [1, 2, 3], axis=0), ValueError, "Dimensions 2 and 3 are not compatible"),
    (lambda: tf.repeat([1, 2], [[1, 2]]), ValueError, "Shape (1, 2) must have rank at most 1"),
    (lambda: tf.repeat([[1, 2]], 2, axis=5), ValueError, "axis=5 out of bounds: expected -2<=axis<2"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.tile(x, [2, 1, 3]), [(tf.float32, [None, 4, 5])], ["Tile/multiples", "Tile"]),
    (lambda x, m: tf.tile(x, m), [(tf.float32, [None, 4, 5]), (tf.int32, [3])], ["Tile"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@given(st.lists(st.integers(0, 3), min_size=3, max_size=3), st.sampled_from([0, 1]))
def test_repeat_is_numpys(counts: list[int], axis: int) -> None:
    array = np.arange(9).reshape(3, 3)
    np.testing.assert_array_equal(tf.repeat(array, counts, axis=axis).numpy(), np.repeat(array, counts, axis=axis))


def test_repeat_knows_its_size_while_tracing() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 3])])
    def twice(x: Any) -> Any:
        assert tf.repeat(x, 2, axis=1).shape.as_list() == [None, 6]
        assert tf.repeat(x, [1, 0, 2], axis=1).shape.as_list() == [None, 3]
        return tf.repeat(x, 2, axis=0)

    assert twice(tf.ones([2, 3])).shape == (4, 3)


def test_the_gradient_of_repeat_is_dense() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.repeat(x, [1, 2], axis=0) * 3.0
    assert tape.gradient(y, x).numpy().tolist() == [[3.0, 3.0], [6.0, 6.0]]


def test_the_nodes_of_repeat_are_tensorflows() -> None:
    names = [
        "Reshape/shape",
        "Reshape",
        "Repeat/repeats",
        "Repeat/Cast",
        "Repeat/Shape",
        "Repeat/Reshape/shape",
        "Repeat/Reshape/shape_1",
        "Repeat/Reshape",
        "Repeat/ExpandDims/dim",
        "Repeat/ExpandDims",
        "Repeat/Tile/multiples/0",
        "Repeat/Tile/multiples",
        "Repeat/Tile",
        "Repeat/strided_slice/stack",
        "Repeat/strided_slice/stack_1",
        "Repeat/strided_slice/stack_2",
        "Repeat/strided_slice",
        "Repeat/strided_slice_1/stack",
        "Repeat/strided_slice_1/stack_1",
        "Repeat/strided_slice_1/stack_2",
        "Repeat/strided_slice_1",
        "Repeat/mul",
        "Repeat/strided_slice_2/stack",
        "Repeat/strided_slice_2/stack_1",
        "Repeat/strided_slice_2/stack_2",
        "Repeat/strided_slice_2",
        "Repeat/concat/values_1",
        "Repeat/concat/axis",
        "Repeat/concat",
        "Repeat/Reshape_1",
    ]
    check_graph_names(lambda x: tf.repeat(x, 2), [(tf.float32, [2, 3])], names)


@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (2, 1, 3), (4,), ()])
def test_tiles_are_numpys(shape: Any) -> None:
    x = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    for counts in ([2, 3, 1], [1, 1, 1], [0, 2, 2], [1, 2, 3]):
        np.testing.assert_array_equal(tf.tile(x, counts[: len(shape)]), np.tile(x, counts[: len(shape)]))
