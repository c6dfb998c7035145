"""What import-linter, which checks the layers in `make lint`, cannot say.

JAX by its public names, no late imports, no modules named by strings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

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


# --- imports by name -------------------------------------------------------------------------------------------------

# Where a module of the package may be named by a string, or imported by a name that is computed; see
# docs/decisions/layers-without-strings.md. No other module may: such an import is invisible to import-linter.
REGISTRY = {"_src/core/op_homes.py", "_src/core/op_registry.py"}
PUBLIC_TABLES = {"_api/lazy.py", "_src/interop/private_paths.py", "_src/util/lazy_import.py", "__main__.py"}
ENGINES = {"_src/core/context.py", "_src/engines/engine_table.py"}
NAMED_LOCATIONS = REGISTRY | PUBLIC_TABLES | ENGINES

PACKAGE = SOURCES.parent
DOTTED = re.compile(r"[a-z_]\w*(\.\w+)+")


def is_own_path(text: str) -> bool:
    """Whether a string names a module of the package, or something in one: `control_flow.cond.cond`."""
    if "millrace._src" in text:
        return True
    if not DOTTED.fullmatch(text):
        return False
    parts = text.split(".")
    prefixes = [SOURCES.joinpath(*parts[:n]) for n in range(2, len(parts) + 1)]
    return any(path.is_dir() or path.with_suffix(".py").exists() for path in prefixes)


def docstrings(tree: ast.Module) -> set[ast.AST]:
    """The strings that stand alone: docstrings, and those that describe a constant."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def public_names(tree: ast.Module) -> set[ast.AST]:
    """The strings in calls of `export`: `saved_model.save` is a public name and by chance the path of a module."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    exports = [node for node in calls if getattr(node.func, "id", "") in ("export", "export_constant")]
    return {inner for node in exports for inner in ast.walk(node) if isinstance(inner, ast.Constant)}


def imports_by_name(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Own modules that are named by strings, and modules that are imported by a name that is computed."""
    told = docstrings(tree) | public_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in told:
            if is_own_path(node.value):
                yield node.lineno, node.value
        elif isinstance(node, ast.Call) and node.args and not isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__"):
                yield node.lineno, ast.unparse(node)


def test_modules_are_imported_by_name_in_three_modules_only() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        location = path.relative_to(PACKAGE).as_posix()
        if location in NAMED_LOCATIONS or location.endswith("_pb2.py"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [f"{location}:{line} {name}" for line, name in imports_by_name(tree)]
    assert not found, "\n".join(found)


def test_modules_that_import_by_name_exist_and_do() -> None:
    for location in NAMED_LOCATIONS:
        assert any(imports_by_name(ast.parse((PACKAGE / location).read_text(encoding="utf-8")))), location


@pytest.mark.parametrize(
    "statement",
    [
        'late_function("control_flow.cond.cond")',
        'import_module("millrace._src.ops.raw")',
        'f"millrace._src.{name}"',
        "import_module(name)",
        'importlib.import_module(f"{package}.convert")',
        '__import__(f"{package}.convert")',
    ],
)
def test_an_import_by_name_is_seen(statement: str) -> None:
    assert list(imports_by_name(ast.parse(statement)))


@pytest.mark.parametrize(
    "statement",
    ['export("autodiff.GradientTape")', 'import_module("scipy.linalg")', '"""Beside `ops.raw`."""', '"ops.raw: why"'],
)
def test_what_only_looks_like_an_import_by_name_is_not_taken_for_one(statement: str) -> None:
    assert not list(imports_by_name(ast.parse(statement)))
