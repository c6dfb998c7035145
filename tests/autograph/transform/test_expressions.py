"""Expressions mean what they mean in Python, in both forms, whatever the operators are."""

from __future__ import annotations

import ast
import itertools
import types
from typing import Any

import pytest

from millrace._src.autograph.transform.expressions import Expressions, chain_comparison, is_python_test
from millrace._src.autograph.transform.naming import Namer


class Table(dict[Any, Any]):
    """Answers what is looked up with what it holds, or makes it."""

    def __init__(self, make: Any) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Any) -> Any:
        return self.make(key)


class Staged:
    """A value that the graph would run; its truth is never asked for by Python."""

    def __init__(self, truth: bool) -> None:
        self.truth = truth

    def __bool__(self) -> bool:
        raise AssertionError("Python asked for the truth of a staged value")


def _truth(value: Any) -> bool:
    return value.truth if isinstance(value, Staged) else bool(value)


OPERATORS = types.SimpleNamespace(
    plain=frozenset({int, bool, str, list, type(None)}),
    staged=Table(lambda cls: cls is Staged),
    looked_up=frozenset({types.FunctionType}),
    call=Table(lambda function: function),
    callee=lambda function: function,
    Method=types.MethodType,
    BuiltinMethod=types.BuiltinMethodType,
    and_=lambda a, b: b() if _truth(value := a()) else value,
    or_=lambda a, b: value if _truth(value := a()) else b(),
    and_value=lambda a, b: b() if _truth(a) else a,
    or_value=lambda a, b: a if _truth(a) else b(),
    not_=lambda value: not _truth(value),
    in_=lambda item, container: item in container,
    not_in=lambda item, container: item not in container,
    if_exp=lambda test, a, b, text: a() if _truth(test) else b(),
    iterable=lambda items: items,
    filters=lambda test: _truth(test),
    ld=lambda value: value,
)


def _converted(source: str, inline: bool) -> ast.expr:
    tree = ast.parse(source, mode="eval").body

    def convert_function(node: Any) -> Any:
        node.body = expressions.convert(node.body)
        return node

    expressions = Expressions(Namer(tree), convert_function, inline)
    return ast.fix_missing_locations(ast.Expression(expressions.convert(tree))).body


def _value(tree: ast.expr, variables: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(tree), "<test>", "eval"), {"ag__": OPERATORS, **variables})


EXPRESSIONS = [
    "a and b",
    "a or b and not c",
    "not (a or b)",
    "a and b and c or a",
    "a and b and c and a and b and c and a",
    "b if a else c",
    "(a if b else c) and (b if c else a)",
    "a is None or not b",
    "[x for x in [0, 1, 2] if x and a]",
    "{x: (y and b) for x in [1, 2] for y in [x, 0]}",
    "(lambda v, w=a: v and w)(b)",
    "f(a and b, *[c], k=not a)",
    "'x'.join(['a', 'b'] if a else ['c'])",
    "0 < n < 3 < 5",
    "n in [1, 2] and n not in [3]",
    "f(g=f)",
]


@pytest.mark.parametrize("inline", [True, False], ids=["inline", "compact"])
@pytest.mark.parametrize("source", EXPRESSIONS)
def test_an_expression_of_python_values_has_its_value(source: str, inline: bool) -> None:
    tree = _converted(source, inline)
    for a, b, c in itertools.product([0, 1], repeat=3):
        for n in (0, 2, 4):
            variables = {"a": a, "b": b, "c": c, "n": n, "f": lambda *args, **kwargs: (args, sorted(kwargs))}
            assert _value(tree, variables) == eval(source, dict(variables))


@pytest.mark.parametrize("inline", [True, False], ids=["inline", "compact"])
@pytest.mark.parametrize("source", EXPRESSIONS[:7])
def test_the_truth_of_a_staged_value_is_left_to_the_operators(source: str, inline: bool) -> None:
    tree = _converted(source, inline)
    for truths in itertools.product([False, True], repeat=3):
        expected = eval(source, dict(zip("abc", truths, strict=True)))
        values = {name: Staged(truth) for name, truth in zip("abc", truths, strict=True)}
        assert _truth(_value(tree, values)) == expected


@pytest.mark.parametrize("inline", [True, False], ids=["inline", "compact"])
def test_operands_are_evaluated_once_and_in_order(inline: bool) -> None:
    seen: list[int] = []

    def note(value: int) -> int:
        seen.append(value)
        return value

    source = "(note(1) < note(2) < note(3)) and (note(0) or note(4)) and (note(5) if note(6) else note(7))"
    assert _value(_converted(source, inline), {"note": note}) == 5
    assert seen == [1, 2, 3, 0, 4, 6, 5]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x is None", True),
        ("x is not None and not isinstance(x, int)", True),
        ("True", True),
        ("__debug__", True),
        ("hasattr(x, 'y')", True),
        ("x", False),
        ("x == None", False),
        ("x is None or x > 0", False),
        ("x is y is z", False),
        ("f(x)", False),
    ],
)
def test_conditions_that_are_always_python_are_known(source: str, expected: bool) -> None:
    assert is_python_test(ast.parse(source, mode="eval").body) is expected


def test_certain_conditions_stay_as_they_were() -> None:
    assert ast.unparse(_converted("a if x is None else b", inline=True)) == "a if x is None else b"


def test_a_chain_of_comparisons_holds_the_middle() -> None:
    node = ast.parse("a < b() <= c", mode="eval").body
    assert isinstance(node, ast.Compare)
    assert ast.unparse(chain_comparison(node, "m")) == "a < (m := b()) and m <= c"
