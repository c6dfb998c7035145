"""Fails when a Python file has grown over 600 lines.

A file that long has stopped being about one thing, or is about to. An exception stands in `ALLOWED` with its reason;
an exception that is no longer needed fails too. Generated files are not counted.

Run: `python tools/check_sizes.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 600
FOLDERS = ("src", "tests", "tools", "examples", "benchmarks")

# Path -> why it may be longer.
ALLOWED: dict[str, str] = {}


def python_files(root: Path) -> list[Path]:
    """The files git knows or would add, so that build output does not count."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *FOLDERS]
    listing = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    paths = {root / name for name in listing.split("\0") if name.endswith(".py")}
    return sorted(path for path in paths if path.exists())


def is_generated(path: Path, text: str) -> bool:
    return path.name.endswith("_pb2.py") or text.startswith('"""GENERATED')


def complaints(root: Path, allowed: dict[str, str]) -> list[str]:
    """What is wrong, one line each."""
    lines = []
    long_files = set()
    for path in python_files(root):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root).as_posix()
        count = text.count("\n")
        if count <= LIMIT or is_generated(path, text):
            continue
        long_files.add(name)
        if name not in allowed:
            lines.append(f"{name}: {count} lines, over {LIMIT}; split it by what it is about")
    lines += [f"{name}: listed in ALLOWED but not over {LIMIT} lines" for name in sorted(allowed.keys() - long_files)]
    return lines


def main() -> int:
    found = complaints(ROOT, ALLOWED)
    for line in found:
        print(f"check_sizes: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
