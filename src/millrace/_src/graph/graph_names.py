"""The names in use in a graph: each operation and each name scope gets one of its own.

A name that is taken gets `_1`, `_2`, ... Names that differ in case alone count as the same name, as in TensorFlow.
Several threads may build one graph, so that a name is looked up and taken under a lock.
"""

from __future__ import annotations

import functools
import re
import threading

VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


@functools.lru_cache(maxsize=4096)
def is_valid_name(name: str) -> bool:
    """Returns whether an operation may have a name: programs use the same few names again and again."""
    return VALID_OP_NAME.match(name) is not None


@functools.lru_cache(maxsize=4096)
def check_scope_name(name: str, is_root: bool) -> None:
    """Refuses what cannot be the name of a name scope.

    Args:
      name: the name.
      is_root: whether the scope is at the top level.

    Raises: ValueError: if the name has other characters.
    """
    pattern = VALID_OP_NAME if is_root else _VALID_SCOPE_NAME
    if not pattern.match(name):
        raise ValueError(
            f"'{name}' is not a valid root scope name. A root scope name has to match the "
            f"following pattern: {pattern.pattern}"
        )


class GraphNames:
    """The names in use in one graph, each with the number of times it was asked for."""

    __slots__ = ("_counts", "_lock")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.RLock()  # a finalizer or signal handler may ask while its own thread holds the lock

    def reserve(self, name: str) -> None:
        """Takes a name as it is; the name may be in use already."""
        self._counts.setdefault(name.lower(), 1)

    def unique(self, name: str, mark_as_used: bool = True) -> str:
        """Returns `name`, with `_1`, `_2`, ... if it is taken, and takes it."""
        key = name.lower()
        counts = self._counts
        self._lock.acquire()  # `with` takes twice as long
        try:
            count = counts.get(key, 0)
            if not count:
                if mark_as_used:
                    counts[key] = 1
                return name
            number, numbered = count, f"{key}_{count}"
            while numbered in counts:
                number += 1
                numbered = f"{key}_{number}"
            if mark_as_used:
                counts[numbered] = 1
                counts[key] = number + 1
        finally:
            self._lock.release()
        return f"{name}_{number}"
