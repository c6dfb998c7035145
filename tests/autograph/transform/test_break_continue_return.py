"""Code without `return`, `break` and `continue` does what it did with them."""

from __future__ import annotations

import ast
import itertools
import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.autograph.transform.break_continue_return import (
    ExitLowering,
    Flags,
    always_leaves,
    exits_of,
)
from millrace._src.autograph.transform.naming import Namer

_JUMPS = (ast.Return, ast.Break, ast.Continue)


class _LoopTests(ast.NodeTransformer):
    """Runs the condition that a `for` is given: `for` has no syntax for it in Python."""

    def visit_For(self, node: Any) -> Any:
        self.generic_visit(node)
        test = getattr(node, "extra_test", None)
        if test is not None:
            node.body = [ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], []), *node.body]
        return node


def _lowered(source: str) -> ast.FunctionDef:
    """A function with its jumps lowered."""
    (function,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(function, ast.FunctionDef)
    namer = Namer(function)
    body = ExitLowering(namer).block(function.body, Flags("do_return", "retval_"))
    left = [part for statement in body for part in ast.walk(statement) if isinstance(part, _JUMPS)]
    assert not left, ast.unparse(left)
    function.body = [*ast.parse("do_return = False\nretval_ = None").body, *body]
    return function


def _run(function: ast.FunctionDef, choices: tuple[bool, ...]) -> list[Any]:
    """What a function does, given the answers of its conditions `c()`; it notes things by `note`."""
    notes: list[Any] = []
    answers = iter(choices)

    def c() -> bool:
        answer = next(answers, False)
        notes.append(answer)
        return answer

    class Manager:
        def __enter__(self) -> None:
            notes.append("enter")

        def __exit__(self, *_: object) -> None:
            notes.append("exit")

    namespace: dict[str, Any] = {"c": c, "note": notes.append, "m": Manager()}
    exec(compile(ast.fix_missing_locations(ast.Module([function], [])), "<test>", "exec"), namespace)
    notes.append(namespace["f"]())
    return notes


def _assert_same(source: str) -> None:
    (plain,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(plain, ast.FunctionDef)
    lowered = _LoopTests().visit(_lowered(source))
    lowered.body.append(ast.Return(ast.Name("retval_", ast.Load())))
    for choices in itertools.product([False, True], repeat=6):
        assert _run(lowered, choices) == _run(plain, choices), f"{choices}: {ast.unparse(lowered)}"


PROGRAMS = {
    "early return": "if c():\n    return 1\nnote('rest')\nreturn 2",
    "return falls through": "if c():\n    if c():\n        return 1\n    note('a')\nnote('b')\nreturn 2",
    "elif": "if c():\n    return 1\nelif c():\n    return 2\nnote('a')",
    "else returns": "if c():\n    note(1)\nelse:\n    return 2\nnote(3)\nreturn 4",
    "both return": "if c():\n    return 1\nelse:\n    return 2\nnote('never')",
    "break": "while c():\n    note(1)\n    if c():\n        break\n    note(2)\nelse:\n    note(3)\nreturn 4",
    "continue": "for i in range(3):\n    if c():\n        continue\n    note(i)\nelse:\n    note('else')",
    "return in loop": "for i in range(3):\n    if c():\n        return i\n    note(i)\nelse:\n    note('else')\n"
    "return -1",
    "nested loops": "for i in range(2):\n    for j in range(2):\n        if c():\n            break\n        if c():\n"
    "            continue\n        note((i, j))\n    else:\n        continue\n    note('broken')\n"
    "    if c():\n        break",
    "else of a loop leaves": "for i in range(2):\n    while c():\n        if c():\n            break\n    else:\n"
    "        break\n    note(i)",
    "while true": "while True:\n    if c():\n        return 1\n    if c():\n        break\n"
    "    if c():\n        return 2\n    break\nreturn 3",
    "with": "with m:\n    if c():\n        return 1\n    note(2)\nnote(3)\nreturn 4",
    "with in loop": "for i in range(3):\n    with m:\n        if c():\n            break\n        if c():\n"
    "            continue\n        note(i)\n    note('after')",
    "try": "try:\n    if c():\n        return 1\n    if c():\n        raise ValueError\nexcept ValueError:\n"
    "    if c():\n        return 2\n    note(3)\nelse:\n    note(4)\n    if c():\n        return 5\n"
    "finally:\n    note(6)\nnote(7)",
    "jumps alone": "while c():\n    continue\n    note(1)\nfor i in range(2):\n    break\n    note(2)\nreturn\nnote(3)",
    "raise": "for i in range(2):\n    if c():\n        note(1)\n    else:\n        break\n    try:\n        if c():\n"
    "            raise KeyError\n    except KeyError:\n        continue\n    note(2)\nreturn 3",
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_without_jumps_takes_the_same_path(name: str) -> None:
    _assert_same("def f():\n" + textwrap.indent(PROGRAMS[name], "    "))


@st.composite
def _blocks(draw: st.DrawFn, depth: int = 3, in_loop: bool = False) -> list[str]:
    """The lines of a random block."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["note", "return", *(["break", "continue"] if in_loop else [])]
        kind = draw(st.sampled_from([*kinds, *(["if", "else", "for", "while", "with"] if depth else [])]))
        number = draw(st.integers(0, 99))
        if kind in ("note", "return"):
            lines.append(f"note({number})" if kind == "note" else f"return {number}")
        elif kind in ("break", "continue"):
            lines.append(kind)
        else:
            inner = draw(_blocks(depth - 1, in_loop or kind in ("for", "while")))
            head = {"for": "for i in range(2):", "while": "while c():", "with": "with m:"}.get(kind, "if c():")
            lines += [head, *[f"    {line}" for line in inner]]
            if kind == "else" or kind in ("for", "while") and number % 2:
                lines += ["else:", *[f"    {line}" for line in draw(_blocks(depth - 1, in_loop))]]
    return lines


@given(_blocks())
def test_random_programs_without_jumps_take_the_same_path(lines: list[str]) -> None:
    _assert_same("\n".join(["def f():", *[f"    {line}" for line in lines]]))


def test_a_function_that_always_sets_its_value_needs_no_flag() -> None:
    text = ast.unparse(
        _lowered("def f(x):\n    if x:\n        return 1\n    y = x\n    if y:\n        return 2\n    return 3")
    )
    assert "not do_return" not in text


def test_what_comes_after_an_early_return_moves_into_the_other_branch() -> None:
    text = ast.unparse(_lowered("def f(x):\n    if x:\n        return 1\n    y = 2\n    return y").body[2])
    assert text == (
        "if x:\n    do_return = True\n    retval_ = 1\nelse:\n    y = 2\n    do_return = True\n    retval_ = y"
    )


def test_a_user_s_name_is_never_a_flag() -> None:
    text = ast.unparse(
        _lowered("def f(break_):\n    while break_:\n        if break_:\n            break\n        g()")
    )
    assert "break_1 = True" in text and "break_ = " not in text


def test_the_jumps_out_of_statements_are_known() -> None:
    def exits(source: str) -> set[str]:
        return set(exits_of(ast.parse(textwrap.dedent(source)).body))

    assert exits("for i in x:\n    break") == set()
    assert exits("for i in x:\n    return 1") == {"return"}
    assert exits("for i in x:\n    pass\nelse:\n    break") == {"break"}
    assert exits("try:\n    continue\nfinally:\n    return") == {"continue", "return"}
    assert exits("try:\n    pass\nexcept E:\n    break") == {"break"}
    assert exits("match x:\n    case 1:\n        return 1") == {"return"}
    assert exits("def f():\n    return 1\nclass A:\n    pass") == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("return 1", True),
        ("raise ValueError", True),
        ("if x:\n    return 1", False),
        ("if x:\n    return 1\nelse:\n    raise E", True),
        ("while True:\n    pass", True),
        ("while True:\n    break", False),
        ("while True:\n    for i in x:\n        break", True),
        ("while x:\n    return 1", False),
        ("with x:\n    return 1", True),
        ("with x:\n    raise E", False),
        ("try:\n    return 1\nexcept E:\n    pass", False),
        ("try:\n    return 1\nexcept E:\n    return 2", True),
        ("try:\n    pass\nfinally:\n    return 2", True),
        ("for i in x:\n    return 1", False),
    ],
)
def test_a_path_to_the_end_is_found_if_there_is_one(source: str, expected: bool) -> None:
    statements = ast.parse(source).body
    assert always_leaves(statements) is expected
