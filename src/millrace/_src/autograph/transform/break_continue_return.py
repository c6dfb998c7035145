"""`return`, `break` and `continue` become flags and conditions.

Graph control flow has no jumps. A statement that leaves its block sets a flag instead, and the statements after it run
only if the flag is not set. A loop tests the flag before every iteration.

    while c:                            break_ = False
        if p:                           while not break_ and c:
            break               ->          if p:
        x += 1                                  break_ = True
                                            else:
                                                x += 1

Where one branch of an `if` always leaves, the rest of the block moves into the other. So most functions need no flag
at all, since every path ends by setting the value to return.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from millrace._src.autograph.transform.naming import Namer
from millrace._src.autograph.transform.syntax_templates import copy_tree, locate, template
from millrace._src.autograph.transform.variable_scopes import names_of

_LOOPS = (ast.While, ast.For)
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
Exits = frozenset[str]
_NO_EXITS: Exits = frozenset()


class ResumedLoop(ast.stmt):
    """A loop in the middle of an iteration: the statements that complete the iteration, then the other iterations.

    Attributes:
      loop: The `while` or `for`; a `for` iterates over what is left of its iterable.
      partial: The rest of the current iteration.
    """

    _fields = ("loop", "partial")

    def __init__(self, loop: ast.stmt, partial: list[ast.stmt]) -> None:
        super().__init__()
        self.loop = loop
        self.partial = partial


def exits_of(statements: Sequence[ast.stmt]) -> Exits:
    """Returns the kinds of jump ("return", "break", "continue") by which control may leave statements."""
    exits: set[str] = set()
    for statement in statements:
        exits |= _exits(statement)
    return frozenset(exits)


def _exits(statement: object) -> Exits:
    if isinstance(statement, ast.Return):
        return frozenset({"return"})
    if isinstance(statement, ast.Break):
        return frozenset({"break"})
    if isinstance(statement, ast.Continue):
        return frozenset({"continue"})
    if isinstance(statement, ResumedLoop):
        inner = exits_of(statement.partial) | exits_of(statement.loop.body)  # type: ignore[attr-defined]  # a loop
        return inner & {"return"} | exits_of(statement.loop.orelse)  # type: ignore[attr-defined]  # a loop
    if isinstance(statement, _LOOPS):
        return exits_of(statement.body) & {"return"} | exits_of(statement.orelse)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return _NO_EXITS
    exits: Exits = _NO_EXITS
    for name in _BLOCKS:
        for part in getattr(statement, name, ()):
            exits |= exits_of(part.body) if isinstance(part, (ast.ExceptHandler, ast.match_case)) else _exits(part)
    return exits


def always_leaves(statements: Sequence[ast.stmt]) -> bool:
    """Returns whether control never reaches the end of statements."""
    return any(_always_leaves(statement) for statement in statements)


def _always_leaves(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
        return True
    if isinstance(statement, ast.If):
        return always_leaves(statement.body) and always_leaves(statement.orelse)
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return always_leaves(statement.body) and exits_of(statement.body) != _NO_EXITS
    if isinstance(statement, ast.Try):
        bodies = [*[h.body for h in statement.handlers], [*statement.body, *statement.orelse]]
        return always_leaves(statement.finalbody) or all(always_leaves(body) for body in bodies)
    return isinstance(statement, ast.While) and _is_true(statement.test) and "break" not in exits_of(statement.body)


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


class Flags:
    """The names of the flags that statements of a function may set.

    Attributes:
      returned: Set when the function has returned.
      result: The function's return value.
      broken: Set when the innermost loop was left by `break`.
      continued: Set when the current iteration was ended by `continue`.
    """

    def __init__(self, returned: str, result: str, broken: str = "", continued: str = "") -> None:
        self.returned = returned
        self.result = result
        self.broken = broken
        self.continued = continued

    def inside_loop(self, namer: Namer, exits: Exits) -> Flags:
        """Makes the flags of a loop whose body has `exits`."""
        return Flags(
            self.returned,
            self.result,
            namer.new("break_") if "break" in exits else "",
            namer.new("continue_") if "continue" in exits else "",
        )

    def test_unset(self, exits: Exits) -> ast.expr:
        """Builds an expression that is true if none of the flags of `exits` is set."""
        names = {"return": self.returned, "break": self.broken, "continue": self.continued}
        flags: list[ast.expr] = [ast.Name(names[kind], ast.Load()) for kind in sorted(exits)]
        any_flag = flags[0] if len(flags) == 1 else ast.BoolOp(ast.Or(), flags)
        return ast.UnaryOp(ast.Not(), any_flag)


class ExitLowering:
    """Rewrites blocks so that control leaves a block only at its end.

    Args:
      namer: Gives names to flags.
    """

    def __init__(self, namer: Namer) -> None:
        self.namer = namer

    def block(self, statements: Sequence[ast.stmt], flags: Flags) -> list[ast.stmt]:
        """Returns the statements of a block without jumps."""
        new_statements: list[ast.stmt] = []
        for index, statement in enumerate(statements):
            exits = _exits(statement)
            if not exits:
                new_statements += self._inside(statement, flags)
                continue
            rest = list(statements[index + 1 :])
            if isinstance(statement, (ast.Return, ast.Break, ast.Continue)):
                return new_statements + self._jump(statement, flags)
            if isinstance(statement, ast.If) and rest:
                moved = _move_rest_into_branch(statement, rest)
                if moved is not None:
                    return new_statements + self._inside(moved, flags)
            new_statements += self._inside(statement, flags)
            if rest and not _always_leaves(statement):
                guard = ast.If(flags.test_unset(exits), self.block(rest, flags), [])
                new_statements += locate([guard], rest[0])
            return new_statements
        return new_statements

    def _jump(self, statement: ast.stmt, flags: Flags) -> list[ast.stmt]:
        """Rewrites `return v` to `returned = True; result = v`, and `break` to `broken = True`."""
        if isinstance(statement, ast.Return):
            value = statement.value or locate([ast.Constant(None)], statement)[0]
            new = template("returned = True\nresult = value", returned=flags.returned, result=flags.result, value=value)
        else:
            name = flags.broken if isinstance(statement, ast.Break) else flags.continued
            new = template("flag = True", flag=name)
        return locate(new, statement)

    def _inside(self, statement: Any, flags: Flags) -> list[ast.stmt]:
        """Rewrites the blocks inside a statement."""
        if isinstance(statement, ResumedLoop):
            return self._resume_loop(statement, flags)
        if isinstance(statement, _LOOPS):
            return self._loop(statement, flags)
        if isinstance(statement, ast.If):
            new = copy_fields(statement, body=self.block(statement.body, flags))
            new.orelse = self.block(statement.orelse, flags)
            return [new]
        if isinstance(statement, ast.With):
            return [copy_fields(statement, body=self.block(statement.body, flags))]
        if isinstance(statement, (ast.Try, ast.TryStar)):
            return [self._try(statement, flags)]
        return [statement]

    def _try(self, statement: Any, flags: Flags) -> ast.stmt:
        """Rewrites a `try`; its `else` runs only if its body did not leave."""
        new = copy_fields(statement, body=self.block(statement.body, flags))
        new.handlers = [copy_fields(h, body=self.block(h.body, flags)) for h in statement.handlers]
        new.finalbody = self.block(statement.finalbody, flags)
        new.orelse = self.block(statement.orelse, flags)
        exits = exits_of(statement.body)
        if new.orelse and exits:
            new.orelse = locate([ast.If(flags.test_unset(exits), new.orelse, [])], statement.orelse[0])
        return new

    def _loop(self, loop: Any, flags: Flags) -> list[ast.stmt]:
        exits = exits_of(loop.body)
        loop_flags = flags.inside_loop(self.namer, exits)
        start = template("flag = False", flag=loop_flags.broken) if loop_flags.broken else []
        loop, again = self._without_assigning_test(loop)
        for assign in again:  # the condition's first value may have been computed already
            start += [copy_fields(assign, value=getattr(loop, "first_condition", assign.value))]
        return [*locate(start, loop), *self._iterations(loop, loop_flags, exits, flags, again)]

    def _without_assigning_test(self, loop: object) -> tuple[Any, list[Any]]:
        """Moves a test that assigns out of a `while`.

        `while (x := f()) > 0: body` -> `t = (x := f()) > 0`; `while t: body; t = (x := f()) > 0`

        Returns: The loop, and the assignment that ends each iteration.
        """
        if not isinstance(loop, ast.While) or not names_of(loop.test).written:
            return loop, []
        variable = self.namer.new("ag_w")
        again = locate([ast.Assign([ast.Name(variable, ast.Store())], loop.test)], loop.test)
        new = copy_fields(loop, test=locate([ast.Name(variable, ast.Load())], loop.test)[0])
        vars(new).pop("first_test", None)
        return new, again

    def _resume_loop(self, resumed: ResumedLoop, flags: Flags) -> list[ast.stmt]:
        loop: Any = resumed.loop
        exits = exits_of(loop.body) | exits_of(resumed.partial)
        loop_flags = flags.inside_loop(self.namer, exits)
        names = [name for name in (loop_flags.broken, loop_flags.continued) if name]
        start = [statement for name in names for statement in template("flag = False", flag=name)]
        current = self.block(resumed.partial, loop_flags)
        loop, again = self._without_assigning_test(loop)
        if again:
            start += template("held = False", held=again[0].targets[0])
            current += self._unless(loop_flags, exits & {"break", "return"}, copy_tree(again))
        rest = self._iterations(loop, loop_flags, exits, flags, again)
        rest[0].is_resumed = True  # type: ignore[attr-defined]  # a mark for the loop's options
        return [*locate(start, loop), *current, *rest]

    def _unless(self, flags: Flags, exits: Exits, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Builds statements that run if none of the flags of `exits` is set."""
        if not exits or not statements:
            return statements
        return locate([ast.If(flags.test_unset(exits), statements, [])], statements[0])

    def _iterations(self, loop: Any, own: Flags, exits: Exits, outer: Flags, again: list[ast.stmt]) -> list[ast.stmt]:
        """Returns the loop without jumps, and its `else`; the statements `again` end each iteration."""
        body = self.block(loop.body, own) + self._unless(own, exits & {"break", "return"}, copy_tree(again))
        if own.continued:
            body = locate(template("flag = False", flag=own.continued), loop) + body
        new = copy_fields(loop, body=body)
        new.orelse = []
        stops = exits & {"break", "return"}
        if stops:
            (go_on,) = locate([own.test_unset(stops)], loop)
            if isinstance(loop, ast.While):
                new.test = locate([ast.BoolOp(ast.And(), [go_on, loop.test])], loop.test)[0]
            else:  # a loop that was lowered before has such a test already
                old = getattr(loop, "extra_test", None)
                new.extra_test = go_on if old is None else locate([ast.BoolOp(ast.And(), [old, go_on])], loop)[0]
        new_statements: list[ast.stmt] = [new]
        if loop.orelse:
            new_statements += self._unless(own, stops, self.block(loop.orelse, outer))
        return new_statements


def _move_rest_into_branch(statement: ast.If, rest: list[ast.stmt]) -> ast.If | None:
    """Moves the rest of a block into the branch of an `if` that reaches it; returns None if both branches do, or
    neither.

    if p:                  if p:
        return a    ->         return a
    return b               else:
                               return b
    """
    leaves = always_leaves(statement.body), always_leaves(statement.orelse)
    if leaves == (True, False):
        return copy_fields(statement, orelse=[*statement.orelse, *rest])
    if leaves == (False, True):
        return copy_fields(statement, body=[*statement.body, *rest])
    return copy_fields(statement) if all(leaves) else None


def copy_fields(node: object, **fields: object) -> Any:
    """Copies a node with some fields replaced; the other fields are shared."""
    new = node.__class__.__new__(node.__class__)
    vars(new).update(vars(node))
    vars(new).update(fields)
    return new


__all__ = [
    "Flags",
    "ExitLowering",
    "ResumedLoop",
    "always_leaves",
    "copy_fields",
    "exits_of",
]
