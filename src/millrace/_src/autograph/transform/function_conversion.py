"""Conversion of one function: from its syntax tree to code objects.

Converted code has the user's file name and the positions of the user's code. The code runs with the user's own globals,
cells and defaults. Two more cells give the code what it needs: `ag__` holds the operators, and `ag_f__` the object that
finds the continuations of the function.
"""

from __future__ import annotations

import ast
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from millrace._src.autograph.transform.break_continue_return import always_leaves
from millrace._src.autograph.transform.control_flow_compact import Compact
from millrace._src.autograph.transform.control_flow_inline import Inline, Site
from millrace._src.autograph.transform.dataflow import DefiniteAssignment
from millrace._src.autograph.transform.frame_functions import FrameFunctions
from millrace._src.autograph.transform.function_code import FunctionCode
from millrace._src.autograph.transform.match_statements import MatchStatements
from millrace._src.autograph.transform.naming import Namer, identifiers
from millrace._src.autograph.transform.source import FunctionNode, function_node
from millrace._src.autograph.transform.surroundings import FUNCTION, Surroundings, definition_of
from millrace._src.autograph.transform.syntax_templates import copy_tree, header, locate, template
from millrace._src.autograph.transform.unpacking import Unpackings
from millrace._src.autograph.transform.variable_scopes import (
    FunctionScope,
    find_nested_functions,
    function_scope,
    is_generator,
    names_of,
)

OPERATORS, CONVERSION = "ag__", "ag_f__"
_CO_OPTIMIZED = 0x1
"""The flag of code objects of functions; bodies of classes and modules do not have it."""


class UnsupportedError(Exception):
    """A function that cannot be converted; the message says why."""


class Continuation:
    """The rest of a function from one statement on, in the compact form.

    Attributes:
      code: The continuation's code; the first parameter is the value that decided, the others are `parameters`.
      parameters: Variables of the function, by name.
    """

    def __init__(self, code: types.CodeType, parameters: Sequence[str]) -> None:
        self.code = code
        self.parameters = parameters


class _Facts(NamedTuple):
    """The facts that are kept of a function's original code."""

    co_filename: str
    co_name: str
    co_qualname: str
    co_flags: int
    co_freevars: tuple[str, ...]
    co_names: tuple[str, ...]

    @classmethod
    def of(cls, code: types.CodeType) -> _Facts:
        """Returns the facts of a code object."""
        return cls(*[getattr(code, field) for field in cls._fields])


class Conversion:
    """One function with its converted code, made part by part as the code is needed.

    Args:
      node: The function's definition or lambda.
      code: The function's original code. Only facts of the code are kept, so that the code itself can go.
      on_code: Told every code object that is made, of nested functions too.
    """

    def __init__(self, node: FunctionNode, code: types.CodeType, on_code: Callable[[types.CodeType], None]) -> None:
        self.node = node
        self.original = _Facts.of(code)
        self._surroundings = Surroundings(code)
        self.codes: list[types.CodeType] = []
        """The code objects made by the conversion, which live as long as the conversion."""
        self.on_code = on_code
        self.sites: list[Site] = []
        self._continuations: dict[int, Continuation] = {}
        self._lock = threading.RLock()
        self._check()
        self.namer = Namer(node, {OPERATORS, CONVERSION, *code.co_names, *code.co_freevars})
        self.node = FrameFunctions().visit(copy_tree(self.node))
        self.node = MatchStatements(self.namer).visit(self.node)
        self.node = Unpackings(self.namer).visit(self.node)
        self.inline = self._inline()

    def _check(self) -> None:
        if is_generator(self.node):
            raise UnsupportedError("generators are not supported")
        clash = identifiers(self.node) & {OPERATORS, CONVERSION}
        if clash & {*self.original.co_freevars, *self.original.co_names, *function_scope(self.node).parameters}:
            raise UnsupportedError(f"the name {clash.pop()} is reserved for converted code")
        if clash:
            self.node = copy_tree(self.node)
            _rename(self.node, {name: f"{name}_" for name in clash})

    # --- code ------------------------------------------------------------------------------------------------------

    def _inline(self) -> types.CodeType:
        """Compiles the whole function in the inline form."""
        node = self.convert_function(copy_tree(self.node), self._surroundings.variables())
        return self._compile(definition_of(node), self._surroundings.free)

    def continuation(self, number: int) -> Continuation:
        """Returns the code that goes on at a site; compiles the code when it is first needed."""
        continuation = self._continuations.get(number)
        if continuation is None:
            with self._lock:
                continuation = self._continuations.get(number) or self._continue_at(self.sites[number])
                self._continuations[number] = continuation
        return continuation

    def _continue_at(self, site: Site) -> Continuation:
        function, statements = site.function, site.statements()
        names = names_of(statements)
        needed = (names.used | names.written) & site.variables
        if function.is_method:
            needed |= {*function.scope.parameters[:1]}  # `super()` takes the first parameter
        parameters = sorted(needed - {*site.free, site.value})
        body = Compact(function, site.free).body(
            statements, site.assigned, frozenset(parameters) | {site.value}, site.in_region
        )
        definition: Any = template("def name(value):\n    body", name=FUNCTION, value=site.value, body=body)[0]
        definition.args.args += [ast.arg(name) for name in parameters]
        written = names.written & function.scope.globals
        if written:
            definition.body.insert(0, ast.Global(sorted(written)))
        rebound = sorted(names_of(body).written & {*site.free} - function.scope.globals)
        if rebound:
            definition.body.insert(0, ast.Nonlocal(rebound))
        locate([definition], self.node)
        code = self._compile(definition, site.free)
        return Continuation(code, code.co_varnames[1 : code.co_argcount])  # a private name is mangled in the frame

    def compact(self) -> ast.FunctionDef:
        """Converts the whole function and nested functions to the compact form, for people and for other operators."""
        node = definition_of(copy_tree(self.node), "lambda_")
        node.name = f"tf__{node.name}"
        node.decorator_list = []
        (converted,) = locate([self._in_compact_form(node, self._surroundings.variables())], self.node)
        return converted

    def compact_code(self) -> types.CodeType:
        """Compiles the compact form."""
        return self._compile(self.compact(), self._surroundings.free)

    def _in_compact_form(self, node: Any, enclosing: set[str]) -> Any:
        """Converts a function or lambda to the compact form; the arguments are those of `convert_function`."""
        if is_generator(node):
            return node
        scope, function = self._function(node, enclosing, self._in_compact_form)
        if isinstance(node, ast.Lambda):
            node.body = function.expressions(inline=False).convert(node.body)
            return node
        docstring, statements = node.body[:0], node.body
        if ast.get_docstring(node) is not None:
            docstring, statements = node.body[:1], node.body[1:]
        parameters = frozenset(scope.parameters)
        statements = [part for part in statements if not isinstance(part, (ast.Global, ast.Nonlocal))]
        body = Compact(function).body(statements, parameters, parameters, in_region=False)
        declarations: list[ast.stmt] = [ast.Global(sorted(scope.globals))] if scope.globals else []
        if scope.nonlocals:
            declarations.append(ast.Nonlocal(sorted(scope.nonlocals)))
        node.body = [*docstring, *declarations, *body]
        return node

    def _function(
        self, node: Any, enclosing: set[str], convert: Callable[[Any, set[str]], Any]
    ) -> tuple[FunctionScope, FunctionCode]:
        scope = function_scope(node)
        is_method = self._surroundings.is_method
        statements = node.body if isinstance(node.body, list) else [ast.Return(node.body)]
        complete = always_leaves(statements)
        assignment = DefiniteAssignment(statements, frozenset(scope.parameters), frozenset(scope.locals), mark=False)
        nested = find_nested_functions(node) & scope.locals
        doubtful = assignment.doubtful
        return scope, FunctionCode(scope, nested, self.namer, convert, enclosing, is_method, complete, doubtful)

    def convert_function(self, node: Any, enclosing: set[str]) -> Any:
        """Converts a function or lambda to the inline form; returns a generator unchanged.

        Args:
          node: The function's tree, which is changed.
          enclosing: The variables of the functions around the function.
        """
        if is_generator(node):
            return node
        _, function = self._function(node, enclosing, self.convert_function)
        if isinstance(node, ast.Lambda):
            node.body = function.expressions(inline=True).convert(node.body)
            return node
        first = next((part for part in node.body if not _is_declaration(part)), node.body[-1])
        node.body = _wrap_statements(Inline(function, self.sites).body(node.body), node, first)
        return node

    # --- compiling -------------------------------------------------------------------------------------------------

    def _compile(self, definition: ast.FunctionDef, free: Sequence[str]) -> types.CodeType:
        """Returns the code object of a definition whose free variables are `free` and the two names of ours."""
        compiled = self._surroundings.compile(definition, [OPERATORS, CONVERSION, *free], self.node)
        code = self._rename_code(compiled)
        self._note(code)
        return code

    def _rename_code(self, code: types.CodeType) -> types.CodeType:
        """Returns the code with the function's own name, first line and qualified name, also inside added functions."""
        constants = tuple(
            self._rename_code(c) if isinstance(c, types.CodeType) and _is_added(c.co_name) else c
            for c in code.co_consts
        )
        original = self.original
        return code.replace(co_name=original.co_name, co_qualname=original.co_qualname, co_consts=constants)

    def _note(self, code: types.CodeType) -> None:
        self.codes.append(code)
        self.on_code(code)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType) and constant.co_flags & _CO_OPTIMIZED:
                self._note(constant)


def _is_declaration(statement: ast.stmt) -> bool:
    """Returns whether a statement does nothing when it runs: `global`, `nonlocal`, a docstring."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, (ast.Global, ast.Nonlocal))


def with_operators(function: types.FunctionType, operators: object) -> types.FunctionType:
    """Converts a function so that other operators, of another array library for instance, run its control flow.

    Args:
      function: A Python function with source, which is not changed.
      operators: The object that the compact form finds under `ag__`: `if_stmt`, `while_stmt`, `for_stmt`, `callee` and
        so on, with the parameters of the functions in `autograph.operators`. `Conversion.compact` shows the calls.

    Returns: A function with the globals, cells and defaults of the original.
    Raises: NoSourceError, UnsupportedError: if the function cannot be converted.
    """
    conversion = Conversion(function_node(function), function.__code__, lambda _: None)
    code = conversion.compact_code()
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells |= {OPERATORS: types.CellType(operators), CONVERSION: types.CellType(conversion)}
    closure = tuple([cells[name] for name in code.co_freevars])
    new = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def _wrap_statements(statements: list[ast.stmt], node: ast.FunctionDef, first: ast.stmt) -> list[ast.stmt]:
    """Gives positions to the code that was put around the statements of a function.

    What runs before the statements belongs to the first of them, so that no line runs that did not run before. What
    runs when the graph takes over belongs to the line of the `def`.
    """
    for statement in statements:
        if isinstance(statement, ast.Try) and not hasattr(statement, "lineno"):
            locate(statement.handlers, node)
        locate([statement], node if isinstance(statement, ast.Return) else header(first))
    return statements


def _rename(tree: ast.AST, names: dict[str, str]) -> None:
    """Gives local variables other names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = names.get(node.arg, node.arg)
        elif isinstance(node, ast.Nonlocal):
            node.names = [names.get(name, name) for name in node.names]


_ADDED = ("if_body", "else_body", "loop_body", "loop_test", "extra_test", "ag_body")


def _is_added(name: str) -> bool:
    """Returns whether a function of this name is a block that conversion made a function."""
    return any(name == root or name.startswith(f"{root}_") and name[len(root) + 1 :].isdigit() for root in _ADDED)
