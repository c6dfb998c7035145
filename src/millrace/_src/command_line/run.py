"""`python -m millrace run`: a program, or a signature of a SavedModel.

Which of the two is meant follows from the first argument: see docs/decisions/command-line.md. Nothing of Millrace is
imported before a program starts that the program does not import itself.

Tests: tests/command_line/test_run_signature.py
"""

from __future__ import annotations

import os

from millrace._src.interop import launcher
from millrace._src.saved_model.constants import SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT

_FILES = (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT)


def run(arguments: list[str]) -> int:
    """Runs a program, or the signature of a SavedModel, and returns the exit code."""
    first = arguments[0] if arguments else ""
    if first.startswith("--") and first not in ("--", "--help"):
        return _run_signature(arguments)
    if _is_saved_model(first):
        return _run_signature(["--dir", *arguments])
    return launcher.run(arguments)


def _is_saved_model(path: str) -> bool:
    """Says whether a path is the folder of a SavedModel, and not that of a program."""
    has_model = any(os.path.isfile(os.path.join(path, name)) for name in _FILES)
    return has_model and not os.path.exists(os.path.join(path, "__main__.py"))


def _run_signature(arguments: list[str]) -> int:
    from millrace._src.command_line.run_signature import OWN_RUN  # a program must not pay for it

    return OWN_RUN.run("millrace", arguments)
