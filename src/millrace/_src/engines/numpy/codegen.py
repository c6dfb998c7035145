"""From a graph to a Python function: the straight-line program of the NumPy tier.

Each node becomes one line `v3 = k3(v1, v2)`, with a kernel bound once for the node's dtypes and attributes; a value is
dropped at its last use. A loop and a choice of two branches are written as Python's own statements, so that an
iteration costs little more than its kernels. The source is kept for tracebacks and debuggers. An error is traced from
the generated line back to the operation and to the user's line that made the operation.
"""

from __future__ import annotations

import functools
import itertools
import linecache
import weakref
from collections.abc import Callable, Sequence
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.engine import Engine, Program, Run
from millrace._src.core.execute import scalar_array
from millrace._src.core.op_def import Effects
from millrace._src.core.tensor import EagerTensor, PendingTensor, wait_for_array
from millrace._src.engines.engine_table import ENGINES, JIT_ENGINE
from millrace._src.engines.generated_programs import GeneratedProgram
from millrace._src.engines.node_errors import node_failure
from millrace._src.engines.numpy import cache_blocking
from millrace._src.engines.numpy.accumulation import bind_sum
from millrace._src.engines.numpy.cache_blocking import BlockProgram, BlockStep, WhereLargeInBlocks
from millrace._src.engines.numpy.clusters import check_run, cluster_run, is_cluster, skip_checks, unread_values
from millrace._src.engines.numpy.compiled_parts import CompiledPart, let_compile
from millrace._src.engines.numpy.full_operands import full_operand
from millrace._src.engines.numpy.fusion import Chain, form_chains
from millrace._src.engines.numpy.instructions import (
    BranchChoice,
    InBlocks,
    Instruction,
    Line,
    Loop,
    choose_in_place,
    note_lives,
    render,
)
from millrace._src.engines.numpy.lazy_operands import compute_lazily
from millrace._src.engines.numpy.scalars import use_scalars
from millrace._src.engines.tensor_lists import own
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value

_serial = itertools.count()

_Names: TypeAlias = dict[Value, str]
"""From values to their names in the program."""


def compile_graph(engine: Engine, graph: OptimizedGraph) -> Program:
    """Returns the program that computes the outputs of a graph from its inputs and runs its effects."""
    return _Writer(engine, graph).program()


class _Writer:
    """Writes the source of one program."""

    def __init__(self, engine: Engine, graph: OptimizedGraph) -> None:
        self.engine = engine
        self.graph = graph
        self.scope: dict[str, Any] = {"asarray": np.asarray, "keep": _keep, "own": own, "arrived": wait_for_array}
        self.serial = itertools.count()
        self.unread = unread_values(graph)
        self.parts: list[CompiledPart] = []
        self.nodes_behind: dict[str, Sequence[Node]] = {}
        """For the name of each kernel the nodes that the kernel runs."""

    def program(self) -> Program:
        graph = self.graph
        names = {value: f"a{index}" for index, value in enumerate(graph.inputs)}
        block = self._block(graph, names)
        results = [self._name(value, names) for value in graph.outputs]
        use_scalars(block, self.scope)
        note_lives(block, frozenset(results))
        choose_in_place(block)
        lines = list(render(block, 2))
        parameters = ", ".join(f"a{i}" for i in range(len(graph.inputs)))
        head = [f"def program({parameters}):", *self._arrivals(names), "    try:"]
        source = "\n".join(
            [
                *head,
                *[text for text, _, _ in lines],
                f"        return ({''.join(f'{name}, ' for name in results)})",
                "    except Exception as error:",
                "        raise explain(error) from None",
                "",
            ]
        )
        numbered = enumerate(lines, len(head) + 1)
        behind = {number: (node, tuple(names)) for number, (_, node, names) in numbered if node is not None}
        return self._compile(source, behind)

    def _compile(self, source: str, behind: dict[int, tuple[Node, tuple[str, ...]]]) -> Program:
        filename = f"<millrace graph {self.graph.name} {next(_serial)}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        self.scope["explain"] = _Explainer(filename, behind)
        exec(_code(source, filename), self.scope)
        run: Any = self.scope["program"]
        weakref.finalize(run, linecache.cache.pop, filename, None)
        GeneratedProgram(self.graph.name, run, self.nodes_behind)
        runs_python = self.graph.runs_python
        program = Program(
            _quiet(run) if runs_python else run,
            self.engine.name,
            keeps_quiet=runs_python,
            tensor_class=EagerTensor if self.unread.isdisjoint(self.graph.outputs) else PendingTensor,
            takes_pending=bool(self.unread),
            source=source,
        )
        if self.parts:
            let_compile(program, self.parts)
        return program

    def _arrivals(self, names: _Names) -> list[str]:
        """Returns the lines that wait for arguments that kernels read, where arguments may be pending."""
        if not self.unread:
            return []
        read_inputs = [v for v in self.graph.inputs if v not in self.unread and not v.dtype.is_handle]
        return [f"    {names[value]} = arrived({names[value]})" for value in read_inputs]

    # --- nodes ---------------------------------------------------------------------------------------------------

    def _block(self, graph: OptimizedGraph, names: _Names) -> list[Instruction]:
        """Returns the instructions of a graph; adds the names of the values that the nodes compute to `names`."""
        block = [
            self._in_blocks(step, names) if isinstance(step, Chain) else self._instruction(step, names)
            for step in form_chains(graph)
        ]
        compute_lazily(block, {names[value] for value in graph.outputs if value in names})
        return block

    def _instruction(self, node: Node, names: _Names) -> Instruction:
        graphs = node.graphs if node.op_def.traits.control in ("loop", "choice") else ()
        if graphs and node.op_def.traits.control == "loop":
            return self._loop(node, graphs, names)
        if graphs and node.inputs[0].dtype.is_bool and node.inputs[0].shape.rank == 0:
            return self._choice(node, graphs, names)
        return self._line(node, names)

    def _in_blocks(self, chain: Chain, names: _Names) -> InBlocks | Line:
        """Writes a chain in both forms: line by line, and as one call for large arrays."""
        inputs = chain.inputs()
        arguments = [self._name(value, names) for value in inputs]
        lines = [self._line(node, names) for node in chain.nodes]
        if len(lines) == 1 and not isinstance(self.scope[lines[0].kernel], np.ufunc):
            return lines[0]  # its result would be copied
        targets = [names[value] for value in chain.outputs]
        steps = [self._step(node, line) for node, line in zip(chain.nodes, lines, strict=True)]
        kernels = {step.kernel: self.scope[step.kernel] for step in steps}
        call = self._bind("b", BlockProgram(steps, arguments, targets, kernels), chain.nodes)
        widest = max(inputs, key=lambda value: (value.shape.is_compatible_with(chain.shape), value.shape.rank or 0))
        large = f"{names[widest]}.size >= {cache_blocking.FEWEST}"
        call += f"({', '.join(arguments)})"
        return InBlocks([*lines], targets, arguments, large, call, self._new("r"), chain.nodes[-1])

    def _step(self, node: Node, line: Line) -> BlockStep:
        name, kernel = line.kernel, self.scope[line.kernel]
        if isinstance(kernel, WhereLargeInBlocks):
            name, kernel = self._bind("k", kernel.kernel, [node]), kernel.kernel
        return BlockStep(
            line.targets[0],
            name,
            tuple(line.uses),
            node.outputs[0].dtype.np_dtype,
            node.op_def.elementwise,
            isinstance(kernel, np.ufunc),
        )

    def _choice(self, node: Node, graphs: Sequence[OptimizedGraph], names: _Names) -> BranchChoice:
        predicate, *operands = node.inputs
        operand_names = [self._name(value, names) for value in operands]
        branches = []
        for graph in graphs:
            branch_names = dict(zip(graph.inputs, operand_names, strict=True))
            block = self._block(graph, branch_names)
            branches.append((block, [self._name(value, branch_names) for value in graph.outputs]))
        names.update({value: self._new("v") for value in node.outputs})
        return BranchChoice(self._name(predicate, names), branches, [names[value] for value in node.outputs], node)

    def _loop(self, node: Node, graphs: Sequence[OptimizedGraph], names: _Names) -> Loop:
        """Writes a loop; a variable that an iteration passes on unchanged is not state of the program."""
        cond, body = graphs
        firsts = [self._name(value, names) for value in node.inputs]
        varying = [i for i, value in enumerate(body.outputs) if value is not body.inputs[i]]
        states = {i: self._new("s") for i in varying}
        current = [states.get(i, first) for i, first in enumerate(firsts)]
        body_names = dict(zip(cond.inputs, current, strict=True))
        test = self._block(cond, body_names)
        keep = self._name(cond.outputs[0], body_names)
        body_names = dict(zip(body.inputs, current, strict=True))
        block = self._block(body, body_names)
        targets, values = list(states.values()), [self._name(body.outputs[i], body_names) for i in varying]
        if targets:
            block.append(Line(targets, ", ".join(targets), ", ".join(values), values))
        names.update(zip(node.outputs, current, strict=True))
        started = [(name, firsts[i], node.inputs[i].dtype.name == "variant") for i, name in states.items()]
        return Loop(started, test, keep, block, node)

    def _line(self, node: Node, names: _Names) -> Line:
        arguments = tuple([self._name(value, names) for value in node.inputs])
        kernel = self._kernel(node)
        arguments = self._with_full_operands(node, self.scope[kernel], arguments)
        call = self._call(node, kernel, arguments)
        targets = tuple([self._new("v") for _ in node.outputs])
        names.update(zip(node.outputs, targets, strict=True))
        signature = node.op_def.signature
        pattern = ", ".join(targets)
        if node.only_checks:
            pattern = ""
        elif len(signature.outputs) > 1 or (signature.outputs and signature.outputs[0].is_list):
            pattern = self._unpacking(node, targets)
        line = Line(targets, pattern, call, arguments, node, kernel=kernel, makes_array=bool(node.added))
        if node.added and len(node.inputs) == 1 + sum(len(maker.inputs) for maker in node.added):
            name = self._bind("p", bind_sum(node, self.engine, in_place=True), [node])
            line.consumed, line.call_in_place = arguments[0], f"{name}({', '.join(arguments)})"
        if any(value.dtype.name == "variant" for value in node.inputs):
            self._note_lists(line, arguments)
        return line

    def _with_full_operands(self, node: Node, kernel: object, arguments: tuple[str, ...]) -> tuple[str, ...]:
        """Returns the arguments of a line, with arrays for numbers with which the kernel is slow."""
        full = [full_operand(kernel, node, value) for value in node.inputs]
        for index, array in enumerate(full):
            if array is not None:
                name = self._new("c")
                self.scope[name] = array
                arguments = (*arguments[:index], name, *arguments[index + 1 :])
        return arguments

    def _note_lists(self, line: Line, arguments: Sequence[str]) -> None:
        """Notes which list a line may change in place, and which lists the results of the line may hold."""
        node = line.node
        lists = [n for n, value in zip(arguments, node.inputs, strict=True) if value.dtype.name == "variant"]
        make = node.op_def.rules.in_place
        if make is not None:
            name = self._bind("p", make(node.attrs), [node])
            line.consumed, line.call_in_place = lists[0], f"{name}({', '.join(arguments)})"
            lists = lists[1:]
        holds = any(value.dtype.name == "variant" for value in node.outputs) or node.holds_functions
        line.escaping = lists if holds or node.effects is Effects.IO else ()

    # --- names ---------------------------------------------------------------------------------------------------

    def _new(self, kind: str) -> str:
        return f"{kind}{next(self.serial)}"

    def _bind(self, kind: str, function: Callable[..., Any], nodes: Sequence[Node]) -> str:
        """Gives a callable, which runs some nodes, a name in the program."""
        name = self._new(kind)
        self.scope[name] = function
        self.nodes_behind[name] = nodes
        return name

    def _name(self, value: Value, names: _Names) -> str:
        """Returns the name of a value; a constant gets a name when it is first read."""
        if value not in names:
            names[value] = name = self._new("c")
            self.scope[name] = value.constant
        return names[value]

    def _unpacking(self, node: Node, targets: Sequence[str]) -> str:
        groups = node.op_def.signature.split_outputs(list(targets), node.attrs)
        if len(groups) == 1:
            return f"[{', '.join(groups[0])}]"
        return ", ".join(f"[{', '.join(g)}]" if isinstance(g, list) else g for g in groups)

    def _kernel(self, node: Node) -> str:
        """Binds what runs a node, and returns the name of that in the program."""
        if node.added:
            return self._bind("t", bind_sum(node, self.engine), [node])
        if node.only_checks:
            return self._bind("q", check_run(node), [node])
        if is_cluster(node):
            return self._bind("x", self._cluster(node), [node])
        kernel = self.engine.bind(node.op_def, tuple([value.dtype for value in node.inputs]), node.attrs)
        return self._bind("k", skip_checks(node, kernel, self.engine) if node.is_checked_apart else kernel, [node])

    def _call(self, node: Node, kernel: str, arguments: Sequence[str]) -> str:
        call = f"{kernel}({', '.join(arguments)})"
        if node.added or node.only_checks or is_cluster(node) or not node.op_def.has_single_output:
            return call
        if node.outputs[0].shape.rank not in (0, None):
            return call
        if isinstance(self.scope[kernel], np.ufunc):
            return f"{kernel}({', '.join(arguments)}, out=...)"  # `...` keeps a 0-d result an array
        dtype = node.outputs[0].dtype
        if dtype.np_dtype.kind == "O":
            self.scope[f"d{kernel}"] = dtype
            return f"keep({call}, d{kernel})"
        return f"asarray({call})"

    def _cluster(self, node: Node) -> Callable[..., Any]:
        """Returns what runs a cluster: a compiled function, or a part of this graph."""
        (function,) = node.functions
        unread = [i for i, value in enumerate(node.outputs) if value in self.unread]
        if not isinstance(function, OptimizedGraph):
            return cluster_run(function, unread)
        part = CompiledPart(function, self.engine.compile(function), ENGINES[JIT_ENGINE].make, unread)
        self.parts.append(part)
        return part


def _quiet(program: Run) -> Run:
    """Returns a program that may run the user's Python with NumPy's warnings off around it."""

    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return program(*arguments)

    return run


def _keep(value: object, dtype: DTypeLike) -> Any:
    """Returns an object (a string, a handle) as a 0-d array, and an array unchanged."""
    return value if type(value) is np.ndarray else scalar_array(value, dtype)


_MAX_KEPT_SOURCE_LENGTH = 4000
"""The characters of the longest source whose code is kept: small functions are the ones that come again and again."""


def _code(source: str, filename: str) -> CodeType:
    """Returns the code of a program; a program with the same text as an earlier one is not compiled again.

    Pipelines trace the same small functions for each pass, and compiling was a third of the time of that.
    """
    if len(source) > _MAX_KEPT_SOURCE_LENGTH:
        return compile(source, filename, "exec")
    return _of_file(_cache_code(source), filename)


@functools.lru_cache(maxsize=256)
def _cache_code(source: str) -> CodeType:
    return compile(source, "<millrace graph>", "exec")


def _of_file(code: CodeType, filename: str) -> CodeType:
    """Returns code, and the functions in it, as if compiled from a file of another name."""
    parts = [_of_file(part, filename) if isinstance(part, CodeType) else part for part in code.co_consts]
    return code.replace(co_filename=filename, co_consts=tuple(parts))


class _Explainer:
    """Turns an exception of a generated line into one that names the operation and the user's line."""

    def __init__(self, filename: str, lines: dict[int, tuple[Node, tuple[str, ...]]]) -> None:
        self._filename = filename
        self._lines = lines

    def __call__(self, error: Exception) -> Exception:
        frame = self._frame(error.__traceback__)
        if frame is None:
            return error
        node, arguments = self._lines[frame.tb_lineno]
        return node_failure(node, _values(node, arguments, frame.tb_frame), error)

    def _frame(self, traceback: TracebackType | None) -> TracebackType | None:
        """Returns the generated function's entry in the traceback, if the error came from one of the function's
        operations.
        """
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self._filename:
                return traceback if traceback.tb_lineno in self._lines else None
            traceback = traceback.tb_next
        return None


def _values(node: Node, arguments: Sequence[str], frame: FrameType) -> list[Any]:
    """Returns the inputs of a failed node as tensors with values, as far as the frame still has the values."""
    values: list[Any] = []
    for value, name in zip(node.inputs, arguments, strict=True):
        array = frame.f_locals.get(name, frame.f_globals.get(name))
        values.append(value if array is None else EagerTensor(np.asarray(array), value.dtype))
    return values
