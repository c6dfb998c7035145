"""The inline form: the function as it was written, asking before each branch and loop whether the graph must take over.

    if c:                   if (t := c).__class__ is not bool and ag__.staged[t.__class__]:
        a            ->         return ag__.resume(ag_f, 0, t, locals(), lambda: (captured, ...))
    else:                   elif t:
        b                       a
                            else:
                                b

Where it must, the rest of the function, from this statement to its end, runs in the compact form, made when it is first
needed. So code that meets no tensor runs about as fast as before. The bodies of `with` and `try` that may need this are
functions of their own: the graph takes over the rest of the body, and what follows the statement goes on inline.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from millrace._src.autograph.transform.dataflow import DefiniteAssignment
from millrace._src.autograph.transform.early_exits import Flags, Lowering, ResumedLoop, copy_fields, exits_of
from millrace._src.autograph.transform.expressions import held_test, is_python_test
from millrace._src.autograph.transform.function_code import FunctionCode
from millrace._src.autograph.transform.item_targets import stored_variable, unpacked_items
from millrace._src.autograph.transform.scopes import names_of
from millrace._src.autograph.transform.templates import copy_tree, expression, header, place, template, tuple_of

_BRANCHING = (ast.If, ast.While, ast.For, ast.Match)


class Site:
    """A statement where the graph may take over.

    Attributes:
      statements: The rest of the function from this statement on, with `value` for what was already evaluated.
      value: The variable that holds it.
      function: The function that the statement belongs to.
      assigned: The variables that certainly have a value here.
      free: The variables that are passed as cells.
      in_region: Whether the statements are the body of a `with` or `try`.
      variables: The function's variables so far.
    """

    def __init__(
        self,
        statements: list[ast.stmt],
        value: str,
        function: FunctionCode,
        assigned: frozenset[str],
        free: list[str],
        in_region: bool,
    ) -> None:
        self.in_region = in_region
        self.variables = frozenset(function.variables)
        self.statements = statements
        self.value = value
        self.function = function
        self.assigned = assigned
        self.free = free


class _Level:
    """One block on the way from the function's body to the current statement."""

    def __init__(self, loop: ast.stmt | None) -> None:
        self.loop = loop
        self.rest: Sequence[ast.stmt] = ()


class Inline:
    """Rewrites the statements of one function, or of the body of a `with` or `try` in it.

    Args:
      function: The function.
      sites: All sites of the converted code; new ones are added.
      in_region: Whether this is such a body, whose variables are those of the function around.
    """

    def __init__(self, function: FunctionCode, sites: list[Site], in_region: bool = False) -> None:
        self.function = function
        self.sites = sites
        self.in_region = in_region
        self.levels: list[_Level] = []
        self.expressions = function.expressions(inline=True, own_frame=not in_region)
        self.before: dict[int, Any] = {}
        self.has_regions = False

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements of the whole function."""
        isolated = _ExitsOfRegions(self.function).block(statements)
        start = frozenset() if self.in_region else frozenset(self.function.scope.parameters)
        self.before = DefiniteAssignment(isolated, start, frozenset(self.function.variables), mark=False).before
        done = self.block(isolated)
        return [*self._bindings(), *done] if self.has_regions and not self.in_region else done

    def _bindings(self) -> list[ast.stmt]:
        """Code that never runs and makes the variables of regions locals of the function."""
        names = sorted(self.function.variables - {*self.function.scope.parameters})
        return [ast.If(ast.Constant(False), template("name = None", name=name), []) for name in names]

    def block(self, statements: Sequence[ast.stmt], loop: ast.stmt | None = None) -> list[ast.stmt]:
        """The statements of a block; of the body of `loop` if it is given."""
        level = _Level(loop)
        self.levels.append(level)
        done: list[ast.stmt] = []
        for index, statement in enumerate(statements):
            level.rest = statements[index + 1 :]
            convert = getattr(self, f"_{type(statement).__name__.lower()}", self._plain)
            done += place(convert(statement), header(statement))
        self.levels.pop()
        return done

    # --- where the graph takes over --------------------------------------------------------------------------------

    def _resume(self, statement: ast.stmt, original: ast.stmt, value: str) -> list[ast.stmt]:
        """`return ag__.resume(...)`: the rest of the function in the compact form."""
        rest: list[ast.stmt] = [statement]
        for level in reversed(self.levels):
            rest += level.rest
            if level.loop is not None:
                rest = place([ResumedLoop(level.loop, rest)], level.loop)
        used = names_of(rest)
        free = self.function.scope.captured | self.function.free
        if self.in_region:
            free = free | self.function.variables
        wanted = used.used | used.written
        if self.function.is_method:
            wanted |= {*self.function.scope.parameters[:1]}  # `super()` takes it
        cells = sorted(wanted & free - {"__class__", value})
        if self.function.is_method:
            cells.append("__class__")
        known = self.before.get(id(original))
        site = Site(rest, value, self.function, frozenset() if known is None else known, cells, self.in_region)
        self.sites.append(site)
        return template(
            "return ag__.resume(ag_f__, number, value, ag__.locals(), lambda: cells)",
            number=ast.Constant(len(self.sites) - 1),
            value=value,
            cells=tuple_of(cells),
        )

    # --- statements ------------------------------------------------------------------------------------------------

    def _plain(self, node: Any) -> list[ast.stmt]:
        """A statement without blocks: only its expressions change."""
        return [self.expressions.convert(node)]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        body, orelse = self.block(node.body), self.block(node.orelse)
        if is_python_test(node.test):
            return [copy_fields(node, test=self.expressions.convert(node.test), body=body, orelse=orelse)]
        held = self.function.new_variable("ag_t")
        staged = self._resume(copy_fields(node, test=_read(held, node.test)), node, held)
        return _branch_or_resume(held, self.expressions.convert(node.test), staged, body, orelse)

    def _while(self, node: ast.While) -> list[ast.stmt]:
        """`while c: body` -> `while True: if staged(t := c): resume; if not t: break; body`."""
        body = self.block(node.body, loop=node)
        orelse = self.block(node.orelse)
        test = self.expressions.convert(node.test)
        if is_python_test(node.test):
            return [copy_fields(node, test=test, body=body, orelse=orelse)]
        held = self.function.new_variable("ag_t")
        staged = self._resume(copy_fields(node, first_test=held), node, held)
        finish: list[ast.stmt] = [ast.Break()]
        after: list[ast.stmt] = []
        before: list[ast.stmt] = []
        if orelse:
            done = self.function.new_variable("ag_d")
            before, finish = template("done = False", done=done), template("done = True", done=done) + finish
            after = [ast.If(ast.Name(done, ast.Load()), orelse, [])]
        check = _branch_or_resume(held, test, staged, [ast.Pass()], finish)
        check = place(check, node.test)
        loop = ast.While(ast.Constant(True), [*check, *body], [])
        return [*before, loop, *after]

    def _for(self, node: ast.For) -> list[ast.stmt]:
        """`for x in xs` -> `for x in (it := ag__.iter(xs))`: the rest of a loop can be handed over."""
        held, iterator = self.function.new_variable("ag_t"), self.function.new_variable("ag_it")
        remaining = copy_fields(node, iter=_read(iterator, node.iter))
        body, orelse = self.block(node.body, loop=remaining), self.block(node.orelse)
        staged = self._resume(copy_fields(node, iter=_read(held, node.iter)), node, held)
        (over,) = place([expression("(iterator := ag__.iter(held))", iterator=iterator, held=held)], node.iter)
        start = template(
            """
            held = iterable
            if ag__.staged_iterable[held.__class__]:
                staged
            """,
            held=held,
            iterable=self.expressions.convert(node.iter),
            staged=staged,
        )
        target = self.expressions.convert(node.target)
        return [*place(start, node.iter), copy_fields(node, target=target, iter=over, body=body, orelse=orelse)]

    def _with(self, node: ast.With) -> list[ast.stmt]:
        items = [self.expressions.convert(item) for item in node.items]
        return [copy_fields(node, items=items, body=self._region(node.body))]

    def _try(self, node: Any) -> list[ast.stmt]:
        handlers = [
            copy_fields(h, type=self.expressions.convert(h.type), body=self._region(h.body, keep=h.name))
            for h in node.handlers
        ]
        blocks = {name: self._region(getattr(node, name)) for name in ("body", "orelse", "finalbody")}
        return [copy_fields(node, handlers=handlers, **blocks)]

    _trystar = _try

    def _assert(self, node: ast.Assert) -> list[ast.stmt]:
        """`assert c, m`: of a tensor, checked when the graph runs."""
        held = self.function.new_variable("ag_t")
        message = self.expressions.convert(node.msg) or ast.Constant("Assertion error")
        check = template("ag__.assert_stmt(held, lambda: message)", held=held, message=message)
        test = self.expressions.convert(node.test)
        plain = ast.Assert(ast.Name(held, ast.Load()), self.expressions.convert(node.msg))
        return [ast.If(held_test(held, test), check, [plain])]

    def _assign(self, node: ast.Assign) -> list[ast.stmt]:
        """`x[i] = v` of a variable: `x` may be a tensor, of which a changed copy is made."""
        unpacked = unpacked_items(node, self.function)
        if unpacked is not None:
            return [new for part in unpacked for new in self._assign(part)]  # type: ignore[arg-type]  # all are assignments
        name = stored_variable(node, self.function)
        if name is None:
            return self._plain(node)
        (target,) = node.targets
        assert isinstance(target, ast.Subscript)
        new = template(
            """
            if ag__.staged[name.__class__]:
                name = ag__.set_item(name, key, value)
            else:
                plain
            """,
            name=name,
            key=self.expressions.convert(target.slice),
            value=self.expressions.convert(node.value),
            plain=self._plain(node),
        )
        return new

    def _augassign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`x[i] += v` -> `x[i] = x[i] + v` if `x` is a tensor."""
        name = stored_variable(node, self.function)
        if name is None:
            return self._plain(node)
        staged = self._assign_item(name, node)
        return template(
            """
            if ag__.staged[name.__class__]:
                staged
            else:
                plain
            """,
            name=name,
            staged=staged,
            plain=self._plain(node),
        )

    def _assign_item(self, name: str, node: ast.AugAssign) -> list[ast.stmt]:
        assert isinstance(node.target, ast.Subscript)
        old = ast.Subscript(ast.Name(name, ast.Load()), node.target.slice, ast.Load())
        value = self.expressions.convert(place([ast.BinOp(old, node.op, node.value)], node)[0])
        key = self.expressions.convert(node.target.slice)
        return template("name = ag__.set_item(name, key, value)", name=name, key=key, value=value)

    def _functiondef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        new = copy_tree(node)
        new.decorator_list = [self.expressions.convert(d) for d in node.decorator_list]
        new.args.defaults = [self.expressions.convert(d) for d in node.args.defaults]
        new.args.kw_defaults = [self.expressions.convert(d) for d in node.args.kw_defaults]
        return [self.function.convert_function(new)]

    def _classdef(self, node: ast.ClassDef) -> list[ast.stmt]:
        return [node]

    _asyncfunctiondef = _classdef

    # --- regions ---------------------------------------------------------------------------------------------------

    def _region(self, statements: Sequence[ast.stmt], keep: str | None = None) -> list[ast.stmt]:
        """The body of a `with` or `try`; a function of its own if the graph may take over in it."""
        if not has_sites(statements):
            return self.block(statements)
        self.has_regions = True
        inner = Inline(self.function, self.sites, in_region=True)
        name = self.function.namer.new("ag_body")
        body = inner.body(statements)
        new = template("def name():\n    body\nname()", name=name, body=body)
        declarations = self.function.outer_declarations(body)
        new[0].body = [*declarations, *body]  # type: ignore[attr-defined]  # the function definition above
        return place(new, statements[0])


def _read(name: str, at: ast.expr) -> ast.expr:
    """A variable in place of an expression."""
    return place([ast.Name(name, ast.Load())], at)[0]


def _branch_or_resume(
    held: str, test: ast.expr, staged: list[ast.stmt], body: list[ast.stmt], orelse: list[ast.stmt]
) -> list[ast.stmt]:
    return [ast.If(held_test(held, test), staged, [ast.If(ast.Name(held, ast.Load()), body, orelse)])]


def has_sites(statements: Sequence[ast.stmt]) -> bool:
    """Whether a block holds a statement where the graph may take over."""
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
        """The statements with such exits rewritten."""
        done: list[ast.stmt] = []
        for statement in statements:
            done += self._statement(statement)
        return done

    def _statement(self, node: Any) -> list[ast.stmt]:
        if isinstance(node, (ast.If, ast.While, ast.For)):
            return [copy_fields(node, body=self.block(node.body), orelse=self.block(node.orelse))]
        if isinstance(node, (ast.With, ast.Try, ast.TryStar)) and has_sites([node]) and exits_of([node]):
            return self._isolated(node)
        return [node]

    def _isolated(self, node: ast.stmt) -> list[ast.stmt]:
        exits = exits_of([node])
        names = {kind: self.function.new_variable(f"ag_{kind}") for kind in sorted(exits)}
        result = self.function.new_variable("retval_") if "return" in exits else ""
        flags = Flags(names.get("return", ""), result, names.get("break", ""), names.get("continue", ""))
        namer = _AddingNamer(self.function)
        lowered = Lowering(namer).block([node], flags)  # type: ignore[arg-type]  # gives names like a Namer
        start = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(False)) for name in names.values()]
        jumps: dict[str, ast.stmt] = {
            "return": ast.Return(ast.Name(result, ast.Load())),
            "break": ast.Break(),
            "continue": ast.Continue(),
        }
        after = [ast.If(ast.Name(name, ast.Load()), [jumps[kind]], []) for kind, name in names.items()]
        return [*place(start, node), *lowered, *place(after, node)]


class _AddingNamer:
    """A namer whose names are variables of a function."""

    def __init__(self, function: FunctionCode) -> None:
        self.new = function.new_variable


__all__ = ["Inline", "Site", "has_sites"]
