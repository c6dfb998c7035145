"""A run of the tests that leaves files in the repository's root fails, and says which files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stray_files import stray_files

ROOT = Path(__file__).resolve().parents[2]
HOOKS = "from tests.stray_files import pytest_configure, pytest_sessionfinish, pytest_terminal_summary\n"
TIDY = "def test_tidy(tmp_path):\n    (tmp_path / 'events.out').touch()\n"
UNTIDY = "def test_untidy():\n    open('events.out.tfevents.1', 'w').close()\n"
FAILING = "def test_failing():\n    assert False\n"


def run(folder: Path, program: str, *options: str) -> tuple[int, str]:
    """Runs a file of tests in a repository of its own."""
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider --import-mode=importlib\n")
    (folder / "conftest.py").write_text(HOOKS)
    (folder / "test_files.py").write_text(program)
    (folder / ".gitignore").write_text("# caches\n__pycache__/\n/.hypothesis/\n*.log\n")
    command = [sys.executable, "-m", "pytest", "-q", *options]
    environment = dict(os.environ, PYTHONPATH=f"{ROOT}{os.pathsep}{ROOT / 'src'}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, cwd=folder)
    return done.returncode, done.stdout


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one_process", "workers"])
def test_a_run_that_leaves_a_file_in_the_root_fails_with_its_name(tmp_path: Path, options: tuple[str, ...]) -> None:
    if options:
        pytest.importorskip("xdist")
    status, output = run(tmp_path, TIDY + UNTIDY, *options)
    assert status == 1, output
    assert "2 passed" in output
    assert f"ERROR: a test left {tmp_path / 'events.out.tfevents.1'}: write to tmp_path instead" in output
    assert output.count("ERROR") == 1


def test_a_run_that_leaves_nothing_passes(tmp_path: Path) -> None:
    status, output = run(tmp_path, TIDY)
    assert (status, "ERROR" in output) == (0, False), output


def test_a_report_that_the_command_line_asks_for_may_be_in_the_root(tmp_path: Path) -> None:
    status, output = run(tmp_path, TIDY, "--junitxml=report.xml")
    assert (status, "ERROR" in output, (tmp_path / "report.xml").exists()) == (0, False, True), output


def test_a_failing_run_names_the_files_too(tmp_path: Path) -> None:
    status, output = run(tmp_path, UNTIDY + FAILING)
    assert (status, "events.out.tfevents.1: write" in output, "1 failed" in output) == (1, True, True), output


def test_what_was_there_and_what_is_ignored_are_no_stray_files(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("# caches\n__pycache__/\n/.hypothesis/\n!kept\n*.log\n\n")
    for name in ("there", "__pycache__", ".hypothesis", "a.log", "kept", "new"):
        (tmp_path / name).touch()
    assert stray_files(tmp_path, frozenset({"there", ".gitignore"})) == ["kept", "new"]


def test_these_tests_are_under_the_check(pytestconfig: pytest.Config) -> None:
    from tests import stray_files as module

    assert any(
        vars(plugin).get("pytest_sessionfinish") is module.pytest_sessionfinish
        for plugin in pytestconfig.pluginmanager.get_plugins()
        if hasattr(plugin, "__dict__")
    )
