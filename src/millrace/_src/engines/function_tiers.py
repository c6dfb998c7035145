"""What the shape specializations of one function share: its NumPy program, and the candidates that may replace it.

Candidates are found once, in the background, and each is made when the first specialization wants to try it.

Tests: tests/engines/test_tier_selection.py
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.engine import Program, Run
from millrace._src.core.tensor import PendingTensor, wait_for_array
from millrace._src.engines.background_compiler import BackgroundCompiler, CompilerStoppedError, Job
from millrace._src.engines.engine_table import HOST_ENGINE
from millrace._src.engines.tier_settings import Pin, TierChoice, TierSettings
from millrace._src.util.logger import get_logger

NUMPY = HOST_ENGINE


@dataclass(slots=True)
class Candidates:
    """What might run a graph instead of the NumPy program.

    Attributes:
      makers: what makes the further programs, by the name of the tier, in the order in which they are tried.
      programs: the programs that were made.
      reasons: why a tier is not a candidate, by its name.
      failures: the errors of programs that should have been made, by the name of the tier.
    """

    makers: dict[str, Callable[[], Program | None]] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)

    def make(self, tier: str) -> None:
        """Makes the program of a tier, or notes why there is none."""
        try:
            program = self.makers[tier]()
        except Exception as error:
            self.failures[tier] = error
            return
        if program is None:
            self.reasons[tier] = "no part of it is worth compiling"
        elif program.left_because is None:
            self.programs[tier] = program
        else:
            self.reasons[tier] = program.left_because

    def list_reasons(self, dropped: Mapping[Any, str]) -> str:
        """Returns why there are no candidates, as one text, with those that were dropped later."""
        reasons = {**self.reasons, **dropped}
        return "; ".join(f"{name}: {reason}" for name, reason in reasons.items()) or "no engine compiles it"


class FunctionTiers:
    """What the specializations of one function share.

    Args:
      name: the function, for messages.
      numpy: the program of the NumPy engine.
      node_count: the size of the graph.
      make_candidates: the steps that add the makers of further programs to `Candidates`; run once, in the background.
      settings: the numbers by which to decide.
      compiler: the background thread.
      pin: who chooses.
      resources: the positions of the arguments that are resources; None if a call cannot be taken back.
      digest: returns the digest of the graph, under which records are kept; None for a graph without records.
    """

    def __init__(
        self,
        name: str,
        numpy: Program,
        node_count: int,
        make_candidates: Callable[[Candidates], Iterator[None]],
        settings: TierSettings,
        compiler: BackgroundCompiler,
        pin: Pin = Pin.AUTO,
        resources: Sequence[int] | None = None,
        digest: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.name = name
        self.numpy = numpy
        self.resources = resources
        self.on_numpy = reading_run(numpy)
        """Runs a call on the NumPy tier, whatever the arrays of its arguments."""
        self.node_count = node_count
        self.settings = settings
        self.compiler = compiler
        self.pin = pin
        self.candidates = Candidates()
        self._make_candidates = make_candidates
        self._lock = threading.Lock()
        self._jobs: dict[str | None, Job] = {}
        self._complaints: set[str] = set()
        self._digest = digest

    def candidates_job(self) -> Job:
        """Returns the job that finds out which candidates there are, submitted on first use."""
        with self._lock:
            if None not in self._jobs:
                self._jobs[None] = self.submit(functools.partial(self._make_candidates, self.candidates))
        return self._jobs[None]

    def candidate_job(self, tier: str) -> Job:
        """Returns the job that makes the program of a candidate, submitted on first use."""

        def steps() -> Iterator[None]:
            self.candidates.make(tier)
            yield

        with self._lock:
            if tier not in self._jobs:
                self._jobs[tier] = self.submit(steps)
        return self._jobs[tier]

    @functools.cached_property
    def digest(self) -> str | None:
        """The digest of the graph; None where nothing is kept on disk."""
        return self._digest()

    @property
    def keeps_records(self) -> bool:
        """Whether trials are looked up and kept on disk."""
        settings = self.settings
        is_usual = self.pin is Pin.AUTO and settings.threshold > 0 and settings.choice is TierChoice.FASTEST
        return is_usual and settings.records is not None

    def expected_seconds(self) -> float:
        """Returns what compiling a candidate is expected to take."""
        return self.settings.estimate_seconds(self.node_count)

    def submit(self, steps: Callable[[], Iterator[None]]) -> Job:
        """Submits a job, and waits for its end where calls wait for the compiler."""
        job = self.compiler.submit(steps)
        if self.settings.waits or self.pin is Pin.COMPILED:
            self.compiler.wait_for(job)
        return job

    def program_of(self, tier: str) -> Program:
        """Returns the program of a tier that was made."""
        return self.numpy if tier == NUMPY else self.candidates.programs[tier]

    def complain(self, tier: str, error: BaseException) -> str:
        """Tells the log, once for each tier, that the tier cannot run the function; returns the reason."""
        reason = error.message if isinstance(error, errors.OpError) else f"{type(error).__name__}: {error}"
        if tier not in self._complaints and not isinstance(error, CompilerStoppedError):
            self._complaints.add(tier)
            get_logger().warning("%s stays off the tier %r: %s", self.name, tier, reason.partition("\n")[0])
        return reason


def either_program(run: Run) -> Program:
    """Returns a program whose results may be NumPy's arrays in one call and another engine's in the next."""
    return Program(run, "any", keeps_quiet=True, tensor_class=PendingTensor, takes_pending=True)


def reading_run(program: Program) -> Run:
    """Returns the run of a program, with NumPy's warnings off, for arrays of any engine."""
    run = program.quiet_run(pending=True)
    if program.takes_pending:
        return run
    return lambda *arguments: run(*[a if type(a) is np.ndarray else wait_for_array(a) for a in arguments])
