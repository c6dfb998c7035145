"""What the converters of one function share: its variables, its names, and how its parts are rewritten.

Both forms of a function, inline and compact, are written from the same facts: which variables there are and which may
have no value, which names are free, and how nested functions are converted. One `FunctionCode` holds them.

Tests: tests/autograph/transform/test_function_conversion.py
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from millrace._src.autograph.transform.expressions import Expressions
from millrace._src.autograph.transform.naming import Namer
from millrace._src.autograph.transform.syntax_templates import copy_tree
from millrace._src.autograph.transform.variable_scopes import FunctionScope, names_of


class FunctionCode:
    """A function while its statements are rewritten.

    Args:
      scope: The function's variables.
      nested: The names of the functions defined in the function.
      namer: Gives names that are new in the whole converted code.
      convert_function: Rewrites a definition or lambda nested in a function.
      enclosing: The variables of the functions around the function.
      is_method: Whether the function has the cell `__class__`.
      returns_on_every_path: Whether the function never reaches its end.
      doubtful: The variables that the function, or one nested in it, may read when they have no value.
    """

    def __init__(
        self,
        scope: FunctionScope,
        nested: set[str],
        namer: Namer,
        convert_function: Callable[[Any, set[str]], Any],
        enclosing: set[str],
        is_method: bool,
        returns_on_every_path: bool,
        doubtful: set[str],
    ) -> None:
        self.scope = scope
        self.nested_functions = nested
        self.namer = namer
        self._convert_function = convert_function
        self._enclosing = enclosing
        self.free = scope.free & enclosing
        """The variables of enclosing functions that the function uses."""
        self.is_method = is_method
        self.returns_on_every_path = returns_on_every_path
        self._doubtful_captures = doubtful & scope.captured
        self.definitely_assigned = scope.locals - doubtful
        """The function's variables that have a value wherever they are read."""
        self.added: set[str] = set()
        """The variables that conversion has added to the function."""

    def convert_function(self, node: Any) -> Any:
        """Rewrites a definition or lambda nested in this function."""
        for name in ast.walk(node) if self._doubtful_captures else ():
            if isinstance(name, ast.Name) and name.id in self._doubtful_captures:
                name.is_doubtful = True  # type: ignore[attr-defined]  # a mark: the name may hold `ag__.Undefined`
        return self._convert_function(node, self._enclosing | self.variables)

    def convert_definition(self, node: ast.FunctionDef, expressions: Expressions) -> list[ast.stmt]:
        """Rewrites a `def` nested in this function, whose decorators and defaults this function evaluates."""
        new = copy_tree(node)
        new.decorator_list = [expressions.convert(d) for d in node.decorator_list]
        new.args.defaults = [expressions.convert(d) for d in node.args.defaults]
        new.args.kw_defaults = [expressions.convert(d) for d in node.args.kw_defaults]
        return [self.convert_function(new)]

    def new_variable(self, root: str) -> str:
        """Returns the name of a new variable that conversion adds to the function."""
        name = self.namer.new(root)
        self.added.add(name)
        return name

    @property
    def variables(self) -> set[str]:
        """All variables of the function."""
        return self.scope.locals | self.added

    def outer_declarations(self, statements: Iterable[ast.AST]) -> list[ast.stmt]:
        """Builds the `nonlocal` and `global` statements for a nested function that takes over `statements`."""
        written = names_of(statements).written
        own = sorted(written & (self.variables | self.scope.nonlocals))
        everywhere = sorted(written & self.scope.globals)
        declarations: list[ast.stmt] = [ast.Nonlocal(own)] if own else []
        return [*declarations, ast.Global(everywhere)] if everywhere else declarations

    def expressions(self, inline: bool, own_frame: bool = True, graph: str = "") -> Expressions:
        """Makes a rewriter of the function's expressions.

        Args:
          inline: Whether the rewriter writes the inline form; the compact form otherwise.
          own_frame: Whether the code runs in the function's own frame.
          graph: The variable that says whether a graph is being built, if the code has one.
        """
        arguments = None
        if self.is_method and self.scope.parameters and not own_frame:
            arguments = ("__class__", self.scope.parameters[0])
        return Expressions(self.namer, self.convert_function, inline, arguments, graph)


class VariableNamer:
    """A namer that adds each name to the variables of a function."""

    def __init__(self, function: FunctionCode) -> None:
        self.new = function.new_variable
