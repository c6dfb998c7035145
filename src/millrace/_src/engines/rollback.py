"""Calls that are taken back: variables get their old values again, so that another program can run the call.

An array of a variable that somebody holds is never changed in place, so the old values are there until the call ends.
What else a call has done (output, random draws) cannot be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.engine import Run
from millrace._src.core.resources import VariableStorage, resource_of


def run_or_take_back(
    run: Run, arguments: Sequence[Any], resources: Sequence[int], otherwise: Callable[[Exception], Sequence[Any]]
) -> Sequence[Any]:
    """Runs a call; takes the call back where it fails, and returns what `otherwise` returns.

    Args:
      run: runs the call.
      arguments: the arguments of the call.
      resources: the positions of the arguments that are resources; variables get their values back, others stay.
      otherwise: takes the error and runs the call with another program, or raises.
    """
    referents = [resource_of(arguments[position]) for position in resources]
    storages = [referent for referent in referents if isinstance(referent, VariableStorage)]
    values = [storage.value for storage in storages]
    try:
        return run(*arguments)
    except Exception as error:
        for storage, value in zip(storages, values, strict=True):
            if storage.value is not value:
                storage.value = value
        return otherwise(error)
