"""How the arrays of a chain go through its kernels block by block.

Problem: each step of a chain on whole arrays reads its operands from memory and writes its result to memory.

Idea: a function, generated for the chain, runs all kernels on the pieces of one block, which a cache holds
(`block_plans` cuts arrays into pieces). A ufunc writes into the piece of an output or over an array of the block that
is not read any more. The blocks are shared among the threads of the pool where there are enough of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.op_def import Elementwise
from millrace._src.engines.numpy.buffers import aligned_empty
from millrace._src.util.block_plans import BlockPlan, Shape, stored_part
from millrace._src.util.thread_pool import run_in_parallel

FEWEST = 1 << 16
"""The number of elements from which on blocks pay; smaller arrays stay in a cache by themselves."""
_BLOCK_BYTES = 1 << 18
"""The bytes of a block of the widest dtype: all blocks of a chain fit into a cache of a core."""
_WORTH_SHARING = 1 << 21
"""The number of elements that are computed, over all steps, from which on threads share a chain."""
_MAX_PLANS = 16
_UNKNOWN: Any = object()


@dataclass(frozen=True)
class BlockStep:
    """One kernel of a chain.

    Args:
      target: the name of the result.
      kernel: the name of the kernel.
      arguments: the names of the operands.
      dtype: the dtype of the result.
      kind: which operands the op takes.
      is_ufunc: whether the kernel writes its result where it is told.
    """

    target: str
    kernel: str
    arguments: tuple[str, ...]
    dtype: np.dtype[Any]
    kind: Elementwise
    is_ufunc: bool


class BlockProgram:
    """A chain as a callable on arrays; what a call needs is made at the first call with large arrays.

    Args:
      steps: the kernels, in run order.
      inputs: the names of the arguments.
      outputs: the names of the steps' results that are wanted.
      scope: the kernels by their names.
    """

    def __init__(
        self, steps: Sequence[BlockStep], inputs: Sequence[str], outputs: Sequence[str], scope: dict[str, Any]
    ):
        self._steps, self._inputs, self._outputs, self._scope = steps, inputs, outputs, scope
        self._dtypes = [step.dtype for name in outputs for step in steps if step.target == name]
        self._run: Callable[..., None] | None = None
        self._plans: dict[tuple[tuple[Shape, Shape], ...], BlockPlan | None] = {}

    def __call__(self, *arrays: Array) -> list[Array] | None:
        """Returns the results, or None where the chain has to be run line by line.

        That is where the shapes do not fit each other, where an array is not in the order of its axes, and where a
        kernel refuses its operands: the line then raises the error.
        """
        stored_arrays = [part for array in arrays if (part := stored_part(array)) is not None]
        if len(stored_arrays) < len(arrays):
            return None
        plan = self._plan(tuple([(array.shape, part.shape) for array, part in zip(arrays, stored_arrays)]))
        if plan is None:
            return None
        try:
            results = [aligned_empty(plan.shape, dtype) for dtype in self._dtypes]
            self._run_blocks(plan, [*stored_arrays, *results])
        except Exception:
            return None
        return results

    def _plan(self, shapes: tuple[tuple[Shape, Shape], ...]) -> BlockPlan | None:
        plan = self._plans.get(shapes, _UNKNOWN)
        if plan is _UNKNOWN:
            plan = self._new_plan(shapes)
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()  # another thread may be here, too
            self._plans[shapes] = plan
        return plan

    def _new_plan(self, shapes: tuple[tuple[Shape, Shape], ...]) -> BlockPlan | None:
        """Returns how to cut arrays of some shapes; None if the results of the steps are not all of one shape.

        Args:
          shapes: for each array its shape, and the shape of the part of it that is stored.
        """
        shape_of = {name: whole for name, (whole, _) in zip(self._inputs, shapes, strict=True)}
        shape: Shape | None = None
        for step in self._steps:
            shape = _result_shape(step.kind, [shape_of[name] for name in step.arguments])
            if shape is None:
                return None
            shape_of[step.target] = shape
        results = {shape_of[step.target] for step in self._steps}
        if shape is None or len(results) > 1 or math.prod(shape) < 2:
            return None
        widest = max(dtype.itemsize for dtype in (step.dtype for step in self._steps))
        outputs = [shape] * len(self._outputs)
        is_expanded = [whole != part for whole, part in shapes] + [False] * len(outputs)
        return BlockPlan(shape, [*(part for _, part in shapes), *outputs], is_expanded, _BLOCK_BYTES // widest)

    def _run_blocks(self, plan: BlockPlan, arrays: Sequence[Array]) -> None:
        views = plan.views(arrays)
        run = self._run
        if run is None:
            run = self._run = self._compile()

        def work(index: int) -> None:
            run(*plan.pieces(views, index))

        if math.prod(plan.shape) * len(self._steps) >= _WORTH_SHARING:
            run_in_parallel(len(plan.cuts), work)
        else:
            for index in range(len(plan.cuts)):
                work(index)

    def _compile(self) -> Callable[..., None]:
        """Returns the function on the pieces of one block: the inputs, then the outputs."""
        source = block_source(self._steps, self._inputs, self._outputs)
        scope = dict(self._scope)
        exec(source, scope)
        run: Callable[..., None] = scope["run"]
        return run


class WhereLargeInBlocks:
    """The kernel of one element-wise op of several NumPy calls, which goes through large arrays in blocks.

    Args:
      kernel: the kernel on whole arrays.
      kind: which operands the op takes.
      count: the number of operands.
      dtype: the dtype of the result.
    """

    __slots__ = ("kernel", "_program")

    def __init__(self, kernel: Callable[..., Any], kind: Elementwise, count: int, dtype: np.dtype[Any]) -> None:
        self.kernel = kernel
        names = tuple([f"a{index}" for index in range(count)])
        self._program = BlockProgram([BlockStep("v", "k", names, dtype, kind, False)], names, ["v"], {"k": kernel})

    def __call__(self, *arrays: Array) -> Any:
        """Returns the result of the kernel."""
        if arrays[0].size >= FEWEST:
            results = self._program(*arrays)
            if results is not None:
                return results[0]
        return self.kernel(*arrays)


def _result_shape(kind: Elementwise, shapes: Sequence[Shape]) -> Shape | None:
    """Returns the shape of the result of a step; None if the operands do not fit."""
    if kind is Elementwise.ALIKE:
        whole_shapes = {shape for shape in shapes if shape}
        return None if len(whole_shapes) > 1 else next(iter(whole_shapes), ())
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


# --- the function on a block -----------------------------------------------------------------------------------------


def block_source(steps: Sequence[BlockStep], inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """Returns the source of the function that runs the steps on one block.

    A ufunc writes into the piece of its output, or into an array of the block that is not read any more.
    """
    results = {name: f"{name}_piece" for name in outputs}
    last_reads = {name: number for number, step in enumerate(steps) for name in step.arguments}
    body: list[str] = []
    own: dict[str, np.dtype[Any]] = {}  # the arrays of the block that ufuncs have made
    free: list[tuple[str, np.dtype[Any]]] = []
    others: set[str] = set()  # what other kernels have made, perhaps views of operands
    for number, step in enumerate(steps):
        dying_names = [name for name in dict.fromkeys(step.arguments) if last_reads[name] == number]
        free += [(name, own.pop(name)) for name in dying_names if name in own]
        body += _step_lines(step, results.get(step.target), own, free)
        body += [f"del {name}" for name in dying_names if name in others]
        if not step.is_ufunc:
            others.add(step.target)
    parameters = ", ".join([*inputs, *results.values()])
    return "\n".join([f"def run({parameters}):", *[f"    {line}" for line in body], ""])


def _step_lines(
    step: BlockStep, result: str | None, own: dict[str, np.dtype[Any]], free: list[tuple[str, np.dtype[Any]]]
) -> list[str]:
    """Returns the lines of one step.

    Args:
      step: the step.
      result: the name of the piece of an output into which the step's result belongs; None for other steps.
      own: the arrays of the block that hold results; the step adds its own array.
      free: the arrays of the block that may be overwritten; the step takes one away.
    """
    call = f"{step.target} = {step.kernel}({', '.join(step.arguments)}"
    if result is not None:
        return [f"{call}, out={result})"] if step.is_ufunc else [f"{call})", f"{result}[...] = {step.target}"]
    if not step.is_ufunc:
        return [f"{call})"]
    own[step.target] = step.dtype
    found = next((slot for slot in free if slot[1] == step.dtype), None)
    if found is None:
        return [f"{call})"]
    free.remove(found)
    return [f"{call}, out={found[0]})"]
