"""Loading large shared libraries without stopping other threads.

Problem: Python holds its lock while it loads the shared library of an extension module. A library of 350 MB takes 60 ms
to load, and every other thread stands still meanwhile.

Idea: the system loads a library once. So the library is loaded ahead, by a foreign call, which lets go of the lock. The
import of the extension module then finds the library loaded.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

_LARGE = 16 << 20
"""The bytes from which a library is worth the trouble."""


def load_libraries_of(package: str) -> list[Path]:
    """Loads the large shared libraries in the folder of a package, which is not imported.

    Returns: The libraries that were loaded; none where the package is missing, or loading is left to Python.
    """
    if sys.platform == "win32":
        return []
    spec = importlib.util.find_spec(package)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    found_files = [file for folder in folders for file in sorted(Path(folder).glob("*.so*"))]
    return [file for file in found_files if file.stat().st_size >= _LARGE and _load(file)]


def _load(file: Path) -> bool:
    """Loads a library as an import would; tells whether that worked: if not, the import will say why."""
    load = ctypes.CDLL(None).dlopen  # called as any foreign function: without Python's lock
    load.restype, load.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
    return load(bytes(file), os.RTLD_NOW | os.RTLD_LOCAL) is not None
