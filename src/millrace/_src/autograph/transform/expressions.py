"""Expressions whose meaning depends on whether a value is a tensor.

Each expression has two forms. The inline form runs the expression in Python and asks, once, for the class of the
value that decides; the inline form costs little where no tensor is met. The compact form passes everything to an
operator; the compact form stands where the code is staged anyway. `staged` says whether the graph runs
operations on objects of a class.

    inline    a and b      ->  ag__.and_value(t, lambda: b) if <(t := a) may be staged> else t and b
    compact   a and b      ->  ag__.and_(lambda: a, lambda: b)
    inline    f(x)         ->  (ag__.call[g] if (g := f).__class__ in ag__.looked_up else ag__.callee(g))(x)
    compact   f(x)         ->  ag__.callee(f)(x)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from millrace._src.autograph.transform.added_nodes import PythonExpression, Unpacked
from millrace._src.autograph.transform.naming import Namer
from millrace._src.autograph.transform.syntax_templates import copy_tree, expression, locate
from millrace._src.autograph.transform.unpacking import is_unpacking, parts_of
from millrace._src.autograph.transform.variable_scopes import names_of

_MAX_INLINE_LENGTH = 6
"""The largest number of operands that `and` and `or` have in the inline form, whose size is quadratic."""
_PYTHON_TESTS = ("isinstance", "issubclass", "callable", "hasattr")
_LOOKED_UP = "ag__.call[held] if (held := function).__class__ in ag__.looked_up else ag__.callee(held)"
_BOUND = "ag__.Method(ag__.call[held.__func__], held.__self__) if kind is ag__.Method else ag__.callee(held)"
_IS_BUILTIN = "(kind := (held := function).__class__) is ag__.BuiltinMethod"
_HELD = _LOOKED_UP.replace("(held := function)", "held")
# how a function to call is found, without and with a variable that says whether a graph is being built
_CALL = (_LOOKED_UP, f"held if (held := function) is None or graph is None else {_HELD}")
_METHOD_CALL = (f"held if {_IS_BUILTIN} else {_BOUND}", f"held if {_IS_BUILTIN} or graph is None else {_BOUND}")
_SCOPED = ("super",)
"""The functions that look at the frame they are called from when they get no arguments."""


def is_python_test(node: ast.expr) -> bool:
    """Returns whether a condition is known to give a Python value: `x is None`, `isinstance(x, int)`, a constant."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops) and len(node.ops) == 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_python_test(node.operand)
    if isinstance(node, ast.BoolOp):
        return all(is_python_test(value) for value in node.values)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _PYTHON_TESTS
    if isinstance(node, PythonExpression):
        return node.is_python
    return isinstance(node, ast.Name) and node.id == "__debug__"


class Expressions(ast.NodeTransformer):
    """Rewrites expressions.

    Args:
      namer: Gives names to temporary variables.
      convert_function: Rewrites a nested lambda.
      inline: Whether the inline form is written; the compact form otherwise.
      graph: The variable that says whether a graph is being built; empty if there is none. Outside of graphs, no called
        function needs conversion.
      super_arguments: The arguments for `super()` where its frame is not the method's.
    """

    def __init__(
        self,
        namer: Namer,
        convert_function: Callable[[Any], Any],
        inline: bool,
        super_arguments: tuple[str, str] | None = None,
        graph: str = "",
    ) -> None:
        self.graph = graph
        self.namer = namer
        self.convert_function = convert_function
        self.inline = inline
        self.super_arguments = super_arguments

    def convert(self, node: object) -> Any:
        """Returns a rewritten copy of an expression (or None for None)."""
        return None if node is None else self.visit(copy_tree(node))

    def _at(self, new: ast.expr, node: ast.expr) -> ast.expr:
        return locate([new], node)[0]

    def _compact(self, node: ast.expr) -> ast.expr:
        other = Expressions(self.namer, self.convert_function, False, self.super_arguments)
        return other.visit(copy_tree(node))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Rewrites `x` to `ag__.ld(x)` where `dataflow` found that `x` may have no value."""
        if getattr(node, "is_doubtful", False) and isinstance(node.ctx, ast.Load):
            return self._at(expression("ag__.ld(name)", name=node.id), node)
        return node

    # --- logic -----------------------------------------------------------------------------------------------------

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Rewrites `a and b`, `a or b`: the second operand is evaluated only if the first does not decide."""
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        if not self.inline or len(node.values) > _MAX_INLINE_LENGTH:
            *first, result = [self._compact(value) for value in node.values]
            for value in reversed(first):
                result = expression("ag__.op(lambda: a, lambda: b)", a=value, b=result)
                result.func.attr = name  # type: ignore[attr-defined]  # a call of an attribute
                result = self._at(result, node)
            return result
        return self._inline_bool_op(node, node.values, name)

    def _inline_bool_op(self, node: ast.BoolOp, values: list[ast.expr], name: str) -> ast.expr:
        if len(values) == 1:
            return self.visit(values[0])
        first, rest = values[0], values[1:]
        is_python = is_python_test(first)
        staged_rest = None if is_python else self._compact(ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0])
        value, others = self.visit(first), self._inline_bool_op(node, rest, name)
        plain = ast.BoolOp(node.op, [value, others])
        if is_python:
            return self._at(plain, node)
        variable = self.namer.new("ag_v")
        plain.values[0] = ast.Name(variable, ast.Load())
        operator = ast.Attribute(ast.Name("ag__", ast.Load()), f"{name}value", ast.Load())
        new = expression(
            "op(held, lambda: rest) if test else joined",
            op=operator,
            held=variable,
            rest=staged_rest,
            test=build_held_test(variable, value),
            joined=plain,
        )
        return self._at(new, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Rewrites `not a`."""
        if not isinstance(node.op, ast.Not) or is_python_test(node.operand):
            return self.generic_visit(node)  # type: ignore[return-value]  # the node itself
        value = self.visit(node.operand)
        if not self.inline:
            return self._at(expression("ag__.not_(value)", value=value), node)
        variable = self.namer.new("ag_v")
        new = expression("ag__.not_(held) if test else not held", held=variable, test=build_held_test(variable, value))
        return self._at(new, node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Rewrites `a if c else b`."""
        if is_python_test(node.test):
            return self.generic_visit(node)  # type: ignore[return-value]  # the node itself
        text = ast.Constant(ast.unparse(node.test))
        body, orelse = self._compact(node.body), self._compact(node.orelse)
        if not self.inline:
            test = self.visit(node.test)
            new = expression("ag__.if_exp(test, lambda: a, lambda: b, text)", test=test, a=body, b=orelse, text=text)
            return self._at(new, node)
        variable = self.namer.new("ag_v")
        new = expression(
            "ag__.if_exp(held, lambda: a, lambda: b, text) if test else (c if held else d)",
            held=variable,
            a=body,
            b=orelse,
            text=text,
            test=build_held_test(variable, self.visit(node.test)),
            c=self.visit(node.body),
            d=self.visit(node.orelse),
        )
        return self._at(new, node)

    # --- comparisons -----------------------------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Rewrites `a < b < c` to `a < b and b < c` with `b` evaluated once, and `a in b`, which may search a
        tensor.
        """
        if len(node.ops) > 1:
            return self._chain(node)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self._membership(node)
        return self.generic_visit(node)  # type: ignore[return-value]  # the node itself

    def _chain(self, node: ast.Compare) -> ast.expr:
        """Rewrites a chain: inline `a < (m := b) and m < c`; compact `(lambda l, m: l < m and m < c)(a, b)`."""
        variable = self.namer.new("ag_c")
        if self.inline:
            return self.visit(locate([chain_comparison(node, variable)], node)[0])
        middle = ast.Name(variable, ast.Load())
        left = self.namer.new("ag_c")
        first = ast.Compare(ast.Name(left, ast.Load()), node.ops[:1], [middle])
        links = ast.BoolOp(ast.And(), [first, ast.Compare(copy_tree(middle), node.ops[1:], node.comparators[1:])])
        (links,) = locate([links], node)
        function = ast.Lambda(_arguments([left, variable]), self.visit(links))
        operands = [self.visit(operand) for operand in (node.left, node.comparators[0])]
        return self._at(ast.Call(function, operands, []), node)

    def _membership(self, node: ast.Compare) -> ast.expr:
        item, container = self.visit(node.left), self.visit(node.comparators[0])
        operator = "ag__.in_" if isinstance(node.ops[0], ast.In) else "ag__.not_in"
        if not self.inline:
            return self._at(expression(f"{operator}(item, container)", item=item, container=container), node)
        a, b = self.namer.new("ag_v"), self.namer.new("ag_v")
        plain = ast.Compare(ast.Name(a, ast.Load()), node.ops, [ast.Name(b, ast.Load())])
        new = expression(
            "plain if ((a := item).__class__ in ag__.plain) & ((b := container).__class__ in ag__.plain) "
            f"else {operator}(a, b)",
            a=a,
            b=b,
            item=item,
            container=container,
            plain=plain,
        )
        return self._at(new, node)

    # --- calls -----------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Rewrites `f(x)`: a function is converted when it is called; a method of a builtin object is called
        directly.
        """
        if isinstance(node.func, ast.Name) and node.func.id in _SCOPED and not node.args:
            if self.super_arguments is None:
                return node
            node.args = locate([ast.Name(name, ast.Load()) for name in self.super_arguments], node)
            return node
        is_method = isinstance(node.func, ast.Attribute) and not _is_of_builtins(node.func)
        function = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        if not self.inline:
            new = expression("ag__.callee(function)", function=function)
        else:
            forms = _METHOD_CALL if is_method else _CALL
            names = {"held": self.namer.new("ag_m"), "kind": self.namer.new("ag_k"), "graph": self.graph}
            new = expression(forms[bool(self.graph)], function=function, **names)
        node.func = self._at(new, node.func)
        return node

    # --- added by earlier converters -------------------------------------------------------------------------------

    def visit_PythonExpression(self, node: PythonExpression) -> ast.expr:
        """Replaces the node by its expression; checks the variables from outside, which may have no value."""
        own = names_of(node.value).written
        for name in ast.walk(node.value):
            if isinstance(name, ast.Name) and name.id in own:
                vars(name).pop("is_doubtful", None)
        return _NameRewriter(self.visit_Name).visit(node.value)

    def visit_Unpacked(self, node: Unpacked) -> ast.expr:
        """Rewrites an unpacked `t` to `ag__.unpacked(t, count)`; the inline form calls it only if the class of `t` may
        be staged.
        """
        value, count = self.visit(node.value), ast.Constant(node.count)
        if not self.inline:
            return self._at(expression("ag__.unpacked(value, count)", value=value, count=count), node)
        variable = self.namer.new("ag_v")
        source = "held if (held := value).__class__ in ag__.plain else ag__.unpacked(held, count)"
        return self._at(expression(source, held=variable, value=value, count=count), node)

    # --- scopes ----------------------------------------------------------------------------------------------------

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """Rewrites a lambda as a function of its own."""
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.args.kw_defaults = [None if d is None else self.visit(d) for d in node.args.kw_defaults]
        new: ast.expr = self.convert_function(node)
        return new

    def _comprehension(self, node: Any) -> Any:
        """Rewrites `[f(x) for x in t]` to `[f(x) for x in ag__.iterable(t)]`; no temporary variables fit inside."""
        was_inline, self.inline = self.inline, False
        for generator in node.generators:
            if not generator.is_async:
                rows = is_unpacking(generator.target)
                source = "ag__.iterable_of_rows(it, parts)" if rows else "ag__.iterable(it)"
                parts = parts_of(generator.target) if rows else None
                iterable = expression(source, it=self.visit(generator.iter), parts=parts)
                generator.iter = self._at(iterable, generator.iter)
            generator.ifs = [
                self._at(expression("ag__.filters(test)", test=self.visit(test)), test) for test in generator.ifs
            ]
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                setattr(node, part, self.visit(getattr(node, part)))
        self.inline = was_inline
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


class _NameRewriter(ast.NodeTransformer):
    """Rewrites the names of an expression, nothing else."""

    def __init__(self, rewrite: Callable[[ast.Name], ast.expr]) -> None:
        self._rewrite = rewrite

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._rewrite(node)


def _is_of_builtins(function: ast.Attribute) -> bool:
    """Returns whether a function comes from the module `builtins`: a builtin function, not an object's method."""
    return isinstance(function.value, ast.Name) and function.value.id == "builtins"


def build_held_test(held: str, value: ast.expr) -> ast.expr:
    """Builds the test whether the graph may run what depends on a value; the test also keeps the value in
    `held`.
    """
    source = "(held := value).__class__ not in ag__.plain and ag__.staged[held.__class__]"
    return expression(source, held=held, value=value)


def chain_comparison(node: ast.Compare, middle: str) -> ast.BoolOp:
    """Rewrites `a < b < c` to `a < (m := b) and m < c`."""
    assignment = ast.NamedExpr(ast.Name(middle, ast.Store()), node.comparators[0])
    first = ast.Compare(node.left, node.ops[:1], [assignment])
    others = ast.Compare(ast.Name(middle, ast.Load()), node.ops[1:], node.comparators[1:])
    return ast.BoolOp(ast.And(), [first, others])


def _arguments(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


__all__ = ["Expressions", "build_held_test", "is_python_test"]
