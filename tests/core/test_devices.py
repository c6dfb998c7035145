"""Devices: names, scopes, visibility, and the settings of `tf.config` about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf


@pytest.fixture(autouse=True)
def settings_are_restored() -> Iterator[None]:
    visible, soft = tf.config.get_visible_devices(), tf.config.get_soft_device_placement()
    yield
    tf.config.set_visible_devices(visible)
    tf.config.set_soft_device_placement(soft)


def test_there_is_a_cpu() -> None:
    (cpu,) = tf.config.list_physical_devices("CPU")
    assert (cpu.name, cpu.device_type) == ("/physical_device:CPU:0", "CPU")
    assert repr(cpu) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"
    assert tf.config.list_logical_devices("CPU")[0].name == "/device:CPU:0"
    assert tf.config.list_physical_devices("NONE") == []


@pytest.mark.parametrize(
    "name", ["/CPU:0", "CPU:0", "cpu:0", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", "", None]
)
def test_ops_run_under_every_way_to_name_the_cpu(name: Any) -> None:
    with tf.device(name):
        x = tf.constant(1.0) + 1.0
    assert x.device.endswith("CPU:0")


@pytest.mark.parametrize("name", ["nonsense", "/nonsense:0", "/job:x/nonsense"])
def test_a_name_that_cannot_be_read_raises(name: str) -> None:
    with pytest.raises(ValueError), tf.device(name):
        tf.constant(1.0)


def test_a_missing_device_is_the_cpu() -> None:
    with tf.device("/GPU:97"):
        assert tf.constant(1.0).device.endswith("CPU:0")
    tf.config.set_soft_device_placement(False)
    assert tf.config.get_soft_device_placement() is False


def test_a_function_as_a_device_is_refused_in_eager_mode() -> None:
    with pytest.raises(RuntimeError, match=r"tf.device does not support functions"), tf.device(lambda op: "/CPU:0"):
        pass


def test_visible_devices_can_be_hidden_and_unknown_ones_are_refused() -> None:
    tf.config.set_visible_devices([], "GPU")
    assert tf.config.get_visible_devices("GPU") == []
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices(["no device"])
    with pytest.raises(ValueError):
        tf.config.set_visible_devices(tf.config.list_physical_devices("CPU"), "GPU")


def test_functions_can_be_run_eagerly() -> None:
    f = tf.function(lambda: tf.executing_eagerly(), autograph=False)
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
        assert bool(f()) is True
    finally:
        tf.config.run_functions_eagerly(False)
    assert not tf.config.functions_run_eagerly()
    assert bool(f()) is False


@pytest.mark.parametrize("name", ["/job:localhost", "job:localhost", "/job:localhost/task:0", "/replica:0", "/cpu:*"])
def test_what_a_name_leaves_open_is_the_first_cpu(name: str) -> None:
    with tf.device(name):
        assert tf.constant(1).device == "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize(
    ("name", "full_name"),
    [
        ("/job:foo", "/job:foo/replica:0/task:0/device:CPU:0"),
        ("/replica:1/cpu:0", "/job:localhost/replica:1/task:0/device:CPU:0"),
        ("/task:1", "/job:localhost/replica:0/task:1/device:CPU:0"),
    ],
)
def test_a_device_of_another_process_is_refused(name: str, full_name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"^{full_name} unknown device\.$"), tf.device(name):
        tf.constant(1)
