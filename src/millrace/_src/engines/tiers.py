"""Which engine runs a function.

`jit_compile=True` asks for XLA. Any other function starts on the NumPy tier and moves to the engine that measures
fastest (`tiered_program`), unless the user pins all such functions (`tier_settings`): `jit_compile=False` means as in
TensorFlow that no caller asks for a compiler, and what the tiers compile computes the same. Functions of the library's
own that make single values, or elements of datasets, stay on the host. JAX is an optional dependency: the XLA engine is
imported on first need, in the background thread where no caller has to wait for it. Each program tells which engine
runs the program after all, and why.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from millrace._src.core.context import eager_engine
from millrace._src.core.engine import Program, Run
from millrace._src.core.errors import OpError
from millrace._src.core.op_def import Effects
from millrace._src.engines.background_compiler import compiler
from millrace._src.engines.checked_program import put_checks_first
from millrace._src.engines.compiling_program import CompilingProgram
from millrace._src.engines.engine_table import (
    ENGINES,
    JIT_ENGINE,
    EngineEntry,
    MissingCompilerError,
    candidate_engines,
    compiling_engine,
    jit_title,
)
from millrace._src.engines.forks import follow_forks
from millrace._src.engines.function_tiers import Candidates, FunctionTiers, reading_run
from millrace._src.engines.tier_settings import FORKED, Pin, settings
from millrace._src.engines.tiered_program import TieredProgram
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.passes.checks_first import checks_first
from millrace._src.passes.clustering import ClusterStrategy, cluster_graph
from millrace._src.passes.exactness import lossy_nodes, refuses_only
from millrace._src.passes.fake_params import may_be_stand_in
from millrace._src.passes.graph_digest import graph_digest
from millrace._src.passes.optimized_graph import OptimizedGraph, all_nodes
from millrace._src.passes.pipeline import optimize
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


class Tier(NamedTuple):
    """Where a function runs, and why.

    Attributes:
      name: "numpy" or "xla"; "clusters" where XLA runs parts of the function.
      reason: one sentence.
    """

    name: str
    reason: str


class EngineChoice(enum.Enum):
    """What decides the engine of a function."""

    HOST = "host"
    """The host runs the function, always."""
    COMPILED = "compiled"
    """A compiler does; what it cannot run is refused."""
    MEASURED = "measured"
    """The time that calls take."""


def choice_of(jit_compile: bool | None) -> EngineChoice:
    """Returns what decides the engine of a user's function."""
    return EngineChoice.COMPILED if jit_compile else EngineChoice.MEASURED


def tier_of(program: Program, choice: EngineChoice) -> Tier:
    """Returns the tier of a compiled program."""
    if program.tiering is not None:
        return Tier(*program.tiering.state())
    if choice is EngineChoice.COMPILED:
        if program.left_because is None:
            return Tier(program.engine, "jit_compile is True.")
        reason = f"jit_compile is True, but {jit_title()} leaves the function to NumPy: {program.left_because}"
        return Tier(program.engine, reason)
    return Tier(program.engine, program.left_because or "the NumPy tier is the only one")


def compile_for_caller(graph: FuncGraph, choice: EngineChoice) -> Program:
    """Returns a program of a function's graph for one caller.

    Args:
      graph: the graph of the function.
      choice: what decides the engine.

    Raises:
      OpError: if XLA is asked for and cannot run the graph.
      MissingCompilerError: if XLA is asked for and JAX is not installed.
    """
    with graph.lock:
        return PROGRAM_MAKERS[choice](graph)


def _on_numpy(graph: FuncGraph) -> Program:
    """Returns the NumPy engine's program."""
    return eager_engine().compile(optimize(graph))


def _tier(graph: FuncGraph) -> Program:
    """Returns a program that moves from engine to engine, or the NumPy program where there is nothing to choose."""
    optimized = optimize(graph)
    program = eager_engine().compile(optimized)
    optimized.verdict.has_stand_ins = any(map(may_be_stand_in, optimized.outputs))
    pin = settings.pin_in_force()
    if pin is Pin.NUMPY or settings.is_fork or optimized.verdict.ties_engines:
        program.left_because = _why_numpy(pin, optimized)
        return program
    make_candidates = functools.partial(_candidates, graph, optimized, reading_run(program))
    nodes = list(all_nodes(optimized))
    tiers = FunctionTiers(
        graph.name,
        program,
        len(nodes),
        make_candidates,
        settings,
        compiler,
        pin,
        resources=None if any(n.effects in (Effects.IO, Effects.RANDOM) for n in nodes) else _resources(optimized),
        digest=functools.partial(graph_digest, optimized),
    )
    values = [value for value in optimized.inputs if not value.dtype.is_handle]
    return TieredProgram(tiers, has_fixed_shapes=all(v.shape.is_fully_defined() for v in values)).program()


def _why_numpy(pin: Pin, graph: OptimizedGraph) -> str:
    """Returns why a function that leaves the engine open stays on the NumPy tier."""
    if pin is Pin.NUMPY:
        return "functions are pinned to NumPy: by MILLRACE_TIER, set_jit(False) or enable_op_determinism()"
    if settings.is_fork:
        return FORKED
    return "a branch that does not run leaves stand-ins for the gradient, and one engine has to run both"


def _candidates(graph: FuncGraph, optimized: OptimizedGraph, on_numpy: Run, candidates: Candidates) -> Iterator[None]:
    """Finds the programs that may run a graph instead of the NumPy program: steps of the background thread.

    The whole graph comes first: it is compiled at once, and where it wins clearly, parts need not be compiled.
    """
    engines = candidate_engines()
    for name in [name for name, entry in engines.items() if not entry.is_installed()]:
        candidates.reasons[name] = engines.pop(name).missing
    if not engines:
        return
    whole = optimize(graph, keep_clusters=False) if _calls_functions(optimized) else optimized
    yield
    losses = lossy_nodes(whole)
    checks = checks_first(whole, losses)
    if checks is None:
        node, loss = next(iter(losses.items()))
        described = f"{node.type} {{{{node {node.name}}}}}"
        candidates.reasons |= {
            name: f"{entry.title} would not run {described} exactly: {loss}" for name, entry in engines.items()
        }
    else:
        for name, entry in engines.items():
            candidates.makers[name] = functools.partial(_compile_with_checks, entry, whole, checks, on_numpy)
    strategies = {"clusters": ClusterStrategy.WIDE} if checks is None else {}
    strategies["narrow clusters"] = ClusterStrategy.NARROW
    for name, strategy in strategies.items() if JIT_ENGINE in engines else ():
        candidates.makers[name] = functools.partial(_compile_with_clusters, engines[JIT_ENGINE], optimized, strategy)


def _compile_with_checks(entry: EngineEntry, graph: OptimizedGraph, checks: OptimizedGraph, on_numpy: Run) -> Program:
    """Returns an engine's program of a graph; what the engine would not refuse is checked before each call."""
    program = entry.make().compile(graph)
    if checks.nodes:
        put_checks_first(program, reading_run(eager_engine().compile(checks)), on_numpy)
    return program


def _compile_with_clusters(entry: EngineEntry, graph: OptimizedGraph, strategy: ClusterStrategy) -> Program | None:
    """Returns a NumPy program with clusters; None if there would be none."""
    clusters = cluster_graph(graph, strategy)
    if clusters is None:
        return None
    entry.make()  # loads the engine before the first part is compiled
    return eager_engine().compile(clusters)


def _calls_functions(graph: OptimizedGraph) -> bool:
    """Returns whether compiled functions, which are programs of their own, are called in a graph."""
    return any(node.calls_function for node in graph.nodes)


def _just_in_time(graph: FuncGraph) -> Program:
    """Returns a program of a function with `jit_compile=True`, whose calls do not wait for the compiler.

    Calls wait for it where the user wants them to, and where the NumPy tier could compute something else than XLA.
    """
    entry = ENGINES[JIT_ENGINE]
    if not entry.is_installed():
        entry.make()  # raises the error that says so
    optimized = optimize(graph, keep_clusters=False)
    if settings.is_fork:
        program = eager_engine().compile(optimized)
        program.leave_to(program.engine, FORKED)
        return program
    refusals = entry.refusals() if entry.refusals is not None else None
    reason = refusals.reason_to_refuse(optimized) if refusals is not None else None
    if refusals is not None and reason is not None:
        program = eager_engine().compile(optimized)
        refusals.leave_to_numpy(program, optimized, reason)
        return program
    optimized.verdict.has_stand_ins = any(map(may_be_stand_in, optimized.outputs))
    losses = lossy_nodes(optimized)
    cannot_be_taken_back = any(n.effects is Effects.RANDOM for n in all_nodes(optimized)) if losses else False
    waits = settings.waits or optimized.verdict.ties_engines or not all(map(refuses_only, losses))
    return CompilingProgram(
        functools.partial(eager_engine().compile, optimized),
        functools.partial(_compile_whole, graph, optimized),
        None if waits or cannot_be_taken_back else compiler,
        _resources(optimized) if losses else None,
        _reuse_program(graph),
    ).program()


def _resources(graph: OptimizedGraph) -> list[int]:
    """Returns the positions of the inputs of a graph that are handles of resources."""
    return [i for i, value in enumerate(graph.inputs) if value.dtype.is_resource]


def _compile_whole(graph: FuncGraph, optimized: OptimizedGraph) -> Program:
    """Returns the compiling engine's program of a graph for one caller; callers share what it compiles."""
    program = _reuse_program(graph)
    if program is None:
        program = ENGINES[JIT_ENGINE].make().compile(optimized)
        if program.for_caller is not None:
            graph.programs.setdefault(JIT_ENGINE, program)
    return program


def _reuse_program(graph: FuncGraph) -> Program | None:
    """Returns the compiling engine's program of a graph for a further caller; None if there is no program yet."""
    shared: Program | None = graph.programs.get(JIT_ENGINE)
    return None if shared is None or shared.for_caller is None else shared.for_caller()


PROGRAM_MAKERS: dict[EngineChoice, Callable[[FuncGraph], Program]] = {
    EngineChoice.COMPILED: _just_in_time,
    EngineChoice.HOST: _on_numpy,
    EngineChoice.MEASURED: _tier,
}
"""What makes the program of a function."""


def compile_for_call(graph: FuncGraph) -> Program:
    """Returns a program of a function with `jit_compile=True` for a function that calls it.

    Without JAX the NumPy engine runs the function: libraries ask for compilation by themselves (Keras does so by
    default), and their users need not have a compiler. Who compiles a function that the user calls gets an error.

    Raises: OpError: if XLA refuses the graph.
    """
    try:
        return compile_for_caller(graph, EngineChoice.COMPILED)
    except MissingCompilerError as error:
        _say_once(str(error))
        program = compile_for_caller(graph, EngineChoice.HOST)
        program.leave_to(program.engine, "JAX is not installed.")
        return program


@functools.cache  # finite: one message
def _say_once(message: str) -> None:
    get_logger().warning("Functions that other functions call run on the NumPy tier. %s", message)


def tier_of_call(graph: FuncGraph) -> Tier:
    """Returns the tier of a function with `jit_compile=True` where another function calls it."""
    try:
        return tier_of(compile_for_call(graph), EngineChoice.COMPILED)
    except OpError as error:
        return Tier(JIT_ENGINE, f"jit_compile is True, and a call is refused: {error.message}")


@export("test.experimental.sync_devices")
def sync_devices() -> None:
    """Waits until all devices have computed what they were asked for: XLA, if it is loaded; the host always has.

    >>> tf.test.experimental.sync_devices()
    """
    if compiling_engine.cache_info().currsize:
        compiling_engine().finish()


follow_forks(sync_devices)
