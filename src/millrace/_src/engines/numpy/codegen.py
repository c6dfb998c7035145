"""From a graph to a Python function: the straight-line program of the NumPy tier.

Each needed operation becomes one line `v3 = k3(v1, v2)`, with its kernel bound
once for its dtypes and attributes; a value is dropped at its last use. Running the
program costs little more than the kernels themselves. The source is kept for
tracebacks and debuggers, and an error is traced from its line back to the
operation and to the user's line that made it.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.dispatch import kernel_error
from millrace._src.core.execute import _level
from millrace._src.core.op_def import Effects
from millrace._src.core.tensor import EagerTensor
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import required_operations

_serial = itertools.count()


def compile_graph(
    engine: Any, graph: Any, inputs: Sequence[Any], outputs: Sequence[Any], *, with_effects: bool = True
) -> Callable[..., tuple[Any, ...]]:
    """The program that computes `outputs` from `inputs` and, `with_effects`, carries out the graph's effects."""
    return _Writer(engine, graph, inputs, outputs, with_effects).program()


class _Writer:
    """Writes the source of one program."""

    def __init__(
        self, engine: Any, graph: Any, inputs: Sequence[Any], outputs: Sequence[Any], with_effects: bool
    ) -> None:
        self.engine = engine
        self.graph = graph
        self.inputs = inputs
        self.outputs = outputs
        self.operations = required_operations(
            graph.get_operations(), [t.op for t in outputs], stop=[t.op for t in inputs], with_effects=with_effects
        )
        self.names: dict[Any, str] = {}
        self.scope: dict[str, Any] = {"asarray": np.asarray, "keep": _keep}
        self.lines: list[str] = []
        self.line_operations: dict[int, tuple[Operation, list[str]]] = {}
        self.last_use = self._last_uses()

    def _last_uses(self) -> dict[Any, int]:
        """For each tensor, the index of the last operation that uses it; outputs are used after the end."""
        last: dict[Any, int] = {}
        for index, operation in enumerate(self.operations):
            for tensor in operation.inputs:
                last[_key(tensor)] = index
        for tensor in self.outputs:
            last[_key(tensor)] = len(self.operations)
        return last

    def program(self) -> Callable[..., tuple[Any, ...]]:
        for index, tensor in enumerate(self.inputs):
            self.names[_key(tensor)] = f"a{index}"
        for index, operation in enumerate(self.operations):
            self._write(index, operation)
        parameters = ", ".join(f"a{i}" for i in range(len(self.inputs)))
        results = "".join(f"{self.names[_key(t)]}, " for t in self.outputs)
        source = "\n".join(
            [
                f"def program({parameters}):",
                "    try:",
                *self.lines,
                f"        return ({results})",
                "    except Exception as error:",
                "        raise explain(error) from None",
                "",
            ]
        )
        filename = f"<millrace graph {getattr(self.graph, 'name', '')} {next(_serial)}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        self.scope["explain"] = _Explainer(filename, self.line_operations)
        exec(compile(source, filename, "exec"), self.scope)
        program: Any = self.scope["program"]
        weakref.finalize(program, linecache.cache.pop, filename, None)
        program.source = source
        program.runs_python = any(op.effects is Effects.IO for op in self.operations)
        return _quiet(program) if program.runs_python else program

    def _write(self, index: int, operation: Operation) -> None:
        if operation.static_values and not operation.effects.must_run:
            for tensor, value in zip(operation.outputs, operation.static_values, strict=True):
                if _key(tensor) in self.last_use:
                    name = self.names[_key(tensor)] = f"c{index}_{tensor.value_index}"
                    self.scope[name] = value
            return
        arguments = [self.names[_key(t)] for t in operation.inputs]
        call = self._call(index, operation, arguments)
        targets = [self._target(index, t) for t in operation.outputs]
        op = operation.op_def
        if len(op.signature.outputs) > 1 or (op.signature.outputs and op.signature.outputs[0].is_list):
            line = f"{self._unpacking(operation, targets)} = {call}" if targets else call
        else:
            line = f"{targets[0]} = {call}" if targets else call
        self._line(line, operation)
        dead = {
            n
            for t, n in zip(operation.inputs, arguments, strict=True)
            if self.last_use[_key(t)] == index and n[0] == "v"
        }
        dead |= {n for t, n in zip(operation.outputs, targets, strict=True) if _key(t) not in self.last_use}
        if dead:
            self._line(f"del {', '.join(sorted(dead))}", operation)

    def _target(self, index: int, tensor: Any) -> str:
        name = f"v{index}_{tensor.value_index}"
        self.names[_key(tensor)] = name
        return name

    def _unpacking(self, operation: Operation, targets: list[str]) -> str:
        groups = operation.op_def.signature.split_outputs(targets, operation.attrs)
        if len(groups) == 1:
            return f"[{', '.join(groups[0])}]"
        return ", ".join(f"[{', '.join(g)}]" if isinstance(g, list) else g for g in groups)

    def _call(self, index: int, operation: Operation, arguments: list[str]) -> str:
        op = operation.op_def
        kernel = self.engine.bind(op, tuple(t.dtype for t in operation.inputs), operation.attrs)
        name = f"k{index}"
        self.scope[name] = kernel
        call = f"{name}({', '.join(arguments)})"
        if (
            len(operation.outputs) != 1
            or op.signature.outputs[0].is_list
            or operation.outputs[0].shape.rank not in (0, None)
        ):
            return call
        if isinstance(kernel, np.ufunc):
            return f"{name}({', '.join(arguments)}, out=...)"  # `...` keeps a 0-d result an array
        dtype = operation.outputs[0].dtype
        if dtype.np_dtype.kind == "O":
            self.scope[f"d{index}"] = dtype
            return f"keep({call}, d{index})"
        return f"asarray({call})"

    def _line(self, text: str, operation: Operation) -> None:
        self.lines.append(f"        {text}")
        self.line_operations[len(self.lines) + 2] = (operation, [self.names[_key(t)] for t in operation.inputs])


def _quiet(program: Any) -> Any:
    """A program that may run the user's Python, with NumPy's warnings off around it."""

    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return program(*arguments)

    run.source, run.runs_python = program.source, True  # type: ignore[attr-defined]  # as on the program itself
    return run


def _keep(value: Any, dtype: Any) -> Any:
    """An object (a string, a handle) as a 0-d array unless it is an array already."""
    return value if type(value) is np.ndarray else _level(value, dtype)


def _key(tensor: Any) -> tuple[int, int]:
    return id(tensor.op), tensor.value_index


class _Explainer:
    """Turns an exception of a generated line into one that names the operation and the user's line."""

    def __init__(self, filename: str, lines: dict[int, tuple[Operation, list[str]]]) -> None:
        self._filename = filename
        self._lines = lines

    def __call__(self, error: Exception) -> Exception:
        frame = self._frame(error.__traceback__)
        if frame is None or getattr(error, "_millrace_explained", False):
            return error
        operation, arguments = self._lines[frame.tb_lineno]
        named = kernel_error(operation.op_def, _values(operation, arguments, frame.tb_frame), operation.attrs, error)
        if isinstance(named, errors.OpError):
            message = named.message.split(f" [Op:{operation.type}]")[0]
            kind: Any = type(named)
            named = kind(None, None, _graph_message(operation, message))
        named._millrace_explained = True  # type: ignore[attr-defined]  # marks it for enclosing programs
        return named

    def _frame(self, traceback: TracebackType | None) -> TracebackType | None:
        """The generated function's entry in the traceback, if the error came from one of its operations."""
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self._filename:
                return traceback if traceback.tb_lineno in self._lines else None
            traceback = traceback.tb_next
        return None


def _values(operation: Operation, arguments: Sequence[str], frame: FrameType) -> list[Any]:
    """The inputs of a failed operation as tensors with values, as far as the frame still has them."""
    found = []
    for tensor, name in zip(operation.inputs, arguments, strict=True):
        value = frame.f_locals.get(name, frame.f_globals.get(name))
        found.append(tensor if value is None else EagerTensor(np.asarray(value), tensor.dtype))
    return found


def _graph_message(operation: Operation, message: str) -> str:
    defined = f" defined at (most recent call last):\n  {operation.source}\n" if operation.source is not None else "\n"
    node = f"\n\t [[{{{{node {operation.name}}}}}]]"
    return f"Graph execution error:\n\nDetected at node {operation.name}{defined}{message}{node}"
