"""Fails a run of the tests that leaves new files in the root of the repository, where relative paths of a test lead.

The root's listings before the first test and after the last are compared, once a run: in the process that starts the
workers, if there are any. What `.gitignore` names is allowed: caches, builds.
"""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

import pytest

BEFORE = pytest.StashKey[frozenset[str]]()
STRAY = pytest.StashKey[list[str]]()


def stray_files(root: Path, before: frozenset[str]) -> list[str]:
    """Returns the names in `root` that are new since `before`, but for those that `.gitignore` names."""
    ignore = root / ".gitignore"
    lines = ignore.read_text(encoding="utf-8").splitlines() if ignore.exists() else []
    patterns = [".pytest_cache", *(line.strip("/") for line in lines if line and line[0] not in "#!")]
    new = sorted(frozenset(os.listdir(root)) - before)
    return [name for name in new if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def pytest_configure(config: pytest.Config) -> None:
    """Lists the root before the first test."""
    if not hasattr(config, "workerinput"):
        config.stash[BEFORE] = frozenset(os.listdir(config.rootpath))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails the run if the root has new files; last, when the workers have ended."""
    before = session.config.stash.get(BEFORE, None)
    if before is None:
        return
    # A report that the command line asks for, as by `--junitxml=report.xml`, is not a file of a test.
    asked = {Path(argument.rpartition("=")[2]).name for argument in session.config.invocation_params.args}
    found = [name for name in stray_files(session.config.rootpath, before) if name not in asked]
    session.config.stash[STRAY] = found
    if found and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Names the new files."""
    for name in config.stash.get(STRAY, []):
        where = config.rootpath / name
        terminalreporter.write_line(f"ERROR: a test left {where}: write to tmp_path instead", red=True)
