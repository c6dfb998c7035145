"""Only the engine table names engines that compile: the core, the passes and the tiers know properties."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import millrace as tf

SOURCES = Path(tf.__file__).parent / "_src"
TABLE = "engines/engine_table.py"

PUBLIC = {
    "core/runtime_options.py": {"test.is_built_with_xla", "is_built_with_xla"},
    "core/devices.py": {"XLA_PYTHON_CLIENT_MEM_FRACTION"},
    "core/device_memory.py": {"XLA_PYTHON_CLIENT_PREALLOCATE"},
    "engines/accelerators.py": {"XLA_PYTHON_CLIENT_PREALLOCATE"},
}
"""Names that users of TensorFlow or JAX write, by the files that need them."""


def _docstrings(tree: ast.AST) -> set[int]:
    """Returns the identities of the strings that stand alone: documentation."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields the identifiers and the string constants of a file, with their lines."""
    documentation = _docstrings(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield line, node.value
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.alias)):
            yield line, node.name
        elif isinstance(node, ast.Name):
            yield line, node.id
        elif isinstance(node, ast.Attribute):
            yield line, node.attr
        elif isinstance(node, (ast.arg, ast.keyword)):
            yield line, node.arg or ""


def findings(text: str, allowed: set[str] = frozenset()) -> list[tuple[int, str]]:  # type: ignore[assignment]
    """Returns the words of a file that name an engine, with their lines."""

    def names_engine(word: str) -> bool:
        for name in allowed:
            word = word.replace(name, "")
        return "xla" in word.lower()

    return [(line, word) for line, word in _words(ast.parse(text)) if names_engine(word)]


def _paths() -> Iterator[str]:
    for folder in ("core", "passes", "engines"):
        for path in (SOURCES / folder).rglob("*.py"):
            name = path.relative_to(SOURCES).as_posix()
            if name not in (TABLE, "core/op_homes.py") and not name.startswith("engines/xla/"):
                yield name


def test_the_finder_finds() -> None:
    text = """
'''Documentation may say XLA.'''
if engine == "xla" or on_xla(XLA=1):
    pass
"""
    assert sorted(findings(text)) == [(3, "XLA"), (3, "on_xla"), (3, "xla")]
    assert findings("a = 'XLA_FLAGS is set'", {"XLA_FLAGS"}) == []


def test_only_the_engine_table_names_engines_that_compile() -> None:
    found = {
        f"{name}:{line}": word
        for name in _paths()
        for line, word in findings((SOURCES / name).read_text(), PUBLIC.get(name, set()))
    }
    assert not found, "ask the engine table, or declare a property"


def test_every_allowed_name_is_needed() -> None:
    unneeded = {name for name, words in PUBLIC.items() if not findings((SOURCES / name).read_text())}
    assert not unneeded
