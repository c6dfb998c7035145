"""`ClassTable`: a property of classes, worked out once for each class.

Problem: "is this value a variable", "may this condition belong into a graph" are asked on every call. The answer
depends on the class of the value alone, but takes longer to find than a call may take.

Idea: a dict from class to answer that fills itself. The answer for a known class is one lookup in a dict. A program
that makes classes without end does not fill the memory: a full table starts anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

MAX_KNOWN_CLASSES = 10_000
_Answer = TypeVar("_Answer")


class ClassTable(dict[type, _Answer], Generic[_Answer]):
    """A table from classes to the answers of a function; `table[cls]` looks an answer up.

    >>> from millrace._src.util.class_table import ClassTable
    >>> ClassTable(lambda cls: cls.__name__)[int]
    'int'

    Args: find: The function; called once for each class that is met.
    """

    def __init__(self, find: Callable[[type], _Answer]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, cls: type) -> _Answer:
        if len(self) >= MAX_KNOWN_CLASSES:
            self.clear()
        self[cls] = answer = self._find(cls)
        return answer
