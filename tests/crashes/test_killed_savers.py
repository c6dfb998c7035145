"""Real processes that are killed while they save; `MILLRACE_KILLS` says how often each kind is killed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.crashes.killed_savers import KINDS
from tests.interop.process import python

_KILLS = os.environ.get("MILLRACE_KILLS", "12")


@pytest.mark.skipif(os.name != "posix", reason="processes are forked")
@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_process_loses_nothing_that_was_saved(kind: str, tmp_path: Path) -> None:
    result = python("-m", "tests.crashes.killed_savers", kind, _KILLS, "1", str(tmp_path))
    assert result.returncode == 0, result.stderr[-3000:]
    assert f"{kind}: {_KILLS} kills" in result.stdout
