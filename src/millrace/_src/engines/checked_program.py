"""A program that makes its checks on the NumPy tier before an engine without checks runs the call.

The checks are a small program of their own (`passes.checks_first`). A call that they refuse is the NumPy tier's: there
the call fails at the right point, after the effects that come before, and with the right error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.engine import Program, Run

Attempt = Callable[..., Sequence[Any] | None]


def put_checks_first(program: Program, check: Run, on_numpy: Run) -> None:
    """Lets a program make checks before each call.

    Args:
      program: the program, which has not run yet.
      check: makes the checks; takes the arguments of a call, and raises for a call that must fail.
      on_numpy: runs a call on the NumPy tier.
    """
    program.run, program.attempt = (_after(check, run, on_numpy) for run in (program.run, program.attempting_run()))
    program.for_caller = None  # what it makes would know nothing of the checks


def _after(check: Run, run: Attempt, on_numpy: Run) -> Any:
    def run_after_checks(*arguments: object) -> Sequence[Any] | None:
        try:
            check(*arguments)
        except Exception:  # the NumPy tier will raise it instead
            return on_numpy(*arguments)
        return run(*arguments)

    return run_after_checks
