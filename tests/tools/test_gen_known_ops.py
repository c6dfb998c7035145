"""`tools/gen_known_ops.py`: an op of TensorFlow as a line."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def test_check_passes_where_there_is_no_tensorflow_to_ask() -> None:
    if find_spec("tensorflow") is not None:
        pytest.skip("this interpreter has TensorFlow")
    check = [sys.executable, str(TOOLS / "gen_known_ops.py"), "--check"]
    result = subprocess.run(check, capture_output=True, text=True)
    assert result.returncode == 0 and "no TensorFlow to ask" in result.stderr
    assert subprocess.run(check[:2], capture_output=True).returncode == 1
