"""`tf.test.compute_gradient`: what real TensorFlow 2.21 returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

compute = tf.test.compute_gradient


def test_both_jacobians_come_as_tuples_of_arrays() -> None:
    theoretical, numerical = compute(lambda x, y: x * y, (tf.constant([1.0, 2.0]), tf.constant(3.0)))
    assert isinstance(theoretical, tuple)
    for found in (theoretical, numerical):
        np.testing.assert_allclose(found[0], [[3.0, 0.0], [0.0, 3.0]], rtol=1e-3)
        np.testing.assert_allclose(found[1], [[1.0], [2.0]], rtol=1e-3)
        assert [a.dtype for a in found] == [np.float32, np.float32]


def test_a_complex_number_counts_as_two() -> None:
    theoretical, numerical = compute(lambda x: x * x, [tf.constant([1.0 + 2.0j])])
    np.testing.assert_allclose(theoretical[0], [[2.0, -4.0], [4.0, 2.0]])
    np.testing.assert_allclose(numerical[0], theoretical[0], rtol=1e-6)
    theoretical, numerical = compute(tf.abs, [tf.constant([1.0 + 2.0j], tf.complex64)])
    np.testing.assert_allclose(theoretical[0], [[0.4472136, 0.8944272]], rtol=1e-6)
    assert theoretical[0].dtype == np.float32
    np.testing.assert_allclose(numerical[0], theoretical[0], rtol=1e-3)
    theoretical, numerical = compute(lambda x: tf.complex(x, 2.0 * x), [tf.constant([1.0], tf.float64)])
    np.testing.assert_allclose([theoretical[0], numerical[0]], [[[1.0], [2.0]]] * 2)


def test_the_step_may_be_chosen() -> None:
    _, numerical = compute(lambda x: x**3, [tf.constant([1.0], tf.float64)], delta=0.5)
    np.testing.assert_allclose(numerical[0], [[3.25]])


@pytest.mark.parametrize(("dtype", "expected"), [(tf.float16, 3.0), (tf.bfloat16, 0.0), (tf.float64, 3 + 2**-20)])
def test_differences_are_taken_in_the_dtype_of_the_argument(dtype: Any, expected: float) -> None:
    theoretical, numerical = compute(lambda x: x * x * x, [tf.constant([1.0], dtype)])
    assert theoretical[0].dtype == numerical[0].dtype == dtype.as_numpy_dtype
    assert (float(theoretical[0][0, 0]), float(numerical[0][0, 0])) == (3.0, expected)


def test_a_wrong_gradient_shows() -> None:
    wrong = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * 5.0))
    theoretical, numerical = compute(wrong, [tf.constant([1.0])])
    assert (theoretical[0].tolist(), numerical[0].tolist()) == ([[5.0]], [[2.0]])


def test_no_gradient_counts_as_zeros() -> None:
    theoretical, numerical = compute(lambda x: tf.stop_gradient(x) * 2.0, [tf.constant([1.0])])
    assert (theoretical[0].tolist(), numerical[0].tolist()) == ([[0.0]], [[2.0]])


def test_values_variables_functions_and_empty_arguments_are_taken() -> None:
    for x in ([1.0], np.ones(1, np.float32), tf.Variable([1.0])):
        assert compute(tf.function(lambda x: x * 2.0), [x])[0][0].tolist() == [[2.0]]
    assert compute(lambda x: x * 2.0, [tf.constant([])])[0][0].shape == (0, 0)
    assert compute(lambda: tf.constant(1.0), []) == ()
    assert compute(lambda x: tf.gather(x, [1, 1]), [tf.constant([[1.0], [2.0]])])[0][0].tolist() == [[0, 1], [0, 1]]


def test_what_cannot_be_differentiated_is_refused() -> None:
    with pytest.raises(ValueError, match="`x` must be a list or tuple of values convertible to a Tensor"):
        compute(lambda x: x, tf.constant([1.0]))
    with pytest.raises(AssertionError, match="Cannot compute gradient for unsupported type int32 of argument 0"):
        compute(lambda x: x, [tf.constant([1])])
    with pytest.raises(AssertionError, match="Cannot compute gradient for unsupported type int32 of y"):
        compute(lambda x: tf.cast(x, tf.int32), [tf.constant([1.0])])
    with pytest.raises(RuntimeError, match="only in eager mode"):
        tf.function(lambda x: compute(lambda x: x, [x])[0])(tf.constant([1.0]))
