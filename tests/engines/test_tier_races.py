"""The race of `tier_races`, for some seconds; for longer: `python -m tests.engines.tier_races --seconds 3600`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.xla
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, and reads /proc")
def test_the_compiler_races_calls_threads_forks_and_exits() -> None:
    command = [sys.executable, "-m", "tests.engines.tier_races", "--seconds", "6"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert result.returncode == 0, result.stdout + result.stderr[-4000:]
