"""The command line that the measurements share: which frameworks, in which interpreters, in which modes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks.modes import Mode, modes
from benchmarks.runner import VARIABLE


def add_options(parser: argparse.ArgumentParser, frameworks: Sequence[str], rounds: int) -> None:
    """Adds the options to a parser.

    Args:
      parser: the parser of a command.
      frameworks: those that the command can measure; Millrace is the first.
      rounds: how many repetitions there are by default.
    """
    parser.add_argument(
        "--peers",
        default="",
        metavar="NAME=PYTHON,...",
        help=f"interpreters of {', '.join(frameworks[1:])}, e.g. torch=/opt/torch/bin/python; "
        f"also {VARIABLE.format('TORCH')} and the like; else the running one",
    )
    parser.add_argument("--frameworks", default=",".join(frameworks), help="measure these alone: %(default)s")
    parser.add_argument(
        "--modes", default="pinned,free", help="pinned: processor time on one core; free: wall time on all: %(default)s"
    )
    parser.add_argument("--core", type=int, help="the core of the pinned processes (the last)")
    parser.add_argument("--rounds", type=int, default=rounds, help="repetitions of each row (%(default)s)")
    parser.add_argument("--record", action="store_true", help="write the results and docs/benchmarks.md")
    parser.add_argument("--verbose", action="store_true", help="show what the frameworks print")


def read_options(options: argparse.Namespace, frameworks: Sequence[str]) -> tuple[dict[str, str], list[Mode]]:
    """Returns the interpreters that were given, and the modes. Raises ValueError for an unknown framework or mode."""
    given = dict(pair.split("=", 1) for pair in options.peers.split(",") if pair)
    unknown = {*given, *options.frameworks.split(",")} - set(frameworks)
    if unknown:
        raise ValueError(f"unknown framework {sorted(unknown)}; known are {', '.join(frameworks)}")
    return given, modes(options.modes.split(","), options.core)
