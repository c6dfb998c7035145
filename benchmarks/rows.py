"""A row of the table: what is measured, in which unit, and what Millrace is to reach; and a program's variants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

SCALES = {"s": 1.0, "ms": 1e3, "us": 1e6, "MB": 1.0}
"""Unit -> what a measured number (seconds, or megabytes) is multiplied with."""

VARIANTS = {
    "millrace": {"default": "default", "numpy": "NumPy tier", "jit": "jit_compile"},
    "tensorflow": {"graph": "graph", "jit": "jit_compile"},
    "jax": {"eager": "eager", "jit": "jit"},
    "torch": {"eager": "eager", "compile": "compile"},
    "numpy": {},
}
"""Framework -> the variants in which it runs one program -> what the table calls them; the first is what users get."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Args:
      key: a short name, the same in the program's functions and in the results.
      title: what the table says.
      unit: how times are shown: s, ms or us; or MB.
      reach: the most Millrace may take, in `unit`; None where nothing is promised.
      beyond: a framework whose own number is added to `reach`.
      per: the number of operations in one call, when the row is a cost per operation.
      bound: what bounds Millrace's number, as measured: the page says so where a peer is faster.
    """

    key: str
    title: str
    unit: str
    reach: float | None = None
    beyond: str | None = None
    per: int = 1
    bound: str = ""


class Series(NamedTuple):
    """What the repetitions of a cell belong to: a framework, and its variant of the program ("" for the only one)."""

    framework: str
    variant: str = ""


def is_millrace(tf: Any) -> bool:
    """Tells Millrace from TensorFlow, which run the same text."""
    return hasattr(tf, "install_as_tensorflow")


def tf_variants(tf: Any, make: Callable[[bool | None], Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """Returns a call for each variant in which TensorFlow, or Millrace, runs a function.

    Args:
      tf: the module.
      make: takes the argument `jit_compile` of `tf.function`; returns what one call does.
    """
    if is_millrace(tf):
        return {"default": make(None), "numpy": on_numpy(tf, make(None)), "jit": make(True)}
    return {"graph": make(None), "jit": make(True)}


def on_numpy(tf: Any, call: Callable[[], Any]) -> Callable[[], Any]:
    """Returns a call in which functions that are called for the first time are pinned to Millrace's NumPy tier."""
    set_jit = tf.config.optimizer.set_jit

    def pinned() -> Any:
        set_jit(False)
        try:
            return call()
        finally:
            set_jit("")

    return pinned
