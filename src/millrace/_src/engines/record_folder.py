"""The folder where this machine's experience is kept between runs: what compiling costs, which tier was fastest.

It lies below the folder of executables, so that one variable, `MILLRACE_COMPILE_CACHE`, names both or turns both off.

Tests: tests/engines/test_tier_records.py
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from millrace._src.engines.engine_table import JIT_ENGINE
from millrace._src.util.private_folder import newest_files, read_own_file, remove_file, user_folder, write_whole_file

VARIABLE = "MILLRACE_COMPILE_CACHE"
"""The environment variable that names the folder of executables; 0 turns all caches off."""
_MAX_FILES = 4096
_CLEAN_EVERY = 64
"""After how many new files the folder is looked through for old ones."""


def executable_folder() -> Path | None:
    """Returns the folder of executables; None where the cache is off, or the folder is not safe."""
    return user_folder(
        os.environ.get(VARIABLE, ""), os.environ.get("XDG_CACHE_HOME", ""), f"millrace/{JIT_ENGINE}", "Executables"
    )


class RecordFolder:
    """Small files in a private folder, which is looked for on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written = 0

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file; None if there is no such file."""
        folder = _folder()
        return None if folder is None else read_own_file(folder / name)

    def write(self, name: str, content: bytes) -> None:
        """Writes a file, which replaces one of that name; does nothing where there is no folder."""
        folder = _folder()
        if folder is None:
            return
        write_whole_file(folder / name, content)
        if self._is_due():
            with contextlib.suppress(OSError):  # another process may have removed the folder
                for file in newest_files(folder.iterdir())[_MAX_FILES:]:
                    remove_file(file)

    def _is_due(self) -> bool:
        """Counts a written file; returns whether it is time to look for old ones: at the first, and ever again."""
        with self._lock:
            self._written += 1
            return self._written % _CLEAN_EVERY == 1


def _folder() -> Path | None:
    parent = executable_folder()
    return None if parent is None else user_folder(str(parent / "records"), "", "", "Records of tiers")
