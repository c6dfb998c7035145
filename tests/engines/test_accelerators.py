"""Accelerators: which there are, and eager ops on them; a device of JAX's CPU represents the accelerator."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core import devices
from millrace._src.core.accelerator import Accelerator
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.engines import accelerators, engine_table

jax = pytest.importorskip("jax")
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Accelerator]:
    from millrace._src.engines.xla.accelerators import XlaAccelerator

    accelerator = XlaAccelerator(jax.devices("cpu")[0], "GPU")
    monkeypatch.setattr(devices, "accelerators", lambda: (accelerator,))
    for choices in ("_visible", "_configured"):  # of other tests, whose machine has no accelerator
        monkeypatch.setattr(devices, choices, {})
    devices.accelerator_at.cache_clear()
    yield accelerator
    devices.accelerator_at.cache_clear()


def test_an_accelerator_is_listed(gpu: Accelerator) -> None:
    assert tf.config.list_physical_devices("GPU") == [tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")]
    assert [d.name for d in tf.config.list_logical_devices()] == ["/device:CPU:0", "/device:GPU:0"]
    assert tf.test.is_gpu_available() and tf.test.gpu_device_name() == "/device:GPU:0"


def test_a_scope_puts_eager_ops_on_the_accelerator(gpu: Accelerator) -> None:
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.device("/GPU:0"):
        product = tf.matmul(a, a)
        assert (product.device, product.backing_device) == (GPU, GPU)
        total = product + 1.0
    assert (total.device, total.shape) == (GPU, (2, 2))
    np.testing.assert_array_equal(total.numpy(), [[8, 11], [16, 23]])
    assert total.device == GPU  # after the value has come to the host, too
    assert (total + 1.0).device == CPU


def test_several_outputs_and_64_bit_types_are_on_the_accelerator(gpu: Accelerator) -> None:
    with tf.device("/GPU:0"):
        mean, variance = tf.nn.moments(tf.constant([1.0, 3.0], tf.float64) / 3, axes=[0])
        rows = tf.unstack(tf.constant([[1, 2], [3, 4]], tf.int64) * 2)
    assert mean.dtype == tf.float64 and [t.device for t in (mean, variance, *rows)] == [GPU] * 4
    np.testing.assert_allclose([mean, variance], [2 / 3, 1 / 9], rtol=1e-15)
    np.testing.assert_array_equal(rows, [[2, 4], [6, 8]])


def test_a_tape_records_ops_on_the_accelerator(gpu: Accelerator) -> None:
    with tf.device("/GPU:0"), tf.GradientTape() as tape:
        x = tf.constant([0.5, 2.0])
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x) * x)
        gradient = tape.gradient(y, x)
    assert gradient.backing_device == GPU
    np.testing.assert_allclose(gradient, np.tanh([0.5, 2]) + [0.5, 2] * (1 - np.tanh([0.5, 2]) ** 2), rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.gather(x, [0, 1]),  # checks its indices
        lambda x: tf.reshape(x, [4]),  # reads a shape
        lambda x: tf.unique(tf.reshape(x, [-1]))[0],  # has a shape that depends on values
        lambda x: tf.strings.as_string(x),
        lambda x: tf.Variable(x).assign_add(x).value(),
    ],
)
def test_what_the_accelerator_cannot_run_exactly_runs_on_the_host(gpu: Accelerator, call: Any) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    expected = call(x).numpy()
    with tf.device("/GPU:0"):
        result = call(tf.identity(x))
    assert result.backing_device == CPU
    np.testing.assert_array_equal(result.numpy(), expected)


def test_errors_are_those_of_the_host(gpu: Accelerator) -> None:
    with pytest.raises(InvalidArgumentError, match=r"Matrix size-incompatible: In\[0\]: \[2,2\], In\[1\]: \[3,3\]"):
        with tf.device("/GPU:0"):
            tf.matmul(tf.ones([2, 2]), tf.ones([3, 3]))
    with pytest.raises(InvalidArgumentError, match=r"indices\[0\] = 9 is not in \[0, 2\)"), tf.device("/GPU:0"):
        tf.gather(tf.ones([2]), [9])


def test_random_numbers_are_those_of_the_host(gpu: Accelerator) -> None:
    tf.random.set_seed(3)
    expected = tf.random.normal([3]).numpy()
    tf.random.set_seed(3)
    with tf.device("/GPU:0"):
        np.testing.assert_array_equal(tf.random.normal([3]).numpy(), expected)


def test_hidden_accelerators_are_not_used(gpu: Accelerator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "eager_use_has_begun", lambda: False)
    tf.config.set_visible_devices([], "GPU")
    with tf.device("/GPU:0"):
        assert (tf.constant(1.0) + 1.0).device == CPU


def test_without_a_driver_jax_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def unexpected() -> Any:
        raise AssertionError("JAX is loaded")

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(accelerators, "compiling_engine", unexpected)
    assert accelerators.find_accelerators() == ()


def test_without_jax_there_is_no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise engine_table.MissingCompilerError

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(accelerators, "compiling_engine", missing)
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    assert accelerators.find_accelerators() == ()


def test_a_machine_without_accelerators_has_none() -> None:
    from millrace._src.engines.xla.accelerators import list_accelerators

    assert list_accelerators() == () or jax.default_backend() != "cpu"
