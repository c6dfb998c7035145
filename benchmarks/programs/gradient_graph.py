"""How long building the graph of a gradient takes, and whether that stays linear in the number of operations.

The forward operations are there before the clock starts. A gradient adds to the graph, so each repetition is a process
of its own.
"""

from __future__ import annotations

from benchmarks.rows import Row

LENGTHS = (1_000, 10_000)
ROWS = (
    *(Row(f"gradient_{n}", f"gradient graph of {n:,} ops, per op", "us", per=n) for n in LENGTHS),
    Row("gradient_traced", "tracing 10,000 ops and their gradient, per op", "us", per=10_000),
)

_CHAIN = """
def chain(x, length):
    y = x
    for _ in range(length // 2):
        y = (y + x) * x
    return y
"""
_SETUP = {
    "millrace": "import millrace as tf",
    "tensorflow": "import os; os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'\nimport tensorflow as tf",
}
_GRADIENT = """
def seconds(length):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [10, 10])
        y = chain(x, length)
        start = clock()
        tf.gradients(y, x)
        return clock() - start
seconds(10)
print(seconds({length}))
"""
_TRACED = """
def seconds(length):
    f = tf.function(lambda x: tf.gradients(chain(x, length), x)[0], autograph=False)
    start = clock()
    f.get_concrete_function(tf.TensorSpec([10, 10], tf.float32))
    return clock() - start
seconds(10)
print(seconds(10_000))
"""
_TORCH_TRACED = """
import torch
from torch.fx.experimental.proxy_tensor import make_fx
def seconds(length):
    x = torch.ones([10, 10], requires_grad=True)
    start = clock()
    make_fx(lambda x: torch.autograd.grad(chain(x, length).sum(), x)[0])(x)
    return clock() - start
seconds(10)
print(seconds(10_000))
"""
_JAX_TRACED = """
import jax
x = jax.numpy.ones([10, 10])
def seconds(length):
    start = clock()
    jax.jit(jax.grad(lambda x: chain(x, length).sum())).trace(x)
    return clock() - start
seconds(10)
print(seconds(10_000))
"""


def _programs(setup: str) -> dict[str, str]:
    start = _CHAIN + setup
    return {
        **{f"gradient_{n}": start + _GRADIENT.format(length=n) for n in LENGTHS},
        "gradient_traced": start + _TRACED,
    }


PROCESSES = {
    **{name: _programs(setup) for name, setup in _SETUP.items()},
    "jax": {"gradient_traced": _CHAIN + _JAX_TRACED},
    "torch": {"gradient_traced": _CHAIN + _TORCH_TRACED},
}
