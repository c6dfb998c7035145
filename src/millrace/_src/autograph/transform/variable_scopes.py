"""Which names a piece of code reads and writes, and which of the names a function owns.

A nested function, lambda or comprehension is a scope of its own. What a scope assigns stays inside; what a scope reads
from outside is captured. A captured variable may be read whenever the nested function is called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from millrace._src.autograph.transform.syntax_templates import with_context

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Names:
    """The names that code uses.

    Attributes:
      read: Names read by the code itself, in any order.
      bound: Names assigned, deleted or defined by the code itself, so that they are variables of its function.
      rebound: Names that a function or class defined in the code, or a call of one, assigns with `nonlocal`.
      captured: Names that nested functions take from the code around them.
      composite: Assigned attributes and items of names, such as `self.x` and `a[0]`, by their text.
      items: Names that are written only in the sense that one of their items is.
      declared: Names declared `global` and `nonlocal`.
      locations: The reads of names, in nested functions too: name, line, column.
    """

    def __init__(self) -> None:
        self.items: set[str] = set()
        self.locations: set[tuple[str, int, int]] = set()
        self.read: set[str] = set()
        self.bound: set[str] = set()
        self.rebound: set[str] = set()
        self.captured: set[str] = set()
        self.composite: dict[str, ast.expr] = {}
        self.declared: dict[str, set[str]] = {"global": set(), "nonlocal": set()}

    @property
    def written(self) -> set[str]:
        """Every name that may be assigned."""
        return self.bound | self.rebound

    @property
    def used(self) -> set[str]:
        """Every name that may be read."""
        return self.read | self.captured


def names_of(nodes: ast.AST | Iterable[ast.AST] | None) -> Names:
    """Collects the names that statements or expressions use."""
    collector = _Collector()
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes or ():
        collector.visit(node)
    return collector.names


class _Collector(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names = Names()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.names.read.add(node.id)
            self.names.locations.add((node.id, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))
        else:
            self.names.bound.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        item = getattr(node, "item", None)
        if item is not None:  # `x = ag__.set_item(x, ...)` is `x[...] = ...`
            self.names.items.add(node.targets[0].id)  # type: ignore[attr-defined]  # a name
            self._composite(item)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.names.rebound |= getattr(node, "rebinds", set())
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.names.rebound |= getattr(node, "rebinds", set())
        self.visit_Attribute(node)

    def visit_While(self, node: ast.While) -> None:
        first = getattr(node, "first_condition", None)  # the condition's first value, if the graph takes over the loop
        if first is not None:
            self.visit(first)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self.visit(with_context(node.target, ast.Load()))
        self.visit(node.target)

    def visit_PythonExpression(self, node: Any) -> None:
        names = names_of(node.value)
        self.names.bound |= names.bound
        self.names.rebound |= names.rebound
        self.names.read |= names.read - names.written  # the expression reads its own variables after it assigns them

    def visit_Attribute(self, node: Any) -> None:
        self._composite(node)
        self.generic_visit(node)

    def _composite(self, node: Any) -> None:
        if isinstance(node.ctx, ast.Store) and (text := composite_text(node)) is not None:
            self.names.composite[text] = node

    def visit_Global(self, node: ast.Global) -> None:
        self.names.declared["global"].update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.names.declared["nonlocal"].update(node.names)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.names.bound.add(node.name)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.names.bound.add(alias.asname or alias.name.partition(".")[0])

    visit_ImportFrom = visit_Import

    def visit_MatchAs(self, node: Any) -> None:
        if node.name:
            self.names.bound.add(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.names.bound.add(node.rest)
        self.generic_visit(node)

    # --- nested scopes ---------------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: Any) -> None:
        self.names.bound.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._visit_nested_function(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_nested_function(node)

    def _visit_nested_function(self, node: Any) -> None:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        own = getattr(node, "scope", None) or function_scope(node)  # a block that became a function has its scope
        self.names.captured |= own.free
        self.names.locations |= own.locations
        self.names.rebound |= own.nonlocals  # any call of the function may assign its nonlocal variables

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.names.bound.add(node.name)
        for part in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.visit(part)
        names = names_of(node.body)
        self.names.captured |= names.captured | names.declared["nonlocal"]
        self.names.rebound |= names.rebound | names.declared["nonlocal"]
        self.names.read |= names.read
        self.names.locations |= names.locations

    def _comprehension(self, node: Any) -> None:
        collector = _Collector()
        for generator in node.generators:
            collector.visit(generator)
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                collector.visit(getattr(node, part))
        own = {name for generator in node.generators for name in names_of(generator.target).written}
        self.names.read |= collector.names.read - own
        self.names.captured |= collector.names.captured - own
        self.names.locations |= collector.names.locations
        self.names.bound |= collector.names.bound - own  # a walrus writes outside
        self.names.rebound |= collector.names.rebound - own

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


class FunctionScope:
    """The variables of one function.

    Attributes:
      parameters: The function's parameters, in order.
      locals: Parameters and every name that the function's body assigns.
      free: Names that come from outside: of an enclosing function, global or builtin.
      globals, nonlocals: Names declared so.
      captured: Locals that nested functions use.
      locations: The reads of names, in nested functions too: name, line, column.
      rebinding: By the name of a nested function, the locals that a call of the nested function may assign.
    """

    def __init__(self, node: Any) -> None:
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        others = [arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
        self.parameters = [a.arg for a in [*positional, *filter(None, others)]]
        names = names_of(node.body if isinstance(node.body, list) else [node.body])
        self.globals, self.nonlocals = names.declared["global"], names.declared["nonlocal"]
        self.locals = ({*self.parameters} | names.bound) - self.globals - self.nonlocals
        self.free = ((names.read | names.captured) - self.locals - self.globals) | self.nonlocals
        self.captured = names.captured & self.locals
        self.locations = names.locations
        self.rebinding = _rebinding(node, self.locals) if self.captured else {}


def find_nested_functions(node: Any) -> set[str]:
    """Returns the names under which functions are defined in a function, by `def` or by assigning a lambda."""
    names = set()
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef):
            names.add(part.name)
        elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Lambda):
            names |= {target.id for target in part.targets if isinstance(target, ast.Name)}
    return names


def function_scope(node: object) -> FunctionScope:
    """Finds the variables of a function definition or lambda."""
    return FunctionScope(node)


def _rebinding(function: Any, variables: set[str]) -> dict[str, set[str]]:
    """Finds the nested functions that assign variables of a function, themselves or by calling one another."""
    parts = [part for part in ast.walk(function) if isinstance(part, ast.FunctionDef) and part is not function]
    rebinding = {part.name: assigned for part in parts if (assigned := function_scope(part).nonlocals & variables)}
    uses = {part.name: {name.id for name in ast.walk(part) if isinstance(name, ast.Name)} for part in parts}
    for _ in uses if rebinding else ():
        for name, used in uses.items():
            through = set().union(*(rebinding[other] for other in used & rebinding.keys()))
            if through:
                rebinding[name] = rebinding.get(name, set()) | through
    return rebinding


RESIZING = frozenset("append extend insert pop remove clear".split())
"""The methods by which a list gets longer or shorter."""
_CHANGING = RESIZING | frozenset(
    """
    sort reverse update setdefault popitem add discard
    difference_update intersection_update symmetric_difference_update
    """.split()
)
"""The methods by which lists, dictionaries and sets are changed in place."""


def note_changes_in_place(statements: Iterable[ast.AST], variables: set[str]) -> None:
    """Marks `x.pop()`, `x['k'].append(v)`, `x[i][j] = v` and `del x[i]` of variables: they count as assignments."""
    pending = list(statements)
    while pending:
        part = pending.pop()
        changed = _find_changed_in_place(part)
        if changed is not None and changed in variables:
            part.rebinds = getattr(part, "rebinds", set()) | {changed}  # type: ignore[attr-defined]  # a mark
        if not isinstance(part, (*FUNCTIONS, ast.ClassDef)):
            pending += ast.iter_child_nodes(part)


def _find_changed_in_place(node: ast.AST) -> str | None:
    """Returns the variable that holds the container that a node changes, maybe with other objects in between."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        return _base_name(node.func.value)
    if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load):
        return None
    is_variable = isinstance(node.ctx, ast.Store) and composite_text(node) is not None
    return None if is_variable else _base_name(node)


def _base_name(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def note_rebinding_calls(statements: Iterable[ast.AST], rebinding: dict[str, set[str]]) -> None:
    """Marks the calls of, or with, a function that assigns variables (`f(x)`, `g(f)`): they count as assignments."""
    pending = list(statements) if rebinding else []
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Call):
            functions = {name.id for name in ast.walk(part) if isinstance(name, ast.Name)} & rebinding.keys()
            if functions:
                part.rebinds = set().union(*(rebinding[name] for name in functions))  # type: ignore[attr-defined]  # a mark
        if not isinstance(part, (*FUNCTIONS, ast.ClassDef)):
            pending += ast.iter_child_nodes(part)


# --- composite symbols -----------------------------------------------------------------------------------------------


def composite_text(node: ast.expr) -> str | None:
    """Returns the text of an attribute or item that can be a loop's variable (`self.x`, `a[0]`, `d[k]`), else None."""
    if isinstance(node, ast.Attribute):
        base = _base_text(node.value)
        return None if base is None else f"{base}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Constant, ast.Name)):
        base = _base_text(node.value)
        return None if base is None else f"{base}[{ast.unparse(node.slice)}]"
    return None


def _base_text(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else composite_text(node)


def composite_names(node: ast.AST) -> Iterator[str]:
    """Yields the simple names in a composite symbol."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id


def is_generator(node: Any) -> bool:
    """Returns whether a function has a `yield` or an `await` of its own."""
    pending = list(node.body) if isinstance(node.body, list) else [node.body]
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)):
            return True
        if not isinstance(part, (*FUNCTIONS, ast.ClassDef)):
            pending += ast.iter_child_nodes(part)
    return False
