"""Starts processes for each framework and measures the programs, taking the frameworks in turn.

A framework is found in the interpreter given for it, by default the one that runs the benchmarks. One that is not
installed there is left out, and the table says so.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measured import Measured
from benchmarks.modes import Mode
from benchmarks.programs import ORDER
from benchmarks.rows import SCALES, Row, Series

ROOT = Path(__file__).resolve().parents[1]
FRAMEWORKS = ("millrace", "tensorflow", "jax", "torch", "numpy")
VARIABLE = "MILLRACE_BENCH_{}"
"""Environment variable with the interpreter of a framework, e.g. MILLRACE_BENCH_TORCH=/opt/torch/bin/python."""
REST = 0.06
"""Seconds between repetitions: the threads of the framework before go on spinning for some 25 ms (OpenBLAS, OpenMP)."""
LONG = 2.0
"""Seconds of one repetition above which a row is repeated three times only."""


def environment(mode: Mode) -> dict[str, str]:
    """The sources of Millrace in front; the frameworks' chatter off; bytecode is kept, as it is for users."""
    paths = [str(ROOT / "src"), str(ROOT)]
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore"}
    own = {"PYTHONPATH": os.pathsep.join(paths), "MILLRACE_COMPILE_CACHE": "0"}  # no run finds what another compiled
    return inherited | own | quiet | mode.environment


def interpreters(given: dict[str, str]) -> dict[str, str]:
    """Framework -> its Python: from the command line, else the environment, else this one."""
    return {
        name: given.get(name) or os.environ.get(VARIABLE.format(name.upper())) or sys.executable for name in FRAMEWORKS
    }


class Peer:
    """A framework in its own process, measured in one mode.

    Raises: OSError: if there is no such interpreter, or it does not have the framework.
    """

    def __init__(self, name: str, python: str, mode: Mode, verbose: bool) -> None:
        self.name, self.python, self.mode = name, python, mode
        self.process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", name, mode.clock, "" if mode.core is None else str(mode.core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if verbose else subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=environment(mode),
        )
        hello = self._answer()
        if "error" in hello:
            self.close()
            raise OSError(hello["error"])
        self.version: str = hello["version"]

    def variants(self, program: str, row: str) -> list[Series]:
        """Returns the variants of a row; none if the framework does not take part. Raises RuntimeError if it fails."""
        return [Series(self.name, variant) for variant in self._request(program, row)["variants"]]

    def measure(self, program: str, row: str, variant: str) -> tuple[float, float]:
        """Returns the seconds of one call, and the share of a core it had. Raises RuntimeError if the call fails."""
        answer = self._request(program, row, variant)
        return answer["seconds"], answer["share"]

    def run_alone(self, code: str) -> float:
        """Returns what a program prints that runs in a process of its own; `clock` is the clock of the mode."""
        command = [self.python, "-c", self.mode.prelude + code]
        result = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, env=environment(self.mode), timeout=600, check=False
        )
        if result.returncode:
            raise RuntimeError(result.stderr.strip().rpartition("\n")[2])
        return float(result.stdout.split()[-1])

    def close(self) -> None:
        """Ends the process."""
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(timeout=60)

    def _request(self, *request: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": f"the process ended ({self.process.wait()})"}
        return answer


def rows(only: list[str]) -> Iterator[tuple[str, Row, Any]]:
    """Yields program, row, and its processes: all rows in the order of the table, or those that are named."""
    for program in ORDER:
        module = importlib.import_module(f"benchmarks.programs.{program}")
        for row in module.ROWS:
            if not only or program in only or row.key in only:
                yield program, row, getattr(module, "PROCESSES", None)


def measure(peers: list[Peer], program: str, row: Row, processes: Any, rounds: int) -> Measured:
    """Measures one row in one mode: the frameworks and their variants in turn, `rounds` times."""
    measured = Measured(program, row, peers[0].mode)
    active = _participants(peers, measured, processes)
    done = 0
    while done < rounds and active:
        longest = max(_repeat(measured, peer, series, processes) or 0.0 for peer, series in active)
        active = [(peer, series) for peer, series in active if series not in measured.failures]
        done += 1
        if longest > LONG and done >= 3 and processes is None:
            break
    return measured


def _participants(peers: list[Peer], measured: Measured, processes: Any) -> list[tuple[Peer, Series]]:
    """Returns the frameworks that take part in a row, once for each variant; notes the ones that cannot be set up."""
    found = []
    for peer in peers:
        if processes is not None:
            takes_part = measured.row.key in processes.get(peer.name, {})
            found += [(peer, Series(peer.name))] if takes_part else []
            continue
        try:
            found += [(peer, series) for series in peer.variants(measured.program, measured.row.key)]
        except RuntimeError as error:
            measured.failures[Series(peer.name)] = _first_line(error)
    return found


def _repeat(measured: Measured, peer: Peer, series: Series, processes: Any) -> float | None:
    """Adds one repetition; returns its seconds, or None if it failed."""
    row = measured.row
    try:
        if processes is not None:
            seconds = peer.run_alone(processes[peer.name][row.key])
        else:
            time.sleep(REST)
            seconds, share = peer.measure(measured.program, row.key, series.variant)
            measured.shares.append(share)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        measured.failures[series] = _first_line(error)
        return None
    measured.values.setdefault(series, []).append(seconds * SCALES[row.unit] / row.per)
    return seconds


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
