"""Makes `tests.oracle` importable from wherever pytest starts, and names the marker of the live run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

_ROOT = str(Path(__file__).parents[2])
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "oracle: runs real TensorFlow in a subprocess (MILLRACE_ORACLE_PYTHON)")
