"""What the parallel transformations share: the number of calls at a time, and whether order matters.

Tests: tests/data/transforms/test_map_elements.py
"""

from __future__ import annotations

import warnings

from millrace._src.core import errors
from millrace._src.data.nodes import PassContext
from millrace._src.util.export import export_constant

AUTOTUNE = -1
"""Stands for a number that the runtime chooses."""
export_constant(__name__, "AUTOTUNE", "data.AUTOTUNE", "data.experimental.AUTOTUNE")
CYCLE_LENGTH = 16
"""How many datasets take turns where the user does not say: the order of elements is the same on every machine, while
TensorFlow's number, and so its order, depends on the processors."""


def validate_calls(count: int) -> int:
    """Returns a number of calls at a time.

    Raises: tf.errors.InvalidArgumentError: if the number is neither positive nor `AUTOTUNE`.
    """
    if count <= 0 and count != AUTOTUNE:
        raise errors.InvalidArgumentError(None, None, "num_parallel_calls must be greater than zero.")
    return count


def limit_calls(calls: int, context: PassContext) -> int:
    """Returns a number of calls at a time as far as the options of a pass allow so many threads.

    Args:
      calls: what the user asked for, or `AUTOTUNE`.
      context: the pass.
    """
    options = context.options
    limits = () if options is None else (options.threading.private_threadpool_size, options.autotune.cpu_budget)
    wanted = [limit for limit in (calls, *limits) if limit is not None and limit > 0]
    return min(wanted, default=AUTOTUNE)


def determinism(deterministic: bool | None) -> str:
    """Returns the attribute of an op for the user's argument."""
    return "default" if deterministic is None else "true" if deterministic else "false"


def is_deterministic(attribute: str, context: PassContext) -> bool:
    """Returns whether elements come in order: as the attribute says, else as the options of the pass say."""
    if attribute != "default":
        return attribute == "true"
    return context.options is None or context.options.deterministic is not False


def warn_of_determinism() -> None:
    """Warns that `deterministic` has no effect where nothing runs in parallel."""
    warnings.warn(
        "The `deterministic` argument has no effect unless the `num_parallel_calls` argument is specified.",
        stacklevel=3,
    )
