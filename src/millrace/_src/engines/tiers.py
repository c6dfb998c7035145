"""Which engine runs a function.

`jit_compile=True` asks for XLA from the first call; everything else runs on the NumPy
tier. JAX is an optional dependency, so the XLA engine is imported on first need.
"""

from __future__ import annotations

import functools
import importlib
import os
from typing import Any

from millrace._src.core.context import eager_engine


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
