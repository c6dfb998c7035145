"""Finished operations change through `graph/rewriting.py` alone: nothing else writes to an `Operation`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src/millrace/_src"
DOOR = {"graph/operation.py", "graph/rewriting.py"}
OWN = {"static_values", "gradient_override", "gradient_plans", "recordings", "control_inputs"}
"""Fields that an operation alone has."""
SHARED = {"inputs", "outputs", "attrs", "device", "name", "source", "op_def", "type"}
"""Fields that other objects have, too: a write counts if the object is called an operation."""
OPERATIONS = {"op", "operation", "new_operation", "replayed", "reading", "controller", "replayed_operation"}
CHANGING = {"append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault", "sort"}
SETTERS = {"_set_attr", "_set_device", "_add_control_inputs"}


def is_field(node: ast.AST) -> bool:
    """Whether an expression is a field of an operation."""
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return node.attr in OWN or node.attr in SHARED and name in OPERATIONS


def aliases(tree: ast.AST) -> set[str]:
    """The names that a module gives to the attributes of an operation."""
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_field(node.value) and isinstance(node.value, ast.Attribute)
        if node.value.attr == "attrs"
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def writes(tree: ast.AST) -> Iterator[int]:
    """The lines that write to an operation."""
    named = aliases(tree)

    def is_content(node: ast.AST) -> bool:
        return is_field(node) or isinstance(node, ast.Name) and node.id in named

    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if is_field(node) or isinstance(node, ast.Subscript) and is_content(node.value):
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in SETTERS or node.func.attr in CHANGING and is_content(node.func.value):
                yield node.lineno


def test_nothing_but_the_door_writes_to_an_operation() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}"
        for path in sorted(SOURCES.rglob("*.py"))
        if str(path.relative_to(SOURCES)) not in DOOR
        for line in writes(ast.parse(path.read_text()))
    ]
    assert not found


def test_only_graphs_and_the_door_move_operations() -> None:
    allowed = {"graph/graph.py", "graph/rewriting.py"}
    for path in SOURCES.rglob("*.py"):
        if str(path.relative_to(SOURCES)) in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
                target = node.value if isinstance(node, ast.Subscript) else node
                assert not (isinstance(target, ast.Attribute) and target.attr == "_operations"), f"{path}:{node.lineno}"


@pytest.mark.parametrize(
    "text",
    [
        "operation.inputs = ()",
        "x.op.device = 'cpu'",
        "operation.attrs['T'] = 1",
        "del operation.attrs['T']",
        "attrs = operation.attrs\nattrs['T'] = 1",
        "attrs = operation.attrs\nattrs.pop('T')",
        "self.operation.outputs.append(t)",
        "anything.control_inputs += [other]",
        "anything.static_values = None",
        "tensor.op._add_control_inputs([other])",
    ],
)
def test_a_write_is_found(text: str) -> None:
    assert list(writes(ast.parse(text)))
