"""Debug mode: the user's functions run in Python for each element, where a debugger can stop.

In debug mode a function is traced once, for the structure of its result. Elements then call the function itself with
eager tensors, one element after the other in the thread that asks for elements.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import state
from millrace._src.util.export import export

_is_on = False


def set_debug_mode(is_on: bool) -> None:
    """Switches debug mode, for datasets that are made from now on."""
    global _is_on
    _is_on = is_on


def is_debugging() -> bool:
    """Returns whether a dataset that is made now is made for debugging; in a graph no dataset is."""
    return _is_on and state.graph is None


def parallel_calls(number: object) -> Any:
    """Returns how many calls may run at a time: None, for one after the other, in debug mode."""
    return None if is_debugging() else number


@export("data.experimental.enable_debug_mode")
def enable_debug_mode() -> None:
    """Lets the functions of datasets that are made from now on run in Python, where `breakpoint()` stops.

    >>> tf.data.experimental.enable_debug_mode()  # doctest: +SKIP
    >>> dataset = tf.data.Dataset.range(3).map(lambda x: print(x.numpy()) or x)  # doctest: +SKIP

    Each function is traced once more, for the structure of its result; it is then called with eager tensors, for one
    element after the other. Parallel calls and `prefetch` are left out. Datasets that a `tf.function` makes run as
    without this mode.

    Raises: ValueError: in a graph.
    """
    if state.graph is not None:
        raise ValueError("`enable_debug_mode() is only supported in eager mode.")
    set_debug_mode(True)
