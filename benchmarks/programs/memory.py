"""Resident memory: of a process that has run one compiled function of a scalar, and what ever new attributes add."""

from __future__ import annotations

from benchmarks.rows import Row

ROWS = (
    Row("memory", "memory after import and one function", "MB", reach=60),
    Row("memory_attributes", "memory that 10,000 values of an op's attribute leave behind", "MB", reach=2),
)

_RESIDENT = """
import os, resource, sys
def resident():
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
"""

_PROGRAMS = {
    "millrace": "import millrace as tf; f = tf.function(lambda a, b: a + b); f(tf.constant(1.0), tf.constant(2.0))",
    "numpy": "import numpy; numpy.add(numpy.array(1.0), numpy.array(2.0))",
    "tensorflow": "import tensorflow as tf; f = tf.function(lambda a, b: a + b); f(tf.constant(1.0), tf.constant(2.0))",
    "jax": "import jax; f = jax.jit(lambda a, b: a + b); f(1.0, 2.0).block_until_ready()",
    "torch": "import torch; torch.tensor(1.0) + torch.tensor(2.0)",
}
_ATTRIBUTES = """
x = tf.constant([1.0])
for alpha in range(100):
    tf.nn.leaky_relu(x, alpha / 200)
before = resident()
for alpha in range(10_000):
    tf.nn.leaky_relu(x, alpha / 20_000)
print(resident() - before)
"""
PROCESSES = {name: {"memory": f"{code}{_RESIDENT}print(resident())"} for name, code in _PROGRAMS.items()}
for _name in ("millrace", "tensorflow"):
    PROCESSES[_name]["memory_attributes"] = f"import {_name} as tf{_RESIDENT}{_ATTRIBUTES}"
