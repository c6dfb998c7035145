"""The page of the tour about the command line: its programs and its commands print what it says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import millrace as tf
from millrace.__main__ import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tour" / "command_line.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _blocks() -> Iterator[tuple[str, str]]:
    """The blocks of the page: their language and their text."""
    return (match.groups() for match in re.finditer(r"```(pycon|console)\n(.*?)```", PAGE.read_text(), re.DOTALL))  # type: ignore[misc]  # two groups each


def _commands(block: str) -> Iterator[tuple[list[str], str]]:
    for part in block.split("$ millrace ")[1:]:
        command, _, output = part.partition("\n")
        yield shlex.split(command), output


def _printed(arguments: list[str]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        main(arguments)
    return output.getvalue()


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not part of this installation")
def test_the_page_prints_what_it_says(tmp_path: Path) -> None:
    runner, scope, checker = doctest.DocTestRunner(optionflags=FLAGS), {"tf": tf}, doctest.OutputChecker()
    commands = 0
    with contextlib.chdir(tmp_path):
        for language, text in _blocks():
            if language == "pycon":
                test = doctest.DocTestParser().get_doctest(text, scope, PAGE.name, str(PAGE), 0)
                failures = io.StringIO()
                runner.run(test, out=failures.write, clear_globs=False)
                assert not failures.getvalue(), failures.getvalue()
                scope = test.globs
                continue
            for arguments, wanted in _commands(text):
                printed = _printed(arguments)
                assert checker.check_output(wanted, printed, FLAGS), f"{arguments}\n{printed}"
                commands += 1
    assert commands >= 10
