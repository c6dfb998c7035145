"""Runs `gen_stubs.py` when the package is built, so that its stubs are always there and fresh.

An installation in place (`pip install -e`) is left without them: a hundred folders would stand among the sources.
`make stubs` writes them there for who wants them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubsHook(BuildHookInterface[Any]):
    """Hatchling calls `initialize` before it collects the files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        script = Path(self.root) / "tools" / "gen_stubs.py"
        subprocess.run([sys.executable, "-I", str(script)], check=True)
