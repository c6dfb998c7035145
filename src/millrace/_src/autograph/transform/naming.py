"""Names for the variables that converted code adds.

An added variable must not hide one of the user's. A `Namer` knows every identifier of a piece of code, and numbers the
names that it gives until they are new.

Tests: tests/autograph/transform/test_expressions.py
"""

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
        """The added variables that only the next few statements of the same block read."""

    def temporary(self, root: str) -> str:
        """Returns a new name, as `new` does, and adds the name to `temporaries`."""
        name = self.new(root)
        self.temporaries.add(name)
        return name

    def new(self, root: str) -> str:
        """Returns `root`, or `root` with the first number that makes the name new."""
        name, number = root, 0
        while name in self.taken:
            number += 1
            name = f"{root.rstrip('_')}_{number}"
        self.taken.add(name)
        return name


def identifiers(tree: ast.AST) -> set[str]:
    """Returns every name in a tree: of variables, parameters, functions and attributes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        for field in ("id", "name", "arg", "attr", "rest", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                names.add(value)
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            names.update(node.names)
    return names
