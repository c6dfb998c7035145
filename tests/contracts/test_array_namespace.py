"""The array namespace: what kernels use, what `Xp` lists and what engines provide are the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from millrace._src.core.array_namespace import CompilingXp, LinearAlgebra, Xp
from millrace._src.engines.engine_table import ENGINES
from tests.contracts.test_layers import ROOT, source_files

KERNELS = [path for path in source_files() if "engines" not in path.parts and path.name != "array_namespace.py"]


def listed(protocol: type) -> set[str]:
    return {
        name for name in (*protocol.__annotations__, *vars(protocol)) if not name.startswith("_") and name != "engine"
    }


def used() -> Iterator[tuple[str, str]]:
    """Yields each name behind an `xp`, with its location."""
    for path in KERNELS:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("xp", "xp.linalg"):
                yield ast.unparse(node).removeprefix("xp."), f"{path.relative_to(ROOT)}:{node.lineno}"


USED = dict(used())
LISTED = listed(Xp) | listed(CompilingXp) | {f"linalg.{name}" for name in listed(LinearAlgebra)}


def test_kernels_use_what_is_listed() -> None:
    assert not {name: location for name, location in USED.items() if name not in LISTED | {"engine"}}


def test_nothing_is_listed_that_no_kernel_uses() -> None:
    assert not LISTED - set(USED)


def test_no_kernel_asks_which_engine_runs_it() -> None:
    locations = {location.partition(":")[0] for name, location in used() if name == "engine"}
    assert locations == {"src/millrace/_src/core/kernel_part.py"}


def test_kernels_name_what_they_use() -> None:
    dynamic = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in KERNELS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node).startswith(("getattr(xp,", "getattr(xp.linalg,"))
    ]
    assert not dynamic


@pytest.mark.parametrize("name", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def test_an_engine_provides_what_is_listed(name: str) -> None:
    xp = ENGINES[name].make().xp
    names = listed(Xp) | (listed(CompilingXp) if name == "xla" else set())
    assert not [n for n in names if not hasattr(xp, n)]
    assert not [n for n in listed(LinearAlgebra) if not hasattr(xp.linalg, n)]
