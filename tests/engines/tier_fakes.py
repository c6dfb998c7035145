"""Programs that take as long as a test says, for tests of tiers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.engine import Program
from millrace._src.engines.background_compiler import BackgroundCompiler
from millrace._src.engines.compile_costs import CompileCosts
from millrace._src.engines.function_tiers import Candidates, FunctionTiers
from millrace._src.engines.tier_settings import Pin, TierSettings


class Clock:
    """A clock that stands still until somebody moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Arrays:
    """What an engine's own array looks like from outside: it has a shape and can be fetched."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Engines:
    """A NumPy program that doubles its argument, and candidates that do the same in other times.

    Args:
      numpy: the seconds of a call on the NumPy tier.
      **candidates: the seconds of a call by the name of the candidate.
    """

    def __init__(self, numpy: float = 1.0, **candidates: float) -> None:
        self.clock = Clock()
        self.calls: list[str] = []
        self.seconds = {"numpy": numpy, **candidates}
        self.compiled_shapes: dict[str, set[Any]] = {name: set() for name in candidates}
        self.failures: dict[str, Exception] = {}
        self.settings = TierSettings(
            clock=self.clock, waits=True, import_seconds=0.0, costs=CompileCosts(10.0, 0.0), call_seconds=1e-3
        )
        self.compiler = BackgroundCompiler()
        self.pin = Pin.AUTO
        self.is_made = 0
        self.programs = {name: self.program(name) for name in candidates}
        self.reasons: dict[str, str] = {}
        self.digest: Callable[[], str | None] = lambda: None
        self.make_others: Callable[[Candidates], None] = lambda candidates: None

    def run(self, name: str, x: Any) -> list[Any]:
        self.calls.append(name)
        self.clock.now += self.seconds[name]
        doubled = np.asarray(x) * 2
        return [doubled if name == "numpy" else Arrays(doubled)]

    def program(self, name: str) -> Program:
        def attempt(x: Any) -> list[Any] | None:
            return self.run(name, x) if x.shape in self.compiled_shapes[name] else None

        def prepare(arguments: Any) -> Any:
            (x,) = arguments
            shape = x.shape

            def compile_program() -> None:
                if name in self.failures:
                    raise self.failures[name]
                self.compiled_shapes[name].add(shape)

            return compile_program

        return Program(lambda x: self.run(name, x), name, prepare=prepare, attempt=attempt, takes_pending=True)

    def make(self, candidates: Candidates) -> Any:
        self.is_made += 1
        candidates.makers.update({name: functools.partial(self.programs.get, name) for name in self.programs})
        candidates.reasons.update(self.reasons)
        self.make_others(candidates)
        yield

    def tiers(self) -> FunctionTiers:
        numpy = Program(lambda x: self.run("numpy", x), "numpy")
        return FunctionTiers("f", numpy, 7, self.make, self.settings, self.compiler, self.pin, digest=self.digest)


class Caller:
    """Code that holds a program."""

    def __init__(self) -> None:
        self.programs: list[Program] = []

    def use(self, program: Program) -> None:
        self.programs.append(program)
