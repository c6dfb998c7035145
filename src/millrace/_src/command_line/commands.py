"""A command: its arguments, and what it does with them.

`python -m millrace <command>` and `saved_model_cli <command>` are made of the same commands; some arguments belong to
one of the two programs only, so a command hears under which it runs.

Tests: tests/command_line/test_run_signature.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from millrace._src.command_line.failures import FAILED, reporting
from millrace._src.util.version import __version__


@dataclass(frozen=True)
class Command:
    """One command of a program.

    Attributes:
      name: the word on the command line.
      summary: one line for the list of commands.
      add_arguments: declares the arguments.
      output: does the work, and returns the text for standard output.
    """

    name: str
    summary: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    output: Callable[[argparse.Namespace], str]

    def run(self, program: str, arguments: Sequence[str]) -> int:
        """Runs the command with the arguments that follow its name, and returns the exit code."""
        parser = argparse.ArgumentParser(f"{program} {self.name}", description=self.summary, allow_abbrev=False)
        self.add_arguments(parser)
        parsed = parser.parse_args(arguments)
        return reporting(parser.prog, lambda: _write(self.output(parsed)))


def _write(text: str) -> None:
    sys.stdout.write(text)


@dataclass(frozen=True)
class RefusedCommand:
    """A command of TensorFlow's that Millrace does not have; whatever its arguments, it says why."""

    name: str
    reason: str
    summary = "not supported"

    def run(self, program: str, arguments: Sequence[str]) -> int:
        """Says why, and returns the exit code."""
        sys.stderr.write(f"{program} {self.name}: {self.reason}\n")
        return FAILED


@dataclass(frozen=True)
class DeferredCommand:
    """A command that is made when it runs, because its module imports much that the other commands do not need."""

    name: str
    summary: str
    make: Callable[[], Command]

    def run(self, program: str, arguments: Sequence[str]) -> int:
        """Runs the command, and returns the exit code."""
        return self.make().run(program, arguments)


AnyCommand: TypeAlias = Command | RefusedCommand | DeferredCommand


def run_program(program: str, commands: Mapping[str, AnyCommand], arguments: Sequence[str]) -> int:
    """Runs the command that the arguments name, and returns the exit code."""
    name, *rest = arguments or ["--help"]
    if name in ("-h", "--help"):
        lines = [f"  {command.name:<16} {command.summary}\n" for command in commands.values()]
        _write(f"usage: {program} <command> [argument ...]\n\n{''.join(lines)}")
        return 0 if arguments else FAILED
    if name in ("-v", "--version"):
        _write(f"{program} of millrace {__version__}\n")
        return 0
    if name not in commands:
        sys.stderr.write(f"{program}: unknown command {name!r}; the commands are {', '.join(commands)}\n")
        return FAILED
    return commands[name].run(program, rest)


def add_switch(parser: argparse.ArgumentParser, name: str, text: str) -> None:
    """Declares `--name` and `--noname`, TensorFlow's form of a switch that is off by default."""
    parser.add_argument(f"--{name}", dest=name, action="store_true", help=text)
    parser.add_argument(f"--no{name}", dest=name, action="store_false", help=argparse.SUPPRESS)
