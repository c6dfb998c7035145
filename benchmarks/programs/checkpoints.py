"""A checkpoint of 1 GB in 100 variables: how long it takes to save and to restore, and how much memory saving takes.

Each time is the least of three, that of the processor, in a process of its own. Restored values go to memory that is
new to the process, as after a start. The files are in the page cache of the operating system; no call waits for the
disk, neither TensorFlow nor Millrace does. Under NumPy stands what the same bytes take when they are only written to a
file, or read from one into new arrays, without names and checksums.
"""

from __future__ import annotations

from benchmarks.rows import Row

ROWS = (
    Row("checkpoint_save", "SaveV2, 100 tensors of 10 MB", "ms", reach=0, beyond="tensorflow"),
    Row("checkpoint_restore", "RestoreV2, 100 tensors of 10 MB", "ms", reach=0, beyond="tensorflow"),
    Row("checkpoint_write", "tf.train.Checkpoint.write, 100 variables of 10 MB", "ms", reach=0, beyond="tensorflow"),
    Row("checkpoint_read", "tf.train.Checkpoint.read, 100 variables of 10 MB", "ms", reach=0, beyond="tensorflow"),
    Row("checkpoint_memory", "memory beyond the variables while they are saved", "MB", reach=64),
    Row("checkpoint_small_save", "SaveV2, 20,000 scalars", "ms"),
    Row("checkpoint_small_restore", "RestoreV2, 20,000 scalars", "ms"),
)

_SETUP = """
import os, shutil, tempfile, time
import numpy as np

folder = tempfile.mkdtemp()
prefix = os.path.join(folder, "model")
arrays = [np.random.default_rng(i).random(COUNT, np.float32) for i in range(TENSORS)]
names = [f"layer_{i:05d}/kernel" for i in range(TENSORS)]
all_of_each = [""] * TENSORS

kept = []  # so that each result needs memory that is new to the process

def seconds(call):
    start = time.process_time()  # the machine may be busy
    kept.append(call())
    return time.process_time() - start

def least(call, before):
    times = []
    for _ in range(3):
        before()
        times.append(seconds(call))
    return min(times)

def remove():
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))

try:
    print(measured())
finally:
    shutil.rmtree(folder)
"""

_OPS = """
def save():
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=all_of_each, tensors=tensors)

def restore():
    dtypes = [tf.float32] * TENSORS
    return tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=all_of_each, dtypes=dtypes)

def prepare():
    global tensors
    tensors = [tf.constant(array) for array in arrays]
    arrays.clear()
"""

_OBJECTS = """
def prepare():
    global checkpoint
    variables = [tf.Variable(array) for array in arrays]
    arrays.clear()
    checkpoint = tf.train.Checkpoint(variables=variables)

def save():
    checkpoint.write(prefix)

def restore():
    checkpoint.read(prefix).assert_consumed()
"""

_SAVE = """
def measured():
    prepare()
    return least(save, remove)
"""

_RESTORE = """
def measured():
    prepare()
    save()
    return least(restore, lambda: None)
"""

_MEMORY = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

def measured():
    prepare()
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")
    before = peak()
    save()
    return (peak() - before) / 1e6
"""

_PLAIN = """
from io import FileIO

def prepare():
    pass

def save():
    with FileIO(prefix, "w") as file:
        for array in arrays:
            file.write(array)

def restore():
    arrays.clear()  # so that there is as much free memory as for the others
    read_arrays = []
    with FileIO(prefix) as file:
        for _ in range(TENSORS):
            read_arrays.append(np.empty(COUNT, np.float32))
            file.readinto(read_arrays[-1])
    return read_arrays
"""


def _program(*parts: str, tensors: int = 100, count: int = 2_500_000) -> str:
    return f"TENSORS, COUNT = {tensors}, {count}\n" + "\n".join(parts) + _SETUP


def _programs(framework: str) -> dict[str, str]:
    start = f"import {framework} as tf"
    small = {"tensors": 20_000, "count": 1}
    return {
        "checkpoint_save": _program(start, _OPS, _SAVE),
        "checkpoint_restore": _program(start, _OPS, _RESTORE),
        "checkpoint_write": _program(start, _OBJECTS, _SAVE),
        "checkpoint_read": _program(start, _OBJECTS, _RESTORE),
        "checkpoint_memory": _program(start, _OBJECTS, _MEMORY),
        "checkpoint_small_save": _program(start, _OPS, _SAVE, **small),
        "checkpoint_small_restore": _program(start, _OPS, _RESTORE, **small),
    }


PROCESSES = {
    "millrace": _programs("millrace"),
    "tensorflow": _programs("tensorflow"),
    "numpy": {
        "checkpoint_save": _program(_PLAIN, _SAVE),
        "checkpoint_restore": _program(_PLAIN, _RESTORE),
    },
}
