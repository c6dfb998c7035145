"""Jacobians: all rows at once and one after the other, in every mode, of every shape, and every refusal."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: x**3,
    "scalar": lambda x: tf.reduce_sum(x * x),
    "matrix": lambda x: tf.matmul(x, x, transpose_a=True),
    "softmax": lambda x: tf.nn.softmax(x),
    "rows of another": lambda x: tf.gather(x, [2, 0, 2]),
    "loop": lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1],
    "branch": lambda x: tf.cond(x[0, 0] > 0.0, lambda: x * x, lambda: x),
}


def matrix() -> Any:
    return tf.constant([[0.5, -1.0], [1.5, 0.7], [-0.4, 2.0]])


def jacobian(function: Callable[[Any], Any], x: Any, **options: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    return tape.jacobian(y, x, **options)


def by_differences(function: Callable[[Any], Any], x: Any) -> Any:
    """Central differences in double precision."""
    at = np.asarray(x, np.float64)
    step = 1e-4
    columns = []
    for index in np.ndindex(at.shape):
        shift = np.zeros_like(at)
        shift[index] = step
        above, below = (function(tf.constant(at + s * shift)).numpy() for s in (1, -1))
        columns.append((above - below) / (2 * step))
    stacked = np.stack(columns, axis=-1)
    return stacked.reshape(*stacked.shape[:-1], *at.shape)


@pytest.mark.parametrize("use_pfor", [True, False])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_jacobian_is_the_limit_of_differences(name: str, use_pfor: bool) -> None:
    function = FUNCTIONS[name]
    found = jacobian(function, tf.cast(matrix(), tf.float64), experimental_use_pfor=use_pfor)
    np.testing.assert_allclose(found.numpy(), by_differences(function, matrix()), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("use_pfor", [True, False])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs_of_unknown_shape_agree_with_eager_mode(name: str, use_pfor: bool) -> None:
    function = FUNCTIONS[name]
    spec = [tf.TensorSpec([None, None], tf.float32)]
    staged = tf.function(lambda x: jacobian(function, x, experimental_use_pfor=use_pfor), input_signature=spec)
    np.testing.assert_allclose(staged(matrix()), jacobian(function, matrix()), rtol=1e-5, atol=1e-6)


@pytest.mark.xla
@pytest.mark.parametrize("use_pfor", [True, False])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_functions_agree_with_eager_mode(name: str, use_pfor: bool) -> None:
    function = FUNCTIONS[name]
    staged = tf.function(lambda x: jacobian(function, x, experimental_use_pfor=use_pfor), jit_compile=True)
    np.testing.assert_allclose(staged(matrix()), jacobian(function, matrix()), rtol=1e-5, atol=1e-6)


def test_a_batch_jacobian_holds_the_diagonal_blocks() -> None:
    x = matrix()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stack([x[:, 0] * x[:, 1], tf.sin(x[:, 0]), x[:, 1] ** 2], 1)
    whole = tape.jacobian(y, x).numpy()
    for use_pfor in (True, False):
        found = tape.batch_jacobian(y, x, experimental_use_pfor=use_pfor).numpy()
        np.testing.assert_allclose(found, np.stack([whole[i, :, i] for i in range(3)]), rtol=1e-6)


@pytest.mark.parametrize("use_pfor", [True, False])
def test_jacobians_of_empty_tensors_are_empty(use_pfor: bool) -> None:
    assert jacobian(lambda x: x[:0], matrix(), experimental_use_pfor=use_pfor).shape == (0, 2, 3, 2)
    assert jacobian(lambda x: x * 2.0, tf.zeros([0, 2]), experimental_use_pfor=use_pfor).shape == (0, 2, 0, 2)
    with tf.GradientTape(persistent=True) as tape:
        x = tf.zeros([0, 2])
        tape.watch(x)
        y = x * x
    assert tape.batch_jacobian(y, x, experimental_use_pfor=use_pfor).shape == (0, 2, 2)


def test_a_source_that_is_not_reached_gives_none_or_zeros() -> None:
    x, other = matrix(), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x * 2.0
    assert tape.jacobian(y, other) is None
    zeros = tape.jacobian(y, {"a": other}, unconnected_gradients="zero")["a"]
    assert zeros.shape == (3, 2, 2)
    assert not zeros.numpy().any()


def test_the_jacobian_of_a_jacobian_is_the_third_derivative() -> None:
    x = tf.constant([0.5, -1.2])
    with tf.GradientTape() as outer:
        outer.watch(x)
        found = jacobian(lambda x: x**3, x)
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 0], expected[1, 1, 1] = 6 * 0.5, 6 * -1.2
    np.testing.assert_allclose(outer.jacobian(found, x), expected, rtol=1e-6)


def test_eagerly_a_loop_needs_a_persistent_tape() -> None:
    x = matrix()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(RuntimeError, match="must be created with persistent=True to compute the jacobian"):
        tape.jacobian(y, x, experimental_use_pfor=False)
    with pytest.raises(RuntimeError, match="must be created with persistent=True to compute the batch_jacobian"):
        tape.batch_jacobian(y, x, experimental_use_pfor=False)
    assert tape.jacobian(y, x).shape == (3, 2, 3, 2)


@pytest.mark.parametrize(
    ("number", "use_pfor", "error"), [(0, False, TypeError), (0, True, ValueError), (1, True, ValueError)]
)
def test_wrong_numbers_of_parallel_iterations_are_refused(number: int, use_pfor: bool, error: type[Exception]) -> None:
    with pytest.raises(error, match="parallel_iterations"):
        jacobian(lambda x: x, matrix(), parallel_iterations=number, experimental_use_pfor=use_pfor)


def test_a_batch_jacobian_of_other_shapes_is_refused() -> None:
    x = matrix()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        short, flat, total = y[:1], y[:, 0], tf.reduce_sum(y)
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        tape.batch_jacobian(short, x)
    with pytest.raises(ValueError, match="must have rank at least 2"):
        tape.batch_jacobian(flat, x)
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        tape.batch_jacobian(total, x)


def test_a_jacobian_holds_on_to_nothing() -> None:
    x = tf.constant(np.ones(300), tf.float32)
    seen = weakref.ref(x)
    gc.collect()
    gc.disable()
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            z = tf.reshape(y[:2] * y[1:3], [2])
        found = tape.jacobian(z, x)
        assert found.shape == [2, 300]
        del tape, x, y, z, found
        assert seen() is None
    finally:
        gc.enable()
