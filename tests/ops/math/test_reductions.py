"""Reductions as ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, numbers

NUMBERS = (*FLOATS, *INTEGERS, *COMPLEX)
AXES = (([0], False), ([1], True), ([0, 1], False), ([], False), ([-1, 0], True))
SAMPLES = [
    *(
        Sample(op, (numbers(d, (2, 3), 0.5), np.int32(axes)), {"keep_dims": keep}, grad=d in ("float64", "complex128"))
        for op in ("Sum", "Prod", "Mean", "EuclideanNorm")
        for d, (axes, keep) in zip(NUMBERS, AXES * 3, strict=False)
        if op != "EuclideanNorm" or d != "complex128"
    ),
    *(
        Sample(op, (numbers(d, (2, 3)), np.int64(axes)), {"keep_dims": keep}, grad=d == "float64")
        for op in ("Max", "Min")
        for d, (axes, keep) in zip((*FLOATS, *INTEGERS), AXES * 3, strict=False)
    ),
    *(
        Sample(op, (numbers("bool", (2, 3)), np.int32(axes)), {"keep_dims": keep})
        for op in ("All", "Any")
        for axes, keep in AXES
    ),
    *(Sample(op, (numbers("float32", (0, 3)), np.int32(0))) for op in ("Sum", "Prod", "Max", "Min")),
    *(Sample(op, (numbers("int32", ()), np.int32([]))) for op in ("Sum", "Prod", "Max", "Min", "Mean")),
    Sample("Prod", (numbers("float64", (2, 3, 2)), np.int32([0, 2])), grad=True),
]

_AXES_OF_ALL_KINDS = [
    ([0], True),
    ([-1], True),
    ([], False),
    ([0, 1], True),
    (1, False),
    ([0, -1], False),
]

GRADIENT_SAMPLES = [
    *(
        Sample(op, (numbers("float64", (2, 3), 0.5), np.int32(axes)), {"keep_dims": keep}, grad=True)
        for op in ("Sum", "Prod", "Mean", "EuclideanNorm", "Max", "Min")
        for axes, keep in _AXES_OF_ALL_KINDS
    ),
    *(
        Sample(op, (numbers("complex128", (2, 3), 0.5), np.int32([0])), {"keep_dims": True}, grad=True)
        for op in ("Sum", "Prod", "Mean")
    ),
    *(Sample(op, (numbers("float64", (1, 1)), np.int32([0])), grad=True) for op in ("Sum", "Prod", "Max", "Mean")),
]

# The second derivative at 0 is TensorFlow's, which leaves out what an element that is 0 would add.
GRADIENT_PROGRAMS = [
    GradientProgram(
        "Prod", lambda x: tf.reduce_prod(x, 1), [np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 1.5]])], second=False
    )
]


def test_the_gradient_of_a_product_is_right_at_zero() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_prod(x)
    assert tape.gradient(y, x).numpy().tolist() == [[0.0, 0.0], [0.0, 6.0]]


ARRAYS = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@given(ARRAYS, st.data())
def test_reductions_of_any_shape_agree_with_numpy(shape: tuple[int, ...], data: st.DataObject) -> None:
    x = numbers("float64", shape)
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True)) if shape else []
    keep = data.draw(st.booleans())
    signed = [a - len(shape) if data.draw(st.booleans()) else a for a in axes]
    for function, reference in ((tf.reduce_sum, np.sum), (tf.reduce_prod, np.prod)):
        result = function(x, signed, keepdims=keep).numpy()
        np.testing.assert_allclose(result, reference(x, axis=tuple(axes), keepdims=keep), rtol=1e-10)
    if x.size:
        np.testing.assert_array_equal(
            tf.reduce_max(x, signed, keep).numpy(), np.max(x, axis=tuple(axes), keepdims=keep)
        )
        np.testing.assert_allclose(tf.reduce_mean(x, signed, keep).numpy(), np.mean(x, axis=tuple(axes), keepdims=keep))


@given(ARRAYS, st.data())
def test_static_shapes_are_those_of_the_results(shape: tuple[int, ...], data: st.DataObject) -> None:
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True)) if shape else []
    keep = data.draw(st.booleans())
    result = tf.reduce_sum(numbers("float32", shape), axes, keepdims=keep)
    known = [d if data.draw(st.booleans()) else None for d in shape]
    with tf.Graph().as_default():
        static = tf.reduce_sum(tf.compat.v1.placeholder(tf.float32, known), axes, keepdims=keep).shape
    assert static.rank == result.shape.rank
    assert static.is_compatible_with(result.shape)


def test_the_second_derivative_of_a_norm_whose_gradient_is_zero_is_zero() -> None:
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.math.reduce_euclidean_norm(x) * 0.0
        first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.bfloat16, tf.complex64])
@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean, tf.reduce_prod])
def test_reductions_over_no_axes_keep_the_sign_of_zero(dtype: Any, reduce: Any) -> None:
    x = tf.cast(tf.constant([-0.0]), dtype)
    for result in (reduce(x, []), reduce(x[0])):
        assert np.signbit(np.real(result.numpy().astype(np.complex64))).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5000,), (3, 4099), (2, 3, 1031), (64, 64, 3)])
def test_products_of_many_numbers_are_those_of_their_logarithms(shape: Any, dtype: Any) -> None:
    signs = np.random.default_rng(0).choice([-1, 1], shape)
    x = (signs * np.random.default_rng(1).uniform(0.99, 1.01, shape)).astype(dtype)
    for axes in (None, [-1], [len(shape) - 1, 0] if len(shape) == 2 else [len(shape) - 1], [0]):
        over = tuple(range(len(shape))) if axes is None else tuple(axes)
        expected = np.exp(np.log(np.abs(x.astype(float))).sum(over)) * signs.prod(over)
        np.testing.assert_allclose(tf.reduce_prod(x, axes), expected, rtol=1e-4)
        kept = tf.reduce_prod(x, axes, keepdims=True)
        assert kept.shape == np.sum(x, axis=over, keepdims=True).shape


def test_a_product_with_zeros_infinities_and_nan_is_numpys() -> None:
    x = np.ones((4, 5001), np.float32)
    x[0, 7], x[1, 5000], x[2, 40], x[2, 41] = 0, np.inf, 0, np.inf
    np.testing.assert_array_equal(tf.reduce_prod(x, 1), [0, np.inf, np.nan, 1])
