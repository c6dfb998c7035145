"""The cost of one eager operation: two scalars added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (Row("eager_add", "eager a + b, scalars", "us", reach=1.2),)


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    a, b = tf.constant(1.0), tf.constant(2.0)
    return {"eager_add": lambda: a + b}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    a, b = jax.numpy.float32(1.0), jax.numpy.float32(2.0)
    return {"eager_add": lambda: a + b}


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    a, b = torch.tensor(1.0), torch.tensor(2.0)
    return {"eager_add": lambda: a + b}


def numpy(np: Any) -> dict[str, Callable[[], Any]]:
    a, b = np.array(1.0, np.float32), np.array(2.0, np.float32)
    return {"eager_add": lambda: a + b}
