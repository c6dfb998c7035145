"""The programs of `examples/`: the command that the docstring of each gives to run it."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


def tree_of(program: str) -> ast.Module:
    return ast.parse((ROOT / "examples" / f"{program}.py").read_text(encoding="utf-8"))


def stated_commands(program: str) -> list[str]:
    """The command lines in the docstring that run the program, without names of optional arguments."""
    lines = (ast.get_docstring(tree_of(program)) or "").splitlines()
    found = [line.strip().removeprefix("$ ") for line in lines if line.startswith("    ") and "examples/" in line]
    return [re.sub(r" \[\w+\]", "", line) for line in found]


def command_of(program: str) -> list[str]:
    """The command that runs a program, as its docstring gives it, for the Python that runs the tests."""
    (line,) = stated_commands(program)
    python, *arguments = shlex.split(line)
    assert python == "python", line
    return [sys.executable, *(str(ROOT / word) if word.startswith("examples/") else word for word in arguments)]


def code_of(program: str) -> str:
    """The code of a program in lower case, without its docstring."""
    tree = tree_of(program)
    return ast.unparse(ast.Module(tree.body[1:], [])).lower()
