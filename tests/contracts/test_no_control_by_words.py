"""No decision reads the text of an exception or the name of an operation: a field, a type or a trait says it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import millrace as tf

SOURCES = Path(tf.__file__).parent / "_src"

KNOWN = {
    "autograph/operators/graph_iterators.py": "a range is looked through to its bounds",
    "compat_v1/train/device_setter.py": "programs list ops by name for the parameter servers",
    "core/op_registry.py": "it finds ops by their names",
    "graph/node_def.py": "a cache of messages, which hold the names",
    "autograph/operators/loops.py": "a range is looked through to its bounds",
    "ops/array/diagonals.py": "two versions of an op share a rule",
    "ops/array/padding.py": "a packed vector is looked through to its parts",
    "ops/debug/value_assertions.py": "a message shows constants by value",
    "ops/debug/static_checks.py": "a constant is looked through to its value",
    "ops/math/histogram.py": "versions of an op share a rule",
    "ops/nn/avg_pool_ops.py": "versions of an op share a rule",
    "ops/nn/depthwise_ops.py": "versions of an op share a rule",
    "ops/nn/pool_windows.py": "versions of an op share a rule",
    "ops/nn/convolution_ops.py": "versions of an op share a rule",
    "ops/nn/fused_batch_norm.py": "versions of an op share a rule",
    "ops/nn/softmax.py": "zeros are recognized by the op that made them",
}
"""Files that still ask an operation for its name, and what for. The list may only become shorter."""

_OPERATIONS = ("op", "operation", "op_def", "node", "definition")


def _is_text_of(expression: ast.expr, caught: set[str]) -> bool:
    """Whether an expression is the text of an exception: `str(error)`, `error.args[0]`, `error.message`."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("str", "repr"):
            if any(isinstance(a, ast.Name) and a.id in caught for a in node.args):
                return True
        if isinstance(node, ast.Attribute) and node.attr in ("args", "message"):
            if isinstance(node.value, ast.Name) and node.value.id in caught:
                return True
    return False


def _is_name_of_operation(expression: ast.expr) -> bool:
    """Whether an expression is the type of an operation, or the name of its OpDef."""
    if not isinstance(expression, ast.Attribute):
        return False
    owner = ast.unparse(expression.value).rpartition(".")[2]
    return (expression.attr == "type" and owner in _OPERATIONS) or (
        expression.attr == "name" and (owner == "op_def" or ast.unparse(expression.value) == "c.op")
    )


def _compared(tree: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """Expressions that are compared, searched, asked for their ends, or looked up in a table, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            is_member = isinstance(node.ops[0], (ast.In, ast.NotIn))
            is_text = any(isinstance(s, (ast.Constant, ast.Tuple, ast.Set)) for s in sides)
            for side in sides if is_text else sides[:1] if is_member else ():
                yield side, node.lineno
        if isinstance(node, ast.Subscript):
            yield node.slice, node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("startswith", "endswith", "find", "partition", "split"):
                yield node.func.value, node.lineno
            elif node.func.attr in ("get", "pop", "setdefault") and node.args:
                yield node.args[0], node.lineno


def findings(text: str) -> list[tuple[int, str]]:
    """The lines of a file that decide by words, and by whose."""
    tree = ast.parse(text)
    caught = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    return sorted(
        (line, kind)
        for expression, line in _compared(tree)
        for kind, found in (
            ("exception", _is_text_of(expression, caught)),
            ("operation", _is_name_of_operation(expression)),
        )
        if found
    )


def test_the_finder_finds() -> None:
    text = """
try:
    f()
except TypeError as error:
    if "unhashable" in str(error) or error.message.startswith("a"):
        raise
if operation.type == "Const" or c.op.name.endswith("V3") or tensor.op.type in ("A", "B"):
    pass
if name == "Const" or node.name == "x" or str(value) == "a" or operation.type == other.type:
    pass
if node.type in RULES or RULES.get(node.op_def.name) or RULES[operation.type]:
    pass
"""
    assert findings(text) == [(5, "exception"), (5, "exception")] + [(7, "operation")] * 3 + [(11, "operation")] * 3


def test_no_decision_reads_the_text_of_an_exception() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}"
        for path in SOURCES.rglob("*.py")
        for line, kind in findings(path.read_text())
        if kind == "exception"
    ]
    assert not found, f"give the exception a class or a field: {found}"


def test_no_decision_reads_the_name_of_an_operation_but_the_known_ones() -> None:
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if any(kind == "operation" for _, kind in findings(path.read_text()))
    }
    assert found - set(KNOWN) == set(), "give the op a trait or a rule, and ask for that"
    assert set(KNOWN) - found == set(), "these no longer do: strike them from the list"
