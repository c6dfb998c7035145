"""Loading the XLA engine, and with it JAX, which is an optional dependency and takes most of a second to import.

Mostly the background thread loads the engine, for users who have not asked for JAX. So loading leaves nothing behind
that they would notice: no environment variables for child processes, no lines on the screen, no warning when the
process forks (what a fork needs, `forks` does), and other threads stand still as little as possible.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from millrace._src.core.engine import Engine
from millrace._src.util.lazy_import import new_variables_removed
from millrace._src.util.shared_libraries import load_libraries_of

_LOG_LEVEL = "TF_CPP_MIN_LOG_LEVEL"
_PREFIXES = ("TF_CPP_", "TPU_", "LIBTPU_")
"""How the environment variables begin that JAX sets."""
_FORK_WARNING = r"os\.fork\(\) was called\. os\.fork\(\) is incompatible with multithreaded code"


class MissingCompilerError(ImportError):
    """JAX, which brings XLA, is not installed."""


_waiting: list[Callable[[Engine], None]] = []
"""What is told of the XLA engine when it is loaded."""


def when_loaded(tell: Callable[[Engine], None]) -> Callable[[], None]:
    """Calls a function with the XLA engine: at once if the engine is loaded, else when it gets loaded.

    Returns: A function that ends the wait.
    """
    if xla_engine.cache_info().currsize:
        tell(xla_engine())
        return lambda: None
    _waiting.append(tell)
    return lambda: _waiting.remove(tell) if tell in _waiting else None


@functools.cache
def has_compiler() -> bool:
    """Returns whether JAX is installed, without importing JAX."""
    return importlib.util.find_spec("jax") is not None


@functools.cache
def xla_engine() -> Engine:
    """Returns the XLA engine.

    Raises: MissingCompilerError: if JAX is not installed.
    """
    user_has_jax = "jax" in sys.modules
    try:
        with new_variables_removed(*_PREFIXES):
            os.environ.setdefault(_LOG_LEVEL, "1")  # JAX does so too, but before its library is loaded by us
            load_libraries_of("jaxlib")
            module = importlib.import_module("millrace._src.engines.xla.engine")
            engine: Engine = module.make_engine()
            engine.accelerators()  # JAX looks for its devices now, and prepares its warning
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("jax"):
            raise
        raise MissingCompilerError(
            "tf.function(jit_compile=True) compiles with XLA, which needs JAX: pip install 'millrace[xla]'."
        ) from error
    if not user_has_jax and sys.platform != "win32":
        os.register_at_fork(before=_silence_fork_warning)
    for tell in _waiting.copy():
        tell(engine)
    return engine


def _silence_fork_warning() -> None:
    """Silences JAX's warning about forks, for a user who has not imported JAX; runs before JAX's own function."""
    warnings.filterwarnings("ignore", message=_FORK_WARNING, category=RuntimeWarning)


@functools.cache
def xla_refusals() -> Any:
    """Returns the module that knows what XLA cannot run; it does not import JAX."""
    return importlib.import_module("millrace._src.engines.xla.refusals")
