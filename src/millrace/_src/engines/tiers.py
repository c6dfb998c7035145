"""The table of engines, and which engine runs a function.

`jit_compile=True` asks for XLA from the first call; other functions run on the NumPy tier. JAX is an optional
dependency, so the XLA engine is imported on first need. Each program tells which engine runs the program after all, and
why.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import NamedTuple

from millrace._src.core.context import eager_engine
from millrace._src.core.engine import Engine, Program
from millrace._src.core.errors import OpError
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.passes.pipeline import optimize
from millrace._src.util.lazy_import import new_variables_removed
from millrace._src.util.logger import get_logger


class MissingCompilerError(ImportError):
    """JAX, which brings XLA, is not installed."""


class Tier(NamedTuple):
    """Where a function runs, and why.

    Attributes:
      name: "numpy" or "xla".
      reason: one sentence.
    """

    name: str
    reason: str


def tier_of(program: Program, jit_compile: bool | None) -> Tier:
    """Returns the tier of a compiled program."""
    if program.left_because is not None:
        reason = f"jit_compile is True, but XLA leaves the function to NumPy: {program.left_because}"
        return Tier(program.engine, reason)
    return Tier(program.engine, f"jit_compile is {'' if jit_compile else 'not '}True.")


@functools.cache
def xla_engine() -> Engine:
    """Returns the XLA engine.

    Raises: MissingCompilerError: if JAX is not installed.
    """
    try:
        with new_variables_removed():
            module = importlib.import_module("millrace._src.engines.xla.engine")
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("jax"):
            raise
        raise MissingCompilerError(
            "tf.function(jit_compile=True) compiles with XLA, which needs JAX: pip install 'millrace[xla]'."
        ) from error
    engine: Engine = module.make_engine()
    return engine


ENGINES: dict[str, Callable[[], Engine]] = {"numpy": eager_engine, "xla": xla_engine}
"""The constructor of each engine, by name; an engine is made on first need."""


def engine_for(jit_compile: bool | None) -> Engine:
    """Returns the engine for a function with this `jit_compile` setting."""
    return ENGINES["xla" if jit_compile else "numpy"]()


def compiled(graph: FuncGraph, jit_compile: bool | None) -> Program:
    """Returns a program of a function's graph for one caller, from the engine in charge.

    What the engine can share among callers is kept with the graph.

    Raises: OpError: if the engine cannot run the graph.
    """
    engine = engine_for(jit_compile)
    with graph.lock:
        shared: Program | None = graph.programs.get(engine.name)
        if shared is not None and shared.for_caller is not None:
            return shared.for_caller()
        program = engine.compile(optimize(graph, keep_clusters=not jit_compile))
        if program.for_caller is not None:
            graph.programs[engine.name] = program
        return program


def compiled_for_call(graph: FuncGraph) -> Program:
    """Returns a program of a function with `jit_compile=True` for a function that calls it.

    Without JAX the NumPy engine runs the function: libraries ask for compilation by themselves (Keras does so by
    default), and their users need not have a compiler. Who compiles a function that the user calls gets an error.

    Raises: OpError: if XLA refuses the graph.
    """
    try:
        return compiled(graph, True)
    except MissingCompilerError as error:
        _say_once(str(error))
        program = compiled(graph, False)
        program.leave_to(program.engine, "JAX is not installed.")
        return program


@functools.cache  # finite: one message
def _say_once(message: str) -> None:
    get_logger().warning("Functions that other functions call run on the NumPy tier. %s", message)


def tier_of_call(graph: FuncGraph) -> Tier:
    """Returns the tier of a function with `jit_compile=True` where another function calls it."""
    try:
        return tier_of(compiled_for_call(graph), True)
    except OpError as error:
        return Tier("xla", f"jit_compile is True, and a call is refused: {error.message}")
