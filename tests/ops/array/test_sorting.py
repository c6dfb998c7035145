"""Sort, argsort, top_k."""

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
    Sample("TopKV2", [x([2, 5]), np.int32(3)], grad=True),
    Sample("TopKV2", [x([5], np.uint8), np.int16(0)], {"index_type": tf.int64}),
    Sample("TopK", [x([2, 5])], {"k": 2}, grad=True),
    Sample("ApproxTopK", [x([3, 2], np.float32)], {"k": 2, "reduction_dimension": 0}, grad=True),
    Sample("NthElement", [x([2, 5]), np.int32(1)], grad=True),
    Sample("NthElement", [x([5], np.int16), np.int32(1)], {"reverse": True}),
]

GRADIENT_SAMPLES = [
    Sample("ApproxTopK", [x([3, 4], np.float32)], {"k": 2, "is_max_k": False}, grad=True),
    Sample("ApproxTopK", [x([2, 4, 3], np.float32)], {"k": 3, "reduction_dimension": 1}, grad=True),
    Sample("TopKV2", [x([2, 2, 3]), np.int32(2)], {"sorted": False}, grad=True),
    Sample("TopKV2", [x([3]), np.int32(3)], grad=True),
    Sample("NthElement", [x([2, 5]), np.int32(1)], {"reverse": True}, grad=True),
    Sample("NthElement", [x([4]), np.int32(3)], grad=True),
]


ANSWERS = [
    (lambda: tf.sort([[3, 1], [2, 5]], axis=0), [("int32", [[2, 1], [3, 5]])]),
    (lambda: tf.argsort([1, 1, 0, 1], stable=True), [("int32", [2, 0, 1, 3])]),
    (lambda: tf.argsort([1, 1, 0, 1], stable=True, direction="DESCENDING"), [("int32", [0, 1, 3, 2])]),
    (lambda: tf.sort(tf.constant([3, -2147483648, 2147483647])), [("int32", [-2147483648, 3, 2147483647])]),
    (lambda: tf.sort(tf.constant([3, 0, 255], tf.uint8)), [("uint8", [0, 3, 255])]),
    (lambda: tf.sort([1, 2], axis=tf.constant(0)), [("int32", [1, 2])]),
    (lambda: tf.sort([1, 2], axis=0.5), [("int32", [1, 2])]),
    (lambda: tf.math.top_k([1, 2, 3], 0), [("int32", []), ("int32", [])]),
    (lambda: tf.math.top_k([1, 3, 3, 2], 3, index_type=tf.int16), [("int32", [3, 3, 2]), ("int16", [1, 2, 3])]),
    (lambda: tf.raw_ops.NthElement(input=[3, 1, 2], n=1), [("int32", 2)]),
    (lambda: tf.raw_ops.NthElement(input=[[3, 1, 2]], n=0, reverse=True), [("int32", [3])]),
    (lambda: tf.math.approx_max_k([3.0, 1.0, 2.0], 2), [("float32", [3.0, 2.0]), ("int32", [0, 2])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.sort([3, 1, 2], axis=1), tf.errors.InvalidArgumentError, "slice index 1 of dimension 0 out of bounds."),
    (
        lambda: tf.sort([3, 1, 2], direction="up"),
        ValueError,
        "Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction=up",
    ),
    (
        lambda: tf.sort(["b", "a"]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of string is not in the list of allowed values: bfloat16, half, fl",
    ),
    (
        lambda: tf.sort([True, False]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'T' of bool is not in the list of allowed values: bfloat16, half, floa",
    ),
    (lambda: tf.sort(3), tf.errors.InvalidArgumentError, "slice index -1 of dimension 0 out of bounds."),
    (
        lambda: tf.math.top_k([1, 2, 3], 4),
        tf.errors.InvalidArgumentError,
        "input must have at least k columns. Had 3, needed 4",
    ),
    (lambda: tf.math.top_k([1, 2, 3], -1), tf.errors.InvalidArgumentError, "Need k >= 0, got -1"),
    (lambda: tf.math.top_k(3, 1), tf.errors.InvalidArgumentError, "input must be >= 1-D, got shape []"),
    (lambda: tf.math.top_k([1, 2, 3], [1]), tf.errors.InvalidArgumentError, "k must be scalar, got shape [1]"),
    (
        lambda: tf.raw_ops.NthElement(input=[3, 1, 2], n=5),
        tf.errors.InvalidArgumentError,
        "Input must have last dimension > n = 5",
    ),
    (
        lambda: tf.math.approx_max_k([3.0, 1.0, 2.0], 5),
        tf.errors.InvalidArgumentError,
        "input must have at least k columns. Had 3, needed 5",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.sort([3, 1, 2], axis=1), ValueError, "slice index 1 of dimension 0 out of bounds."),
    (
        lambda: tf.sort([3, 1, 2], direction="up"),
        ValueError,
        "Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction=up",
    ),
    (
        lambda: tf.sort(["b", "a"]),
        TypeError,
        "Value passed to parameter 'x' has DataType string not in list of allowed values: bflo",
    ),
    (
        lambda: tf.sort([True, False]),
        TypeError,
        "Value passed to parameter 'x' has DataType bool not in list of allowed values: bfloat",
    ),
    (lambda: tf.sort(3), ValueError, "slice index -1 of dimension 0 out of bounds."),
    (lambda: tf.math.top_k([1, 2, 3], 4), ValueError, "input must have last dimension >= k = 4 but is 3"),
    (
        lambda: tf.math.top_k([1, 2, 3], -1),
        ValueError,
        "Dimension size, given by scalar input 1, must be non-negative but is -1",
    ),
    (lambda: tf.math.top_k(3, 1), ValueError, "Shape must be at least rank 1 but is rank 0"),
    (lambda: tf.math.top_k([1, 2, 3], [1]), ValueError, "Input must be scalar but has rank 1"),
    (
        lambda: tf.raw_ops.NthElement(input=[3, 1, 2], n=5),
        ValueError,
        "Input must have last dimension > n = 5 but is 3",
    ),
    (lambda: tf.math.approx_max_k([3.0, 1.0, 2.0], 5), ValueError, "input must have last dimension >= k = 5 but was 3"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.math.top_k(x, 2), [(tf.float32, [None, 4, 5])], ["TopKV2/k", "TopKV2"]),
    (
        lambda x, k: tf.math.top_k(x, k, sorted=False, index_type=tf.int64),
        [(tf.float32, [None, 4, 5]), (tf.int64, [])],
        ["TopKV2"],
    ),
    (
        lambda x: tf.sort(x),
        [(tf.float32, [2, 3])],
        [
            "sort/axis",
            "sort/Neg",
            "sort/Shape",
            "sort/strided_slice/stack",
            "sort/strided_slice/stack_1",
            "sort/strided_slice/stack_2",
            "sort/strided_slice",
            "sort/Rank",
            "sort/TopKV2",
            "sort/Neg_1",
        ],
    ),
    (
        lambda x: tf.argsort(x, 0),
        [(tf.float32, [2, 3])],
        [
            "argsort/axis",
            "argsort/Neg",
            "argsort/Shape",
            "argsort/strided_slice/stack",
            "argsort/strided_slice/stack_1",
            "argsort/strided_slice/stack_2",
            "argsort/strided_slice",
            "argsort/Rank",
            "argsort/transposition",
            "argsort/transpose",
            "argsort/TopKV2",
            "argsort/transpose_1",
        ],
    ),
    (lambda x: tf.math.approx_max_k(x, 2), [(tf.float32, [None, 6])], ["ApproxTopK"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=9))
def test_sorting_integers_never_overflows(values: list[int]) -> None:
    x = tf.constant(values, tf.int32)
    assert tf.sort(x).numpy().tolist() == sorted(values)
    assert tf.sort(x, direction="DESCENDING").numpy().tolist() == sorted(values, reverse=True)


@given(st.lists(st.integers(0, 3), max_size=9))
def test_equal_elements_keep_their_order(values: list[int]) -> None:
    positions = sorted(range(len(values)), key=lambda i: values[i])
    assert tf.argsort(tf.constant(values, tf.int32), stable=True).numpy().tolist() == positions


FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]
_NAN, _INF = float("nan"), float("inf")
WITH_NAN = [
    [3.0, _NAN, 1.0],
    [_NAN, 3.0, 1.0],
    [1.0, 3.0, -_NAN],
    [_NAN, _NAN, -_INF, 2.0],
    [_INF, -_NAN, -_INF, 0.0, -0.0, _NAN, 0.0],
    [_NAN, -_NAN],
    [float(i % 7) if i % 5 else _NAN for i in range(40)],
]


def _numbers(tensor: Any) -> Any:
    return tf.cast(tensor, tf.float64).numpy()


def _orders(x: Any) -> Any:
    """Returns `x` sorted and its argsort in both directions, and positions of the largest."""
    size = x.shape[0]
    sorts = [(tf.sort(x, direction=d), tf.argsort(x, direction=d, stable=True)) for d in ("ASCENDING", "DESCENDING")]
    tops = [tf.math.top_k(x, k, sorted=s).indices for k in (1, size // 2, size) for s in (True, False)]
    return sorts, tops


def _check_orders(found: Any, values: list[float]) -> None:
    sorts, tops = found
    descending = np.argsort(np.negative(values), stable=True)
    for (ordered, indices), positions in zip(sorts, (np.argsort(values, stable=True), descending), strict=True):
        np.testing.assert_array_equal(_numbers(ordered), np.array(values)[positions])
        assert indices.numpy().tolist() == positions.tolist()
    for indices in tops:
        assert indices.numpy().tolist() == descending[: len(indices)].tolist()


@pytest.mark.parametrize("values", WITH_NAN)
@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_comes_last_in_either_direction(dtype: Any, values: list[float]) -> None:
    _check_orders(_orders(tf.constant(values, dtype)), values)


@pytest.mark.xla
@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_comes_last_where_xla_sorts(dtype: Any) -> None:
    compiled = tf.function(lambda *rows: [_orders(x) for x in rows], autograph=False, jit_compile=True)
    for found, values in zip(compiled(*[tf.constant(values, dtype) for values in WITH_NAN]), WITH_NAN, strict=True):
        _check_orders(found, values)


@pytest.mark.parametrize("axis", [0, 1])
def test_nan_comes_last_along_every_dimension(axis: int) -> None:
    x = np.array([[3.0, _NAN, 1.0], [_NAN, 2.0, -1.0], [0.0, 5.0, _NAN]])
    np.testing.assert_array_equal(tf.sort(x, axis=axis), np.sort(x, axis=axis))
    np.testing.assert_array_equal(tf.sort(x, axis=axis, direction="DESCENDING"), -np.sort(-x, axis=axis))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_elements_of_long_rows_pass_over_nan(dtype: Any) -> None:
    x = np.random.default_rng(0).standard_normal((3, 20000)).astype(dtype)
    x[0, 7::100] = np.nan
    x[2] = np.nan
    expected = np.argsort(-x, axis=-1, stable=True)[:, :5]
    assert tf.math.top_k(x, 5).indices.numpy().tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_nth_element_counts_nan_last(dtype: Any) -> None:
    x = tf.constant([[_NAN, 3.0, 1.0], [2.0, _NAN, 0.0]], dtype)
    for n, low, high in ((0, [1.0, 0.0], [3.0, 2.0]), (1, [3.0, 2.0], [1.0, 0.0]), (2, [_NAN, _NAN], [_NAN, _NAN])):
        np.testing.assert_array_equal(_numbers(tf.raw_ops.NthElement(input=x, n=n)), low)
        np.testing.assert_array_equal(_numbers(tf.raw_ops.NthElement(input=x, n=n, reverse=True)), high)


def test_the_gradient_of_a_sort_passes_by_nan() -> None:
    x = tf.constant([3.0, _NAN, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sort(x) * [0.0, 1.0, 2.0]
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 2.0, 0.0]


def test_unknown_ranks_can_be_sorted_along_any_dimension() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None, tf.int32)])
    def by_column(x: Any) -> Any:
        return tf.sort(x, axis=0)

    assert by_column([[3, 1], [2, 5]]).numpy().tolist() == [[2, 1], [3, 5]]
