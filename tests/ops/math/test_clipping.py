"""Clipping of values and norms."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import FLOATS, INTEGERS, numbers

SAMPLES = [
    *(
        Sample(
            "ClipByValue",
            (numbers(d, (2, 3)), numbers(d, (), -1, 0, 1), numbers(d, (2, 3), 1, 2, 1)),
            grad=d == "float64",
        )
        for d in (*FLOATS, *INTEGERS)
    ),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.clip_by_value(c([-1., 0.5, 2.]), 0., 1.)", "float32", [0.0, 0.5, 1.0]),
    ("tf.clip_by_value(c([1., np.nan]), 2., 1.)", "float32", [2.0, nan]),
    ("tf.clip_by_value(5, 1, 3)", "int32", 3),
    ("tf.clip_by_norm([3., 4.], 1.)", "float32", [0.6, 0.8]),
    ("tf.clip_by_norm(c([[3., 4.], [0., 0.]]), 1., axes=1)", "float32", [[0.6, 0.8], [0.0, 0.0]]),
    ("tf.clip_by_norm([np.nan, 4.], 1.)", "float32", [nan, nan]),
    ("tf.linalg.global_norm([])", "float32", 0.0),
    ("tf.linalg.global_norm([None])", "float32", 0.0),
    (
        "tf.raw_ops.ClipByValue(t=c([1., 2., 3.]), clip_value_min=c([1., 2., 1.]), clip_value_max=c(2.))",
        "float32",
        [1.0, 2.0, 2.0],
    ),
    (
        "tf.raw_ops.ClipByValue(t=c([1., np.nan, 3.]), clip_value_min=c(2.), clip_value_max=c(1.))",
        "float32",
        [2.0, nan, 2.0],
    ),
    (
        "tf.raw_ops.ClipByValue(t=c([1+1j]), clip_value_min=c(2+0j), clip_value_max=c(1+0j))",
        "complex128",
        [complex(2.0, 0.0)],
    ),
    (
        "tf.clip_by_value(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16)[0], c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16)[1, 2])",
        "bfloat16",
        [[1.5, 1.5, 1.5], [1.5, 1.75, 3.0]],
    ),
    (
        "tf.clip_by_value(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16)[0], c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16)[1, 2])",
        "float16",
        [[1.5, 1.5, 1.5], [1.5, 1.75, 3.0]],
    ),
    (
        "tf.clip_by_value(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([1.5, -2., 0.75], tf.float32)[0], c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32)[1, 2])",
        "float32",
        [[1.5, 1.5, 1.5], [1.5, 1.75, 3.0]],
    ),
    (
        "tf.clip_by_value(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([1.5, -2., 0.75], tf.float64)[0], c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64)[1, 2])",
        "float64",
        [[1.5, 1.5, 1.5], [1.5, 1.75, 3.0]],
    ),
    (
        "tf.clip_by_value(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([2, -3, 5], tf.int8)[0], c([[-3, -1, 100], [2, 7, 50]], tf.int8)[1, 2])",
        "int8",
        [[2, 2, 50], [2, 7, 50]],
    ),
    (
        "tf.clip_by_value(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([2, -3, 5], tf.int16)[0], c([[-3, -1, 100], [2, 7, 50]], tf.int16)[1, 2])",
        "int16",
        [[2, 2, 50], [2, 7, 50]],
    ),
    (
        "tf.clip_by_value(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32)[0], c([[-3, -1, 100], [2, 7, 50]], tf.int32)[1, 2])",
        "int32",
        [[2, 2, 50], [2, 7, 50]],
    ),
    (
        "tf.clip_by_value(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64)[0], c([[-3, -1, 100], [2, 7, 50]], tf.int64)[1, 2])",
        "int64",
        [[2, 2, 50], [2, 7, 50]],
    ),
    (
        "tf.clip_by_value(c([[3, 1, 100], [2, 7, 50]], tf.uint8), c([2, 3, 5], tf.uint8)[0], c([[3, 1, 100], [2, 7, 50]], tf.uint8)[1, 2])",
        "uint8",
        [[3, 2, 50], [2, 7, 50]],
    ),
    (
        "tf.clip_by_value(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16)[0], c([[3, 1, 100], [2, 7, 50]], tf.uint16)[1, 2])",
        "uint16",
        [[3, 2, 50], [2, 7, 50]],
    ),
    (
        "tf.clip_by_norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), 2., axes=[1])",
        "bfloat16",
        [[-1.852, -0.7383, -0.1846], [0.2852, 0.9961, 1.703]],
    ),
    (
        "tf.clip_by_norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), 2., axes=[1])",
        "float16",
        [[-1.8486, -0.73926, -0.18481], [0.28491, 0.99707, 1.71]],
    ),
    (
        "tf.clip_by_norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), 2., axes=[1])",
        "float32",
        [[-1.849001, -0.7396002, -0.1849001], [0.2849882, 0.9974588, 1.709929]],
    ),
    (
        "tf.clip_by_norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), 2., axes=[1])",
        "float64",
        [[-1.84900065408, -0.739600261634, -0.184900065408], [0.284988199952, 0.997458699831, 1.70992919971]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(lambda x:tf.clip_by_value(x, 0., 1.), [-1., 0., .5, 1., 2.])", [[0.0, 1.0, 1.0, 1.0, 0.0]]),
    (
        "grads(lambda t, a, b: tf.raw_ops.ClipByValue(t=t, clip_value_min=a, clip_value_max=b), [-1., 0., .5, 1., 2.], 0., 1.)",
        [[0.0, 1.0, 1.0, 1.0, 0.0], 1.0, 1.0],
    ),
    ("grads(lambda x:tf.clip_by_norm(x, 1.), [3., 4.])", [[0.03199999, -0.024]]),
    ("grads(lambda x:tf.clip_by_norm(x, 1.), [0., 0.])", [[1.0, 1.0]]),
]

ERRORS = [
    ("tf.clip_by_value(c([1, 5]), 1.5, 3)", "eager", "TypeError", "Cannot convert 1.5 to EagerTensor of dtype int32"),
    (
        "tf.clip_by_value(c([[1., 5.]]), c([[1.], [2.]]), 3.)",
        "eager",
        "ValueError",
        "Shapes (1, 2) and (2, 2) are incompatible",
    ),
    (
        "tf.clip_by_value(c([[1., 5.]]), c([[1.], [2.]]), 3.)",
        "function",
        "ValueError",
        "Shapes (1, 2) and (2, 2) are incompatible",
    ),
    (
        "tf.clip_by_value(c([1., 5.]), c([[1.], [2.]]), 3.)",
        "eager",
        "ValueError",
        "Shapes (2,) and (2, 2) are incompatible",
    ),
    (
        "tf.clip_by_value(c([1., 5.]), c([[1.], [2.]]), 3.)",
        "function",
        "ValueError",
        "Shapes (2,) and (2, 2) are incompatible",
    ),
    (
        "tf.clip_by_value('a','b','c')",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of string is not in the list of allowed v",
    ),
    (
        "tf.clip_by_value('a','b','c')",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType string not in lis",
    ),
    (
        "tf.clip_by_norm([3, 4], 1)",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    (
        "tf.clip_by_norm([3, 4], 1)",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType int32 not in list",
    ),
    (
        "tf.clip_by_global_norm(c([3., 4.]), 1.)",
        "eager",
        "TypeError",
        "`t_list` should be a sequence of tensors. Received <class '",
    ),
    (
        "tf.clip_by_global_norm(c([3., 4.]), 1.)",
        "function",
        "TypeError",
        "`t_list` should be a sequence of tensors. Received <class '",
    ),
    ("tf.linalg.global_norm(3.)", "eager", "TypeError", "`t_list` should be a sequence of tensors. Received <class 'f"),
    (
        "tf.linalg.global_norm(3.)",
        "function",
        "TypeError",
        "`t_list` should be a sequence of tensors. Received <class 'f",
    ),
    (
        "tf.raw_ops.ClipByValue(t=c([1., 2., 3.]), clip_value_min=c([1., 2.]), clip_value_max=c(2.))",
        "eager",
        "InvalidArgumentError",
        "clip_value_min and clip_value_max must be either of the same",
    ),
    (
        "tf.raw_ops.ClipByValue(t=c([1., 2., 3.]), clip_value_min=c([1., 2.]), clip_value_max=c(2.))",
        "function",
        "InvalidArgumentError",
        "clip_value_min and clip_value_max must be either of the same",
    ),
    (
        "tf.clip_by_value(2, c(1.), 3)",
        "eager",
        "InvalidArgumentError",
        "cannot compute Maximum as input #1(zero-based) was expected",
    ),
    (
        "tf.clip_by_value(2, c(1.), 3)",
        "function",
        "TypeError",
        "Input 'y' of 'Maximum' Op has type float32 that does not mat",
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


def test_none_stays_in_a_clipped_list() -> None:
    clipped, norm = tf.clip_by_global_norm([tf.constant([3.0, 4.0]), None], 1.0)
    np.testing.assert_allclose(clipped[0].numpy(), [0.6, 0.8], rtol=1e-6)
    assert clipped[1] is None
    assert norm.numpy() == 5.0


def test_the_gradient_of_a_clipped_norm_is_finite_at_zero() -> None:
    x = tf.constant([0.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_norm(x, 1.0)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]


def test_slices_are_clipped_by_their_values() -> None:
    slices = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([3, 2]))
    for clipped in (tf.clip_by_norm(slices, 1.0), tf.clip_by_global_norm([slices], 1.0)[0][0]):
        np.testing.assert_allclose(clipped.values.numpy(), [[0.6, 0.8]], rtol=1e-6)
        assert clipped.indices.numpy().tolist() == [1]
    assert tf.clip_by_value(slices, 0.0, 3.5).values.numpy().tolist() == [[3.0, 3.5]]
    assert tf.cast(slices, tf.int32).values.numpy().tolist() == [[3, 4]]
    assert tf.scalar_mul(2.0, slices).values.numpy().tolist() == [[6.0, 8.0]]


def test_a_negative_norm_clips_to_zero() -> None:
    for clip_norm in (-1.0, tf.constant(-1.0), np.float64(-1.0)):
        np.testing.assert_array_equal(tf.clip_by_norm([3.0, 4.0], clip_norm).numpy(), [0.0, 0.0])


def test_a_norm_of_another_dtype_is_cast_to_that_of_the_values() -> None:
    np.testing.assert_allclose(tf.clip_by_norm([3.0, 4.0], tf.constant(1)).numpy(), [0.6, 0.8], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_numbers_are_clipped_in_blocks_as_few_are(dtype: str) -> None:
    x = np.random.default_rng(0).normal(size=(3, 12_345)).astype(dtype)
    x[1, :3] = np.nan, np.inf, -np.inf
    low, high = np.dtype(dtype).type(-0.5), np.dtype(dtype).type(0.7)
    found = tf.clip_by_value(x, low, high).numpy()
    assert found.dtype == x.dtype
    assert np.array_equal(found, np.maximum(np.minimum(x, high), low), equal_nan=True)


@pytest.mark.parametrize("mode", MODES)
def test_a_clipped_nan_has_no_gradient(mode: str) -> None:
    x = tf.constant([nan, 0.5, 2.0])

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.clip_by_value(x, -1.0, 1.0)
        return tape.gradient(y, x)

    assert (gradient if mode == "eager" else tf.function(gradient))(x).numpy().tolist() == [0.0, 1.0, 0.0]
