"""Docstrings: a function's begins with a verb, an exported function and a module have one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "millrace"

# Words that end in s and yet are not verbs as the first word of a docstring; some could be, but are not meant so.
NO_VERBS = frozenset(
    """
    Always Arguments Arrays Attributes Axes Bands Batches Blocks Branches Class Classes Columns Conditions Constants
    Devices Diagonals Dimensions Dtypes Edges Eigenvalues Elements Entries Errors Evaluators Functions Gradients Graphs
    Has Hits Indices Inputs Integers Ints Its Kernels Keys Labels Layers Lengths Less Lines Locals Logits Matrices
    Messages Names Nodes Numbers Ones Operands Operations Ops Outputs Paddings Pairs Parameters Parts Paths Perhaps
    Pieces Pixels Points Positions Prefixes Products Programs Properties Proposals Ranges Reasons Requests
    Results Rows Rules Seeds Sequences Shapes Sizes Statements Steps Strings Symbols Tables Tangents Tapes Tensors Tests
    Texts This Thus Ties Times Tokens Tuples Types Units Values Variables Vectors Was Weights Windows Words Zeros
    """.split()
)


def source_files() -> Iterator[str]:
    """Yields the path, below the package, of every source file that people wrote."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if not path.name.endswith("_pb2.py"):
            yield path.relative_to(PACKAGE).as_posix()


Function = ast.FunctionDef | ast.AsyncFunctionDef


def syntax_tree(path: str) -> ast.Module:
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))


def functions(tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def decorator_names(function: Function) -> set[str]:
    """Returns the last names of the function's decorators: `setter` for `@x.setter`, `export` for `@export("tanh")`."""
    called = [node.func if isinstance(node, ast.Call) else node for node in function.decorator_list]
    return {node.attr if isinstance(node, ast.Attribute) else ast.unparse(node) for node in called}


def is_property(function: Function) -> bool:
    return any(name.endswith("property") or name in ("setter", "deleter") for name in decorator_names(function))


def begins_with_a_verb(docstring: str) -> bool:
    first_word = docstring.split()[0].rstrip(".,:;")
    return re.fullmatch("[A-Z][a-z]+s", first_word) is not None and first_word not in NO_VERBS


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Returns the sum.", True),
        ("The sum.", False),
        ("Tensors of the sum.", False),
        ("Whether the sum is known.", False),
        ("`x` plus `y`.", False),
        ("Compute the sum.", False),
    ],
)
def test_only_a_verb_in_the_third_person_begins_a_docstring(docstring: str, expected: bool) -> None:
    assert begins_with_a_verb(docstring) is expected


@pytest.mark.parametrize("path", list(source_files()))
def test_the_docstring_of_a_function_begins_with_a_verb(path: str) -> None:
    wrong_docstrings = []
    for function in functions(syntax_tree(path)):
        docstring = ast.get_docstring(function)
        if docstring and not is_property(function) and not begins_with_a_verb(docstring):
            wrong_docstrings.append(f"{path}:{function.lineno} {function.name}: {docstring.splitlines()[0]}")
    assert not wrong_docstrings, "\n".join(wrong_docstrings)


@pytest.mark.parametrize("path", list(source_files()))
def test_an_exported_function_has_a_docstring(path: str) -> None:
    missing = [
        f"{path}:{function.lineno} {function.name}"
        for function in functions(syntax_tree(path))
        if "export" in decorator_names(function) and not ast.get_docstring(function)
    ]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("path", list(source_files()))
def test_a_module_has_a_docstring(path: str) -> None:
    assert ast.get_docstring(syntax_tree(path)), path
