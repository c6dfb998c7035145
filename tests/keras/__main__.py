"""`python -m tests.keras`: runs Keras's own tests on Millrace, all of them or those that are named.

The tests come out of the installed wheel of Keras. A name is what pytest prints, without `keras/src/`: a folder, a
file, `file::Class::test`. `make keras-tests` runs all.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.keras.expectations import PREFIX, SELECTION

ROOT = Path(__file__).resolve().parents[2]


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.keras", description=__doc__)
    parser.add_argument("names", nargs="*", help="tests to run (all if none)")
    parser.add_argument("--selection", action="store_true", help="run the tests of selection.txt")
    parser.add_argument("--tensorflow", action="store_true", help="run on real TensorFlow, without the lists")
    parser.add_argument("--unjudged", action="store_true", help="without the lists: what fails, fails")
    parser.add_argument("--jobs", "-n", type=int, default=0, help="processes (pytest-xdist); 0: this one alone")
    parser.add_argument("--record", type=Path, help="append a line of JSON for each test to this file")
    parser.add_argument("--shard", default="1/1", help="run one part: 2/4 is the second of four (of the names given)")
    options, rest = parser.parse_known_args(arguments)
    options.rest = rest
    return options


def selected() -> list[str]:
    """The tests that CI runs."""
    lines = SELECTION.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def command(options: argparse.Namespace) -> list[str]:
    """The command that runs pytest. Options that are not ours are pytest's."""
    spec = importlib.util.find_spec("keras")
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit("Keras is not installed: pip install 'millrace[keras]'")
    home = Path(spec.submodule_search_locations[0]).parent
    names = [*options.names, *(selected() if options.selection else [])]
    part, parts = (int(number) for number in options.shard.split("/"))
    names = names[part - 1 :: parts]
    found = [str(home / PREFIX / name) for name in names] or [str(home / PREFIX)]
    # No ini file, so that pytest finds no other; plain assertions, so that nothing is written into the wheel.
    # Nothing is collected above the wheel, where a folder may hold anybody's files.
    line = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", str(home), "--confcutdir", str(home)]
    line += ["-p", "tests.keras.plugin"]
    line += ["-p", "no:cacheprovider", "--assert=plain", "-q", "--tb=short", *options.rest]
    if options.jobs:
        line += ["-n", str(options.jobs), "--dist", "worksteal"]
    return [*line, *found]


def main(arguments: list[str] | None = None) -> int:
    """Runs the tests in a folder that is thrown away; returns pytest's exit code."""
    options = parse(arguments)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
    environment["MILLRACE_KERAS_FRAMEWORK"] = "tensorflow" if options.tensorflow else "millrace"
    environment["PYTHONHASHSEED"] = "0"  # some names of tests come out of sets; pytest-xdist compares them
    if options.unjudged:
        environment["MILLRACE_KERAS_UNJUDGED"] = "1"
    if options.record:
        environment["MILLRACE_KERAS_RECORD"] = str(options.record.resolve())
    with tempfile.TemporaryDirectory() as folder:
        environment["KERAS_HOME"] = folder
        return subprocess.run(command(options), env=environment, cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
