"""The XLA engine: compiles graphs through JAX's public API.

A program is a function from the graph's inputs and the values of its variables to its outputs and the new values, which
JAX lowers and compiles for the types of a call's arguments (`executables`); `runner` runs calls. 64-bit types
are enabled only around Millrace's own calls, so the user's JAX code sees its own settings.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import jax

from millrace._src.core.accelerator import Accelerator
from millrace._src.core.array_namespace import Xp
from millrace._src.core.context import eager_engine
from millrace._src.core.dtypes import DType
from millrace._src.core.engine import EngineRecording, Program
from millrace._src.core.op_def import OpDef
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.record_folder import executable_folder
from millrace._src.engines.xla.accelerators import list_accelerators
from millrace._src.engines.xla.lower import callable_of
from millrace._src.engines.xla.namespace import xp
from millrace._src.engines.xla.runner import Runner
from millrace._src.engines.xla.unsupported_ops import leave_to_numpy, reason_to_refuse
from millrace._src.passes.optimized_graph import OptimizedGraph


class XlaEngine:
    """Runs graphs compiled by XLA."""

    name = "xla"
    xp: Xp = xp

    def bind(self, op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        """Makes a callable on arrays for one op, run by JAX."""
        kernel = bind_kernel(op, attrs, engine=self.name, xp=xp, convert_function=callable_of, with_checks=False)

        def run(*arrays: Any) -> Any:
            with jax.enable_x64(True):
                return kernel(*arrays)

        return run

    def compile(self, graph: OptimizedGraph) -> Program:
        """Returns an XLA program for a graph, or the NumPy engine's program with the reason.

        Raises: InvalidArgumentError: if the graph holds operations that XLA cannot run.
        """
        reason = reason_to_refuse(graph)
        if reason is not None:
            program = eager_engine().compile(graph)
            leave_to_numpy(program, graph, reason)
            return program
        return Runner(graph).program

    def accelerators(self) -> tuple[Accelerator, ...]:
        """Returns the GPUs and TPUs that JAX can use."""
        return list_accelerators()

    def record(self) -> EngineRecording:
        """Begins a recording of what XLA runs, by JAX's profiler."""
        from millrace._src.engines.xla.jax_profiler import XlaRecording  # programs without a profile need no recorder

        return XlaRecording()

    def facts(self) -> dict[str, Any]:
        """Returns the versions and the cache of the compiler, and what JAX sees."""
        error = ""
        try:
            backend = jax.default_backend()
        except RuntimeError as failure:  # the driver does not work
            backend, error = "none", str(failure)
        folder = executable_folder()
        cache = f"compiled functions in {folder}" if folder is not None else "no cache of compiled functions"
        return {
            "compiler": f"JAX {jax.__version__}, backend {backend}; {cache}",
            "accelerators": [
                {"kind": one.kind, "details": ", ".join(f"{k} {v}" for k, v in one.details().items())}
                for one in self.accelerators()
            ],
            "error": error,
        }

    def finish(self) -> None:
        """Waits until XLA has computed all arrays that there are."""
        for array in jax.live_arrays():
            with contextlib.suppress(RuntimeError):  # deleted since, or failed: code that reads the array will hear
                array.block_until_ready()


def make_engine() -> XlaEngine:
    """Makes the XLA engine."""
    return XlaEngine()
