"""`python -m millrace profile script.py`: runs a program, and says what took the time and the memory.

The program runs as under `python -m millrace run`. The tables go to standard error when it ends, also where it ends
with an error; `--logdir` keeps the profile for TensorBoard and Perfetto.
"""

from __future__ import annotations

import argparse
import json
import sys

from millrace._src.explain.events import Profile
from millrace._src.explain.op_table import profile_text, rows_as_data, rows_of, time_split
from millrace._src.explain.profiler import ProfilerOptions, ProfilerSession, write_profile
from millrace._src.interop import launcher

_WITH_VALUE = ("--top", "--logdir")
"""The options whose value is the next argument."""


def profile(arguments: list[str]) -> int:
    """Runs `python -m millrace profile` and returns the exit code of the program."""
    own, program = _split(arguments)
    given = _parser().parse_args(own)
    if not program:
        return launcher.run(program)  # says how programs are named
    session = ProfilerSession(ProfilerOptions(python_tracer_level=int(given.python)))
    session.start()
    try:
        return launcher.run(program)
    finally:
        _tell(session.stop(), given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "millrace profile",
        description="Runs a program, and says what took the time and the memory.",
        usage="%(prog)s [option ...] [-m module | -c code | script.py | -] [argument ...]",
        allow_abbrev=False,
    )
    parser.add_argument("--top", metavar="N", type=int, default=30, help="show the N lines that took longest (30)")
    parser.add_argument("--logdir", metavar="DIR", help="write the profile for TensorBoard and Perfetto below DIR")
    parser.add_argument("--python", action="store_true", help="look at calls of Python functions too")
    parser.add_argument("--json", action="store_true", help="write the table as JSON")
    return parser


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Returns the options of the profile, and the program with its arguments."""
    count = 0
    while count < len(arguments) and (arguments[count].startswith("--") or arguments[count] == "-h"):
        count += 2 if arguments[count] in _WITH_VALUE else 1
    return arguments[:count], arguments[count:]


def _tell(profile: Profile, given: argparse.Namespace) -> None:
    """Writes the tables, and the files that are asked for."""
    sys.stdout.flush()
    if given.json:
        rows = rows_of(profile)
        time, peak = profile.memory_peak()
        data = {
            "total_ns": profile.duration,
            "split_ns": time_split(profile, rows),
            "rows": rows_as_data(rows),
            "peak_result_bytes": peak,
            "peak_after_ns": time - profile.start,
            "peak_process_bytes": profile.resident_peak,
            "dropped_events": profile.dropped,
        }
        sys.stderr.write(json.dumps(data, indent=1) + "\n")
    else:
        sys.stderr.write(f"\n{profile_text(profile, given.top)}")
    if given.logdir is not None:
        sys.stderr.write(f"The profile is in {write_profile(profile, given.logdir)}\n")
