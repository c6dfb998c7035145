"""What the numbers were measured on: a number without its machine says little."""

from __future__ import annotations

import datetime
import os
import platform
import re
from pathlib import Path
from typing import Any

import numpy  # noqa: F401  (loads the BLAS that is described)
import threadpoolctl

_SIMD = ("avx512f", "avx2", "avx", "sse4_2", "sve", "asimd")
"""The flags of processors by which vector instructions are known, the widest first of each family."""
_VARIABLES = re.compile(
    r"(OMP|OPENBLAS|MKL|BLIS|VECLIB|NUMEXPR|TF|XLA|JAX|MILLRACE)_.*(THREADS|CORETYPE|FLAGS|AFFINITY)"
)


def describe() -> dict[str, Any]:
    """Returns processor, cores, memory, BLAS, thread settings, operating system, Python, the load, and the date."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _from_file("/proc/cpuinfo", r"model name\s*: (.*)") or platform.processor() or platform.machine(),
        "simd": _vector_instructions(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_gb": round(int(_from_file("/proc/meminfo", r"MemTotal:\s+(\d+) kB") or 0) / 1e6),
        "blas": _blas(),
        "variables": {name: value for name, value in sorted(os.environ.items()) if _VARIABLES.fullmatch(name)},
        "system": _from_file("/etc/os-release", r'PRETTY_NAME="(.*)"') or platform.platform(),
        "python": platform.python_version(),
        "load": load(),
    }


def sentence(machine: dict[str, Any]) -> str:
    """Returns the same in one line."""
    variables = "".join(f", {name}={value}" for name, value in machine["variables"].items())
    return (
        f"{machine['date']}; {machine['processor']} ({machine['simd']}), {machine['cores']} cores, "
        f"{machine['memory_gb']} GB; {machine['blas']}{variables}; {machine['system']}; Python {machine['python']}; "
        f"load before the run {machine['load']}"
    )


def load() -> float:
    """Returns the number of programs that wanted to run, on average over the last minute."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


def _blas() -> str:
    """Returns the BLAS of this interpreter's NumPy: name, version, the processor its kernels are for, its threads."""
    for library in threadpoolctl.threadpool_info():
        if library["user_api"] == "blas":
            kernels = library.get("architecture")
            details = [f"kernels for {kernels}"] if kernels else []
            details.append(f"{library['num_threads']} threads")
            return f"NumPy with {library['internal_api']} {library['version'] or ''} ({', '.join(details)})"
    return "NumPy with a BLAS that does not say its name"


def _vector_instructions() -> str:
    flags = _from_file("/proc/cpuinfo", r"(?:flags|Features)\s*: (.*)").split()
    return next((name for name in _SIMD if name in flags), "vector instructions unknown")


def _from_file(path: str, pattern: str) -> str:
    try:
        match = re.search(pattern, Path(path).read_text(encoding="utf-8"))
    except OSError:
        return ""
    return match.group(1).strip() if match else ""
