"""Checks random functions by the thousand: `python -m tests.autodiff.soak_random_functions --seeds 0 1000`.

What fails is shown as small as it gets.
"""

from __future__ import annotations

import argparse
import time
import traceback
import warnings
from collections import Counter

import millrace as tf
from tests.autodiff.derivative_checks import Check, describe
from tests.autodiff.random_function_answers import program_of
from tests.autodiff.random_function_reduction import reduced
from tests.autodiff.random_functions import Program


def failure(program: Program, seen: Counter[str], compiled: bool) -> Exception | None:
    """How a program fails, or None."""
    try:
        Check(program, tf, seen, compiled).run()
    except Exception as error:
        return error
    return None


def in_short(error: Exception | None) -> str | None:
    """What is the same while a program is made smaller: the class, the mode, and the first words."""
    if error is None:
        return None
    modes = [note for note in getattr(error, "__notes__", ()) if note.startswith("mode: ")]
    return f"{type(error).__name__} {modes} {str(error).replace('[', ':').partition(':')[0][:60]}"


def report(program: Program, compiled: bool, reduces: bool) -> str:
    """A program that fails, as small as it gets, and how."""
    compiled = compiled and failure(program, Counter(), compiled=False) is None
    if reduces:
        program = reduced(program, lambda p: in_short(failure(p, Counter(), compiled)), 40 if compiled else 150)
    error = failure(program, Counter(), compiled)
    frames = traceback.format_exception(error)[-9:-1] if error is not None else []
    frames = [line for line in frames if not line.startswith(("x", "w", "def", "n ="))]
    return f"{in_short(error)}\n{error}\n{''.join(frames)}\n{describe(program)}\n"


def main() -> None:
    """Runs the programs of a range of seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 100))
    parser.add_argument("--compile-every", type=int, default=0, help="compile one program in so many; 0: none")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    parser.add_argument("--as-they-are", action="store_true", help="do not make what fails smaller")
    arguments = parser.parse_args()
    warnings.simplefilter("error")
    tf.get_logger().setLevel("ERROR")
    seen: Counter[str] = Counter()
    start = time.monotonic()
    for seed in range(*arguments.seeds):
        if time.monotonic() - start > arguments.seconds:
            break
        compiled = bool(arguments.compile_every) and seed % arguments.compile_every == 0
        program = program_of(seed)
        error = failure(program, seen, compiled)
        if error is not None:
            seen["failed"] += 1
            print(f"--- seed {seed}: {in_short(error)}", flush=True)
            print(f"--- seed {seed}, reduced: {report(program, compiled, not arguments.as_they_are)}", flush=True)
    print(dict(seen), f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
