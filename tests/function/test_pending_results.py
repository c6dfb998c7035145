"""Results of compiled functions arrive when they are read, and are then ordinary tensors."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

import millrace as tf
from millrace._src.core import errors
from millrace._src.core.tensor import EagerTensor, PendingTensor

pytestmark = pytest.mark.xla


@tf.function(jit_compile=True)
def doubled(x):
    return x * 2


@pytest.fixture
def pending():
    x = tf.constant([[1.0, 2.0]])
    result = doubled(x)
    assert type(result) is PendingTensor
    return result


def test_shape_and_dtype_are_known_before_the_value(pending):
    assert pending.shape == (1, 2)
    assert (pending.ndim, pending.dtype) == (2, tf.float32)
    assert type(pending) is PendingTensor
    assert type(pending).__name__ == "EagerTensor"


READERS = {
    "numpy": lambda t: t.numpy(),
    "asarray": np.asarray,
    "operator": lambda t: (t + 0).numpy(),
    "op": lambda t: tf.identity(t).numpy(),
    "slice": lambda t: t[:].numpy(),
    "pickle": lambda t: pickle.loads(pickle.dumps(t)).numpy(),
    "deepcopy": lambda t: copy.deepcopy(t).numpy(),
    "concat": lambda t: tf.concat([t], axis=0).numpy(),
    "graph": lambda t: tf.function(lambda x: x + 0)(t).numpy(),
    "dlpack": lambda t: np.from_dlpack(t),
    "capture": lambda t: tf.function(lambda: t + 0)().numpy(),
    "variable": lambda t: tf.Variable(t).numpy(),
    "iteration": lambda t: [list(map(float, row)) for row in t],
    "constant": lambda t: tf.constant(t).numpy(),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_any_way_of_reading_gives_the_value(pending, read):
    np.testing.assert_array_equal(read(pending), [[2.0, 4.0]])


def test_a_tensor_that_was_read_is_an_ordinary_one(pending):
    pending.numpy()
    assert type(pending) is EagerTensor


def test_text_forms_are_those_of_any_tensor(pending):
    assert str(pending) == "tf.Tensor([[2. 4.]], shape=(1, 2), dtype=float32)"
    assert repr(doubled(tf.constant(1))) == "<tf.Tensor: shape=(), dtype=int32, numpy=2>"


def test_a_chain_of_compiled_calls_does_not_wait():
    x = tf.constant([1.0])
    for _ in range(3):
        y = doubled(doubled(x))
    first = doubled(x)
    second = doubled(first)
    assert type(first) is PendingTensor
    np.testing.assert_array_equal(second, y)


def test_a_pending_argument_of_an_uncompiled_function_is_read():
    triple = tf.function(lambda x: x * 3)
    for _ in range(3):
        assert float(triple(doubled(tf.constant(1.0)))) == 6.0


def test_results_keep_their_values_when_variables_change_later():
    v = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def step():
        before = v.read_value()
        v.assign_add([1.0, 1.0])
        return before, v.read_value(), v + 0.0

    @tf.function(jit_compile=True)
    def read():
        return v.read_value()

    early, seen = step(), read()
    for _ in range(4):
        step()
    np.testing.assert_array_equal(early[0], [1.0, 2.0])
    np.testing.assert_array_equal(early[1], [2.0, 3.0])
    np.testing.assert_array_equal(early[2], [2.0, 3.0])
    np.testing.assert_array_equal(seen, [2.0, 3.0])
    np.testing.assert_array_equal(v, [6.0, 7.0])


def test_gradients_take_pending_tensors():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = doubled(doubled(x))
    assert float(tape.gradient(y, x)) == 4.0


def test_threads_that_read_at_once_see_one_value():
    result, seen = doubled(tf.ones([64, 64])), []
    threads = [threading.Thread(target=lambda: seen.append(result.numpy().sum())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [8192.0] * 8


class Broken:
    """An array that the engine failed to compute."""

    shape, dtype = (2,), np.dtype(np.float32)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("out of memory")


def test_a_failure_in_the_background_is_an_error_of_tensorflow():
    tensor = PendingTensor(Broken(), tf.float32)
    with pytest.raises(errors.InternalError, match="out of memory"):
        tensor.numpy()


def test_a_failure_in_the_background_is_an_error_of_tensorflow_in_a_function_of_another_engine():
    plain = tf.function(lambda x: x + 1, jit_compile=False)
    plain(doubled(tf.ones([2])))
    with pytest.raises(errors.InternalError, match="out of memory"):
        plain(PendingTensor(Broken(), tf.float32))
