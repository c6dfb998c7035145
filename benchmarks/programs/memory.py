"""Resident memory of a process that has imported a framework and run one compiled function of a scalar."""

from __future__ import annotations

from benchmarks.rows import Row

ROWS = (Row("memory", "memory after import and one function", "MB", reach=60),)

_RESIDENT = """
import os, resource, sys
if os.path.exists("/proc/self/statm"):
    with open("/proc/self/statm") as statm:
        print(int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3))
"""

_PROGRAMS = {
    "millrace": "import millrace as tf; f = tf.function(lambda a, b: a + b); f(tf.constant(1.0), tf.constant(2.0))",
    "numpy": "import numpy; numpy.add(numpy.array(1.0), numpy.array(2.0))",
    "tensorflow": "import tensorflow as tf; f = tf.function(lambda a, b: a + b); f(tf.constant(1.0), tf.constant(2.0))",
    "jax": "import jax; f = jax.jit(lambda a, b: a + b); f(1.0, 2.0).block_until_ready()",
    "torch": "import torch; torch.tensor(1.0) + torch.tensor(2.0)",
}
PROCESSES = {name: {"memory": code + _RESIDENT} for name, code in _PROGRAMS.items()}
