"""From a graph to a Python function: the straight-line program of the NumPy tier.

Each needed operation becomes one line `v3 = k3(v1, v2)`, with its kernel bound
once for its dtypes and attributes; a value is dropped at its last use. A called
function, a loop and a choice of two branches are written in line, as Python's own
statements, so that an iteration costs little more than its kernels. The source is
kept for tracebacks and debuggers, and an error is traced from its line back to the
operation and to the user's line that made it.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core import errors
from millrace._src.core.dispatch import kernel_error
from millrace._src.core.execute import _level
from millrace._src.core.op_def import Effects
from millrace._src.core.tensor import EagerTensor
from millrace._src.engines.numpy.accumulation import fuse_sums
from millrace._src.engines.numpy.instructions import (
    Choice,
    Instruction,
    Line,
    Loop,
    choose_in_place,
    note_lives,
    rendered,
)
from millrace._src.engines.tensor_lists import own
from millrace._src.graph.control_deps import function_attrs
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import required_operations

_serial = itertools.count()
_DEEPEST = 12
"""How deep functions are written into each other; Python itself allows 20 blocks."""
_LONGEST = 20_000
"""A program with more operations than this calls further functions rather than contain them."""

_Names: TypeAlias = dict[tuple[int, int], str]
"""Tensor (by `_key`) -> its name in the program."""


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
        self.scope: dict[str, Any] = {"asarray": np.asarray, "keep": _keep, "own": own}
        self.serial = itertools.count()
        self.written = 0
        """How many operations the program has so far."""

    def program(self) -> Callable[..., tuple[Any, ...]]:
        names = {_key(tensor): f"a{index}" for index, tensor in enumerate(self.inputs)}
        block = self._block(self.operations, names, self.outputs, ())
        results = [self._name(t, names) for t in self.outputs]
        fuse_sums(block, results, self.engine, self.scope)
        note_lives(block, frozenset(results))
        choose_in_place(block)
        lines = list(rendered(block, 2))
        parameters = ", ".join(f"a{i}" for i in range(len(self.inputs)))
        source = "\n".join(
            [
                f"def program({parameters}):",
                "    try:",
                *[text for text, _, _ in lines],
                f"        return ({''.join(f'{name}, ' for name in results)})",
                "    except Exception as error:",
                "        raise explain(error) from None",
                "",
            ]
        )
        behind = {i: (operation, names) for i, (_, operation, names) in enumerate(lines, 3) if operation is not None}
        return self._compiled(source, behind)

    def _compiled(self, source: str, behind: dict[int, tuple[Operation, Sequence[str]]]) -> Any:
        filename = f"<millrace graph {getattr(self.graph, 'name', '')} {next(_serial)}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        self.scope["explain"] = _Explainer(filename, behind)
        exec(compile(source, filename, "exec"), self.scope)
        program: Any = self.scope["program"]
        weakref.finalize(program, linecache.cache.pop, filename, None)
        program.source = source
        program.runs_python = any(op.effects is Effects.IO for op in self.operations)
        return quiet(program) if program.runs_python else program

    # --- operations ----------------------------------------------------------------------------------------------

    def _block(
        self, operations: Sequence[Operation], names: _Names, outputs: Sequence[Any], around: tuple[Any, ...]
    ) -> list[Instruction]:
        """The instructions of some operations of a graph; `names` learns what their outputs are called.

        Args:
          operations: in the order they run in.
          names: the names of the tensors that are given.
          outputs: the tensors that are read after the block.
          around: the graphs that this one is written into.
        """
        read = {_key(t) for op in operations for t in op.inputs} | {_key(t) for t in outputs}
        block: list[Instruction] = []
        for operation in operations:
            self.written += 1
            if operation.static_values and not operation.effects.must_run:
                continue  # named where it is read
            op = operation.op_def
            if op.returns_input:
                names[_key(operation.outputs[0])] = self._name(operation.inputs[0], names)
            elif not operation.outputs and operation.effects is Effects.NONE:
                continue  # it only joins control inputs
            elif not self._in_line(operation, names, read, around, block):
                block.append(self._line(operation, names))
        return block

    def _in_line(
        self, operation: Operation, names: _Names, read: set[Any], around: tuple[Any, ...], block: list[Instruction]
    ) -> bool:
        """Writes the graphs of an operation into the program, unless they hold it themselves or make it too long."""
        kind = operation.op_def.control
        if kind is None or len(around) >= _DEEPEST or self.written > _LONGEST:
            return False
        graphs = function_attrs(operation)
        if any(graph in around for graph in graphs):
            return False
        write = {"call": self._call_in_line, "loop": self._loop_in_line, "choice": self._choice_in_line}[kind]
        return write(operation, graphs, names, read, around, block)

    def _call_in_line(
        self,
        operation: Operation,
        graphs: Sequence[Any],
        names: _Names,
        read: set[Any],
        around: tuple[Any, ...],
        block: list[Instruction],
    ) -> bool:
        (graph,) = graphs
        if len(graph.inputs) != len(operation.inputs):
            return False
        inner = {_key(p): self._name(t, names) for p, t in zip(graph.inputs, operation.inputs, strict=True)}
        pairs = zip(operation.outputs, graph.outputs, strict=True)
        wanted = [(outer, own) for outer, own in pairs if _key(outer) in read]
        outputs = [own for _, own in wanted]
        block += self._block(_required(graph, outputs), inner, outputs, (*around, graph))
        names.update({_key(outer): self._name(own, inner) for outer, own in wanted})
        return True

    def _choice_in_line(
        self,
        operation: Operation,
        graphs: Sequence[Any],
        names: _Names,
        read: set[Any],
        around: tuple[Any, ...],
        block: list[Instruction],
    ) -> bool:
        predicate, *operands = operation.inputs
        if not predicate.dtype.is_bool or predicate.shape.rank != 0:
            return False
        wanted = [i for i, t in enumerate(operation.outputs) if _key(t) in read]
        branches = []
        for graph in graphs:
            inner = {_key(p): self._name(t, names) for p, t in zip(graph.inputs, operands, strict=True)}
            outputs = [graph.outputs[i] for i in wanted]
            written = self._block(_required(graph, outputs), inner, outputs, (*around, graph))
            branches.append((written, [self._name(t, inner) for t in outputs]))
        targets = [self._new("v") for _ in wanted]
        names.update({_key(operation.outputs[i]): name for i, name in zip(wanted, targets, strict=True)})
        block.append(Choice(self._name(predicate, names), branches, targets, operation))
        return True

    def _loop_in_line(
        self,
        operation: Operation,
        graphs: Sequence[Any],
        names: _Names,
        read: set[Any],
        around: tuple[Any, ...],
        block: list[Instruction],
    ) -> bool:
        cond, body = graphs
        loop = LoopParts(cond, body, [i for i, t in enumerate(operation.outputs) if _key(t) in read])
        states = {i: self._new("s") for i in loop.varying}
        firsts = [self._name(t, names) if i in loop.needed else "" for i, t in enumerate(operation.inputs)]
        current = {i: states.get(i, firsts[i]) for i in loop.needed}
        inside = (*around, cond, body)
        inner = {_key(cond.inputs[i]): name for i, name in current.items()}
        test = self._block(loop.test, inner, cond.outputs[:1], inside)
        keep = self._name(cond.outputs[0], inner)
        inner = {_key(body.inputs[i]): name for i, name in current.items()}
        results = [body.outputs[i] for i in states]
        written = self._block(loop.body, inner, results, inside)
        targets, values = list(states.values()), [self._name(t, inner) for t in results]
        if targets:
            written.append(Line(targets, ", ".join(targets), ", ".join(values), values))
        started = [(name, firsts[i], operation.inputs[i].dtype.name == "variant") for i, name in states.items()]
        block.append(Loop(started, test, keep, written, operation))
        names.update({_key(operation.outputs[i]): name for i, name in current.items()})
        return True

    def _line(self, operation: Operation, names: _Names) -> Line:
        arguments = [self._name(t, names) for t in operation.inputs]
        call = self._call(operation, arguments)
        targets = []
        for tensor in operation.outputs:
            targets.append(self._new("v"))
            names[_key(tensor)] = targets[-1]
        op = operation.op_def
        pattern = ", ".join(targets)
        if len(op.signature.outputs) > 1 or (op.signature.outputs and op.signature.outputs[0].is_list):
            pattern = self._unpacking(operation, targets)
        line = Line(targets, pattern, call, arguments, operation)
        if any(t.dtype.name == "variant" for t in operation.inputs):
            self._note_lists(line, arguments)
        return line

    def _note_lists(self, line: Line, arguments: Sequence[str]) -> None:
        """Says which list a line may change in place, and which ones its results may hold."""
        operation = line.operation
        lists = [n for n, t in zip(arguments, operation.inputs, strict=True) if t.dtype.name == "variant"]
        make = operation.op_def.in_place
        if make is not None:
            name = f"p{next(self.serial)}"
            self.scope[name] = make(operation.attrs)
            line.consumed, line.call_in_place = lists[0], f"{name}({', '.join(arguments)})"
            lists = lists[1:]
        holds = any(t.dtype.name == "variant" for t in operation.outputs) or function_attrs(operation)
        line.escaping = lists if holds or operation.effects is Effects.IO else []

    # --- names ---------------------------------------------------------------------------------------------------

    def _new(self, kind: str) -> str:
        return f"{kind}{next(self.serial)}"

    def _name(self, tensor: Any, names: _Names) -> str:
        """What a tensor is called; a constant gets its name when it is first read."""
        key = _key(tensor)
        if key not in names:
            names[key] = name = self._new("c")
            self.scope[name] = tensor.op.static_values[tensor.value_index]
        return names[key]

    def _unpacking(self, operation: Operation, targets: list[str]) -> str:
        groups = operation.op_def.signature.split_outputs(targets, operation.attrs)
        if len(groups) == 1:
            return f"[{', '.join(groups[0])}]"
        return ", ".join(f"[{', '.join(g)}]" if isinstance(g, list) else g for g in groups)

    def _call(self, operation: Operation, arguments: list[str]) -> str:
        op = operation.op_def
        kernel = self.engine.bind(op, tuple(t.dtype for t in operation.inputs), operation.attrs)
        name = self._new("k")
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
            self.scope[f"d{name}"] = dtype
            return f"keep({call}, d{name})"
        return f"asarray({call})"


class LoopParts:
    """What of a loop has to run, for those of its results that somebody reads.

    A variable that an iteration hands on as it is, is no state; one that neither the condition nor a needed result
    reads (a counter that nobody asks for) is not there.

    Args:
      cond: the graph of the condition.
      body: the graph of an iteration.
      wanted: the positions of the results that are read.
    """

    def __init__(self, cond: Any, body: Any, wanted: Sequence[int]) -> None:
        self.test = _required(cond, cond.outputs[:1])
        passed_on = [_unwrapped(t) is p for t, p in zip(body.outputs, body.inputs, strict=True)]
        needed = {*wanted, *_positions_read(cond.inputs, self.test, cond.outputs[:1])}
        while True:
            results = [t for i, t in enumerate(body.outputs) if i in needed and not passed_on[i]]
            self.body = _required(body, results)
            found = needed | _positions_read(body.inputs, self.body, results)
            if found == needed:
                break
            needed = found
        self.needed = sorted(needed)
        self.varying = [i for i in self.needed if not passed_on[i]]


def _positions_read(inputs: Sequence[Any], operations: Sequence[Operation], outputs: Sequence[Any]) -> set[int]:
    """The positions of the inputs of a graph that some operations or outputs read."""
    read = {_key(t) for op in operations for t in op.inputs} | {_key(t) for t in outputs}
    return {i for i, t in enumerate(inputs) if _key(t) in read}


def _unwrapped(tensor: Any) -> Any:
    """The tensor behind operations that return their input, and behind functions that do."""
    while True:
        operation = tensor.op
        if operation.op_def.returns_input:
            tensor = operation.inputs[0]
        elif operation.op_def.control == "call":
            (graph,) = function_attrs(operation)
            behind = _unwrapped(graph.outputs[tensor.value_index])
            place = next((i for i, given in enumerate(graph.inputs) if given is behind), None)
            if place is None:
                return tensor
            tensor = operation.inputs[place]
        else:
            return tensor


def _required(graph: Any, outputs: Sequence[Any]) -> list[Operation]:
    return required_operations(graph.get_operations(), [t.op for t in outputs], stop=[t.op for t in graph.inputs])


def quiet(program: Any) -> Any:
    """A program with NumPy's warnings off around it: it may run the user's Python, or is called by another engine."""

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

    def __init__(self, filename: str, lines: dict[int, tuple[Operation, Sequence[str]]]) -> None:
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
