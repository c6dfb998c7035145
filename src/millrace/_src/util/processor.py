"""What the processor can do: executables use its instructions, and which program is fastest depends on it.

Tests: tests/engines/test_tier_records.py
"""

from __future__ import annotations

import functools
import platform
from pathlib import Path


@functools.cache  # one text
def processor_features() -> str:
    """Returns the processor's model and the names of its instruction sets, as one text."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    told_once = dict(line.split(":", 1) for line in reversed(lines) if ":" in line)
    kinds = [told_once[key] for key in sorted(told_once) if key.strip() in ("flags", "Features", "model name")]
    return " ".join([platform.machine(), platform.processor(), *kinds])
