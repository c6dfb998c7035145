"""Which engine runs a function.

`jit_compile=True` asks for XLA from the first call; everything else runs on the NumPy
tier. JAX is an optional dependency, so the XLA engine is imported on first need.

A program that XLA has to leave to NumPy says why in its attribute `left_to_numpy`.
"""

from __future__ import annotations

import functools
import importlib
import os
from typing import Any, NamedTuple

from millrace._src.core.context import eager_engine


class Tier(NamedTuple):
    """Where a function runs, and why.

    Attributes:
      name: "numpy" or "xla".
      reason: one sentence.
    """

    name: str
    reason: str


def tier_of(program: Any, jit_compile: bool | None) -> Tier:
    """The tier of a compiled program."""
    if not jit_compile:
        return Tier("numpy", "jit_compile is not True.")
    why = getattr(program, "left_to_numpy", None)
    if why is None:
        return Tier("xla", "jit_compile is True.")
    return Tier("numpy", f"jit_compile is True, but XLA leaves the function to NumPy: {why}")


@functools.cache
def xla_engine() -> Any:
    """The XLA engine.

    Raises: ImportError: if JAX is not installed.
    """
    environment = dict(os.environ)  # importing JAX sets variables that child processes would inherit
    try:
        module = importlib.import_module("millrace._src.engines.xla.engine")
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("jax"):
            raise
        raise ImportError(
            "tf.function(jit_compile=True) compiles with XLA, which needs JAX: pip install 'millrace[xla]'."
        ) from error
    finally:
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
    return module.make_engine()


def engine_for(jit_compile: bool | None) -> Any:
    """The engine for a function with this `jit_compile` setting."""
    return xla_engine() if jit_compile else eager_engine()
