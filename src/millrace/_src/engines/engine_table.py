"""The table of engines, and how each engine is loaded.

A new engine is one line of `ENGINES`: the tiers ask the table. Besides the table, only kernels that an op declares for
one engine (`kernel_for`) name an engine. XLA comes with JAX, which is an optional dependency and takes most of a second
to import.

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
from dataclasses import dataclass
from typing import cast

from millrace._src.core.context import eager_engine
from millrace._src.core.engine import Engine, Refusals
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
    if compiling_engine.cache_info().currsize:
        tell(compiling_engine())
        return lambda: None
    _waiting.append(tell)
    return lambda: _waiting.remove(tell) if tell in _waiting else None


@functools.cache
def has_compiler() -> bool:
    """Returns whether JAX is installed, without importing JAX."""
    return importlib.util.find_spec("jax") is not None


@functools.cache
def compiling_engine() -> Engine:
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
def _compiling_refusals() -> Refusals:
    """Returns the module that knows what XLA cannot run; it does not import JAX."""
    return cast(Refusals, importlib.import_module("millrace._src.engines.xla.unsupported_ops"))


def _is_always_installed() -> bool:
    """Returns True, for an engine that needs nothing but what Millrace needs."""
    return True


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """One engine of the table.

    Attributes:
      make: makes the engine, or returns the one there is; called on first need.
      title: the name of the engine in messages.
      is_installed: returns whether `make` would find what the engine needs, without loading it.
      missing: says what is not installed, in a few words.
      refusals: returns what the engine says of graphs before it is loaded; None for an engine that says so when it
        compiles.
    """

    make: Callable[[], Engine]
    title: str
    is_installed: Callable[[], bool] = _is_always_installed
    missing: str = ""
    refusals: Callable[[], Refusals] | None = None


HOST_ENGINE = "numpy"
"""The engine on which every function starts, and that runs every op."""
JIT_ENGINE = "xla"
"""The engine that `jit_compile=True` asks for, and that compiles clusters."""
ENGINES: dict[str, EngineEntry] = {
    HOST_ENGINE: EngineEntry(eager_engine, "NumPy"),
    JIT_ENGINE: EngineEntry(
        compiling_engine, "XLA", has_compiler, "JAX, which brings XLA, is not installed", _compiling_refusals
    ),
}
"""The engines by name. All but the first are candidates for functions that leave the engine open."""


def candidate_engines() -> dict[str, EngineEntry]:
    """Returns the engines that may replace the host's for a function that leaves the engine open."""
    return {name: entry for name, entry in ENGINES.items() if name != HOST_ENGINE}


def jit_title() -> str:
    """Returns the name, for messages, of the engine that `jit_compile=True` asks for."""
    return ENGINES[JIT_ENGINE].title
