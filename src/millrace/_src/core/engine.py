"""The contract between engines and everybody else.

An engine binds single kernels for eager calls and compiles whole graphs. Callers know the interface below and no
engine's insides; `docs/decisions/engine-contract.md` gives the reasons. Each fact that a caller may ask of a compiled
graph is a field of `Program`, so that no code looks for attributes that an engine may or may not have.

Tests: tests/contracts/engines/test_conformance.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from millrace._src.core.accelerator import Accelerator
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import state
from millrace._src.core.dtypes import DType
from millrace._src.core.source_trace import CodeLocation
from millrace._src.core.tensor import EagerTensor, tensor_of, wait_for_array

Run: TypeAlias = Callable[..., Sequence[Any]]
"""A function from the values of a graph's inputs to the values of its outputs, which also runs the effects."""


@dataclass(slots=True)
class Verdict:
    """What an engine that compiles found about a graph; shared by all programs of the graph.

    Attributes:
      own_reason: why that engine leaves the graph to the NumPy tier; None as long as nothing speaks against it.
      source: the verdict on the graph whose results this graph reads, stand-ins of branches that did not run among the
        results. A compiling engine gives a stand-in the shape of the value, the NumPy tier cannot; a backward function
        therefore runs where the forward function ran.
      has_stand_ins: whether stand-ins may be among the results of the graph.
    """

    own_reason: str | None = None
    source: Verdict | None = None
    has_stand_ins: bool = False

    @property
    def reason(self) -> str | None:
        """Why the graph, or the graph whose results it reads, is left to the NumPy tier."""
        if self.own_reason is not None or self.source is None:
            return self.own_reason
        return self.source.reason

    @property
    def ties_engines(self) -> bool:
        """Whether stand-ins are among the results of the graph, or among what it reads: one engine has to run both."""
        return self.has_stand_ins or (self.source is not None and self.source.ties_engines)


class Holder(Protocol):
    """Code that keeps a program in order to call it."""

    def use(self, program: Program) -> None:
        """Takes another program, for the calls from now on."""


class Tiering(Protocol):
    """What moves a program from engine to engine, as its callers see it."""

    def hold(self, holder: Holder, arguments: Sequence[Any] | None = None) -> Program:
        """Returns the program for the calls of a holder, who is told by `use` when to take another one.

        Args:
          holder: the holder of the program; a holder is not kept alive by being one.
          arguments: some arguments with the shapes that all these calls have; None for calls with any shapes.
        """

    def state(self) -> tuple[str, str]:
        """Returns the name of the tier in use, and one sentence about why."""


def _always(arguments: Sequence[Any]) -> bool:
    """Tells that a program needs no compiler: see `Program.ready`."""
    return True


@dataclass(slots=True)
class Program:
    """A compiled graph.

    Attributes:
      run: computes the outputs from the inputs: NumPy arrays, and 0-d arrays of objects for handles. The results are
        NumPy arrays too, unless `tensor_class` can hold others.
      engine: the name of the engine that runs the graph.
      keeps_quiet: whether `run` turns NumPy's warnings off by itself. Such a program may run the user's Python, or an
        engine that takes locks, and has to be called outside of the quiet context of `core.context`.
      tensor_class: the class of the eager tensors that hold the results.
      takes_pending: whether `run` takes the arrays of pending tensors as they are, and not NumPy arrays alone.
      source: the text of the generated program, for people; None for a program without a text.
      left_because: why the engine that was asked left the graph to `engine`; None if that engine runs the graph. An
        engine may decide so at a call.
      for_caller: makes a program for a further caller, with what the engine compiled for the first and random streams
        bound anew; None for a program that is cheap to compile again.
      prepare: takes the arguments of a call and returns a function that compiles what such a call needs: for shapes,
        dtypes and placements of the arguments, without running anything, and without keeping large arrays alive. The
        function may be called in any thread; callers that need the same meanwhile wait. Both raise OpError as a call
        would: for a variable without a value, and for what the engine cannot compile. While it compiles, the engine
        may also leave the graph to another engine (`left_because`). None for an engine without a compiler.
      ready: returns whether a call with these arguments runs at once, without compiling.
      attempt: like `run`, but returns None, and has done nothing, where the call would have to compile first; None for
        an engine without a compiler.
      wait: takes the arguments and the results of a call, and waits until the results, and the variables among the
        arguments, are computed; None for an engine whose results are there when `run` returns.
      is_committed: returns whether the program, which tries several implementations, has chosen among them; such a
        program has to see a call before `prepare`. None for a program with one implementation.
      has_compiled_parts: whether `prepare` has found anything to compile.
      tiering: what moves the program from engine to engine; None for a program that stays with one.
      lower: takes the arguments of `run` and returns the form that the engine's compiler makes of the program, without
        running the program; None for an engine without a compiler.
    """

    run: Run
    engine: str
    keeps_quiet: bool = False
    tensor_class: type[EagerTensor] = EagerTensor
    takes_pending: bool = False
    source: str | None = None
    left_because: str | None = None
    lower: Callable[..., Any] | None = None
    for_caller: Callable[[], Program] | None = None
    prepare: Callable[[Sequence[Any]], Callable[[], None]] | None = None
    ready: Callable[[Sequence[Any]], bool] = _always
    attempt: Callable[..., Sequence[Any] | None] | None = None
    wait: Callable[[Sequence[Any], Sequence[Any]], None] | None = None
    is_committed: Callable[[], bool] | None = None
    has_compiled_parts: bool = True
    tiering: Tiering | None = None

    def leave_to(self, engine: str, reason: str) -> None:
        """Notes that another engine runs the graph, and why."""
        self.engine, self.left_because = engine, reason

    def attempting_run(self) -> Callable[..., Sequence[Any] | None]:
        """Returns `attempt`, made of `ready` and `run` for an engine that has none."""
        if self.attempt is not None:
            return self.attempt
        return lambda *arguments: self.run(*arguments) if self.ready(arguments) else None

    @property
    def make_tensor(self) -> Callable[[Any, DType], EagerTensor]:
        """What makes a tensor of a result."""
        return EagerTensor if self.tensor_class is EagerTensor else tensor_of

    def array_run(self) -> Run:
        """Returns `run` with NumPy arrays as results, whatever `tensor_class` can hold."""
        run = self.run
        return run if self.tensor_class is EagerTensor else lambda *arrays: [wait_for_array(r) for r in run(*arrays)]

    def quiet_run(self, *, pending: bool = False) -> Run:
        """Returns `run` with NumPy's warnings off; callable from everywhere.

        Args: pending: whether the results may be what `tensor_class` can hold, rather than NumPy arrays alone.
        """
        run = self.run if pending else self.array_run()
        if self.keeps_quiet:
            return run

        def run_quietly(*arrays: Array) -> Sequence[Any]:
            try:
                return state.quietly(run, *arrays)
            except RuntimeError:
                if not state.runs_quietly():
                    raise
                return run(*arrays)  # the quiet context does not let anybody in twice

        return run_quietly


class Refusals(Protocol):
    """What an engine says of a graph before the engine is loaded."""

    def reason_to_refuse(self, graph: Any) -> str | None:
        """Returns the reason to leave an `OptimizedGraph` to the host's engine; None if the engine can run the graph.

        Raises: OpError: if the graph holds operations that the engine must refuse.
        """

    def leave_to_numpy(self, program: Program, graph: Any, reason: str) -> None:
        """Notes that the host's engine runs a graph, and logs the reason."""


class EngineRecording(Protocol):
    """A recording of what an engine does, by threads that Python does not see; made while a profile runs."""

    def stop(self) -> bytes | None:
        """Ends the recording; returns it as a serialized `XSpace`, or None if there is none."""

    def origin_of(self, module: str, instruction: str) -> tuple[str, CodeLocation | None]:
        """Returns the nodes behind an instruction of a compiled module, as one text, and the user's line.

        The text is empty where nothing is known.
        """


class Engine(Protocol):
    """Runs kernels and graphs on one kind of array."""

    name: str
    xp: Xp

    def bind(self, op: Any, dtypes: tuple[Any, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        """Returns a callable on arrays for one op (an `OpDef`) with fixed input dtypes and attributes."""

    def compile(self, graph: Any) -> Program:
        """Returns a program for an `OptimizedGraph`.

        Raises: OpError: if the engine cannot run the graph; the error names the ops and the nodes. The program raises
          the same errors for faults that the engine finds only at a call.
        """

    def accelerators(self) -> tuple[Accelerator, ...]:
        """Returns the processors with memory of their own that the engine drives; none for an engine of the host."""

    def record(self) -> EngineRecording | None:
        """Begins a recording of what the engine's own threads do.

        Returns: None for an engine whose work is all in kernels that watchers see: see `core.watching`.
        """

    def facts(self) -> dict[str, Any]:
        """Returns what people may want to know: "compiler", a text; "accelerators", dicts of kind and details; and
        "error", why there are none.
        """

    def finish(self) -> None:
        """Waits until the engine has computed all results that it owes: a fork of the process could not wait."""
