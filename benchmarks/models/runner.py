"""Starts a process for each model, framework and round, the frameworks in turn."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.models.measured import Figures, MeasuredModel
from benchmarks.models.table import Model
from benchmarks.modes import Mode
from benchmarks.rows import Series
from benchmarks.runner import ROOT, environment

WARM = "warm cache"
"""The variant of Millrace that finds what an earlier process compiled."""
MAX_SECONDS = 1200
"""Seconds after which a process is ended."""

Run = Callable[[Series, Model, Mode], Figures]


class Processes:
    """Runs models in the interpreters of the frameworks.

    Args:
      pythons: framework -> its interpreter.
      verbose: whether what the frameworks print is shown.
    """

    def __init__(self, pythons: dict[str, str], verbose: bool) -> None:
        self.pythons, self.verbose = pythons, verbose
        self.versions: dict[str, str] = {}

    def run(self, series: Series, model: Model, mode: Mode) -> Figures:
        """Returns the figures of one process; the second of two with one folder of executables, for a warm cache.

        Raises: OSError: if the framework is not there. RuntimeError: if the model fails.
        """
        if series.variant != WARM:
            return self._run(series.framework, model, mode, {})
        with tempfile.TemporaryDirectory() as folder:
            cache = {"MILLRACE_COMPILE_CACHE": folder}
            self._run(series.framework, model, mode, cache)
            return self._run(series.framework, model, mode, cache)

    def _run(self, framework: str, model: Model, mode: Mode, variables: dict[str, str]) -> Figures:
        core = "" if mode.core is None else str(mode.core)
        result = subprocess.run(
            [self.pythons[framework], "-m", "benchmarks.models.worker", framework, model.name, mode.clock, core],
            stdout=subprocess.PIPE,
            stderr=None if self.verbose else subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=environment(mode) | variables,
            timeout=MAX_SECONDS,
            check=False,
        )
        answer: dict[str, Any] = json.loads(result.stdout or "{}")
        if "missing" in answer:
            raise OSError(answer["missing"])
        if not answer or "error" in answer:
            raise RuntimeError(answer.get("error", f"the process ended ({result.returncode})"))
        self.versions[framework] = answer.pop("version")
        return answer


class Rounds:
    """Measures models round by round, and remembers which frameworks are missing, and why.

    Args:
      run: returns the figures of one process.
      series: the frameworks and variants that are asked for.
      count: how many rounds there are.
    """

    def __init__(self, run: Run, series: Sequence[Series], count: int) -> None:
        self.run, self.series, self.count = run, series, count
        self.missing: dict[str, str] = {}

    def measure(self, model: Model, mode: Mode) -> MeasuredModel:
        """Returns what was measured of a model; a framework that failed is not asked again."""
        measured = MeasuredModel(model, mode)
        for _ in range(self.count):
            for series in self.series:
                if series.framework in model.frameworks and series.framework not in self.missing:
                    self._measure(measured, series)
        return measured

    def _measure(self, measured: MeasuredModel, series: Series) -> None:
        if series in measured.failures:
            return
        try:
            figures = self.run(series, measured.model, measured.mode)
        except OSError as error:
            self.missing[series.framework] = str(error)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            measured.failures[series] = str(error).partition("\n")[0][:200]
        else:
            measured.values.setdefault(series, []).append(figures)
