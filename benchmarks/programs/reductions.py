"""Sums of small tensors, eager: what a reduction costs besides adding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row(
        "reduce_sum",
        "reduce_sum of 10x10 floats, eager",
        "us",
        bound="A product with ones takes 0.45 us of the 1.6 us (`np.add.reduce`: 0.8), the call in Python the rest.",
    ),
    Row("reduce_mean_axis", "reduce_mean of 10x10 floats over an axis, eager", "us"),
)


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    x = tf.ones([10, 10])
    return {"reduce_sum": lambda: tf.reduce_sum(x), "reduce_mean_axis": lambda: tf.reduce_mean(x, axis=1)}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    x = jax.numpy.ones([10, 10])
    return {"reduce_sum": lambda: jax.numpy.sum(x), "reduce_mean_axis": lambda: jax.numpy.mean(x, axis=1)}


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    x = torch.ones([10, 10])
    return {"reduce_sum": lambda: torch.sum(x), "reduce_mean_axis": lambda: torch.mean(x, dim=1)}


def numpy(np: Any) -> dict[str, Callable[[], Any]]:
    x = np.ones([10, 10], np.float32)
    return {"reduce_sum": lambda: np.sum(x), "reduce_mean_axis": lambda: np.mean(x, axis=1)}
