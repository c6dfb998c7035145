"""The NumPy engine: runs eager kernels and compiled graphs, needs no compiler, takes any op and any shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Program
from millrace._src.core.op_def import OpDef
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.numpy.codegen import compile_graph
from millrace._src.engines.numpy.namespace import xp
from millrace._src.passes.optimized_graph import OptimizedGraph
from millrace._src.passes.pipeline import optimize


class NumpyEngine:
    """Runs ops with NumPy (and SciPy's special functions)."""

    name = "numpy"
    xp = xp

    def bind(self, op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        """A callable on arrays for one op: its specialization for these dtypes and attributes, or its kernel."""
        special = op.rules.specialize(xp, dtypes, attrs) if op.rules.specialize is not None else None
        if special is not None:
            return special
        return bind_kernel(op, attrs, engine=self.name, xp=xp, convert_function=self._callable)

    def compile(self, graph: OptimizedGraph) -> Program:
        """A straight-line program for a graph."""
        return compile_graph(self, graph)

    def _callable(self, function: Any) -> Callable[..., Any]:
        """A function attribute as a callable on arrays."""
        return self.compile(function) if isinstance(function, OptimizedGraph) else function_program(self, function)


def function_program(engine: NumpyEngine, function: Any) -> Callable[..., Any]:
    """The compiled program of a FuncGraph, kept with the graph."""
    graph = getattr(function, "graph", function)
    program = graph.programs.get(engine.name)
    if program is None:
        program = graph.programs[engine.name] = engine.compile(optimize(graph))
    return program


def make_engine() -> NumpyEngine:
    """The engine of eager mode."""
    return NumpyEngine()
