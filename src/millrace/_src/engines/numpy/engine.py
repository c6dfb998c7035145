"""The NumPy engine: runs eager kernels and compiled graphs, needs no compiler, takes any op and any shape.

Tests: tests/contracts/engines/test_conformance.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.accelerator import Accelerator
from millrace._src.core.array_namespace import Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Program
from millrace._src.core.op_def import Elementwise, OpDef
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.numpy.cache_blocking import WhereLargeInBlocks
from millrace._src.engines.numpy.namespace import xp
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import body_of, must_compile
from millrace._src.passes.optimized_graph import OptimizedGraph

_LARGEST_KEPT = 31 << 20
"""The bytes of the largest result whose memory the allocator keeps for the next one."""


class NumpyEngine:
    """Runs ops with NumPy (and SciPy's special functions)."""

    name = "numpy"
    xp: Xp = xp

    def bind(self, op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        """Returns the op's specialization for these dtypes and attributes, or else its kernel."""
        special = op.rules.specialize(xp, dtypes, attrs) if op.rules.specialize is not None else None
        if special is not None:
            return special
        kernel = bind_kernel(op, attrs, engine=self.name, xp=xp, convert_function=self._callable)
        return kernel if op.elementwise is Elementwise.NO else _where_large_in_blocks(op, dtypes, attrs, kernel)

    def compile(self, graph: OptimizedGraph) -> Program:
        """Returns a straight-line program for a graph."""
        from millrace._src.engines.numpy.codegen import compile_graph  # the first tensor needs no code generator

        return compile_graph(self, graph)

    def accelerators(self) -> tuple[Accelerator, ...]:
        """Returns no accelerators: NumPy's arrays are in the memory of the host."""
        return ()

    def record(self) -> None:
        """Returns None: watchers see all kernels."""

    def facts(self) -> dict[str, Any]:
        """Returns that there is no compiler and no accelerator."""
        return {"compiler": "none", "accelerators": [], "error": ""}

    def finish(self) -> None:
        """Does nothing: results are there when a kernel returns."""

    def _callable(self, function: object) -> Callable[..., Any]:
        """Returns a function attribute as a callable on arrays."""
        if isinstance(function, OptimizedGraph):
            return self.compile(function).array_run()
        if must_compile(function):
            from millrace._src.engines.numpy.clusters import cluster_run  # the first tensor needs no compiler

            return cluster_run(function)
        return self._program(body_of(function)).array_run()

    def _program(self, graph: FuncGraph) -> Program:
        """Returns the program of a function that is not written into callers; the program is kept with the graph."""
        from millrace._src.passes.pipeline import optimize  # the first tensor needs no optimizer

        program: Program | None = graph.programs.get(self.name)
        if program is None:
            program = graph.programs[self.name] = self.compile(optimize(graph))
        return program


def _where_large_in_blocks(
    op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any], kernel: Callable[..., Any]
) -> Callable[..., Any]:
    (dtype,) = op.signature.output_dtypes(attrs)
    if not dtypes or any(d.np_dtype.kind == "O" for d in (*dtypes, dtype)):
        return kernel
    return WhereLargeInBlocks(kernel, op.elementwise, len(dtypes), dtype.np_dtype)


def make_engine() -> NumpyEngine:
    """Returns the engine of eager mode."""
    _let_the_allocator_keep_memory()
    return NumpyEngine()


def _let_the_allocator_keep_memory() -> None:
    """Lets the C library keep the memory of results of up to `_LARGEST_KEPT` bytes for later results.

    glibc gives memory back to the system as soon as a block larger than all earlier ones is free, and every page of the
    next result is then a fault: resizing an image took 800 us, 190 without the faults. glibc learns from what is freed,
    so one block is allocated and freed, untouched. Other libraries lose nothing by it.
    """
    np.empty(_LARGEST_KEPT, np.uint8)
