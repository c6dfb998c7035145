"""Runs `gen_stubs.py` when the package is built or installed in place, so that its stubs are always there and fresh."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubsHook(BuildHookInterface[Any]):
    """Hatchling calls `initialize` before it collects the files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        script = Path(self.root) / "tools" / "gen_stubs.py"
        subprocess.run([sys.executable, "-I", str(script)], check=True)
