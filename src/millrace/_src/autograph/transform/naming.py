"""Names for the variables that converted code adds."""

from __future__ import annotations

import ast


class Namer:
    """Gives names that occur nowhere in a piece of code.

    >>> Namer(ast.parse("cond = 1")).new("cond")
    'cond_1'
    """

    def __init__(self, tree: ast.AST, reserved: frozenset[str] | set[str] = frozenset()) -> None:
        self.taken = {*identifiers(tree), *reserved}
        self.temporaries: set[str] = set()
        """Variables that no statement reads but the next few of the same block."""

    def temporary(self, root: str) -> str:
        """As `new`, for one of `temporaries`."""
        name = self.new(root)
        self.temporaries.add(name)
        return name

    def new(self, root: str) -> str:
        """`root`, or `root` with the first number that makes it new."""
        name, number = root, 0
        while name in self.taken:
            number += 1
            name = f"{root.rstrip('_')}_{number}"
        self.taken.add(name)
        return name


def identifiers(tree: ast.AST) -> set[str]:
    """Everything in a tree that is a name: variables, parameters, functions, attributes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        for field in ("id", "name", "arg", "attr", "rest", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                found.add(value)
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
    return found
