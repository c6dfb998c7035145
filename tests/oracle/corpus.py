"""Finds the programs and runs one of them."""

from __future__ import annotations

import importlib
import inspect
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.oracle.encoding import Encoder

FOLDER = Path(__file__).parent
RECORDED = FOLDER / "recorded"


def topics() -> list[str]:
    """The topics, sorted: the stems of the files in `programs/`."""
    return sorted(path.stem for path in (FOLDER / "programs").glob("[a-z]*.py"))


def programs(topic: str) -> dict[str, Callable[[Any, Any], Any]]:
    """The programs of a topic by name without `prog_`, in the order of the file."""
    module = importlib.import_module(f"tests.oracle.programs.{topic}")
    found = [(name, member) for name, member in vars(module).items() if name.startswith("prog_")]
    functions = [(name.removeprefix("prog_"), member) for name, member in found if inspect.isfunction(member)]
    return dict(functions)


def run(program: Callable[[Any, Any], Any], tf: Any, np: Any) -> Any:
    """Runs a program and returns the JSON form of what it returns, or of the exception it raises."""
    encoder = Encoder(tf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = program(tf, np)
        except Exception as error:
            return encoder.encode_exception(error)
        return encoder.encode(result)


def recorded(topic: str, folder: Path = RECORDED) -> dict[str, Any]:
    """The recorded answers of a topic by program name."""
    path = folder / f"{topic}.json"
    if not path.exists():
        return {}
    answers: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return answers


def write_record(path: Path, answers: dict[str, Any]) -> None:
    """Writes answers, one program a line, so that a changed answer is one changed line."""
    lines = [f"{json.dumps(name)}: {json.dumps(form, separators=(',', ':'))}" for name, form in answers.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
