"""Starts a process for each framework and measures the programs, taking the frameworks in turn.

A framework is found in the interpreter given for it, by default the one that runs the benchmarks. One that is not
installed there is left out, and the table says so.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.programs import ORDER
from benchmarks.rows import Row

ROOT = Path(__file__).resolve().parents[1]
FRAMEWORKS = ("millrace", "tensorflow", "jax", "torch", "numpy")
VARIABLE = "MILLRACE_BENCH_{}"
"""Environment variable with the interpreter of a framework, e.g. MILLRACE_BENCH_TORCH=/opt/torch/bin/python."""
REST = 0.06
"""Seconds between repetitions: the threads of the framework before go on spinning for some 25 ms (OpenBLAS, OpenMP)."""
LONG = 2.0
"""Seconds of one repetition above which a row is repeated three times only."""


def environment() -> dict[str, str]:
    """The sources of Millrace in front; the frameworks' chatter off; bytecode is kept, as it is for users."""
    paths = [str(ROOT / "src"), str(ROOT)]
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return dict(inherited, PYTHONPATH=os.pathsep.join(paths), TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")


def interpreters(given: dict[str, str]) -> dict[str, str]:
    """Framework -> its Python: from the command line, else the environment, else this one."""
    return {
        name: given.get(name) or os.environ.get(VARIABLE.format(name.upper())) or sys.executable for name in FRAMEWORKS
    }


class Peer:
    """A framework in its own process.

    Raises: OSError: if there is no such interpreter, or it does not have the framework.
    """

    def __init__(self, name: str, python: str, verbose: bool) -> None:
        self.name, self.python = name, python
        self.stderr = None if verbose else subprocess.DEVNULL
        self.process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            text=True,
            cwd=ROOT,
            env=environment(),
        )
        hello = self._answer()
        if "error" in hello:
            self.close()
            raise OSError(hello["error"])
        self.version: str = hello["version"]

    def measure(self, program: str, row: str) -> float | None:
        """Seconds of one call of a row; None if the framework has no such row. Raises RuntimeError if it fails."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([program, row]) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        seconds: float | None = answer["seconds"]
        return seconds

    def run_alone(self, code: str) -> float:
        """What a program prints that runs in a process of its own."""
        command = [self.python, "-c", code]
        result = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, env=environment(), timeout=600, check=False
        )
        if result.returncode:
            raise RuntimeError(result.stderr.strip().rpartition("\n")[2])
        return float(result.stdout.split()[-1])

    def close(self) -> None:
        """Ends the process."""
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(timeout=60)

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": f"the process ended ({self.process.wait()})"}
        return answer


@dataclass
class Measured:
    """The repetitions of one row: framework -> numbers in the row's unit; framework -> why there are none."""

    program: str
    row: Row
    values: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def median(self, framework: str) -> float | None:
        """The median of the repetitions."""
        return statistics.median(self.values[framework]) if self.values.get(framework) else None

    def minimum(self, framework: str) -> float | None:
        """The least of the repetitions: what the machine does undisturbed."""
        return min(self.values[framework]) if self.values.get(framework) else None

    @property
    def reach(self) -> float | None:
        """What Millrace is to reach, with what comes from another framework's number of this run."""
        if self.row.reach is None or self.row.beyond is None:
            return self.row.reach
        base = self.median(self.row.beyond)
        return None if base is None else self.row.reach + base


def rows(only: list[str]) -> Iterator[tuple[str, Row, Any]]:
    """All rows in the order of the table, or those whose program or key is named: program, row, its processes."""
    for program in ORDER:
        module = importlib.import_module(f"benchmarks.programs.{program}")
        for row in module.ROWS:
            if not only or program in only or row.key in only:
                yield program, row, getattr(module, "PROCESSES", None)


def measure(peers: list[Peer], program: str, row: Row, processes: Any, rounds: int, scale: float) -> Measured:
    """One row: the frameworks in turn, `rounds` times."""
    measured = Measured(program, row)
    active = list(peers)
    done = 0
    while done < rounds and active:
        longest = 0.0
        for peer in list(active):
            try:
                if processes is not None:
                    code = processes.get(peer.name, {}).get(row.key)
                    value = peer.run_alone(code) if code else None
                else:
                    time.sleep(REST)
                    value = peer.measure(program, row.key)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                measured.failures[peer.name] = str(error).partition("\n")[0][:200]
                value = None
            if value is None:
                active.remove(peer)
                continue
            longest = max(longest, value)
            measured.values.setdefault(peer.name, []).append(value * scale / row.per)
        done += 1
        if longest > LONG and done >= 3 and processes is None:
            break
    return measured
