"""A million random numbers, and three: what filling a tensor costs, and what a call costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("random_uniform", "1,000,000 uniform float32", "ms", reach=20),
    Row("random_normal", "1,000,000 normal float32", "ms", reach=60),
    Row("random_truncated", "1,000,000 truncated normal float32", "ms", reach=100),
    Row("random_gamma", "100,000 gamma float32", "ms", reach=60),
    Row("random_small", "3 normal float32", "us", reach=150),
)
MANY, FEWER, FEW = 1_000_000, 100_000, 3


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    return {
        "random_uniform": lambda: tf.random.uniform([MANY]),
        "random_normal": lambda: tf.random.normal([MANY]),
        "random_truncated": lambda: tf.random.truncated_normal([MANY]),
        "random_gamma": lambda: tf.random.gamma([FEWER], 2.0),
        "random_small": lambda: tf.random.normal([FEW]),
    }


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    key, random = jax.random.key(0), jax.random
    return {
        "random_uniform": lambda: random.uniform(key, (MANY,)),
        "random_normal": lambda: random.normal(key, (MANY,)),
        "random_truncated": lambda: random.truncated_normal(key, -2.0, 2.0, (MANY,)),
        "random_gamma": lambda: random.gamma(key, 2.0, (FEWER,)),
        "random_small": lambda: random.normal(key, (FEW,)),
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    gamma = torch.distributions.Gamma(torch.tensor(2.0), torch.tensor(1.0))
    return {
        "random_uniform": lambda: torch.rand(MANY),
        "random_normal": lambda: torch.randn(MANY),
        "random_truncated": lambda: torch.nn.init.trunc_normal_(torch.empty(MANY)),
        "random_gamma": lambda: gamma.sample((FEWER,)),
        "random_small": lambda: torch.randn(FEW),
    }


def numpy(np: Any) -> dict[str, Callable[[], Any]]:
    generator = np.random.Generator(np.random.Philox(0))
    return {
        "random_uniform": lambda: generator.random(MANY, np.float32),
        "random_normal": lambda: generator.standard_normal(MANY, np.float32),
        "random_gamma": lambda: generator.standard_gamma(2.0, FEWER, np.float32),
        "random_small": lambda: generator.standard_normal(FEW, np.float32),
    }
