"""Which accelerators the machine has; asked when devices are listed.

JAX drives accelerators through plug-ins, which are packages of their own. Where no plug-in is installed there is no
accelerator, and listing devices does not load JAX, which takes half a second.
"""

from __future__ import annotations

import importlib.util
import os

from millrace._src.core.accelerator import Accelerator
from millrace._src.engines.engine_table import MissingCompilerError, compiling_engine

_DRIVERS = ("jax_plugins", "libtpu")
"""The packages that bring drivers of accelerators for JAX: a namespace that plug-ins share, and the one of TPUs."""


def find_drivers() -> list[str]:
    """Returns the names of the packages that bring drivers of accelerators for JAX."""
    return [package for package in _DRIVERS if importlib.util.find_spec(package)]


def find_accelerators() -> tuple[Accelerator, ...]:
    """Returns the accelerators that JAX can use; none without JAX or without a driver.

    Memory on an accelerator grows as needed, unless the environment says otherwise: a program that only lists devices
    must not take the memory of all of them.
    """
    if not find_drivers():
        return ()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        return compiling_engine().accelerators()
    except MissingCompilerError:
        return ()
