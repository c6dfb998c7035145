"""Memory that a training step takes at its peak: 50 dense layers, plain and with every fifth activation kept only.

In a process of its own: what is resident after a step with a small batch (which imports, traces and compiles) is taken
off what is resident at most during two steps with the large one. There 50 activations of 4.2 MB are 210 MB, every
fifth of them 42 MB. `recompute` wraps blocks of five layers in
`tf.recompute_grad` (`jax.checkpoint`), which keep what passes between them and compute the rest twice.
"""

from __future__ import annotations

from benchmarks.rows import Row

ROWS = (
    Row("eager_plain", "peak of an eager step, 50 layers", "MB", reach=0, beyond="tensorflow"),
    Row("eager_recompute", "the same with recompute_grad", "MB", reach=0, beyond="tensorflow"),
    Row("graph_plain", "peak of a step in a tf.function", "MB", reach=0, beyond="tensorflow"),
    Row("graph_recompute", "the same with recompute_grad", "MB", reach=0, beyond="tensorflow"),
    Row("xla_plain", "peak of a step with jit_compile", "MB", reach=0, beyond="tensorflow"),
    Row("xla_recompute", "the same with recompute_grad", "MB", reach=0, beyond="tensorflow"),
)

_PEAK = """
import gc, os

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def report(step, x):
    step(x[:8])
    gc.collect()
    before = resident()
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    step(x)
    step(x)
    with open("/proc/self/status") as status:
        most = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    print((most - before) / 1e6)
"""

_TENSORFLOW = """
import numpy as np
weights = [tf.Variable(np.random.default_rng(i).normal(0.0, 0.06, [256, 256]).astype(np.float32)) for i in range(50)]
x = tf.constant(np.random.default_rng(50).normal(size=[4096, 256]).astype(np.float32))

def block(first):
    def layers(y):
        for w in weights[first:first + 5]:
            y = tf.tanh(tf.matmul(y, w))
        return y
    return tf.recompute_grad(layers) if RECOMPUTE else layers

blocks = [block(first) for first in range(0, 50, 5)]

def step(x):
    with tf.GradientTape() as tape:
        y = x
        for f in blocks:
            y = f(y)
        loss = tf.reduce_mean(y * y)
    for w, g in zip(weights, tape.gradient(loss, weights)):
        w.assign_sub(0.1 * g)
    return loss

wait = lambda x: float(run(x))
"""

_JAX = """
import jax, jax.numpy as jnp, numpy as np
weights = [jnp.asarray(np.random.default_rng(i).normal(0.0, 0.06, [256, 256]).astype(np.float32)) for i in range(50)]
x = jnp.asarray(np.random.default_rng(50).normal(size=[4096, 256]).astype(np.float32))

def layers(y, ws):
    for w in ws:
        y = jnp.tanh(y @ w)
    return y

def loss(weights, x):
    f = jax.checkpoint(layers) if RECOMPUTE else layers
    for first in range(0, 50, 5):
        x = f(x, weights[first:first + 5])
    return jnp.mean(x * x)

@jax.jit
def run(weights, x):
    value, gradients = jax.value_and_grad(loss)(weights, x)
    return value, [w - 0.1 * g for w, g in zip(weights, gradients)]

wait = lambda x: float(run(weights, x)[0])
"""

_RUN = {"eager": "run = step", "graph": "run = tf.function(step)", "xla": "run = tf.function(step, jit_compile=True)"}


def _program(framework: str, row: str) -> str | None:
    """The source of one row, None where the framework does not take part."""
    mode, _, kind = row.partition("_")
    recompute = f"RECOMPUTE = {kind == 'recompute'}\n"
    if framework == "jax":
        return recompute + _JAX + _PEAK + "report(wait, x)" if mode == "xla" else None
    module = {"millrace": "millrace", "tensorflow": "tensorflow"}[framework]
    return f"import {module} as tf\n" + recompute + _TENSORFLOW + _RUN[mode] + _PEAK + "report(wait, x)"


PROCESSES = {
    framework: {row.key: code for row in ROWS if (code := _program(framework, row.key)) is not None}
    for framework in ("millrace", "tensorflow", "jax")
}
