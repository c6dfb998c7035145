"""`tf.DeviceSpec` beyond TensorFlow's recorded answers (tests/oracle/programs/devices.py)."""

from __future__ import annotations

import copy
import pickle

import pytest

import millrace as tf


def test_a_spec_does_not_change() -> None:
    spec = tf.DeviceSpec(job="a")
    with pytest.raises(AttributeError):
        spec.job = "b"
    assert spec.replace(job="b").job == "b" and spec.job == "a"
    assert {spec: 1}[tf.DeviceSpec(job="a")] == 1


def test_copies_are_equal() -> None:
    for kind in (tf.DeviceSpec, tf.compat.v1.DeviceSpec):
        spec = kind("j", 1, 2, "GPU", 3)
        assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec
        assert type(spec.replace(task=5)) is type(spec.make_merged_spec(spec)) is kind


def test_a_spec_names_the_device_of_a_scope() -> None:
    with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0)):
        assert tf.constant(1).device.endswith("/device:CPU:0")
    with tf.Graph().as_default(), tf.device("/job:a"), tf.device(tf.DeviceSpec(task=2)):
        assert tf.constant(1).device == "/job:a/task:2"
