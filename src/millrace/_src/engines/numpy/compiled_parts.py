"""Parts of a NumPy program that a compiling engine may run: the clusters that `passes.clustering` makes.

It is not known beforehand whether compiling makes a part faster, nor the shapes of a part's arguments before a call
has come so far. So a part begins as a NumPy program of its own, and is timed. A part that takes longer than a call
of a compiled program costs asks to be compiled; the runner of the whole program has that done, in whatever thread. From
then on the part has two engines, and a trial of real calls decides between them. Each set of argument shapes is a
specialization.

    host -> (timed a few times) -> too short: host for good
                                -> asks, and goes on -> compiled -> trial -> host or xla for good
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.engine import Engine, Program, Run
from millrace._src.core.tensor import wait_for_array
from millrace._src.engines.engine_table import HOST_ENGINE, JIT_ENGINE
from millrace._src.engines.tier_settings import settings
from millrace._src.passes.abstract_arrays import stand_in
from millrace._src.passes.optimized_graph import OptimizedGraph
from millrace._src.util.logger import get_logger
from millrace._src.util.trials import Trial

_TIMED_CALLS = 3
"""The calls whose shortest tells how long a part takes."""
_MAX_SPECIALIZATIONS = 32
"""The sets of shapes that one part remembers; a part that meets ever new shapes stays with the host."""
_LARGEST_KEPT = 64
"""The elements of an argument that is kept as it is until a part is compiled; larger ones leave their shape alone."""

HOST, COMPILED = HOST_ENGINE, JIT_ENGINE


class CompiledPart:
    """A cluster, as a function of arrays: NumPy's or another engine's in, the same out.

    Args:
      graph: the graph of the cluster.
      host: the NumPy program of the graph.
      make_engine: returns the engine of the other choice; only called when the part is compiled.
      unread: the numbers of the results that no kernel of the program around reads, which may be arrays of any engine.
    """

    def __init__(
        self, graph: OptimizedGraph, host: Program, make_engine: Callable[[], Engine], unread: Sequence[int] = ()
    ) -> None:
        self.graph = graph
        self.arriving_indices = [i for i in range(len(graph.outputs)) if i not in set(unread)]
        self._host_run = host.run
        self._make_engine = make_engine
        self._program: Program | None = None
        self._specializations: dict[Any, _PartSpecialization] = {}

    def __call__(self, *arguments: Any) -> Sequence[Any]:
        """Runs the part on the engine that its specialization has come to."""
        shapes = tuple([argument.shape for argument in arguments])
        specialization = self._specializations.get(shapes)
        if specialization is None:
            specialization = self._new_specialization(shapes)
        return specialization.run(*arguments)

    def _new_specialization(self, shapes: object) -> _PartSpecialization:
        specialization = _PartSpecialization(self)
        if len(self._specializations) < _MAX_SPECIALIZATIONS:
            return self._specializations.setdefault(shapes, specialization)
        specialization.commit(HOST)
        return specialization

    @property
    def is_committed(self) -> bool:
        """Whether no specialization is trying two engines at present."""
        return not any(each.is_trying for each in list(self._specializations.values()))

    @property
    def is_compiled(self) -> bool:
        """Whether the part runs compiled in some specialization, or may yet."""
        return any(
            specialization.choice == COMPILED or specialization.is_trying
            for specialization in list(self._specializations.values())
        )

    def choices(self) -> list[tuple[str, dict[Any, float]]]:
        """Returns the engine of each specialization, and the seconds that the engines took, as far as measured."""
        return [
            (specialization.choice or "undecided", specialization.seconds())
            for specialization in self._specializations.values()
        ]

    def compile_where_asked(self) -> None:
        """Compiles the part for the specializations that ask for it."""
        for specialization in list(self._specializations.values()):
            if specialization.asked is not None:
                specialization.compile()

    # --- the two engines --------------------------------------------------------------------------------------------

    def on_host(self, *arguments: object) -> Sequence[Any]:
        """Runs the part with NumPy."""
        return self._host_run(*[a if type(a) is np.ndarray else wait_for_array(a) for a in arguments])

    def on_compiler(self, *arguments: object) -> Sequence[Any]:
        """Runs the part compiled; NumPy runs it where a variable has no value yet, which may be no error."""
        assert self._program is not None  # compiled, or no specialization had come here
        try:
            results = self._program.run(*arguments)
        except errors.FailedPreconditionError:
            return self.on_host(*arguments)
        if not self.arriving_indices:
            return results
        results = list(results)
        for index in self.arriving_indices:
            if type(results[index]) is not np.ndarray:
                results[index] = wait_for_array(results[index])
        return results

    def wait(self, arguments: Sequence[Any], results: Sequence[Any]) -> None:
        """Waits until the results of a call, and variables that it changed, are computed."""
        program = self._program
        if program is not None and program.wait is not None:
            program.wait(arguments, results)
        else:
            for result in results:
                wait_for_array(result)

    def compile(self, arguments: Sequence[Any]) -> bool:
        """Compiles the part for arguments like these; returns whether the part can run compiled from now on.

        A part whose sizes depend on the values of arguments stays with the host: each value would be compiled.
        """
        try:
            if self._program is None:
                self._program = self._make_engine().compile(self.graph)
            program = self._program
            if program.left_because is None and program.prepare is not None:
                program.prepare(arguments)()
            return program.left_because is None and program.ready([_with_other_values(a) for a in arguments])
        except (errors.OpError, ImportError) as error:
            get_logger().info("A part of %s stays on the NumPy tier: %s", self.graph.name, error)
            return False


class _PartSpecialization:
    """A part for arguments of certain shapes.

    Attributes:
      run: runs a call.
      choice: the choice for good; None until it is known.
      asked: arguments for which the specialization asks to be compiled.
    """

    __slots__ = ("run", "choice", "asked", "_part", "_calls", "_least", "_trial")

    def __init__(self, part: CompiledPart) -> None:
        self.run: Run = self._time
        self.choice: str | None = None
        self.asked: list[Any] | None = None
        self._part = part
        self._calls = 0
        self._least = float("inf")
        self._trial: Trial | None = None

    @property
    def is_trying(self) -> bool:
        """Whether calls take the two engines in turn."""
        return self._trial is not None and self.choice is None

    def seconds(self) -> dict[Any, float]:
        """Returns the seconds that the engines took, as far as they were measured."""
        return {HOST: self._least} if self._trial is None else dict(self._trial.outcome.seconds)

    def commit(self, choice: str) -> None:
        """Takes one choice for good."""
        self.choice, self.asked = choice, None
        self.run = self._part.on_host if choice == HOST else self._part.on_compiler

    def compile(self) -> None:
        """Compiles the part for this specialization if that is worth it, and begins the trial."""
        arguments, self.asked = self.asked, None
        if arguments is not None and self._least >= settings.least_seconds and self._part.compile(arguments):
            self._trial = Trial([HOST, COMPILED], settings.trial_rules(), settings.clock)
            self.run = self._run_trial
        else:
            self.commit(HOST)

    def _time(self, *arguments: object) -> Sequence[Any]:
        """Runs a call on the host, to see how long that takes."""
        clock = settings.clock
        read_arguments = [
            a if type(a) is np.ndarray else wait_for_array(a) for a in arguments
        ]  # waiting is not the part's
        start = clock()
        results = self._part.on_host(*read_arguments)
        self._least = min(self._least, clock() - start)
        self._calls += 1
        if self._calls == 1:
            self.asked = [_keep(argument) for argument in read_arguments]
        if self._calls >= _TIMED_CALLS and self._least < settings.least_seconds:
            self.commit(HOST)
        elif self._calls >= _TIMED_CALLS:
            self.run = self._part.on_host
        return results

    def _run_trial(self, *arguments: object) -> Sequence[Any]:
        """Runs a call the choice whose turn it is, timed."""
        trial, part = self._trial, self._part
        assert trial is not None  # compiling made it
        turn = trial.next_turn()
        run = part.on_compiler if turn.candidate == COMPILED else part.on_host
        part.wait(arguments, [a for a in arguments if type(a) is not np.ndarray])
        start = settings.clock()
        results = run(*arguments)
        part.wait(arguments, results)
        trial.note(turn, settings.clock() - start)
        if trial.winner is not None:
            self.commit(str(trial.winner))
        return results


def let_compile(program: Program, parts: Sequence[CompiledPart]) -> None:
    """Gives a program the means to have its parts compiled, and to tell what became of them."""

    def prepare(arguments: Sequence[Any]) -> Callable[[], None]:
        return compile_parts

    def compile_parts() -> None:
        for part in parts:
            part.compile_where_asked()
        program.has_compiled_parts = any(part.is_compiled for part in parts)

    def is_committed() -> bool:
        program.has_compiled_parts = any(part.is_compiled for part in parts)
        return all(part.is_committed for part in parts)

    program.prepare, program.is_committed = prepare, is_committed


def _keep(argument: Array) -> Array:
    """Returns an argument, or what represents a large one until the part is compiled."""
    return argument if argument.size <= _LARGEST_KEPT else stand_in(argument.shape, argument.dtype)


def _with_other_values(argument: Array) -> Array:
    """Returns an array of the same type with other values, where the values of an argument could decide sizes."""
    return argument + argument.dtype.type(1) if argument.dtype.kind in "iu" else argument
