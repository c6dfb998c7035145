"""One function, 64 batch sizes: what a compiler does with shapes that it has not seen, and later when it has.

The function is two dense layers on `[None, 64]`. Each first pass is one of a new function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row("batch_sizes_first", "64 batch sizes through [None, 64], first pass", "ms", reach=40),
    Row(
        "batch_sizes_later",
        "64 batch sizes through [None, 64], later passes",
        "ms",
        bound="NumPy's products alone take 0.9 ms on the NumPy tier, the call of a function in Python 0.07 ms.",
    ),
)
SIZES = tuple(range(1, 128, 2))
UNITS = (64, 128, 10)


def _arrays(np: Any) -> tuple[list[Any], list[Any]]:
    rng = np.random.RandomState(0)
    weights = [(0.1 * rng.randn(*shape)).astype("float32") for shape in itertools.pairwise(UNITS)]
    return weights, [rng.randn(size, UNITS[0]).astype("float32") for size in SIZES]


def tensorflow(tf: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    arrays, batches = _arrays(np)
    w1, w2 = map(tf.Variable, arrays)
    inputs = [tf.constant(batch) for batch in batches]
    signature = [tf.TensorSpec([None, UNITS[0]])]

    def new(jit_compile: bool | None) -> Callable[[Any], Any]:
        def forward(x: Any) -> Any:
            return tf.nn.relu(x @ w1) @ w2

        return tf.function(forward, input_signature=signature, jit_compile=jit_compile)  # type: ignore[no-any-return]  # a function

    def first(jit_compile: bool | None) -> Callable[[], Any]:
        def call() -> Any:
            function = new(jit_compile)
            return [function(x) for x in inputs]

        return call

    def later(jit_compile: bool | None) -> Callable[[], Any]:
        function = new(jit_compile)
        return lambda: [function(x) for x in inputs]

    return {"batch_sizes_first": tf_variants(tf, first), "batch_sizes_later": tf_variants(tf, later)}


def jax(jax: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    arrays, batches = _arrays(np)
    w1, w2 = map(jax.numpy.asarray, arrays)
    inputs = [jax.numpy.asarray(batch) for batch in batches]

    def new() -> Callable[..., Any]:
        return jax.jit(lambda w1, w2, x: jax.nn.relu(x @ w1) @ w2)  # type: ignore[no-any-return]  # a function

    def first() -> Any:
        function = new()
        return [function(w1, w2, x) for x in inputs]

    kept = new()
    return {
        "batch_sizes_first": {"jit": first},
        "batch_sizes_later": {"jit": lambda: [kept(w1, w2, x) for x in inputs]},
    }


def torch(torch: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    arrays, batches = _arrays(np)
    w1, w2 = map(torch.tensor, arrays)
    inputs = [torch.tensor(batch) for batch in batches]

    def forward(x: Any) -> Any:
        return torch.relu(x @ w1) @ w2

    compiled = torch.compile(forward, dynamic=True)
    later = {"eager": lambda: [forward(x) for x in inputs], "compile": lambda: [compiled(x) for x in inputs]}
    return {"batch_sizes_later": later}
