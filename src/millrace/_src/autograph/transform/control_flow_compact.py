"""Converts `if`, `for` and `while` to the compact form: blocks become functions, which run in Python or in the graph.

    if c:                   def get_state():
        x = a                   return (x,)
    else:            ->     def set_state(values):
        x = b                   nonlocal x
                                (x,) = values
                            def if_body():
                                nonlocal x
                                x = a
                            def else_body():
                                nonlocal x
                                x = b
                            ag__.if_stmt(c, if_body, else_body, get_state, set_state, ('x',), ('x',), ('x',))

The state of a block is the variables that the block assigns and that may be read afterwards; assigned attributes and
items (`self.x`, `a[0]`) count as variables. A variable without a value holds `ag__.Undefined`. Such a variable is read
through `ag__.ld`, which raises an error.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from millrace._src.autograph.transform.assigning_operands import AssigningOperands
from millrace._src.autograph.transform.break_continue_return import ExitLowering, Flags, copy_fields
from millrace._src.autograph.transform.dataflow import DefiniteAssignment, Liveness
from millrace._src.autograph.transform.function_code import FunctionCode, VariableNamer
from millrace._src.autograph.transform.item_targets import (
    find_stored_variable,
    key_expression,
    unpack_items,
    without_annotation,
)
from millrace._src.autograph.transform.syntax_templates import (
    copy_tree,
    expression,
    header,
    locate,
    template,
    tuple_of,
    with_context,
)
from millrace._src.autograph.transform.variable_scopes import (
    RESIZING,
    Names,
    composite_names,
    composite_text,
    function_scope,
    names_of,
    note_changes_in_place,
    note_rebinding_calls,
)

_OPTIONS = "set_loop_options"


class Compact:
    """Rewrites statements that run from somewhere in a function to its end.

    Args:
      function: The function.
      free: The function's variables that are cells of an enclosing scope here, not locals.
    """

    def __init__(self, function: FunctionCode, free: Sequence[str] = ()) -> None:
        self.function = function
        self.free = frozenset(free)
        self.expressions = function.expressions(inline=False, own_frame=False)
        self.flags = Flags("do_return", "retval_")
        self.liveness: Any = None
        """The variables that may be read after each statement, or by a nested function at any time."""
        self.flow: Any = None
        """The variables that may be read after each statement, reads by nested functions not counted."""
        self.once: Any = None
        """As `flow`, if no loop around runs the statements again."""

    def body(
        self, statements: Sequence[ast.stmt], assigned: frozenset[str], parameters: frozenset[str], in_region: bool
    ) -> list[ast.stmt]:
        """Rewrites the statements, ending with the `return` of the function's value.

        Args:
          statements: Statements of the user's function, and `ResumedLoop`s.
          assigned: The variables that are definitely assigned at the start.
          parameters: The variables that are passed in, if only as `ag__.Undefined`.
          in_region: Whether the statements are the body of a `with` or `try`, which returns nothing.
        """
        function = self.function
        self.flags = Flags(function.new_variable("do_return"), function.new_variable("retval_"))
        namer: Any = VariableNamer(function)
        with_stores = _ItemStores(function).block(copy_tree(list(statements)))
        note_rebinding_calls(with_stores, function.scope.rebinding)
        note_changes_in_place(with_stores, function.scope.locals | function.scope.nonlocals)
        with_stores = AssigningOperands(function).block(with_stores)
        without_jumps = AssigningOperands(function).block(ExitLowering(namer).block(with_stores, self.flags))
        without_jumps = [copy_tree(statement) for statement in without_jumps]  # a statement may occur twice
        ends = frozenset({self.flags.returned, self.flags.result})
        self._find_live(without_jumps, ends, with_stores, in_region)
        start = template("a = False\nb = ag__.Undefined('retval_')", a=self.flags.returned, b=self.flags.result)
        assigned_or_ends = assigned | ends
        results = {name for name in function.added if name.startswith("retval_")}  # set wherever the flag is set
        DefiniteAssignment(without_jumps, assigned_or_ends, frozenset(function.variables - results))
        new_statements = self.block(without_jumps)
        placeholders = self._mark_undefined(without_jumps, assigned, parameters)
        if in_region:
            return [*placeholders, *new_statements]
        finish = template(
            "return ag__.ret(a, b)",
            a=ast.Name(self.flags.returned, ast.Load()),
            b=ast.Name(self.flags.result, ast.Load()),
        )
        return [*placeholders, *start, *new_statements, *finish]

    def _find_live(
        self, lowered: list[ast.stmt], ends: frozenset[str], statements: list[ast.stmt], in_region: bool
    ) -> None:
        """Finds the variables that are read after each statement, here or by code that shares the variables."""
        scope = self.function.scope
        elsewhere = {name for name, *_ in scope.locations - names_of(statements).locations}
        shared = frozenset(self.function.variables & self.free & (elsewhere | self.function.added))
        always = frozenset(scope.nonlocals | scope.globals)
        self.once = self.flow = Liveness(lowered, ends | shared | always, always)
        if in_region:  # a region may stand in a loop
            repeated = Liveness(lowered, ends | shared, frozenset()).at_start
            shared |= repeated & self.free & self.function.variables
            self.flow = Liveness(lowered, ends | shared | always, always)
        self.liveness = Liveness(lowered, ends | shared | always | scope.captured, always | scope.captured | shared)

    def _read_after(self, node: ast.stmt, written: Names, flow: Any = None) -> set[str]:
        """Returns what may be read after a statement, without variables that only its own functions capture."""
        flows: frozenset[str] = (flow or self.flow).after[id(node)]
        elsewhere = {name for name, *_ in self.function.scope.locations - written.locations}
        return set(flows | (self.liveness.after[id(node)] & elsewhere))

    def _mark_undefined(
        self, statements: Sequence[ast.stmt], assigned: frozenset[str], parameters: frozenset[str]
    ) -> list[ast.stmt]:
        """Builds `x = ag__.Undefined('x')` for variables that have no value yet; a cell may have a value already."""
        names = names_of(statements)
        written = names.written & self.function.variables - assigned - {self.flags.returned, self.flags.result}
        new_statements: list[ast.stmt] = []
        for name in sorted(written - self.free - parameters):
            new_statements += template("name = ag__.Undefined(text)", name=name, text=ast.Constant(name))
        for name in sorted((written | names.used) & self.free & (self.function.variables - assigned)):
            new_statements += template(
                """
                try:
                    name
                except NameError:
                    name = ag__.Undefined(text)
                """,
                name=name,
                text=ast.Constant(name),
            )
        return new_statements

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrites the statements of a block."""
        new_statements: list[ast.stmt] = []
        for statement in statements:
            convert = getattr(self, f"_{type(statement).__name__.lower()}", self._plain)
            new_statements += locate(convert(statement), header(statement))
        return new_statements

    # --- state -----------------------------------------------------------------------------------------------------

    def _accessors(self, names: Sequence[str], composites: dict[str, ast.expr]) -> tuple[str, str, list[ast.stmt]]:
        """Builds the functions that read and set a block's state; returns their names and their definitions."""
        get_state, set_state = self.function.namer.new("get_state"), self.function.namer.new("set_state")
        reads: list[str | ast.expr] = [*names]
        for text, node in composites.items():
            read = _composite_read(node)
            reads.append(expression("ag__.ldu(lambda: read, text)", read=read, text=ast.Constant(text)))
        get = template("def get_state():\n    return values", get_state=get_state, values=tuple_of(reads))
        values_name = self.function.namer.new("ag_values")
        set_ = template("def set_state(ag_values):\n    pass", set_state=set_state, ag_values=values_name)
        body: list[ast.stmt] = []
        if names:
            targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
            values = ast.Name(values_name, ast.Load())
            if composites:
                count = ast.Constant(len(names))
                values = expression("ag_values[:n]", ag_values=values_name, n=count)  # type: ignore[assignment]  # an expression
            body.append(ast.Assign([ast.Tuple(targets, ast.Store())], values))
        for index, node in enumerate(composites.values(), start=len(names)):
            body += template(
                """
                if ag__.is_defined(ag_values[index]):
                    node = ag_values[index]
                else:
                    try:
                        del node
                    except (AttributeError, LookupError, TypeError, NameError):
                        pass
                """,
                ag_values=values_name,
                index=ast.Constant(index),
                node=node,
            )
        if body:
            set_[0].body = [*self._declare(names), *body]  # type: ignore[attr-defined]  # the function definition
        return get_state, set_state, [*get, *set_]

    def _declare(self, names: Sequence[str]) -> list[ast.stmt]:
        targets = [ast.Name(name, ast.Store()) for name in names]
        return self.function.outer_declarations(targets)

    def _function(self, root: str, body: list[ast.stmt], parameters: Sequence[str] = ()) -> tuple[str, list[ast.stmt]]:
        """Builds a function that takes over a block; returns its name and its definition."""
        name = self.function.namer.new(root)
        new: Any = template("def name():\n    pass", name=name)
        new[0].args.args = [ast.arg(parameter) for parameter in parameters]
        declarations = self.function.outer_declarations(body)
        new[0].body = [*declarations, *(body or [ast.Pass()])]
        new[0].scope = function_scope(new[0])
        return name, new

    def _composites(self, names: Names) -> dict[str, ast.expr]:
        """Returns the attributes and items that a block assigns, unless the block makes the object itself."""
        own = names.written - names.items
        return {text: n for text, n in sorted(names.composite.items()) if not own.intersection(composite_names(n))}

    # --- statements ------------------------------------------------------------------------------------------------

    def _plain(self, node: object) -> list[ast.stmt]:
        return [self.expressions.convert(node)]

    def _augassign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Rewrites `x += 1`, which reads `x`; the variable may have no value."""
        first: list[ast.stmt] = []
        if getattr(node.target, "is_doubtful", False):
            first = template("name = ag__.ld(name)", name=node.target)
        return [*first, *self._plain(node)]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        written = names_of([*node.body, *node.orelse])
        live = self._read_after(node, written)
        outputs = sorted(written.written & live & self._own())
        composites = self._composites(written)
        restored = sorted(written.written & self._own() - set(outputs))
        get_state, set_state, accessors = self._accessors([*outputs, *restored], composites)
        body, body_def = self._function("if_body", self.block(node.body))
        orelse, orelse_def = self._function("else_body", self.block(node.orelse))
        call = template(
            "ag__.if_stmt(test, body, orelse, get_state, set_state, names, outputs, certain)",
            test=self.expressions.convert(node.test),
            body=body,
            orelse=orelse,
            get_state=get_state,
            set_state=set_state,
            names=_texts([*outputs, *restored, *composites]),
            outputs=_texts([*outputs, *composites]),
            certain=_texts([name for name in outputs if self._is_certain(name)]),
        )
        passed = self._arguments_of_calls([*node.body, *node.orelse], {*outputs, *restored})
        if passed is not None:
            call[0].value.args.append(passed)  # type: ignore[attr-defined]  # the call above
        return [*accessors, *body_def, *orelse_def, *call]

    def _arguments_of_calls(self, statements: Sequence[ast.stmt], known: set[str]) -> ast.expr | None:
        """Builds `lambda: ag__.local_variables(('x', lambda: x))` for variables that calls get, except `known` ones."""
        scope = self.function.scope
        names: set[str] = set()
        for node in (node for statement in statements for node in ast.walk(statement)):
            if isinstance(node, ast.Call):
                values = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
                names |= {value.id for value in values if isinstance(value, ast.Name)}
        if names & self.function.nested_functions:  # a nested function may change what it captured
            names |= scope.captured
        passed_names = sorted(names & scope.locals - known)
        if not passed_names:
            return None
        call: Any = expression("ag__.local_variables()")
        call.args = [expression("(text, lambda: name)", text=ast.Constant(name), name=name) for name in passed_names]
        return expression("lambda: call", call=call)

    def _is_certain(self, name: str) -> bool:
        """Returns whether a variable has a value wherever it is read; a branch may then leave it without a value."""
        if name.startswith("retval_"):
            return self.function.returns_on_every_path
        return name in self.function.definitely_assigned or name in self.function.added

    def _own(self) -> set[str]:
        return self.function.variables | self.function.scope.globals | self.function.scope.nonlocals

    def _loop_state(self, node: Any, head: frozenset[str]) -> tuple[list[str], dict[str, ast.expr]]:
        names = names_of([*([node.target] if isinstance(node, ast.For) else []), *node.body])
        written = self._loop_writes(node)
        state = written & head
        moving = self._with_moving_items(node.body)
        fixed = {t: n for t, n in self._composites(names).items() if not moving.intersection(composite_names(n))}
        return [*sorted(state), *sorted(written - state)], fixed

    def _note_temporaries(self, options: Any, names: list[str]) -> None:
        """Declares to a loop the variables that no code reads later: the graph leaves no tensors in them."""
        if names:
            options.keywords.append(ast.keyword("ag_temporary", _texts(names)))

    def _loop_writes(self, node: Any) -> set[str]:
        """Returns the variables that a loop assigns."""
        control = names_of(node.test if isinstance(node, ast.While) else node.target)
        return (names_of(node.body).written | control.written) & self._own()

    def _with_moving_items(self, statements: Sequence[ast.stmt]) -> set[str]:
        """Returns the variables that change as a whole: by methods, or by items at keys that the block itself finds."""
        fixed = self._composites(names_of(statements))
        stores = [node for statement in statements for node in ast.walk(statement) if hasattr(node, "item")]
        moving = [store for store in stores if composite_text(store.item) not in fixed]
        whole = {store.targets[0].id for store in moving}  # type: ignore[attr-defined]  # assignments to names
        return whole.union(*(getattr(node, "rebinds", ()) for part in statements for node in ast.walk(part)))

    def _while(self, node: ast.While) -> list[ast.stmt]:
        """Rewrites a `while`; its test runs in every iteration, and `first_test` holds a value evaluated before."""
        options, statements = self._options(node)
        head = self.liveness.after[id(node)] | names_of(node.test).used | self._entering(node.body)
        names, composites = self._loop_state(node, head)
        self._note_temporaries(options, [name for name in names if name not in head])
        get_state, set_state, accessors = self._accessors(names, composites)
        body, body_def = self._function("loop_body", self.block(statements))
        test = self.function.namer.new("loop_test")
        test_def = template("def test():\n    return value", test=test, value=self.expressions.convert(node.test))
        call = template(
            "ag__.while_stmt(test, body, get_state, set_state, names, options)",
            test=test,
            body=body,
            get_state=get_state,
            set_state=set_state,
            names=_texts([*names, *composites]),
            options=options,
        )
        first = getattr(node, "first_test", None)
        if first is not None:
            call[0].value.args.append(ast.Name(first, ast.Load()))  # type: ignore[attr-defined]  # the call above
        return [*accessors, *body_def, *locate(test_def, node.test), *call]

    def _for(self, node: ast.For) -> list[ast.stmt]:
        options, statements = self._options(node)
        extra = getattr(node, "extra_test", None)
        head = self.liveness.after[id(node)] | names_of(extra).used
        head |= self._entering(node.body) - names_of(node.target).written
        names, composites = self._loop_state(node, head)
        self._note_temporaries(options, [name for name in names if name not in head])
        get_state, set_state, accessors = self._accessors(names, composites)
        item = self.function.namer.new("itr")
        assign = locate([ast.Assign([copy_tree(node.target)], ast.Name(item, ast.Load()))], node.target)
        body, body_def = self._function("loop_body", [*self.block(assign), *self.block(statements)], [item])
        test_def: list[ast.stmt] = []
        test: Any = ast.Constant(None)
        if extra is not None:
            name = self.function.namer.new("extra_test")
            test_def = template("def name():\n    return value", name=name, value=self.expressions.convert(extra))
            test = ast.Name(name, ast.Load())
        call = template(
            "ag__.for_stmt(iterable, test, body, get_state, set_state, names, options)",
            iterable=self.expressions.convert(node.iter),
            test=test,
            body=body,
            get_state=get_state,
            set_state=set_state,
            names=_texts([*names, *composites]),
            options=options,
        )
        return [*accessors, *body_def, *test_def, *call]

    def _entering(self, statements: Sequence[ast.stmt]) -> frozenset[str]:
        entering: frozenset[str] = self.liveness.entering[id(statements[0])]
        return entering

    def _options(self, node: Any) -> tuple[ast.expr, list[ast.stmt]]:
        """Splits a loop's body into what a first statement `set_loop_options(...)` gives, and the other statements."""
        options: Any = expression("ag__.loop_options()")
        statements = list(node.body)
        if statements and _is_options_call(statements[0]):
            call: Any = statements.pop(0).value
            for keyword in call.keywords:
                value = self.expressions.convert(keyword.value)
                if keyword.arg == "shape_invariants":
                    value = _with_symbol_names(keyword.value, value)
                options.keywords.append(ast.keyword(keyword.arg, value))
        statements = [_refuse_late_options(s) if _is_options_call(s) else s for s in statements]
        written = names_of(node)
        certain = sorted(name for name in written.written if self._is_certain(name))
        if certain:
            options.keywords.append(ast.keyword("ag_certain", _texts(certain)))
        later = self._read_after(node, written, self.once)
        needed = sorted((written.written & later & self._own()) - set(certain))
        if needed:
            options.keywords.append(ast.keyword("ag_needed", _texts(needed)))
        passed = self._arguments_of_calls(statements, written.written)
        if passed is not None:
            options.keywords.append(ast.keyword("ag_passed", passed))
        if getattr(node, "is_resumed", False):
            options.keywords.append(ast.keyword("ag_resumed", ast.Constant(True)))
        items = names_of(statements).items - self._with_moving_items(statements)
        for key, names in (("ag_resized", _find_resized_lists(statements)), ("ag_items", items)):
            if names & self.function.variables:
                options.keywords.append(ast.keyword(key, _texts(sorted(names & self.function.variables))))
        return options, statements

    def _with(self, node: ast.With) -> list[ast.stmt]:
        items = [self.expressions.convert(item) for item in node.items]
        return [copy_fields(node, items=items, body=self.block(node.body))]

    def _try(self, node: Any) -> list[ast.stmt]:
        handlers = [
            copy_fields(h, type=self.expressions.convert(h.type), body=self.block(h.body)) for h in node.handlers
        ]
        blocks = {name: self.block(getattr(node, name)) for name in ("body", "orelse", "finalbody")}
        return [copy_fields(node, handlers=handlers, **blocks)]

    _trystar = _try

    def _assert(self, node: ast.Assert) -> list[ast.stmt]:
        """Rewrites `assert c, m` to `assert ag__.assert_stmt(c, lambda: m), m`.

        The statement stays, since Python's own `assert` fails at the user's line.
        """
        message = self.expressions.convert(node.msg)
        text = copy_tree(message) if message is not None else ast.Constant("Assertion error")
        test = expression("ag__.assert_stmt(test, lambda: shown)", test=self.expressions.convert(node.test), shown=text)
        return [copy_fields(node, test=locate([test], node.test)[0], msg=message)]

    def _delete(self, node: ast.Delete) -> list[ast.stmt]:
        """Rewrites `del x` to `x = ag__.Undefined('x')`."""
        new_statements: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                read = expression("ag__.ld(name)", name=target.id)
                new_statements += [
                    ast.Expr(read),
                    *template("name = ag__.Undefined(text)", name=target.id, text=ast.Constant(target.id)),
                ]
            else:
                new_statements.append(ast.Delete([self.expressions.convert(target)]))
        return new_statements

    def _functiondef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        return self.function.convert_definition(node, self.expressions)

    def _classdef(self, node: ast.ClassDef) -> list[ast.stmt]:
        return [node]

    _asyncfunctiondef = _classdef


def _texts(names: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def _composite_read(node: ast.expr) -> ast.expr:
    """Rewrites `x[i]` to `ag__.container(x)[ag__.ld(i)]`: no value if a part has none, or if `x` is a tensor.

    A variable that holds a tensor is state as a whole; the tensor's items are not.
    """
    if isinstance(node, ast.Name):
        return expression("ag__.ld(name)", name=node.id)
    if isinstance(node, ast.Attribute):
        return ast.Attribute(_composite_read(node.value), node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        base = expression("ag__.container(base)", base=_composite_read(node.value))
        key = _composite_read(node.slice) if isinstance(node.slice, ast.Name) else copy_tree(node.slice)
        return ast.Subscript(base, key, ast.Load())
    return with_context(node, ast.Load())


def _refuse_late_options(late: ast.stmt) -> ast.stmt:
    """Replaces a call of `set_loop_options` that is not first in its loop by `raise ValueError(...)`."""
    text = ast.Constant('"set_loop_options" must be the first statement in the loop block')
    return locate(template("raise ValueError(text)", text=text), late)[0]


def _is_options_call(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    function = node.value.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == _OPTIONS


def _with_symbol_names(node: ast.expr, converted: ast.expr) -> ast.expr:
    """Rewrites `[(x, shape), ...]` to `[('x', shape), ...]`: an invariant belongs to the variable, not to its value."""
    if not isinstance(node, (ast.List, ast.Tuple)) or not isinstance(converted, (ast.List, ast.Tuple)):
        return converted
    new = copy_tree(converted)
    for pair, original in zip(new.elts, node.elts):
        if isinstance(pair, (ast.Tuple, ast.List)) and isinstance(original, (ast.Tuple, ast.List)) and pair.elts:
            pair.elts[0] = locate([ast.Constant(ast.unparse(original.elts[0]))], original)[0]
    return new


def _find_resized_lists(statements: Sequence[ast.stmt]) -> set[str]:
    """Returns the variables that may be lists whose length changes: by `x.append(v)`, `x += v`, `del x[i]`."""
    names: set[str] = set()
    for node in (node for statement in statements for node in ast.walk(statement)):
        target: Any = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RESIZING:
            target = node.func.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            target = node.target
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del):
            target = node.value
        if isinstance(target, ast.Name):
            names.add(target.id)
    return names


class _ItemStores(ast.NodeTransformer):
    """Rewrites `x[i] = v` of a variable to `x = ag__.set_item(x, i, v)`; `x[i] += v` likewise."""

    def __init__(self, function: FunctionCode) -> None:
        self.function = function

    def block(self, statements: list[Any]) -> list[ast.stmt]:
        """Rewrites the item assignments among statements."""
        new_statements: list[ast.stmt] = []
        for statement in statements:
            new = self.visit(statement)
            new_statements += new if isinstance(new, list) else [new]
        return new_statements

    def visit_FunctionDef(self, node: object) -> Any:
        """Returns a nested function unchanged: it has variables of its own."""
        return node

    visit_Lambda = visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Assign(self, node: ast.Assign) -> Any:
        unpacked = unpack_items(node, self.function)
        if unpacked is not None:
            return self.block(unpacked)
        name = find_stored_variable(node, self.function)
        return node if name is None else self._store(name, node.targets[0], node.value, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Removes the annotation: blocks become functions, and a variable of a function around takes no annotation."""
        new = without_annotation(node, lambda assign: self.block([assign]))
        return new or locate([ast.Pass()], node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Rewrites `x[i] += v` to `t = x[i]; t += v; x = ag__.set_item(x, i, t)`."""
        name = find_stored_variable(node, self.function)
        if name is None:
            return node
        target: Any = node.target
        variable = self.function.new_variable("ag_item")
        old = ast.Subscript(ast.Name(name, ast.Load()), copy_tree(target.slice), ast.Load())
        start: list[ast.stmt] = [
            ast.Assign([ast.Name(variable, ast.Store())], old),
            ast.AugAssign(ast.Name(variable, ast.Store()), node.op, node.value),
        ]
        return [*locate(start, node), self._store(name, target, ast.Name(variable, ast.Load()), node)]

    def _store(self, name: str, target: Any, value: ast.expr, at: ast.stmt) -> ast.stmt:
        (new,) = template(
            "name = ag__.set_item(name, key, value)", name=name, key=key_expression(target.slice), value=value
        )
        new.item = target  # type: ignore[attr-defined]  # a mark for `names_of`: the statement assigns an item
        return locate([new], at)[0]


__all__ = ["Compact"]
