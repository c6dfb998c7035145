"""`experimental_get_compiler_ir`: what XLA makes of a function.

The graph is lowered through the XLA engine's program for the shapes of the trace; the public stages of JAX give the
text.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.resources import resource_of
from millrace._src.engines.tiers import xla_engine
from millrace._src.passes.pipeline import optimize

_STAGES = ("hlo", "hlo_serialized", "optimized_hlo", "optimized_hlo_serialized", "optimized_hlo_dot")
_EXTRA_STAGES = ("stablehlo", "optimized_hlo_proto_serialized")


def compiler_ir(concrete: Any) -> Callable[..., Any]:
    """A function from a stage of compilation to its text or bytes.

    Raises: ValueError: if a shape of the trace's inputs is not fully known.
    """
    arguments = [t for t in concrete.inputs if t.dtype.name != "resource"]
    if not all(t.shape.is_fully_defined() for t in arguments):
        raise ValueError(f"Only support static input shape but got inputs = {concrete.inputs}")

    def get_ir(stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None) -> Any:
        if stage not in (*_STAGES, *_EXTRA_STAGES):
            raise ValueError(f"Invalid stage selected: {stage!r}. Valid values are: {', '.join(map(repr, _STAGES))}")
        return _render(_lowered(concrete), stage)

    return get_ir


def _lowered(concrete: Any) -> Any:
    """The function as JAX lowers it, with zeros for its arguments.

    Raises: InvalidArgumentError: if it runs on the NumPy tier, with the reason.
    """
    graph = concrete.graph
    optimized = optimize(graph)
    program = xla_engine().compile(optimized)  # the first to import JAX: it tidies up after it
    engine: Any = importlib.import_module("millrace._src.engines.xla.engine")
    if not isinstance(program, engine.XlaProgram):
        raise _no_program(graph, engine.reason_for_numpy(optimized))
    captured = concrete.captured_inputs
    first_capture = len(graph.inputs) - len(captured)
    values = [
        np.zeros(t.shape.as_list(), t.dtype.np_dtype)
        for t in graph.inputs[:first_capture]
        if t.dtype.name != "resource"
    ]
    storages = [resource_of(t._value) for t in captured if t.dtype.name == "resource"]
    values += [t._value for t in captured if t.dtype.name != "resource"]
    number = {id(storage): index for index, storage in enumerate(dict.fromkeys(storages))}
    owners = tuple(number[id(storage)] for storage in storages)
    written = [owners[i] for i, position in enumerate(program.resources) if position in program.written]
    distinct = list(dict.fromkeys(storages))
    changed = [storage.value for index, storage in enumerate(distinct) if index in written]
    kept = [storage.value for index, storage in enumerate(distinct) if index not in written]
    drawn = [] if program.draw is None else list(program.draw(*values))
    with engine.jax.enable_x64(True):
        try:
            return program.jitted.lower(owners, (), changed, kept, values, drawn)
        except errors.UnknownWhileCompilingError as error:
            raise _no_program(graph, error.message) from None


def _no_program(graph: Any, why: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"{graph.name} has no XLA program, it runs on the NumPy tier: {why}")


def _render(lowered: Any, stage: str) -> Any:
    if stage == "hlo":
        return lowered.as_text(dialect="hlo")
    if stage == "stablehlo":
        return lowered.as_text(dialect="stablehlo")
    if stage == "hlo_serialized":
        return lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
    compiled = lowered.compile()
    if stage == "optimized_hlo":
        return compiled.as_text()
    if stage == "optimized_hlo_dot":
        return _dot(compiled.as_text())
    return compiled.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()


def _dot(text: str) -> str:
    """A Graphviz picture of HLO text: an instruction is a node, an operand an edge."""
    lines = ["digraph G {", "rankdir = TB;"]
    for match in re.finditer(r"^\s+(?:ROOT )?%?([\w.\-]+) = \S+ ([\w\-]+)\(([^)]*)\)", text, re.MULTILINE):
        name, operation, operands = match.groups()
        lines.append(f'"{name}" [label="{operation}\\n{name}"];')
        lines += [f'"{operand}" -> "{name}";' for operand in re.findall(r"%([\w.\-]+)", operands)]
    return "\n".join([*lines, "}"])
