"""Runs many random programs and tells at once where modes of running them differ; see `test_random_programs`."""

from __future__ import annotations

import argparse
import time

from tests.soundness.comparison import complaints
from tests.soundness.outcomes import run_eagerly
from tests.soundness.programs import generate


def main() -> int:
    """Runs the programs that the command line asks for; returns 1 if modes differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=200, help="how many programs to run")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--compiled", type=int, default=4, help="every which program also goes through the compiler")
    parser.add_argument("--show", type=int, help="the seed of a program to show")
    options = parser.parse_args()
    if options.show is not None:
        with run_eagerly():
            print(generate(options.show).text)
        return 0
    start, number = time.process_time(), 0
    for done, seed in enumerate(range(options.first, options.first + options.count), 1):
        for complaint in complaints(seed, compiled=seed % options.compiled == 0):
            number += 1
            print(complaint, flush=True)
        if done % 100 == 0:
            print(f"{done} programs, {number} differences, {time.process_time() - start:.0f} s", flush=True)
    return 1 if number else 0


if __name__ == "__main__":
    raise SystemExit(main())
