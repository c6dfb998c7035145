"""The public reductions."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.reduce_sum(c([[1, 2]]), axis=c([0], tf.int64))", "int32", [1, 2]),
    ("tf.reduce_sum(c([100, 100], tf.int8))", "int8", -56),
    ("tf.reduce_sum(3)", "int32", 3),
    ("tf.reduce_sum(tf.zeros([0, 3]), 0)", "float32", [0.0, 0.0, 0.0]),
    ("tf.reduce_mean(tf.zeros([0, 3], tf.int32), 0)", "int32", [0, 0, 0]),
    ("tf.reduce_mean(c([-1, -2, -4]))", "int32", -2),
    ("tf.reduce_mean(c([200, 200], tf.uint8))", "uint8", 200),
    ("tf.reduce_mean(c([1., 2], tf.bfloat16))", "bfloat16", 1.5),
    ("tf.reduce_min(tf.zeros([0, 3], tf.int32), 0)", "int32", [2147483647, 2147483647, 2147483647]),
    ("tf.reduce_max(c([1., np.nan, 2]))", "float32", nan),
    ("tf.reduce_min(c([1., np.nan, 2]))", "float32", nan),
    ("tf.reduce_any(tf.zeros([0], tf.bool))", "bool", False),
    ("tf.reduce_all(tf.zeros([0], tf.bool))", "bool", True),
    ("tf.math.reduce_euclidean_norm(c([3, 5]))", "int32", 5),
    ("tf.math.reduce_euclidean_norm(c([100, 100], tf.int8))", "int8", 5),
    ("tf.reduce_logsumexp(c([np.inf, 1.]))", "float32", inf),
    ("tf.math.reduce_std(c([1., 2]))", "float32", 0.5),
    ("tf.math.reduce_variance(c([1.+2j, 2]))", "float64", 1.25),
    ("tf.math.count_nonzero([[0, 1], [1, 1]], axis=[0])", "int64", [1, 2]),
    ("tf.reduce_max([])", "float32", -inf),
    ("tf.math.count_nonzero(5)", "int64", 1),
    ("tf.reduce_all([True, False], 0)", "bool", False),
    ("tf.reduce_sum(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16))", "bfloat16", 8.25),
    (
        "tf.reduce_sum(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), axis=[])",
        "float32",
        [[0.25, 0.5, 0.75], [1.25, 2.0, 3.5]],
    ),
    ("tf.reduce_sum(c([[1, 2, 3], [4, 5, 6]], tf.int16), axis=[])", "int16", [[1, 2, 3], [4, 5, 6]]),
    ("tf.reduce_sum(c([[1, 2, 3], [4, 5, 6]], tf.uint8), axis=1, keepdims=True)", "uint8", [[6], [15]]),
    ("tf.reduce_sum(c([[1, 2, 3], [4, 5, 6]], tf.uint64), axis=1, keepdims=True)", "uint64", [[6], [15]]),
    (
        "tf.reduce_prod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), axis=1, keepdims=True)",
        "bfloat16",
        [[0.09375], [8.75]],
    ),
    ("tf.reduce_prod(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), axis=[-1, 0])", "float64", 0.8203125),
    ("tf.reduce_prod(c([[1, 2, 3], [4, 5, 6]], tf.int32), axis=[-1, 0])", "int32", 720),
    ("tf.reduce_prod(c([[1, 2, 3], [4, 5, 6]], tf.uint16), axis=0)", "uint16", [4, 10, 18]),
    (
        "tf.reduce_prod(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), axis=0)",
        "complex64",
        [complex(1.3125, 1.0), complex(1.0, 0.0), complex(2.625, 0.0)],
    ),
    ("tf.reduce_mean(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), axis=0)", "float16", [0.75, 1.25, 2.125]),
    ("tf.reduce_mean(c([[1, 2, 3], [4, 5, 6]], tf.int8))", "int8", 3),
    ("tf.reduce_mean(c([[1, 2, 3], [4, 5, 6]], tf.int64))", "int64", 3),
    ("tf.reduce_mean(c([[1, 2, 3], [4, 5, 6]], tf.uint32))", "uint32", 3),
    (
        "tf.reduce_mean(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), axis=[])",
        "complex64",
        [
            [complex(0.25, 1.0), complex(0.5, 0.0), complex(0.75, 0.0)],
            [complex(1.25, -1.0), complex(2.0, 0.0), complex(3.5, 0.0)],
        ],
    ),
    (
        "tf.math.reduce_euclidean_norm(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), axis=[])",
        "float16",
        [[0.25, 0.5, 0.75], [1.25, 2.0, 3.5]],
    ),
    ("tf.math.reduce_euclidean_norm(c([[1, 2, 3], [4, 5, 6]], tf.int8), axis=1, keepdims=True)", "int8", [[3], [8]]),
    ("tf.math.reduce_euclidean_norm(c([[1, 2, 3], [4, 5, 6]], tf.int64), axis=1, keepdims=True)", "int64", [[3], [8]]),
    (
        "tf.math.reduce_euclidean_norm(c([[1, 2, 3], [4, 5, 6]], tf.uint32), axis=1, keepdims=True)",
        "uint32",
        [[3], [8]],
    ),
    (
        "tf.math.reduce_euclidean_norm(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), axis=[-1, 0])",
        "complex128",
        complex(4.54835134967, 0.0),
    ),
    ("tf.reduce_max(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", 100),
    ("tf.reduce_max(c([[3, 1, 100], [2, 7, 50]], tf.uint8), axis=1, keepdims=True)", "uint8", [[100], [50]]),
    (
        "tf.reduce_min(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), axis=1, keepdims=True)",
        "float16",
        [[-2.5], [0.5]],
    ),
    ("tf.reduce_min(c([[-3, -1, 100], [2, 7, 50]], tf.int32), axis=1, keepdims=True)", "int32", [[-3], [2]]),
    ("tf.reduce_min(c([[3, 1, 100], [2, 7, 50]], tf.uint64), axis=0)", "uint64", [2, 1, 50]),
    (
        "tf.math.reduce_std(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), axis=1)",
        "float64",
        [1.12422813027, 1.49536320374],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.reduce_sum, [[1., 2.], [3., 4.]])", [[[1.0, 1.0], [1.0, 1.0]]]),
    ("grads(lambda x: tf.reduce_sum(x, 0)*c([2., 3.]), [[1., 2.], [3., 4.]])", [[[2.0, 3.0], [2.0, 3.0]]]),
    (
        "grads(lambda x: tf.reduce_sum(x, -1, keepdims=True)*c([[2.], [3.]]), [[1., 2.], [3., 4.]])",
        [[[2.0, 2.0], [3.0, 3.0]]],
    ),
    ("grads(lambda x: tf.reduce_mean(x, [0, 1]), [[1., 2.], [3., 4.]])", [[[0.25, 0.25], [0.25, 0.25]]]),
    ("grads(lambda x: tf.reduce_mean(x, [])*2, [[1., 2.], [3., 4.]])", [[[2.0, 2.0], [2.0, 2.0]]]),
    ("grads(tf.reduce_max, [1., 2., 2.])", [[0.0, 0.5, 0.5]]),
    ("grads(lambda x: tf.reduce_min(x, 1)*c([2., 3.]), [[1., 1.], [3., 4.]])", [[[1.0, 1.0], [3.0, 0.0]]]),
    ("grads(tf.reduce_prod, [0., 2., 3.])", [[6.0, 0.0, 0.0]]),
    ("grads(tf.reduce_prod, [0., 0., 3.])", [[0.0, 0.0, 0.0]]),
    (
        "grads(lambda x: tf.reduce_prod(x, [0, 2])*c([2., 3.]), [[[1., 2.], [3., 0.]], [[5., 6.], [7., 8.]]])",
        [[[[120.0, 60.0], [0.0, 504.0]], [[24.0, 20.0], [0.0, 0.0]]]],
    ),
    ("grads(lambda x: tf.reduce_prod(x), [[1., 2.], [3., 0.]])", [[[0.0, 0.0], [0.0, 6.0]]]),
    ("grads(tf.reduce_prod, [1+2j, 2-1j])", [[complex(2.0, 1.0), complex(1.0, -2.0)]]),
    ("grads(tf.math.reduce_euclidean_norm, [3., 4.])", [[0.6, 0.8]]),
    (
        "grads(lambda x: tf.math.reduce_euclidean_norm(x, 0), [[3., 4.], [1., 2.]])",
        [[[0.9486833, 0.8944272], [0.3162278, 0.4472136]]],
    ),
    ("grads(tf.reduce_logsumexp, [3., 4.])", [[0.2689414, 0.7310586]]),
    (
        "grads(lambda x: tf.reduce_logsumexp(x, 1)*c([2., 3.]), [[3., 4.], [1., 2.]])",
        [[[0.5378829, 1.462117], [0.8068243, 2.193176]]],
    ),
    ("grads(tf.math.reduce_std, [3., 4.])", [[-0.5, 0.5]]),
    ("grads(tf.math.reduce_variance, [3., 4.])", [[-0.5, 0.5]]),
    ("grads(tf.math.reduce_variance, [1+2j, 3.])", [[complex(-1.0, 1.0), complex(1.0, -1.0)]]),
    ("grads(lambda x: tf.reduce_sum(x*x), c([2., 3.], tf.bfloat16))", [[4.0, 6.0]]),
    ("grads(lambda x: tf.reduce_mean(x*x), c([2., 3.], tf.float16))", [[2.0, 3.0]]),
]

ERRORS = [
    (
        "tf.reduce_sum(c([1, 2]), axis=1)",
        "eager",
        "InvalidArgumentError",
        "Invalid reduction dimension (1 for input with 1 dimension(s)",
    ),
    (
        "tf.reduce_sum(c([1, 2]), axis=1)",
        "function",
        "ValueError",
        "Invalid reduction dimension 1 for input with 1 dimensions.",
    ),
    (
        "tf.reduce_sum(c([1, 2]), axis=-2)",
        "eager",
        "InvalidArgumentError",
        "Invalid reduction dimension (-2 for input with 1 dimension(s",
    ),
    (
        "tf.reduce_sum(c([1, 2]), axis=-2)",
        "function",
        "ValueError",
        "Invalid reduction dimension -2 for input with 1 dimensions.",
    ),
    (
        "tf.reduce_sum(c([[1, 2]]), axis=[0, 0])",
        "function",
        "InvalidArgumentError",
        "Invalid reduction arguments: Axes contains duplicate dimensi",
    ),
    (
        "tf.reduce_sum(c([[1, 2]]), axis=[0, -2])",
        "eager",
        "InvalidArgumentError",
        "Invalid reduction arguments: Axes contains duplicate dimensi",
    ),
    (
        "tf.reduce_sum(c([[1, 2]]), axis=[0, -2])",
        "function",
        "InvalidArgumentError",
        "Invalid reduction arguments: Axes contains duplicate dimensi",
    ),
    ("tf.reduce_sum(c([[1, 2]]), axis=1.0)", "eager", "TypeError", "Cannot convert 1.0 to EagerTensor of dtype int32"),
    (
        "tf.reduce_sum(c([True, False]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    (
        "tf.reduce_sum(c([True, False]))",
        "function",
        "TypeError",
        "Value passed to parameter 'input' has DataType bool not in l",
    ),
    (
        "tf.reduce_sum(3, axis=0)",
        "eager",
        "InvalidArgumentError",
        "Invalid reduction dimension (0 for input with 0 dimension(s)",
    ),
    (
        "tf.reduce_sum(3, axis=0)",
        "function",
        "ValueError",
        "Invalid reduction dimension 0 for input with 0 dimensions.",
    ),
    (
        "tf.reduce_max(c([True]))",
        "function",
        "TypeError",
        "Value passed to parameter 'input' has DataType bool not in l",
    ),
    (
        "tf.reduce_max(c(['a']))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of string is not in the list of allowed v",
    ),
    (
        "tf.reduce_max(c(['a']))",
        "function",
        "TypeError",
        "Value passed to parameter 'input' has DataType string not in",
    ),
    ("tf.reduce_any(c([1]))", "function", "TypeError", "Input 'input' of 'Any' Op has type int32 that does not match"),
    (
        "tf.reduce_logsumexp(c([1, 2]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    (
        "tf.reduce_logsumexp(c([1, 2]))",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType int32 not in list",
    ),
    (
        "tf.math.reduce_std(c([1, 2]))",
        "eager",
        "TypeError",
        "Input must be either real or complex. Received integer type",
    ),
    ("tf.reduce_all([1])", "eager", "TypeError", "Cannot convert [1] to EagerTensor of dtype bool"),
    (
        "tf.reduce_sum(c([1.]), axis=c(0.))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'Tidx' of float is not in the list of allowed",
    ),
    (
        "tf.reduce_sum(c([1.]), axis=c(0.))",
        "function",
        "TypeError",
        "Value passed to parameter 'reduction_indices' has DataType f",
    ),
    ("tf.reduce_sum([[1, 2], [3]])", "eager", "ValueError", "Can't convert non-rectangular Python sequence to Tensor."),
    (
        "tf.math.reduce_variance([1, 2])",
        "function",
        "TypeError",
        "Input must be either real or complex. Received integer type",
    ),
    (
        "tf.math.reduce_std([[1., 2.], [3., 4.]], axis=2)",
        "eager",
        "InvalidArgumentError",
        "Invalid reduction dimension (2 for input with 2 dimension(s)",
    ),
    (
        "tf.math.reduce_std([[1., 2.], [3., 4.]], axis=2)",
        "function",
        "ValueError",
        "Invalid reduction dimension 2 for input with 2 dimensions.",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), GRADIENTS, ids=str)
def test_gradients_are_those_of_tensorflow(program: str, expected: list[Any], mode: str) -> None:
    check_gradients(program, mode, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)


def test_the_axes_may_be_a_tensor() -> None:
    x = tf.constant([[1, 2], [3, 4]])
    assert tf.reduce_sum(x, tf.constant([0], tf.int64)).numpy().tolist() == [4, 6]
    assert tf.reduce_sum(x, axis=np.int32(1)).numpy().tolist() == [3, 7]


def test_small_floats_are_summed_in_32_bits() -> None:
    x = tf.ones([10_000], tf.bfloat16)
    assert float(tf.reduce_sum(x).numpy()) == 9984.0
    assert float(tf.reduce_mean(x).numpy()) == 1.0


def test_a_sum_over_everything_of_unknown_rank() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)], autograph=False)
    def total(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x) + tf.reduce_mean(x, axis=-1, keepdims=True)
        return y, tape.gradient(y, x)

    y, dx = total(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert y.numpy().tolist() == [[11.5], [13.5]]
    assert dx.numpy().tolist() == [[2.5, 2.5], [2.5, 2.5]]
