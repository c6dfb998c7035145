"""The walks of `docs/life-of.md` are true: the programs on the page call every function in its numbered lists."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from tests.contracts.doc_references import FENCE, PACKAGE, ROOT, SOURCES, Reference, files_of, references
from tests.contracts.life_of_calls import PAGE, programs

STEP = re.compile(r"^\d+\. .*\n(?:   .*\n?)*", re.MULTILINE)


def steps(heading: str) -> list[Reference]:
    """Returns what the numbered list of a section names in files."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    listed = "".join(STEP.findall(FENCE.sub("", text)))
    return [reference for reference in references(listed) if reference.name]


def home(reference: Reference) -> str:
    """Returns the file of a reference as a path below the package."""
    (path,) = files_of(reference.path, [SOURCES])
    return path.relative_to(PACKAGE).as_posix()


def was_called(file: str, name: str, called: set[str]) -> bool:
    """Returns whether a function was called; of a class, whether a method was, as its body runs on import."""
    if name.rpartition(".")[2][0].isupper():
        return any(function.startswith(f"{file}: {name}.") for function in called)
    return f"{file}: {name}" in called


@pytest.fixture(scope="module")
def called() -> dict[str, set[str]]:
    command = [sys.executable, "-m", "tests.contracts.life_of_calls"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MILLRACE_")}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return {heading: set(functions) for heading, functions in json.loads(result.stdout).items()}


@pytest.mark.parametrize("heading", list(programs()))
def test_the_program_of_a_section_calls_every_function_of_its_numbered_list(
    heading: str, called: dict[str, set[str]]
) -> None:
    named = [(home(reference), reference.name or "") for reference in steps(heading)]
    assert len(named) >= 8
    assert [function for function in named if not was_called(*function, called[heading])] == []
