"""TensorFlow's own `saved_model_cli` and this one say the same of SavedModels that Millrace saved."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.command_line.saved_model_cli import main
from tests.command_line.canonical import canonical
from tests.command_line.models import MODELS

PYTHON = os.environ.get("MILLRACE_ORACLE_PYTHON")

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not PYTHON, reason="MILLRACE_ORACLE_PYTHON names no Python with TensorFlow"),
]
NAMES = ["python_values", "python_arguments", "calls_of_calls", "names_and_shapes", "runs"]


def _tensorflows(*arguments: str) -> str:
    """What TensorFlow's tool prints."""
    tool = Path(PYTHON or "").with_name("saved_model_cli")
    result = subprocess.run([str(tool), *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout


@pytest.fixture
def ours(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        assert main(list(arguments)) == 0
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("name", NAMES)
def test_both_tools_show_the_same(name: str, tmp_path: Path, ours: Any) -> None:
    MODELS[name](tf, tmp_path / "model")
    arguments = ("show", "--dir", str(tmp_path / "model"), "--all")
    assert canonical(ours(*arguments)) == canonical(_tensorflows(*arguments))


def test_both_tools_run_the_same(tmp_path: Path, ours: Any) -> None:
    MODELS["runs"](tf, tmp_path / "model")
    model = ("--dir", str(tmp_path / "model"), "--tag_set", "serve")
    inputs = {"serving_default": "x=[[1,2],[3,4]]", "two": "a=1.5;b=2", "examples": "examples=['a']"}
    for key, expressions in inputs.items():
        arguments = ("run", *model, "--signature_def", key, "--input_exprs", expressions)
        assert ours(*arguments) == _tensorflows(*arguments)
