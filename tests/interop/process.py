"""Runs interpreters for the tests of this folder: what `import tensorflow` gives is decided once per process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(**extra: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "KERAS_BACKEND")}
    return kept | {"PYTHONPATH": str(ROOT / "src")} | extra


def python(*arguments: str, cwd: Path = ROOT, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """`python arguments`, as a user would start it."""
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, input=text, cwd=cwd, env=environment(), timeout=120, check=False
    )


def millrace_run(*arguments: str, cwd: Path = ROOT, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """`python -m millrace run arguments`."""
    return python("-m", "millrace", "run", *arguments, cwd=cwd, text=text)


def output_of(code: str) -> str:
    """What a program that runs on Millrace as `tensorflow` prints."""
    result = python("-c", f"import millrace; millrace.install_as_tensorflow()\n{code}")
    assert result.returncode == 0, result.stderr
    return result.stdout.rstrip("\n")
