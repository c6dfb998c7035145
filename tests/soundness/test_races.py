"""The race of `races`, for some seconds; for longer: `python -m tests.soundness.races --minutes 60`."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from tests.soundness import race_processes

pytestmark = [
    pytest.mark.xla,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, and reads /proc"),
]


def test_the_compiler_races_calls_threads_forks_and_exits() -> None:
    command = [sys.executable, "-m", "tests.soundness.races", "--minutes", "0.1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert result.returncode == 0, result.stdout + result.stderr[-4000:]


def test_a_program_goes_on_after_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    race_processes.interrupt(random.Random(0))
