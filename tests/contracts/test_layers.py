"""What import-linter, which checks the layers in `make lint`, cannot say: JAX by its public names, no late imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "millrace" / "_src"

# Packages that may be missing or are slow to load.
LATE = {"jax", "jaxlib", "scipy", "google", "ml_dtypes", "keras", "tensorboard", "PIL", "onnx", "zipfile"}


def source_files() -> list[Path]:
    return [path for path in sorted(SOURCES.rglob("*.py")) if not path.name.endswith("_pb2.py")]


def imported_names(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node, node.module


def test_jax_is_used_by_its_public_names_only() -> None:
    for path in source_files():
        for node, name in imported_names(ast.parse(path.read_text(encoding="utf-8"))):
            assert not name.startswith(("jax._src", "jaxlib")), f"{path}:{getattr(node, 'lineno', 0)} imports {name}"


def test_autograph_transforms_know_nothing_but_util() -> None:
    for path in (SOURCES / "autograph" / "transform").rglob("*.py"):
        for node, name in imported_names(ast.parse(path.read_text(encoding="utf-8"))):
            allowed = not name.startswith("millrace") or name.startswith(
                ("millrace._src.util", "millrace._src.autograph.transform")
            )
            assert allowed, f"{path}:{getattr(node, 'lineno', 0)} imports {name}"


def late_imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Imports inside functions."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in function.body:
                yield from ((getattr(node, "lineno", 0), name) for node, name in imported_names(statement))


def test_an_import_inside_a_function_gives_its_reason() -> None:
    """Optional and slow packages are their own reason; any other import carries a comment on its line."""
    found = []
    for path in source_files():
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        for line, name in late_imports(ast.parse(text)):
            if name.partition(".")[0] not in LATE and "  # " not in lines[line - 1]:
                found.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert not found, "\n".join(found)


def test_sources_start_with_a_docstring_and_postponed_annotations() -> None:
    found = []
    for path in source_files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if ast.get_docstring(tree) is None:
            found.append(f"{path.relative_to(ROOT)}: no module docstring")
        future = any(name == "__future__" for _, name in imported_names(tree))
        if not future and any(isinstance(node, ast.FunctionDef) for node in tree.body):
            found.append(f"{path.relative_to(ROOT)}: no `from __future__ import annotations`")
    assert not found, "\n".join(found)
