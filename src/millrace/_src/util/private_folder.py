"""Folders of files that decide what a later process runs: they belong to the user, and to no one else.

Who can write into such a folder can make a process run other code, so a folder that others may write to is not used,
and a file of somebody else is not read. Files appear whole: a file is written under another name and renamed.

Tests: tests/engines/xla/test_compile_cache.py, tests/engines/test_tier_records.py
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from millrace._src.util.logger import get_logger


@functools.lru_cache(maxsize=16)
def user_folder(chosen: str, caches: str, name: str, what: str) -> Path | None:
    """Returns a private folder of the user, which is made if it is missing.

    Args:
      chosen: the folder that the user chose, "0" or "off" for none, "" for the usual one.
      caches: the folder of all caches of the user, "" for `~/.cache`.
      name: the path of the usual folder below the folder of caches.
      what: what the folder keeps, for messages.

    Returns: None where the user wants none, or the folder is not safe, which the log tells once.
    """
    if chosen in ("0", "off"):
        return None
    try:
        folder = Path(chosen) if chosen else (Path(caches) if caches else Path.home() / ".cache") / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        complaint = _complaint(folder)
    except (OSError, RuntimeError) as error:  # there may be no home
        complaint = str(error)
    if complaint is not None:
        level = get_logger().warning if chosen else get_logger().info
        level("%s are not kept on disk: %s", what, complaint)
        return None
    return folder


def _complaint(folder: Path) -> str | None:
    """Returns what makes a folder unsafe."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return f"{folder} is not a folder"
    if os.name != "posix":
        return None  # folders of the user are the user's alone
    if found.st_uid != os.geteuid():
        return f"{folder} belongs to another user"
    if found.st_mode & 0o077:
        return f"{folder} is open to other users; make it private: chmod 700 {folder}"
    return None


def read_own_file(file: Path) -> bytes | None:
    """Returns the content of a file; None for one that is missing, or that others may have written."""
    try:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(file, flags), "rb") as opened:
            found = os.fstat(opened.fileno())
            if not stat.S_ISREG(found.st_mode):
                return None
            if os.name == "posix" and (found.st_uid != os.geteuid() or found.st_mode & 0o022):
                return None
            return opened.read()
    except OSError:
        return None


def write_whole_file(file: Path, content: bytes) -> None:
    """Writes a file that appears whole; where that fails, there is no file."""
    with contextlib.suppress(OSError), tempfile.NamedTemporaryFile(dir=file.parent, prefix=".", delete=False) as part:
        try:
            part.write(content)
            part.close()
            os.replace(part.name, file)
        except BaseException:
            remove_file(Path(part.name))
            raise


def remove_file(file: Path) -> None:
    """Removes a file, if that is possible."""
    with contextlib.suppress(OSError):
        file.unlink()


def touch_file(file: Path) -> None:
    """Notes that a file is in use."""
    with contextlib.suppress(OSError):
        os.utime(file)


def newest_files(files: Iterable[Path]) -> list[Path]:
    """Returns files in the order of their last use, the latest first; other processes may remove some meanwhile."""
    times: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for file in files:
            with contextlib.suppress(OSError):
                times.append((file.stat().st_mtime, file))
    return [file for _, file in sorted(times, reverse=True)]
