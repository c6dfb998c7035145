"""What a user of Keras waits for at first: the import, and the first epoch of a small net, each in its own process.

Keras itself takes most of the import, so Millrace's part is what it takes beyond Keras on NumPy.
"""

from __future__ import annotations

from benchmarks.rows import Row

ROWS = (
    Row("keras_import", "import keras", "s", reach=0.3, beyond="numpy"),
    Row("keras_first_epoch", "Keras, first epoch of a new MLP: 64 steps, graph", "s", reach=0.25),
    Row("keras_first_epoch_auto", "the same as Keras compiles it by itself", "s"),
)

_START = """
import os
os.environ["KERAS_BACKEND"] = {backend!r}
{first}
start = clock()
import keras
"""
_IMPORT = "print(clock() - start)"
_EPOCH = """
import numpy as np
keras.utils.set_random_seed(0)
rng = np.random.RandomState(0)
x, y = rng.rand(2048, 64).astype("float32"), rng.randint(0, 10, 2048)
start = clock()
layers = [keras.layers.Dense(128, "relu"), keras.layers.Dense(128, "relu"), keras.layers.Dense(10)]
model = keras.Sequential([keras.Input((64,)), *layers])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("adam", loss, metrics=["accuracy"], jit_compile={jit!r})
model.fit(x, y, batch_size=32, epochs=1, verbose=0)
print(clock() - start)
"""
_BACKENDS = {"tensorflow": "tensorflow", "jax": "jax", "torch": "torch", "numpy": "numpy", "millrace": "tensorflow"}
_INSTALL = "import millrace; millrace.install_as_tensorflow()"


def _programs(framework: str, backend: str) -> dict[str, str]:
    # The framework's own import belongs to what a user of Keras waits for, but for Millrace's few lines.
    start = _START.format(backend=backend, first=_INSTALL if framework == "millrace" else "")
    if backend == "numpy":
        return {"keras_import": start + _IMPORT}
    programs = {"keras_import": start + _IMPORT, "keras_first_epoch_auto": start + _EPOCH.format(jit="auto")}
    if backend != "jax":  # which runs op by op where it may not compile
        programs["keras_first_epoch"] = start + _EPOCH.format(jit=False)
    return programs


PROCESSES = {framework: _programs(framework, backend) for framework, backend in _BACKENDS.items()}
