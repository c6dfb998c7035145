"""How a command fails: one line that says what is wrong, and exit code 2.

Problem: a file that is missing, damaged or of another kind is the daily business of tools that look into files. A
traceback through the library says nothing to the person at the terminal.

Idea: commands raise; one function turns the exceptions that concern the user's input into a line. What is none of these
is a mistake of ours and keeps its traceback.

Tests: tests/command_line/test_inspect.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from millrace._src.core.errors import OpError

FAILED = 2
"""The exit code of a command that could not do what it was asked for."""


class CommandError(Exception):
    """What a command refuses, in words for the person who typed the command."""


def reporting(program: str, command: Callable[[], None]) -> int:
    """Runs a command and returns the exit code; failures become one line on standard error.

    Args:
      program: what stands in front of the line, such as "millrace show".
      command: does the work and writes to standard output.
    """
    try:
        command()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` perhaps, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (CommandError, OpError, OSError, ImportError) as error:
        sys.stderr.write(f"{program}: {_one_line(error)}\n")
        return FAILED
    return 0


def _one_line(error: Exception) -> str:
    """Returns the message of an exception as one line."""
    text = error.message if isinstance(error, OpError) else str(error)
    return " ".join(str(text).split())
