"""Prints the newest Python of this machine that is not of the running minor version, as `version path`.

Problem: Millrace supports every Python from 3.11 on, and AutoGraph reads what the compiler makes, which differs from
one Python to the next. The tests run on one of them.

Idea: `make newest` runs a selection of the tests on the newest other one, found on PATH or among pyenv's. Nothing is
printed when there is none: the machine has a single Python.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

OLDEST = (3, 11)
NEWEST = (3, 20)
_QUESTION = (
    "import sys, venv, ensurepip; v = sys.version_info; "
    "print(*v[:3], sys.implementation.name, getattr(sys, '_is_gil_enabled', bool)() or v < (3, 13)) "
    "if v.releaselevel == 'final' else sys.exit(1)"
)

Version = tuple[int, int, int]


def candidates() -> Iterator[str]:
    """Yields the paths of interpreters that may be there."""
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        path = shutil.which(f"python3.{minor}")
        if path is not None:
            yield path
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    yield from sorted(glob.glob(os.path.join(root, "versions", "3.*", "bin", "python")))


def version_of(path: str) -> Version | None:
    """Returns the version of an interpreter, None if it does not start or cannot make virtual environments."""
    try:
        answer = subprocess.run([path, "-c", _QUESTION], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor, micro, implementation, has_lock = answer.split()
    return (int(major), int(minor), int(micro)) if (implementation, has_lock) == ("cpython", "True") else None


def newest(paths: Iterator[str], running: tuple[int, int]) -> tuple[Version, str] | None:
    """Returns the newest of some interpreters whose minor version is not the running one; None if there is none."""
    versions = {path: version_of(path) for path in paths}
    others = [(version, path) for path, version in versions.items() if version and OLDEST <= version[:2] != running]
    return max(others, default=None)


def main() -> int:
    found = newest(candidates(), sys.version_info[:2])
    if found is not None:
        print(".".join(map(str, found[0])), found[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
