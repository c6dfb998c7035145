"""Python's index syntax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing

ANSWERS = [
    (lambda: tf.zeros([2, 3])[5:], [("float32", [])]),
    (lambda: tf.zeros([2, 3])[0:2:-1], [("float32", [])]),
    (lambda: tf.zeros([2, 3])[1::-1], [("float32", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])]),
    (lambda: tf.zeros([])[...], [("float32", 0.0)]),
    (lambda: tf.zeros([])[tf.newaxis], [("float32", [0.0])]),
    (lambda: tf.zeros([2, 3])[np.array([True, False])], [("float32", [[0.0, 0.0, 0.0]])]),
    (lambda: tf.zeros([2, 3])[[0, 1]], [("float32", 0.0)]),
    (lambda: tf.zeros([2, 3])[tf.constant([True, False])], [("float32", [[0.0, 0.0, 0.0]])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.zeros([2, 3])[2], tf.errors.InvalidArgumentError, "slice index 2 of dimension 0 out of bounds."),
    (lambda: tf.zeros([2, 3])[-3], tf.errors.InvalidArgumentError, "slice index -1 of dimension 0 out of bounds."),
    (lambda: tf.zeros([2, 3])[0, 3], tf.errors.InvalidArgumentError, "slice index 3 of dimension 1 out of bounds."),
    (lambda: tf.zeros([2, 3])[::0], tf.errors.InvalidArgumentError, "strides[0] must be non-zero"),
    (
        lambda: tf.zeros([2, 3])[:, :, 0],
        tf.errors.InvalidArgumentError,
        "Index out of range using input dim 2; input has only 2 dims",
    ),
    (lambda: tf.zeros([2, 3])[..., ...], tf.errors.InvalidArgumentError, "Multiple ellipses in slice spec not allowed"),
    (lambda: tf.zeros([])[0], tf.errors.InvalidArgumentError, "Attempting to slice scalar input."),
    (
        lambda: tf.zeros([2, 3])[tf.constant(5)],
        tf.errors.InvalidArgumentError,
        "slice index 5 of dimension 0 out of bounds.",
    ),
    (lambda: tf.zeros([2, 3])[True], ValueError, "mask cannot be scalar."),
    (
        lambda: tf.zeros([2, 3])[[True, False]],
        tf.errors.InvalidArgumentError,
        "Value for attr 'Index' of bool is not in the list of allowed values: int16, int32, in",
    ),
    (
        lambda: tf.zeros([2, 3])["a"],
        TypeError,
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int3",
    ),
    (lambda: tf.zeros([2, 3])[tf.constant([True, False, True])], ValueError, "Shapes (2,) and (3,) are incompatible"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.zeros([2, 3])[2], ValueError, "slice index 2 of dimension 0 out of bounds."),
    (lambda: tf.zeros([2, 3])[-3], ValueError, "slice index -1 of dimension 0 out of bounds."),
    (lambda: tf.zeros([2, 3])[0, 3], ValueError, "slice index 3 of dimension 1 out of bounds."),
    (lambda: tf.zeros([2, 3])[::0], ValueError, "strides[0] must be non-zero"),
    (lambda: tf.zeros([2, 3])[:, :, 0], ValueError, "Index out of range using input dim 2; input has only 2 dims"),
    (lambda: tf.zeros([2, 3])[..., ...], ValueError, "Multiple ellipses in slice spec not allowed"),
    (lambda: tf.zeros([])[0], ValueError, "Attempting to slice scalar input."),
    (lambda: tf.zeros([2, 3])[tf.constant(5)], ValueError, "slice index 5 of dimension 0 out of bounds."),
    (lambda: tf.zeros([2, 3])[True], ValueError, "mask cannot be scalar."),
    (
        lambda: tf.zeros([2, 3])[[True, False]],
        TypeError,
        "Value passed to parameter 'begin' has DataType bool not in list of allowed values: in",
    ),
    (
        lambda: tf.zeros([2, 3])["a"],
        TypeError,
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int3",
    ),
    (lambda: tf.zeros([2, 3])[tf.constant([True, False, True])], ValueError, "Shapes (2,) and (3,) are incompatible"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (
        lambda x, a: x[a],
        [(tf.float32, [None, 4, 5]), (tf.int32, [])],
        ["add/y", "add", "strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"],
    ),
    (
        lambda x, a: x[a],
        [(tf.float32, [None, 4, 5]), (tf.int64, [])],
        [
            "add/y",
            "add",
            "Const",
            "strided_slice/stack",
            "strided_slice/stack_1",
            "strided_slice/stack_2",
            "strided_slice",
        ],
    ),
    (
        lambda x, a: x[a:],
        [(tf.float32, [None, 4, 5]), (tf.int32, [])],
        ["Const", "Const_1", "strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"],
    ),
    (
        lambda x, a: x[a:3, 1],
        [(tf.float32, [None, 4, 5]), (tf.int32, [])],
        [
            "Const",
            "strided_slice/stack/1",
            "strided_slice/stack",
            "strided_slice/stack_1",
            "strided_slice/stack_2/1",
            "strided_slice/stack_2",
            "strided_slice",
        ],
    ),
    (
        lambda x, a: x[:a, 0:1],
        [(tf.float32, [None, 4, 5]), (tf.int64, [])],
        [
            "Const",
            "Const_1",
            "strided_slice/stack/1",
            "strided_slice/stack",
            "strided_slice/stack_1/1",
            "strided_slice/stack_1",
            "strided_slice/stack_2/1",
            "strided_slice/stack_2",
            "strided_slice",
        ],
    ),
    (
        lambda x, a, c: x[a:c],
        [(tf.float32, [None, 4, 5]), (tf.int64, []), (tf.int32, [])],
        [
            "Const",
            "strided_slice/stack",
            "strided_slice/stack_1",
            "strided_slice/stack_2",
            "strided_slice/Cast",
            "strided_slice",
        ],
    ),
    (
        lambda x, a: x[1:2:a],
        [(tf.float32, [None, 4, 5]), (tf.int32, [])],
        ["strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"],
    ),
    (
        lambda x, a: x[a],
        [(tf.float32, [None, 4, 5]), (tf.int16, [])],
        [
            "add/y",
            "add",
            "Const",
            "strided_slice/stack",
            "strided_slice/stack_1",
            "strided_slice/stack_2",
            "strided_slice",
        ],
    ),
    (
        lambda x: x[tf.constant(1)],
        [(tf.float32, [None, 4, 5])],
        [
            "Const",
            "add/y",
            "add",
            "strided_slice/stack",
            "strided_slice/stack_1",
            "strided_slice/stack_2",
            "strided_slice",
        ],
    ),
    (
        lambda x: x[0, ..., 1],
        [(tf.float32, None)],
        ["strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


def _keys(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    """Keys that NumPy and TensorFlow understand alike."""
    bound = st.none() | st.integers(-4, 4)
    step = st.none() | st.sampled_from([-2, -1, 1, 2])
    parts = [st.builds(slice, bound, bound, step) | (st.integers(-n, n - 1) if n else st.nothing()) for n in shape]
    return st.tuples(st.integers(0, len(shape)).flatmap(lambda n: st.tuples(*parts[:n])), st.booleans()).map(_key)


def _key(parts: tuple[tuple[Any, ...], bool]) -> tuple[Any, ...]:
    items, inserts = parts
    return (*items[:1], None, *items[1:]) if inserts else items


_SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)


@given(_SHAPES.flatmap(lambda shape: st.tuples(st.just(shape), _keys(shape))))
def test_a_key_selects_what_it_selects_in_numpy(case: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    shape, key = case
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    np.testing.assert_array_equal(tf.constant(array)[key].numpy(), array[key])


@given(_SHAPES.flatmap(lambda shape: st.tuples(st.just(shape), _keys(shape))))
def test_a_graph_infers_the_shape_and_computes_the_same(case: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    shape, key = case
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)

    @tf.function(autograph=False, input_signature=[tf.TensorSpec(shape, tf.int64)])
    def select(x: Any) -> Any:
        result = x[key]
        assert result.shape == array[key].shape
        return result

    np.testing.assert_array_equal(select(array).numpy(), array[key])


@given(_SHAPES.flatmap(lambda shape: st.tuples(st.just(shape), _keys(shape))))
def test_the_gradient_marks_what_was_selected(case: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    shape, key = case
    x = tf.zeros(shape)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[key]
    expected = np.zeros(shape)
    expected[key] = 1
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)


def test_tensors_may_be_bounds_in_a_graph() -> None:
    @tf.function(autograph=False)
    def part(x: Any, start: Any, stop: Any) -> Any:
        return x[start:stop, start]

    x = np.arange(12).reshape(3, 4)
    assert part(tf.constant(x), tf.constant(1), tf.constant(3)).numpy().tolist() == x[1:3, 1].tolist()
    assert (
        part(tf.constant(x), tf.constant(1, tf.int64), tf.constant(3, tf.int64)).numpy().tolist() == x[1:3, 1].tolist()
    )


def test_a_slice_of_unknown_rank_is_computed() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None)])
    def corner(x: Any) -> Any:
        return x[0, ..., -1]

    assert corner(tf.reshape(tf.range(12.0), [3, 4])).numpy() == 3.0


def test_a_boolean_key_is_a_mask() -> None:
    x = tf.constant([[1, 2], [3, 4]])
    assert x[x > 2].numpy().tolist() == [3, 4]
    assert x[np.array([False, True])].numpy().tolist() == [[3, 4]]
