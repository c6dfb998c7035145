"""What a piece of code reads and writes is what Python's own symbol tables say."""

from __future__ import annotations

import ast
import inspect
import symtable
import sys
import textwrap
from collections.abc import Collection
from typing import Any

import pytest

from millrace._src.autograph.transform.surroundings import Surroundings
from millrace._src.autograph.transform.variable_scopes import (
    COMPREHENSIONS,
    composite_names,
    composite_text,
    function_scope,
    is_generator,
    names_of,
)
from tests.autograph import corpus


def _function(source: str) -> Any:
    return ast.parse(source).body[0]


def _tables(table: symtable.SymbolTable) -> Any:
    for child in table.get_children():
        yield child
        yield from _tables(child)


SOURCES = {
    "parameters": "def f(a, /, b, *c, d=1, **e): return a, g",
    "walrus": "def f(a): return [y := a for a in b if (z := a)], y, z",
    "comprehensions": "def f(a): return {k: [v for v in k] for k in a}, {v for v in w}, (x for x in y)",
    "nested": "def f(a):\n    b = 1\n    def g(c):\n"
    "        nonlocal b\n        b = c + d\n        return a\n    return g",
    "nested global": "def f(a):\n    def g():\n        global h\n        h = a\n    return h",
    "global": "def f():\n    global a\n    a = b\n    return a",
    "lambda": "def f(a): return lambda b, c=a: b + c + d + a",
    "imports": "def f():\n    import a.b, c as d\n    from e import g as h, i\n    return a, d, h, i",
    "try": "def f():\n    try:\n        a = 1\n    except E as e:\n        b = e\n    finally:\n        c = 1",
    "with": "def f(x):\n    with x as (a, b), x.y as x.z:\n        return a",
    "loops": "def f(x):\n    for a, (b, *c) in x:\n        d = 1\n    else:\n        e = 2\n"
    "    while g := x:\n        del x",
    "match": "def f(x):\n    match x:\n        case [a, *b] | {'k': a, **b}:\n            return a\n"
    "        case P(c=c) as d:\n            return d",
    "augmented": "def f(x):\n    y += x\n    x.z += 1\n    x[w] += 1",
    "annotated": "def f(x):\n    y: int = x\n    z: int\n    return y",
    "class": "def f(x):\n    class A(x, metaclass=m):\n        b = x\n        def g(self): return x, b\n    return A",
    "decorated": "def f(x):\n    @dec(x)\n    def g(y=x): return y\n    return g",
    "format": "def f(x): return f'{x!r:>{width}} {y}'",
}


@pytest.mark.parametrize("name", list(SOURCES))
def test_the_variables_of_a_function_are_those_of_pythons_symbol_table(name: str) -> None:
    _assert_like_symtable(SOURCES[name])


@pytest.mark.parametrize("theme", corpus.themes())
def test_the_variables_of_the_corpus_are_those_of_pythons_symbol_table(theme: str) -> None:
    for case in corpus.cases(theme).values():
        code = getattr(case.function, "__code__", None)
        around = Surroundings(code).variables() if code else set()
        _assert_like_symtable(inspect.cleandoc("\n" + inspect.getsource(case.function)), around)


def _assert_like_symtable(source: str, around: Collection[str] = ()) -> None:
    node = next(part for part in ast.walk(ast.parse(source)) if isinstance(part, ast.FunctionDef))
    scope = function_scope(node)
    text = f"def around({', '.join(around)}):\n{textwrap.indent(source, ' ')}"
    table: Any = next(t for t in _tables(symtable.symtable(text, "<test>", "exec")) if t.get_name() == node.name)
    symbols = [s for s in table.get_symbols() if not s.get_name().startswith(".")]
    if any(isinstance(part, ast.ClassDef) for part in ast.walk(node)):
        symbols = [s for s in symbols if s.get_name() != "__class__"]
    assert (
        scope.parameters[: len(node.args.args)]
        == [a.arg for a in [*node.args.posonlyargs, *node.args.args]][: len(node.args.args)]
    )
    local = {s.get_name() for s in symbols if s.is_local()}
    if sys.version_info >= (3, 12):  # the table has the variables of comprehensions too, though no code can reach them
        inner = [part for part in ast.walk(node) if isinstance(part, COMPREHENSIONS)]
        local -= {name for part in inner for g in part.generators for name in names_of(g.target).written} - scope.locals
    assert scope.locals == local
    assert scope.globals == {s.get_name() for s in symbols if s.is_declared_global()}
    inner_reads = {
        s.get_name()
        for t in _tables(table)
        if not isinstance(t, symtable.Class)
        for s in t.get_symbols()
        if s.is_free()
    }
    assert scope.captured <= inner_reads & scope.locals


@pytest.mark.parametrize(
    ("source", "read", "written", "captured"),
    [
        ("x = y", {"y"}, {"x"}, set()),
        ("x += y", {"x", "y"}, {"x"}, set()),
        ("x.a = y[z]", {"x", "y", "z"}, set(), set()),
        ("def f(a=b): return a + c", {"b"}, {"f"}, {"c"}),
        ("g = lambda a: a + c", set(), {"g"}, {"c"}),
        ("[a + (b := c) for a in d]", {"c", "d"}, {"b"}, set()),
        ("[lambda: a + e for a in d]", {"d"}, set(), {"e"}),
        ("del x", set(), {"x"}, set()),
        ("class A(b):\n    c = d\n    def m(self): return e", {"b", "d"}, {"A"}, {"e"}),
    ],
)
def test_reads_writes_and_captures_are_told_apart(
    source: str, read: set[str], written: set[str], captured: set[str]
) -> None:
    names = names_of(ast.parse(source).body)
    assert (names.read, names.written, names.captured) == (read, written, captured)
    assert names.used == read | captured


def test_assigned_attributes_and_items_with_simple_keys_are_composites() -> None:
    source = "a.b = 1\na.b.c[0] = 1\nd[k] += 1\nd[k + 1] = 1\nf().x = 1\n(e.g, h) = 1, 2\ny = a.z"
    assert set(names_of(ast.parse(source).body).composite) == {"a.b", "a.b.c[0]", "d[k]", "e.g"}


def test_the_text_of_a_composite_is_how_python_writes_it() -> None:
    node = ast.parse("self . state[ 'key' ].x", mode="eval").body
    assert composite_text(node) == "self.state['key'].x"
    assert set(composite_names(node)) == {"self"}
    assert composite_text(ast.parse("a[1:2]", mode="eval").body) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f():\n    yield 1", True),
        ("def f():\n    return [(yield 1)]", True),
        ("def f():\n    if x:\n        yield from y", True),
        ("async def f():\n    await x", True),
        ("def f():\n    def g():\n        yield 1\n    return g", False),
        ("def f():\n    return (x for x in y)", False),
        ("def f():\n    return lambda: (yield)", False),
    ],
)
def test_a_generator_has_a_yield_of_its_own(source: str, expected: bool) -> None:
    assert is_generator(_function(source)) is expected
