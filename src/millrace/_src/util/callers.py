"""Whose code calls: the library's, or that of the program that uses the library."""

from __future__ import annotations

import sys

_LIBRARY = __name__.partition(".")[0]


def is_library_code(depth: int = 1) -> bool:
    """Returns whether a frame of the stack runs the library's code.

    Code without the name of a module, as an example in a document, counts as the program's.

    Args: depth: how far up: 0 is the function that asks, 1 is the function's caller.
    """
    name = sys._getframe(depth + 1).f_globals.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] == _LIBRARY
