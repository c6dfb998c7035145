"""Resident memory: of a process that has run one compiled function; what ever new attributes, and epochs, add."""

from __future__ import annotations

from benchmarks.rows import Row

ROWS = (
    Row("memory", "memory after import and one function", "MB", reach=60),
    Row("memory_attributes", "memory that 10,000 values of an op's attribute leave behind", "MB", reach=2),
    Row(
        "memory_epoch",
        "most memory that an epoch over 60,000 shuffled images takes (the images: 188 MB)",
        "MB",
        reach=200,
    ),
    Row("memory_epochs", "memory that 20 more epochs leave behind", "MB", reach=2),
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
_IMAGES = """
import numpy
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
images, labels = numpy.ones((60_000, 28, 28), numpy.float32), numpy.arange(60_000)
"""
_DATASETS = {
    "millrace": "d = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(10_000).batch(32)",
    "tensorflow": "d = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(10_000).batch(32)",
    "torch": "from torch.utils.data import DataLoader, TensorDataset; "
    "d = DataLoader(TensorDataset(torch.tensor(images), torch.tensor(labels)), batch_size=32, shuffle=True)",
}
_EPOCH = """
def epoch():
    for x, y in d: pass
"""
_MAX_OF_EPOCH = "before = resident()\n{dataset}" + _EPOCH + "epoch(); print(most() - before)"
_LEFT_BY_EPOCHS = (
    "{dataset}" + _EPOCH + "epoch(); before = resident()\nfor _ in range(20): epoch()\nprint(resident() - before)"
)
PROCESSES = {name: {"memory": f"{code}{_RESIDENT}print(resident())"} for name, code in _PROGRAMS.items()}
for _name in ("millrace", "tensorflow"):
    PROCESSES[_name]["memory_attributes"] = f"import {_name} as tf{_RESIDENT}{_ATTRIBUTES}"
for _name, _dataset in _DATASETS.items():
    _begin = f"{_PROGRAMS[_name]}{_RESIDENT}{_IMAGES}"
    PROCESSES[_name]["memory_epoch"] = _begin + _MAX_OF_EPOCH.format(dataset=_dataset)
    PROCESSES[_name]["memory_epochs"] = _begin + _LEFT_BY_EPOCHS.format(dataset=_dataset)
