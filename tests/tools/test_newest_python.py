"""`tools/newest_python.py` on interpreters that are not there."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "newest_python.py"


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("newest_python", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _interpreter(folder: Path, name: str, answer: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{answer}\n")
    path.chmod(0o755)
    return str(path)


def test_the_newest_of_another_minor_version_is_found(tool: ModuleType, tmp_path: Path) -> None:
    answers = ["3 11 9", "3 13 0", "3 13 12", "3 9 1", "3 14 2"]
    paths = [_interpreter(tmp_path, f"p{n}", f"echo {answer} cpython True") for n, answer in enumerate(answers)]
    assert tool.newest(iter(paths), (3, 14)) == ((3, 13, 12), paths[2])
    assert tool.newest(iter(paths), (3, 11)) == ((3, 14, 2), paths[4])
    assert tool.newest(iter(paths[:1]), (3, 11)) is None
    assert tool.newest(iter(paths[3:4]), (3, 11)) is None


@pytest.mark.parametrize("answer", ["exit 1", "echo 3 14 0 pypy True", "echo 3 14 0 cpython False"])
def test_what_cannot_be_used_is_passed_over(tool: ModuleType, tmp_path: Path, answer: str) -> None:
    assert tool.version_of(_interpreter(tmp_path, "p", answer)) is None
    assert tool.version_of(str(tmp_path / "missing")) is None


def test_the_running_interpreter_has_its_version(tool: ModuleType) -> None:
    assert tool.version_of(sys.executable) == sys.version_info[:3]
