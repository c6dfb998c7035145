"""Converts `if`, `for` and `while` to the inline form: as written, ready to pass control to the graph.

    if c:                   try:
        a                       if (t := c):
    else:            ->             a
        b                       else:
                                    b
                            except ag__.NeedsGraphError as error:
                                site = ag__.site_of(ag_f__, (0,), error, ag__.locals())
                            else:
                                return None
                            return ag__.resume(ag_f__, site, ag__.locals(), lambda: (captured, ...))

A tensor of a graph refuses to be a Python `bool`. Where that happens in a condition, the rest of the function, from
this statement to its end, runs in the compact form, made when it is first needed. So code that meets no tensor runs as
fast as before: a `try` costs nothing. A body of a `with` or `try` that the graph may take over becomes a function of
its own, called a region. The graph takes over the rest of the region, and the code after the statement goes on inline.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autograph.transform.added_nodes import Unpacked
from millrace._src.autograph.transform.assigning_operands import AssigningOperands
from millrace._src.autograph.transform.break_continue_return import (
    ExitLowering,
    Flags,
    ResumedLoop,
    always_leaves,
    copy_fields,
    exits_of,
)
from millrace._src.autograph.transform.dataflow import DefiniteAssignment
from millrace._src.autograph.transform.expressions import chain_comparison, is_python_test
from millrace._src.autograph.transform.function_code import FunctionCode, VariableNamer
from millrace._src.autograph.transform.item_targets import (
    find_stored_variable,
    key_expression,
    unpack_items,
    without_annotation,
)
from millrace._src.autograph.transform.syntax_templates import copy_tree, expression, header, locate, template, tuple_of
from millrace._src.autograph.transform.variable_scopes import note_changes_in_place, note_rebinding_calls

Resumed = Callable[[ast.expr, str], ast.stmt]
_BRANCHING = (ast.If, ast.While, ast.For, Unpacked)


class Site:
    """A statement where the graph may take over.

    Attributes:
      value: The variable that holds what was evaluated: the condition, or what to iterate over.
      function: The function that the statement belongs to.
      assigned: The variables that are definitely assigned at the statement.
      free: The variables that are passed as cells.
      in_region: Whether the statement is in the body of a `with` or `try`.
      variables: The function's variables so far.
    """

    def __init__(
        self,
        statement: ast.stmt,
        levels: Sequence[_Level],
        value: str,
        function: FunctionCode,
        assigned: frozenset[str],
        in_region: bool,
    ) -> None:
        self._statement = statement
        self._levels = [(level.loop, level.statements, level.index) for level in levels]
        self.in_region = in_region
        self.variables = frozenset(function.variables)
        self.value = value
        self.function = function
        self.assigned = assigned
        self.free: list[str] = []

    def statements(self) -> list[ast.stmt]:
        """Returns the rest of the function from the site's statement on, with the variable for what was evaluated."""
        rest: list[ast.stmt] = [self._statement]
        for loop, statements, index in reversed(self._levels):
            rest += statements[index + 1 :]
            if loop is not None:
                rest = locate([ResumedLoop(loop, rest)], loop)
        return rest


class _Level:
    """One block between the function's body and the current statement."""

    def __init__(self, loop: ast.stmt | None, statements: Sequence[ast.stmt]) -> None:
        self.loop = loop
        self.statements = statements
        self.index = 0


class Inline:
    """Rewrites the statements of one function, or of the body of a `with` or `try` in the function.

    Args:
      function: The function.
      sites: All sites of the converted code; new sites are added.
      in_region: Whether the statements are such a body, whose variables are those of the function around.
    """

    def __init__(self, function: FunctionCode, sites: list[Site], in_region: bool = False) -> None:
        self.function = function
        self.sites = sites
        self.in_region = in_region
        self.levels: list[_Level] = []
        self.graph = function.namer.new("ag_g")
        """The variable that says whether a graph is being built."""
        self.expressions = function.expressions(inline=True, own_frame=not in_region, graph=self.graph)
        self.before: dict[int, Any] = {}
        self.has_regions = False
        """Whether a `with` or `try` before has a body that is a function of its own."""
        self.numbers: list[int] = []
        """The numbers of the sites in this frame."""

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrites the statements of the whole function."""
        scope = self.function.scope
        note_rebinding_calls(statements, scope.rebinding)
        note_changes_in_place(statements, scope.locals | scope.nonlocals)
        isolated = _ExitsOfRegions(self.function).block(AssigningOperands(self.function).block(statements))
        start = frozenset() if self.in_region else frozenset(self.function.scope.parameters)
        self.before = DefiniteAssignment(isolated, start, frozenset(self.function.variables), mark=False).before
        docstring, statements = _split_docstring(isolated)
        new_statements = self.block(statements)
        if self.numbers:
            new_statements = self._with_resumption(new_statements)
        bindings = self._bindings() if self.has_regions and not self.in_region else []
        has_calls = any(isinstance(node, ast.Call) for statement in statements for node in ast.walk(statement))
        return [*docstring, *bindings, *(self._ask_for_graph() if has_calls else []), *new_statements]

    def _ask_for_graph(self) -> list[ast.stmt]:
        return template("graph = ag__.graph()", graph=self.graph)

    def _with_resumption(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Puts a body in a `try` that lets the graph take over where a condition is a tensor of a graph."""
        free = self.function.scope.captured | self.function.free
        if self.in_region:
            free = free | self.function.variables
        cells = sorted(free - {"__class__"})
        if self.function.is_method:
            cells.append("__class__")
        for number in self.numbers:
            self.sites[number].free = cells
        error, site = self.function.namer.new("ag_e"), self.function.namer.new("ag_s")
        new: Any = template(
            """
            try:
                pass
            except ag__.NeedsGraphError as error:
                site = ag__.site_of(ag_f__, numbers, error, ag__.locals())
            else:
                return None
            return ag__.resume(ag_f__, site, ag__.locals(), lambda: cells)
            """,
            site=site,
            error=error,
            numbers=ast.Tuple([ast.Constant(number) for number in self.numbers], ast.Load()),
            cells=tuple_of(cells),
        )
        new[0].handlers[0].name = error
        new[0].body = body
        if always_leaves(body):
            new[0].orelse = []
        return new

    def _bindings(self) -> list[ast.stmt]:
        """Builds code that never runs and makes the variables of regions locals of the function."""
        names = sorted(self.function.variables - {*self.function.scope.parameters})
        return [ast.If(ast.Constant(False), template("name = None", name=name), []) for name in names]

    def block(self, statements: Sequence[ast.stmt], loop: ast.stmt | None = None) -> list[ast.stmt]:
        """Rewrites the statements of a block; of the body of `loop` if a loop is given."""
        level = _Level(loop, statements)
        self.levels.append(level)
        new_statements: list[ast.stmt] = []
        for index, statement in enumerate(statements):
            level.index = index
            convert = getattr(self, f"_{type(statement).__name__.lower()}", self._plain)
            new_statements += locate(convert(statement), header(statement))
        self.levels.pop()
        return new_statements

    # --- where the graph takes over --------------------------------------------------------------------------------

    def _add_site(self, statement: ast.stmt, original: ast.stmt, value: str) -> None:
        """Notes that the graph may take over at a statement, given the variable with what was evaluated."""
        assigned = self.before.get(id(original)) or frozenset()
        self.numbers.append(len(self.sites))
        self.sites.append(Site(statement, self.levels, value, self.function, assigned, self.in_region))

    # --- statements ------------------------------------------------------------------------------------------------

    def _plain(self, node: object) -> list[ast.stmt]:
        """Rewrites the expressions of a statement without blocks."""
        return [self.expressions.convert(node)]

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        """Rewrites `return`; lists that the graph took over in the body of a `with` or `try` become tensors."""
        new = self.expressions.convert(node)
        if self.has_regions and new.value is not None:
            new.value = locate([expression("ag__.ret(True, value)", value=new.value)], new.value)[0]
        return [new]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        test = self._test(node.test, node, lambda condition, held: copy_fields(node, test=condition))
        return [copy_fields(node, test=test, body=self.block(node.body), orelse=self.block(node.orelse))]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        """Rewrites `while c: body` to `while (t := c): body`."""

        def resumed(condition: ast.expr, held: str) -> ast.stmt:
            return copy_fields(node, first_test=held, first_condition=condition)

        test = self._test(node.test, node, resumed)
        return [copy_fields(node, test=test, body=self.block(node.body, loop=node), orelse=self.block(node.orelse))]

    def _assert(self, node: ast.Assert) -> list[ast.stmt]:
        """Rewrites `assert c, m` to `assert (t := c), m`."""
        test = self._test(node.test, node, lambda condition, held: copy_fields(node, test=condition))
        return [copy_fields(node, test=test, msg=self.expressions.convert(node.msg))]

    def _test(self, test: ast.expr, original: ast.stmt, resumed: Resumed) -> ast.expr:
        """Rewrites a condition; variables keep its operands, so that the graph can take over at each operand.

        `a and not b` -> `(t := a) and not (u := b)`

        Args:
          test: The condition.
          original: The statement that the condition belongs to.
          resumed: Makes the statement for the graph from the condition with a variable in it, and the variable's name.
        """
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            operand = self._test(test.operand, original, lambda value, held: resumed(_negate(value, test), held))
            return copy_fields(test, operand=operand)
        if isinstance(test, ast.Compare) and len(test.ops) > 1:
            test = locate([chain_comparison(test, self.function.new_variable("ag_c"))], test)[0]
        if isinstance(test, ast.BoolOp):
            return self._test_operands(test, original, resumed)
        converted: ast.expr = self.expressions.convert(test)
        if is_python_test(test):
            return converted
        held = self.function.namer.new("ag_t")
        self._add_site(resumed(_read(held, test), held), original, held)
        return locate([ast.NamedExpr(ast.Name(held, ast.Store()), converted)], test)[0]

    def _test_operands(self, test: ast.BoolOp, original: ast.stmt, resumed: Resumed) -> ast.expr:
        operands = []
        for index, operand in enumerate(test.values):
            rest = test.values[index + 1 :]

            def with_rest(value: ast.expr, held: str, rest: list[ast.expr] = rest) -> ast.stmt:
                return resumed(locate([ast.BoolOp(test.op, [value, *rest])], test)[0] if rest else value, held)

            operands.append(self._test(operand, original, with_rest))
        return copy_fields(test, values=operands)

    def _for(self, node: ast.For) -> list[ast.stmt]:
        """Rewrites `for x in xs` to `for x in (it := iter(t := xs))`, so that the graph can run the rest of a loop."""
        variable, iterator = self.function.namer.new("ag_t"), self.function.new_variable("ag_it")
        self._add_site(copy_fields(node, iter=_read(variable, node.iter)), node, variable)
        over = expression(
            "(iterator := ag__.iter(held) if (held := iterable).__class__ in ag__.plain else ag__.iterate(held))",
            iterator=iterator,
            held=variable,
            iterable=self.expressions.convert(node.iter),
        )
        remaining = copy_fields(node, iter=_read(iterator, node.iter))
        statements = list(node.body)
        go_on = getattr(node, "extra_test", None)
        if go_on is not None:  # a loop in a `with` or `try` that is left early has such a test
            statements += locate([ast.If(ast.UnaryOp(ast.Not(), copy_tree(go_on)), [ast.Break()], [])], go_on)
        body, orelse = self.block(statements, loop=remaining), self.block(node.orelse)
        target = self.expressions.convert(node.target)
        return [copy_fields(node, target=target, iter=locate([over], node.iter)[0], body=body, orelse=orelse)]

    def _with(self, node: ast.With) -> list[ast.stmt]:
        """Rewrites a `with`: its body may enter a graph, and what follows is outside again."""
        items = [self.expressions.convert(item) for item in node.items]
        body = [*self._ask_for_graph(), *self._region(node.body)]
        return [copy_fields(node, items=items, body=locate(body, node.body[0])), *self._ask_for_graph()]

    def _try(self, node: Any) -> list[ast.stmt]:
        handlers = [
            copy_fields(h, type=self.expressions.convert(h.type), body=self._region(h.body)) for h in node.handlers
        ]
        blocks = {name: self._region(getattr(node, name)) for name in ("body", "orelse", "finalbody")}
        return [copy_fields(node, handlers=handlers, **blocks)]

    _trystar = _try

    def _assign(self, node: ast.Assign) -> list[ast.stmt]:
        """Rewrites `x[i] = v` of a variable: `x` may be a tensor, and a changed copy of the tensor is made."""
        unpacked = unpack_items(node, self.function)
        if unpacked is not None:
            return [new for part in unpacked for new in self._assign(part)]
        if isinstance(node.value, Unpacked):
            return self._unpack(node, node.value)
        name = find_stored_variable(node, self.function)
        if name is None:
            return self._plain(node)
        (target,) = node.targets
        assert isinstance(target, ast.Subscript)
        value = self.function.new_variable("ag_item")
        start = template("held = value", held=value, value=self.expressions.convert(node.value))
        key, evaluate = self._key(target.slice)
        return [*start, *evaluate, *_store_item(name, key, value)]

    def _unpack(self, node: ast.Assign, unpacked: Unpacked) -> list[ast.stmt]:
        """Rewrites `a, b = v` to `a, b = (t := v)`: a tensor refuses to be iterated over, and the graph takes over."""
        variable = self.function.namer.new("ag_t")
        again = locate([Unpacked(_read(variable, unpacked.value), unpacked.count)], unpacked)[0]
        self._add_site(copy_fields(node, value=again), node, variable)
        value = ast.NamedExpr(ast.Name(variable, ast.Store()), self.expressions.convert(unpacked.value))
        targets = [self.expressions.convert(target) for target in node.targets]
        return [copy_fields(node, targets=targets, value=locate([value], unpacked)[0])]

    def _augassign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Rewrites `x[i] += v` to `t = x[i]; t += v; x[i] = t`."""
        name = find_stored_variable(node, self.function)
        if name is None:
            return self._plain(node)
        assert isinstance(node.target, ast.Subscript)
        value = self.function.new_variable("ag_item")
        key, evaluate = self._key(node.target.slice)
        read = template("held = name[key]", held=value, name=name, key=key)
        change = ast.AugAssign(ast.Name(value, ast.Store()), node.op, self.expressions.convert(node.value))
        return [*evaluate, *read, change, *_store_item(name, key, value)]

    def _key(self, key: ast.expr) -> tuple[ast.expr, list[ast.stmt]]:
        """Returns a key that can be used twice, and the statements that evaluate the key."""
        if isinstance(key, (ast.Name, ast.Constant)):
            return key, []
        variable = self.function.new_variable("ag_k")
        new_key = self.expressions.convert(key_expression(key))
        return ast.Name(variable, ast.Load()), template("held = key", held=variable, key=new_key)

    def _annassign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        """Rewrites `x: T = v`; in a region without `T`, since a variable of the function around takes no annotation."""
        return without_annotation(node, self._assign) if self.in_region else self._plain(node)

    def _functiondef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        return self.function.convert_definition(node, self.expressions)

    def _classdef(self, node: ast.ClassDef) -> list[ast.stmt]:
        return [node]

    _asyncfunctiondef = _classdef

    # --- regions ---------------------------------------------------------------------------------------------------

    def _region(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrites the body of a `with` or `try`; makes it a function of its own if the graph may take over in it."""
        if not has_sites(statements):
            return self.block(statements)
        self.has_regions = True
        converter = Inline(self.function, self.sites, in_region=True)
        name = self.function.namer.new("ag_body")
        body = converter.body(statements)
        new = template("def name():\n    body\nname()", name=name, body=body)
        declarations = self.function.outer_declarations(body)
        new[0].body = [*declarations, *body]  # type: ignore[attr-defined]  # the function definition above
        return locate(new, statements[0])


def _read(name: str, at: ast.expr) -> ast.expr:
    """Builds a read of a variable that replaces an expression."""
    return locate([ast.Name(name, ast.Load())], at)[0]


def _split_docstring(statements: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    first = statements[0] if statements else None
    value = first.value if isinstance(first, ast.Expr) else None
    is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return (statements[:1], statements[1:]) if is_text else ([], statements)


def _negate(condition: ast.expr, at: ast.expr) -> ast.expr:
    return locate([ast.UnaryOp(ast.Not(), condition)], at)[0]


def _store_item(name: str, key: ast.expr, value: str) -> list[ast.stmt]:
    """Builds `x[i] = v`; if `x` is a tensor, which refuses, a changed copy replaces it."""
    return template(
        """
        try:
            name[key] = value
        except TypeError:
            if not ag__.staged[name.__class__]:
                raise
            name = ag__.set_item(name, key, value)
        """,
        name=name,
        key=key,
        value=value,
    )


def has_sites(statements: Sequence[ast.stmt]) -> bool:
    """Returns whether a block holds a statement where the graph may take over."""
    pending: list[ast.AST] = list(statements)
    while pending:
        node = pending.pop()
        if isinstance(node, _BRANCHING):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)
    return False


class _ExitsOfRegions:
    """Makes `return`, `break` and `continue` inside `with` and `try` flags that are tested after the statement.

    with a:                     returned = False
        if c:                   with a:
            return x     ->         if c:
    ...                                 returned = True
                                        result = x
                                if returned:
                                    return result
    """

    def __init__(self, function: FunctionCode) -> None:
        self.function = function

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrites the exits from `with` and `try` in statements."""
        new_statements: list[ast.stmt] = []
        for statement in statements:
            new_statements += self._statement(statement)
        return new_statements

    def _statement(self, node: Any) -> list[ast.stmt]:
        if isinstance(node, (ast.If, ast.While, ast.For)):
            return [copy_fields(node, body=self.block(node.body), orelse=self.block(node.orelse))]
        if isinstance(node, (ast.With, ast.Try, ast.TryStar)) and has_sites([node]) and exits_of([node]):
            return self._isolate(node)
        return [node]

    def _isolate(self, node: ast.stmt) -> list[ast.stmt]:
        exits = exits_of([node])
        names = {kind: self.function.new_variable(f"ag_{kind}") for kind in sorted(exits)}
        result = self.function.new_variable("retval_") if "return" in exits else ""
        flags = Flags(names.get("return", ""), result, names.get("break", ""), names.get("continue", ""))
        namer = VariableNamer(self.function)
        new_statements = ExitLowering(namer).block([node], flags)  # type: ignore[arg-type]  # gives names like a Namer
        start = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(False)) for name in names.values()]
        jumps: dict[str, ast.stmt] = {
            "return": ast.Return(ast.Name(result, ast.Load())),
            "break": ast.Break(),
            "continue": ast.Continue(),
        }
        after = [ast.If(ast.Name(name, ast.Load()), [jumps[kind]], []) for kind, name in names.items()]
        return [*locate(start, node), *new_statements, *locate(after, node)]


__all__ = ["Inline", "Site", "has_sites"]
