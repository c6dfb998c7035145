"""`match` becomes nested `if`s over tests that say whether a pattern fits: later converters need to know only `if`.

    match command:             s = command
        case ("go", n):        if (q := ag__.match_items(s, 2)) is not None and <q[0] == "go">:
            a           ->         n = q[1]
        case k if k > 0:           a
            b                  else:
        case _:                    k = s
            c                      if k > 0:
                                       b
                                   else:
                                       c

The structure of a subject (its class, its length, its keys) is known in Python. Whether a value in the subject equals
that of a pattern may be a tensor: then the `if` becomes a branch of the graph. A pattern with a guard is first tested,
then its names are bound, then the guard is evaluated, as Python does. If the test is a tensor, test and guard are
joined:

    case [1, y] if y > 2:      t = <pattern fits>
        a               ->     if t is not False:
                                   y = q[1]
                                   t = t and y > 2
                               if t: a
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autograph.transform.added_nodes import CodeConverter, PythonExpression
from millrace._src.autograph.transform.naming import Namer
from millrace._src.autograph.transform.syntax_templates import copy_tree, expression, locate, tuple_of


class MatchStatements(CodeConverter):
    """Replaces the `match` statements of a function by `if` statements.

    Args: namer: Gives names to variables that hold subjects, parts and results of tests.
    """

    def __init__(self, namer: Namer) -> None:
        self.namer = namer

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        """Rewrites a whole `match` statement."""
        self.generic_visit(node)
        subject, plain = self.namer.temporary("ag_subject"), self.namer.temporary("ag_plain")
        start: list[ast.stmt] = [ast.Assign([ast.Name(subject, ast.Store())], node.subject)]
        if any(_has_literal(case.pattern) for case in node.cases):
            test = PythonExpression(expression("subject.__class__ in ag__.plain", subject=subject), is_python=True)
            start.append(ast.Assign([ast.Name(plain, ast.Store())], test))
        return [*locate(start, node.subject), *self._cases(node.cases, ast.Name(subject, ast.Load()), plain)]

    def _cases(self, cases: Sequence[ast.match_case], subject: ast.expr, plain: str) -> list[ast.stmt]:
        if not cases:
            return []
        case, rest = cases[0], cases[1:]
        pattern = _Pattern(self.namer, plain)
        pattern.add(case.pattern, subject, is_whole=True)
        new_statements = self._case(case, pattern, lambda: self._cases(rest, subject, plain))
        return locate(new_statements, case.pattern)

    def _case(self, case: ast.match_case, pattern: _Pattern, others: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
        bind = locate([ast.Assign([ast.Name(n, ast.Store())], value) for n, value in pattern.bindings], case.pattern)
        fits = pattern.test()
        if fits is None:
            return [*bind, *([ast.If(case.guard, case.body, others())] if case.guard else case.body)]
        fits = PythonExpression(fits, pattern.is_python)
        if case.guard is None:
            return [ast.If(fits, [*bind, *case.body], others())]
        variable = self.namer.temporary("ag_fits")
        test = ast.Name(variable, ast.Load())
        assign = ast.Assign([ast.Name(variable, ast.Store())], fits)
        both = case.guard if pattern.is_python else ast.BoolOp(ast.And(), [test, case.guard])
        go_on = locate([ast.Assign([ast.Name(variable, ast.Store())], both)], case.guard)
        may_fit = expression("held is not False", held=variable)
        return [assign, ast.If(may_fit, [*bind, *go_on], []), ast.If(copy_tree(test), case.body, others())]


class _Pattern:
    """The tests of one pattern in Python's order, and the names that the pattern binds.

    Attributes:
      tests: Expressions; with each, whether the expression is known to give a Python value.
      bindings: Names, with expressions for their values that hold once the tests have passed.
    """

    def __init__(self, namer: Namer, plain: str) -> None:
        self.namer = namer
        self.plain = plain
        self.tests: list[tuple[ast.expr, bool]] = []
        self.bindings: list[tuple[str, ast.expr]] = []

    @property
    def is_python(self) -> bool:
        """Whether the pattern's test is known to give a Python value."""
        return all(is_python for _, is_python in self.tests)

    def test(self) -> ast.expr | None:
        """Builds the test whether the pattern fits, which gives False, True or a tensor.

        A tensor is kept until every other test is known not to be False.

        Returns: The test; None if the pattern always fits.
        """
        if not self.tests:
            return None
        links: list[ast.expr] = []
        names: list[str] = []
        for index, (test, is_python) in enumerate(self.tests):
            if is_python or index == len(self.tests) - 1 and not names:
                links.append(test)
                continue
            names.append(self.namer.temporary("ag_c"))
            links.append(expression("(held := test) is not False", held=names[-1], test=test))
        if names:
            links.append(expression("ag__.both(kept)", kept=tuple_of(names)) if len(names) > 1 else _read(names[0]))
        return links[0] if len(links) == 1 else ast.BoolOp(ast.And(), links)

    def add(self, pattern: object, subject: ast.expr, is_whole: bool = False) -> None:
        """Adds a pattern for a subject, which is cheap to evaluate; the class of the whole subject is looked up only
        once.
        """
        kind = type(pattern).__name__.removeprefix("Match").lower()
        if isinstance(pattern, (ast.MatchValue, ast.MatchOr, ast.MatchAs)):
            getattr(self, f"_{kind}")(pattern, subject, is_whole)
        else:
            getattr(self, f"_{kind}")(pattern, subject)

    def _python_test(self, source: str, **parts: object) -> None:
        self.tests.append((expression(source, **parts), True))

    def _parts(self, source: str, patterns: Sequence[ast.pattern], **parts: object) -> None:
        """Adds a test that gives the parts of the subject, or None; adds the patterns of the parts."""
        variable = self.namer.temporary("ag_parts")
        self._python_test(f"(held := {source}) is not None", held=variable, **parts)
        for index, pattern in enumerate(patterns):
            self.add(pattern, expression("held[index]", held=variable, index=ast.Constant(index)))

    # --- patterns --------------------------------------------------------------------------------------------------

    def _value(self, pattern: ast.MatchValue, subject: ast.expr, is_whole: bool) -> None:
        """Adds `case 1` or `case Color.RED`; a literal is compared at once if the subject's class is known to be
        Python's.
        """
        value = pattern.value
        source = "ag__.matches_value(subject, value)"
        if not isinstance(value, ast.Attribute):
            source = f"subject == value if {self._asks_plain(is_whole)} else {source}"
        self.tests.append((expression(source, subject=subject, value=value), False))

    def _asks_plain(self, is_whole: bool) -> str:
        return self.plain if is_whole else "subject.__class__ in ag__.plain"

    def _singleton(self, pattern: ast.MatchSingleton, subject: ast.expr) -> None:
        """Adds `case None`."""
        self._python_test("subject is value", subject=subject, value=ast.Constant(pattern.value))

    def _as(self, pattern: ast.MatchAs, subject: ast.expr, is_whole: bool) -> None:
        """Adds `case _`, `case name` or `case pattern as name`."""
        if pattern.pattern is not None:
            self.add(pattern.pattern, subject, is_whole)
        if pattern.name is not None:
            self.bindings.append((pattern.name, subject))

    def _sequence(self, pattern: ast.MatchSequence, subject: ast.expr) -> None:
        """Adds `case [a, b]` or `case [a, *rest]`; the ends are taken by index if the rest is not asked for."""
        stars = [index for index, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)]
        count = len(pattern.patterns)
        if not stars:
            source = (
                "((subject if subject.__len__() == n else None) if subject.__class__ in ag__.sequences "
                "else ag__.match_items(subject, n))"
            )
            self._parts(source, pattern.patterns, subject=subject, n=ast.Constant(count))
            return
        (at,) = stars
        before, after = ast.Constant(at), ast.Constant(count - at - 1)
        star: Any = pattern.patterns[at]
        ends = [*pattern.patterns[:at], *pattern.patterns[at + 1 :]]
        if star.name is None:
            self._parts("ag__.match_ends(subject, n, m)", ends, subject=subject, n=before, m=after)
            return
        parts = [*pattern.patterns[:at], ast.MatchAs(name=star.name), *pattern.patterns[at + 1 :]]
        self._parts("ag__.match_with_rest(subject, n, m)", parts, subject=subject, n=before, m=after)

    def _mapping(self, pattern: ast.MatchMapping, subject: ast.expr) -> None:
        """Adds `case {"k": v, **rest}`."""
        keys = tuple_of(pattern.keys)
        self._parts("ag__.match_mapping(subject, keys)", pattern.patterns, subject=subject, keys=keys)
        if pattern.rest is not None:
            variable = self.namer.temporary("ag_rest")
            source = "(held := ag__.mapping_rest(subject, keys)) is not None"
            self._python_test(source, held=variable, subject=subject, keys=keys)
            self.bindings.append((pattern.rest, _read(variable)))

    def _class(self, pattern: ast.MatchClass, subject: ast.expr) -> None:
        """Adds `case Point(a, y=b)`; `case int()` asks `isinstance`, whose second argument need not be a class."""
        if not pattern.patterns and not pattern.kwd_patterns:
            self._python_test(
                "ag__.isinstance(subject, kind) if (kind := cls).__class__ is ag__.Class "
                "else ag__.match_class(subject, kind, 0, ()) is not None",
                subject=subject,
                kind=self.namer.temporary("ag_class"),
                cls=pattern.cls,
            )
            return
        self._parts(
            "ag__.match_class(subject, kind, n, names)",
            [*pattern.patterns, *pattern.kwd_patterns],
            subject=subject,
            kind=pattern.cls,
            n=ast.Constant(len(pattern.patterns)),
            names=ast.Tuple([ast.Constant(name) for name in pattern.kwd_attrs], ast.Load()),
        )

    def _or(self, pattern: ast.MatchOr, subject: ast.expr, is_whole: bool) -> None:
        """Adds `case a | b`."""
        if all(isinstance(p, ast.MatchValue) and not isinstance(p.value, ast.Attribute) for p in pattern.patterns):
            values = tuple_of([p.value for p in pattern.patterns])  # type: ignore[attr-defined]  # all are MatchValue
            source = f"subject in values if {self._asks_plain(is_whole)} else ag__.matches_any(subject, values)"
            self.tests.append((expression(source, subject=subject, values=values), False))
            return
        alternatives = []
        for part in pattern.patterns:
            alternative = _Pattern(self.namer, self.plain)
            alternative.add(part, subject, is_whole)
            alternatives.append(alternative)
        if alternatives[0].bindings:
            self._or_with_names(alternatives)
            return
        tests = [a.test() or ast.Constant(True) for a in alternatives]
        if all(a.is_python for a in alternatives):
            self.tests.append((ast.BoolOp(ast.Or(), tests), True))
        else:
            self.tests.append((_either([(self.namer.temporary("ag_c"), test) for test in tests]), False))

    def _or_with_names(self, alternatives: Sequence[_Pattern]) -> None:
        """Adds alternatives that bind names: each keeps the values for the names, and the first that fits binds
        them.
        """
        names = sorted(name for name, _ in alternatives[0].bindings)
        fits = [self.namer.temporary("ag_c") for _ in alternatives]
        values = [self.namer.temporary("ag_values") for _ in alternatives]
        unset: ast.expr = ast.Constant(None)
        for name in (*fits, *values):
            unset = ast.NamedExpr(ast.Name(name, ast.Store()), unset)
        self._python_test("unset is None", unset=unset)
        tests = []
        for alternative, variable in zip(alternatives, values, strict=True):
            bound = dict(alternative.bindings)
            keep = expression(
                "((held := values), fits)[1] if (fits := test) is not False else False",
                held=variable,
                values=tuple_of([bound[name] for name in names]),
                fits=self.namer.temporary("ag_c"),
                test=alternative.test() or ast.Constant(True),
            )
            tests.append(keep)
        self.tests.append((_either(list(zip(fits, tests, strict=True))), all(a.is_python for a in alternatives)))
        choice = self.namer.temporary("ag_values")
        pairs = tuple_of([tuple_of(pair) for pair in zip(fits, values, strict=True)])
        self._python_test("(chosen := ag__.chosen(pairs)) is not None", chosen=choice, pairs=pairs)
        for index, name in enumerate(names):
            self.bindings.append((name, expression("chosen[i]", chosen=choice, i=ast.Constant(index))))


def _either(tests: list[tuple[str, ast.expr]]) -> ast.expr:
    """Builds the test whether one of several tests holds; the tests after one that is True are not evaluated."""
    (variable, test), *rest = tests
    first = ast.NamedExpr(ast.Name(variable, ast.Store()), test)
    if not rest:
        return first
    return expression(
        "True if (first) is True else ag__.either(held, rest)", first=first, held=variable, rest=_either(rest)
    )


def _read(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _has_literal(pattern: object) -> bool:
    """Returns whether a pattern compares the whole subject with a literal."""
    if isinstance(pattern, ast.MatchValue):
        return not isinstance(pattern.value, ast.Attribute)
    if isinstance(pattern, ast.MatchOr):
        return any(_has_literal(part) for part in pattern.patterns)
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is not None and _has_literal(pattern.pattern)
