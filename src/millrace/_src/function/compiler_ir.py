"""`experimental_get_compiler_ir`: the form that XLA gives a function.

The graph is lowered through the XLA engine's program for the shapes of the trace; the public stages of JAX give the
text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.engines.tiers import xla_engine
from millrace._src.passes.pipeline import optimize

_STAGES = ("hlo", "hlo_serialized", "optimized_hlo", "optimized_hlo_serialized", "optimized_hlo_dot")
_EXTRA_STAGES = ("stablehlo", "optimized_hlo_proto_serialized")


def compiler_ir(concrete: Any) -> Callable[..., Any]:
    """Returns a function from a stage of compilation to the text or bytes of that stage.

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
    """Returns the function as JAX lowers it, with zeros for the arguments.

    Raises: InvalidArgumentError: if the function runs on the NumPy tier, with the reason.
    """
    graph = concrete.graph
    program = xla_engine().compile(optimize(graph, keep_clusters=False))
    if program.lower is None:
        raise _no_program(graph, str(program.left_because))
    captured_tensors = concrete.captured_inputs
    argument_tensors = graph.inputs[: len(graph.inputs) - len(captured_tensors)]
    zeros = [np.zeros(t.shape.as_list(), t.dtype.np_dtype) for t in argument_tensors]
    try:
        return program.lower(*zeros, *[t._value for t in captured_tensors])
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
    executable = lowered.compile()
    if stage == "optimized_hlo":
        return executable.as_text()
    if stage == "optimized_hlo_dot":
        return _dot(executable.as_text())
    return executable.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()


def _dot(text: str) -> str:
    """Draws HLO text as a Graphviz picture: an instruction is a node, an operand an edge."""
    lines = ["digraph G {", "rankdir = TB;"]
    for match in re.finditer(r"^\s+(?:ROOT )?%?([\w.\-]+) = \S+ ([\w\-]+)\(([^)]*)\)", text, re.MULTILINE):
        name, operation, operands = match.groups()
        lines.append(f'"{name}" [label="{operation}\\n{name}"];')
        lines += [f'"{operand}" -> "{name}";' for operand in re.findall(r"%([\w.\-]+)", operands)]
    return "\n".join([*lines, "}"])
