"""What a scenario is: a function of a `Run` that trains something small and returns numbers.

Problem: a way to train a model is to give the same losses eagerly, as a graph and compiled, and on every machine.

Idea: a scenario asks the `Run` to compile its model, and the run says in which mode. Before each scenario the seeds are
set, so everything that it does is determined, the first weights too. The same text runs on TensorFlow and on Millrace.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

MODES = {
    "eager": {"run_eagerly": True},
    "graph": {"jit_compile": False},
    "jit": {"jit_compile": True},
    "auto": {"jit_compile": "auto"},
}
"""Mode -> the arguments of `Model.compile` that ask for it."""
THREE = ("eager", "graph", "jit")
UNCOMPILED = ("eager", "graph")
EAGER = ("eager",)
"""For what is not a training of a model: there is no mode to choose."""
HALF = 1e-2
"""The tolerance for 16-bit numbers."""


@dataclass(frozen=True)
class Run:
    """What a scenario runs on, and in which mode."""

    tf: Any
    keras: Any
    mode: str
    folder: str
    """Where the scenario may write files."""

    def compile(self, model: Any, *args: Any, **kwargs: Any) -> Any:
        """Compiles a model for the mode and returns the model."""
        model.compile(*args, **(MODES[self.mode] | kwargs))
        return model


@dataclass(frozen=True)
class Scenario:
    """A function and what is asked of it.

    Args:
      name: `topic::function`.
      function: what is run.
      modes: the modes in which it is.
      tolerance: how far a number may be off, as a part of the number.
      slow: the modes that take seconds, so that only a run with the marker `slow` includes them.
      needs: a package without which it cannot run.
      jit_as_graph: whether the compiled mode is to give the graph's numbers, because TensorFlow's XLA cannot compile it
        or draws other random numbers than TensorFlow's graphs; Millrace draws the same everywhere.
    """

    name: str
    function: Callable[[Run], Any]
    modes: tuple[str, ...] = THREE
    tolerance: float = 1e-5
    slow: tuple[str, ...] = ()
    needs: str = "keras"
    jit_as_graph: bool = False

    def recorded_mode(self, mode: str) -> str:
        """The mode of TensorFlow whose numbers are the right ones for a mode."""
        return "graph" if mode == "jit" and self.jit_as_graph else mode


_catalogue: dict[str, Scenario] = {}


def scenario(*modes: str, **facts: Any) -> Callable[[Callable[[Run], Any]], Callable[[Run], Any]]:
    """Puts a function into the catalogue: eagerly, as a graph and compiled if no mode is named."""

    def add(function: Callable[[Run], Any]) -> Callable[[Run], Any]:
        name = f"{function.__module__.rpartition('.')[2]}::{function.__name__}"
        _catalogue[name] = Scenario(name, function, modes or THREE, **facts)
        return function

    return add


def topics() -> list[str]:
    """The topics: the modules of the folder `topics`."""
    package = importlib.import_module("tests.keras.scenarios.topics")
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def scenarios(only: list[str] | None = None) -> dict[str, Scenario]:
    """All scenarios by name, or those of some topics."""
    for topic in only or topics():
        importlib.import_module(f"tests.keras.scenarios.topics.{topic}")
    wanted = set(only or topics())
    return {name: one for name, one in _catalogue.items() if name.partition("::")[0] in wanted}


def numbers(result: Any, where: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a result with their paths, arrays element by element: how answers are written and compared."""
    if hasattr(result, "numpy"):
        result = result.numpy()
    if isinstance(result, dict):
        for key, value in result.items():
            yield from numbers(value, f"{where}.{key}" if where else str(key))
    elif isinstance(result, (list, tuple)) or np.ndim(result) > 0:
        for index, value in enumerate(result):
            yield from numbers(value, f"{where}[{index}]")
    else:
        yield where, float(np.asarray(result).astype(np.float64))


def differences(expected: dict[str, float], found: dict[str, float], tolerance: float) -> list[str]:
    """A line for each number that is off or missing."""
    lines = [f"{path} is missing" for path in expected.keys() - found.keys()]
    lines += [f"{path} is not TensorFlow's" for path in found.keys() - expected.keys()]
    for path in expected.keys() & found.keys():
        if not np.isclose(found[path], expected[path], rtol=tolerance, atol=tolerance / 10, equal_nan=True):
            lines.append(f"{path}: expected {expected[path]:.8g}, got {found[path]:.8g}")
    return sorted(lines)
