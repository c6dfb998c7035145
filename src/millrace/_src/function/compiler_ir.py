"""`experimental_get_compiler_ir`: the form that XLA gives a function.

The graph is lowered through the XLA engine's program for the shapes of the trace; the public stages of JAX give the
text.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.devices import list_logical_devices
from millrace._src.engines.engine_table import compiling_engine
from millrace._src.graph.scopes import device
from millrace._src.passes.pipeline import optimize

_STAGES = ("hlo", "hlo_serialized", "optimized_hlo", "optimized_hlo_serialized", "optimized_hlo_dot")
"""The stages that TensorFlow lists in its error."""
_KINDS = ("CPU", "GPU", "TPU")


def compiler_ir(concrete: Any) -> Callable[..., Any]:
    """Returns a function from a stage of compilation to the text or bytes of that stage.

    Raises: ValueError: if a shape of the trace's inputs is not fully known.
    """
    arguments = [t for t in concrete.inputs if not t.dtype.is_resource]
    if not all(t.shape.is_fully_defined() for t in arguments):
        raise ValueError(f"Only support static input shape but got inputs = {concrete.inputs}")

    def get_ir(stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None) -> Any:
        if device_name is not None:
            warnings.warn("device_name is being deprecated. Use platform_name.", UserWarning, stacklevel=2)
        if stage not in _RENDERINGS:
            raise ValueError(f"Invalid stage selected: {stage!r}. Valid values are: {', '.join(map(repr, _STAGES))}")
        name = _choose_device(device_name, platform_name)
        with contextlib.nullcontext() if name is None else device(name):
            return _RENDERINGS[stage](_lower(concrete))

    return get_ir


def _choose_device(device_name: str | None, platform_name: str | None) -> str | None:
    """Returns the name of the device to compile for; None for the one that calls run on.

    Raises: ValueError: if there is no such device.
    """
    devices = list_logical_devices()
    if device_name is not None:
        match = re.fullmatch(r"(?:/job:\w+/replica:\d+/task:\d+)?(/(?:device:)?([A-Za-z]+):(\d+))", device_name)
        if match is None:
            raise ValueError(f"Failed parsing derived device name: {device_name!r}")
        if f"/device:{match[2].upper()}:{match[3]}" not in [d.name for d in devices]:
            raise ValueError(f"No matching device found for {device_name!r}")
        return match[1]
    if platform_name is None:
        return None
    if platform_name not in _KINDS:
        raise ValueError(f"Failed getting HLO text: 'No JIT device registered for {platform_name}'")
    if platform_name not in [d.device_type for d in devices]:
        raise ValueError(f"Failed getting HLO text: 'this machine has no {platform_name} to compile for'")
    return f"/{platform_name}:0"


def _lower(concrete: Any) -> Any:
    """Returns the function as JAX lowers it, with zeros for the arguments.

    Raises: InvalidArgumentError: if the function runs on the NumPy tier, with the reason.
    """
    graph = concrete.graph
    program = compiling_engine().compile(optimize(graph, keep_clusters=False))
    if program.lower is None:
        raise _no_program(graph, str(program.left_because))
    captured_tensors = concrete.captured_inputs
    argument_tensors = graph.inputs[: len(graph.inputs) - len(captured_tensors)]
    zeros = [np.zeros(t.shape.as_list(), t.dtype.np_dtype) for t in argument_tensors]
    try:
        return program.lower(*zeros, *[t._eager_array for t in captured_tensors])
    except errors.UnknownWhileCompilingError as error:
        raise _no_program(graph, error.message) from None


def _no_program(graph: Any, why: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"{graph.name} has no XLA program, it runs on the NumPy tier: {why}")


def _bytecode(lowered: Any) -> bytes:
    """Returns StableHLO as MLIR's bytecode."""
    buffer = io.BytesIO()
    lowered.compiler_ir("stablehlo").operation.write_bytecode(buffer)
    return buffer.getvalue()


def _optimize_module(lowered: Any) -> bytes:
    """Returns what XLA compiles the program to, as an `HloModuleProto`."""
    module: bytes = lowered.compile().runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()
    return module


def _as_hlo_proto(module: bytes) -> bytes:
    """Returns an `HloProto` that holds a module: its first field."""
    size, rest = bytearray(), len(module)
    while rest > 127:
        size.append(rest & 127 | 128)
        rest >>= 7
    return b"\n" + bytes([*size, rest]) + module


def _dot(text: str) -> str:
    """Draws HLO text as a Graphviz picture: an instruction is a node, an operand an edge."""
    lines = ["digraph G {", "rankdir = TB;"]
    for match in re.finditer(r"^\s+(?:ROOT )?%?([\w.\-]+) = \S+ ([\w\-]+)\(([^)]*)\)", text, re.MULTILINE):
        name, operation, operands = match.groups()
        lines.append(f'"{name}" [label="{operation}\\n{name}"];')
        lines += [f'"{operand}" -> "{name}";' for operand in re.findall(r"%([\w.\-]+)", operands)]
    return "\n".join([*lines, "}"])


_RENDERINGS: dict[str, Callable[[Any], Any]] = {
    "hlo": lambda lowered: lowered.as_text(dialect="hlo", debug_info=True),
    "hlo_no_metadata": lambda lowered: lowered.as_text(dialect="hlo", debug_info=False),
    "hlo_serialized": lambda lowered: lowered.compiler_ir("hlo").as_serialized_hlo_module_proto(),
    "stablehlo": lambda lowered: lowered.as_text(dialect="stablehlo", debug_info=True),
    "stablehlo_serialized": _bytecode,
    "optimized_hlo": lambda lowered: lowered.compile().as_text(),
    "optimized_hlo_serialized": _optimize_module,
    "optimized_hlo_proto_serialized": lambda lowered: _as_hlo_proto(_optimize_module(lowered)),
    "optimized_hlo_dot": lambda lowered: _dot(lowered.compile().as_text()),
}
"""What makes the text or the bytes of a stage from JAX's lowered program."""
