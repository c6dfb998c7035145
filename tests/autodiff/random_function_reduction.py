"""Makes a random function that fails smaller while it fails alike.

First only one of its values is the result, the first with which it fails, and the statements that it needs. Then
statements are left out, bodies represent their blocks, and operands for their expressions, one after the other.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import re
from collections.abc import Callable, Iterator

from tests.autodiff.random_functions import Program

Failure = Callable[[Program], str | None]
"""How a program fails, in a few words, or None."""


def reduced(program: Program, failure: Failure, attempts: int = 150) -> Program:
    """The smallest program found that fails as `program` does."""
    wanted = failure(program)
    for name in re.findall(r"^    (t\d+) = .*  # \(", program.source.partition("def program(")[2], re.MULTILINE):
        smaller = with_result(program, name)
        if failure(smaller) == wanted:
            program = smaller
            break
    left = attempts
    is_smaller = True
    while is_smaller and left > 0:
        is_smaller = False
        for tree in _smaller_trees(ast.parse(program.source)):
            left -= 1
            if left <= 0:
                break
            candidate = dataclasses.replace(program, source=ast.unparse(tree) + "\n")
            if failure(candidate) == wanted:
                program, is_smaller = candidate, True
                break
    return program


def with_result(program: Program, name: str) -> Program:
    """The program with one value as its result, and the statements that it needs."""
    tree = ast.parse(program.source)
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    function.body[-1] = ast.parse(f"return ({name},)").body[0]
    needed, kept = {name}, [function.body[-1]]
    for statement in reversed(function.body[:-1]):
        names = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
        stored = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        stored |= {statement.name} if isinstance(statement, ast.FunctionDef) else set()
        if stored & needed:
            kept.insert(0, statement)
            needed |= {n.id for n in names}
    function.body = kept
    called = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    tree.body = [h for h in tree.body[:-1] if isinstance(h, ast.FunctionDef) and h.name in called] + [function]
    return dataclasses.replace(program, source=ast.unparse(tree) + "\n")


def _smaller_trees(tree: ast.Module) -> Iterator[ast.Module]:
    """The trees with one thing left out, the largest things first."""
    yield from _shorter_blocks(tree)
    for number, node in enumerate(ast.walk(tree)):
        for operand in _operands(node):
            smaller = copy.deepcopy(tree)
            target = list(ast.walk(smaller))[number]
            _replace(smaller, target, copy.deepcopy(operand))
            yield smaller


def _shorter_blocks(tree: ast.Module) -> Iterator[ast.Module]:
    for number, node in enumerate(ast.walk(tree)):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            for point in range(len(block) if isinstance(block, list) else 0):
                if isinstance(block[point], ast.Return):
                    continue
                smaller = copy.deepcopy(tree)
                statements = getattr(list(ast.walk(smaller))[number], field)
                inner = getattr(statements[point], "body", [])
                is_block = isinstance(statements[point], (ast.If, ast.For, ast.While))
                del statements[point]
                if statements or field == "orelse":
                    yield smaller
                if is_block:
                    statements[point:point] = inner
                    yield smaller


def _operands(node: ast.AST) -> list[ast.expr]:
    """What may represent an expression."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [a for a in node.args if isinstance(a, (ast.Call, ast.Name, ast.BinOp, ast.Subscript))]
    if isinstance(node, ast.BinOp):
        return [a for a in (node.left, node.right) if not isinstance(a, ast.Constant)]
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return [node.value]
    return []


def _replace(tree: ast.AST, target: ast.AST, new: ast.AST) -> None:
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if value is target:
                setattr(node, field, new)
            elif isinstance(value, list) and any(item is target for item in value):
                value[:] = [new if item is target else item for item in value]
