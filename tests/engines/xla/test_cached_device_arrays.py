"""Cached device arrays: an array that is passed again is converted once."""

from __future__ import annotations

import gc
import time
import weakref

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.aligned_memory import empty_array
from tests.engines.xla.programs import program_of

pytestmark = pytest.mark.xla


def is_let_go(reference: weakref.ref[np.ndarray]) -> bool:
    """Returns whether an array is gone; XLA's threads let go of what they read shortly after they have computed."""
    for _ in range(500):
        gc.collect()
        if reference() is None:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("is_aligned", [True, False])
@pytest.mark.parametrize("size", [3, 100_000])
def test_an_array_that_comes_again_is_converted_once_and_let_go(size: int, is_aligned: bool) -> None:
    program, arguments = program_of(lambda x: x + 1.0, tf.TensorSpec([None], tf.float32))
    array = empty_array((size,), np.dtype(np.float32)) if is_aligned else np.empty(size, np.float32)
    array[:] = range(size)
    for _ in range(4):
        assert np.asarray(program.run(*arguments(array))[0]).tolist()[:3] == [1.0, 2.0, 3.0]
    reference = weakref.ref(array)
    other = np.full(size, 5, np.float32)
    assert np.asarray(program.run(*arguments(other))[0])[0] == 6.0  # the device array is of the array, not of the input
    for _ in range(3):
        np.asarray(program.run(*arguments(array))[0])  # XLA holds the array until it has computed
    del array
    assert is_let_go(reference)


def test_a_compiled_function_is_not_given_an_old_value_of_a_variable() -> None:
    v = tf.Variable(tf.zeros([1 << 18]))
    v.assign_add(tf.ones([1 << 18]))
    inner = tf.function(lambda x: tf.reduce_max(x) * 2.0, jit_compile=True)
    outer = tf.function(lambda: inner(v.read_value()), jit_compile=False)
    found = []
    for _ in range(4):
        found.append(float(outer()))
        v.assign_add(tf.ones([1 << 18]))
    assert found == [2.0, 4.0, 6.0, 8.0]
