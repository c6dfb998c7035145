"""Where compiled functions run on a machine with several devices: three devices of JAX's CPU represent the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import millrace as tf
from tests.engines.xla.programs import prepare, program_of

pytestmark = pytest.mark.xla

PROGRAM = """
import jax, numpy as np
import millrace as tf
from millrace._src.core import devices
from millrace._src.core.resources import resource_of
from millrace._src.engines.compilations import compilation_count
from millrace._src.engines.xla.accelerators import XlaAccelerator

found = tuple(XlaAccelerator(device, "GPU") for device in jax.devices("cpu")[1:])
devices.accelerators = lambda: found
devices.accelerator_at.cache_clear()

variable = tf.Variable([1.0, 2.0])
storage = resource_of(variable.handle._eager_array)

@tf.function(jit_compile=True, autograph=False)
def grow(x):
    return variable.assign_add(x) * 2.0

@tf.function(jit_compile=True, autograph=False)
def count():
    return tf.range(3) + 0

def check(tensor, device, values):
    from millrace._src.core.tensor import array_of
    array = array_of(tensor)
    assert {d.id for d in array.devices()} == {device}, (array.devices(), device)
    np.testing.assert_array_equal(np.asarray(array), values)

x = tf.constant([1.0, 1.0])
check(grow(x), 0, [4, 6])
with tf.device("/GPU:1"):
    check(grow(x), 2, [6, 8])
    before = compilation_count()
    check(grow(x), 2, [8, 10])
    assert compilation_count() == before
    check(count(), 2, [0, 1, 2])
    elsewhere = x + 1.0
assert {d.id for d in storage.device.devices()} == {2}
with tf.device("/CPU:0"):
    check(grow(x), 0, [10, 12])
check(grow(elsewhere), 0, [14, 16])  # one operand on each of two devices: they meet where the variable is
with tf.device("/GPU:0"):
    check(grow(elsewhere), 1, [18, 20])
np.testing.assert_array_equal(variable.numpy(), [9, 10])
"""


def test_a_scope_decides_where_a_compiled_function_runs() -> None:
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=3", "MILLRACE_TIER_WAIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, **flags}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_without_accelerators_a_scope_changes_no_executable() -> None:
    program, arguments = program_of(lambda x: x + 1.0, tf.TensorSpec([2], tf.float32))
    call: Any = arguments(tf.ones([2])._eager_array)
    prepare(program, call)
    with tf.device("/CPU:0"):
        assert program.ready(call)
