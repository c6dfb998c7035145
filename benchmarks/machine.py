"""What the numbers were measured on: a number without its machine says little."""

from __future__ import annotations

import datetime
import os
import platform
import re
from pathlib import Path


def describe() -> dict[str, str | int | float]:
    """Processor, cores, memory, operating system, Python, the load before the start, and the date."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _from_file("/proc/cpuinfo", r"model name\s*: (.*)") or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_gb": round(int(_from_file("/proc/meminfo", r"MemTotal:\s+(\d+) kB") or 0) / 1e6),
        "system": _from_file("/etc/os-release", r'PRETTY_NAME="(.*)"') or platform.platform(),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0,
    }


def sentence(machine: dict[str, str | int | float]) -> str:
    """The same in one line."""
    return (
        f"{machine['date']}; {machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB; "
        f"{machine['system']}; Python {machine['python']}; load before the run {machine['load']}"
    )


def _from_file(path: str, pattern: str) -> str:
    try:
        found = re.search(pattern, Path(path).read_text(encoding="utf-8"))
    except OSError:
        return ""
    return found.group(1).strip() if found else ""
