"""How the arrays of a chain go through its kernels block by block.

Problem: the operands of a chain have different shapes, of which NumPy makes one by broadcasting. A block needs the
piece of each operand that belongs to it.

Idea: axes that no operand or every operand repeats are one axis, so that nearly all chains have one or two axes. A
block is a number of whole rows, or a part of one row. The piece of an operand is a view, and where the operand repeats
along an axis the whole of that axis. The blocks are shared among the threads of the pool where there are enough of
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.op_def import Elementwise
from millrace._src.engines.numpy.buffers import aligned_empty
from millrace._src.util.thread_pool import run_in_parallel

FEWEST = 1 << 16
"""The number of elements from which on blocks pay; smaller arrays stay in a cache by themselves."""
_BLOCK_BYTES = 1 << 18
"""The bytes of a block of the widest dtype: all blocks of a chain fit into a cache of a core."""
_WORTH_SHARING = 1 << 21
"""The number of elements that are computed, over all steps, from which on threads share a chain."""
_ALIGNMENT = 64
_MAX_PLANS = 16
_UNKNOWN: Any = object()

Shape: TypeAlias = tuple[int, ...]
Cut: TypeAlias = tuple[slice, ...]


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
        self._plans: dict[tuple[Shape, ...], _Plan | None] = {}

    def __call__(self, *arrays: Array) -> list[Array] | None:
        """Returns the results, or None where the chain has to be run line by line.

        That is where the shapes do not fit each other, where an array is not in the order of its axes, and where a
        kernel refuses its operands: the line then raises the error.
        """
        plan = self._plan(tuple([array.shape for array in arrays]))
        if plan is None or not all(array.flags.c_contiguous for array in arrays):
            return None
        try:
            results = [aligned_empty(plan.shape, dtype) for dtype in self._dtypes]
            self._run_blocks(plan, plan.views([*arrays, *results]))
        except Exception:
            return None
        return results

    def _plan(self, shapes: tuple[Shape, ...]) -> _Plan | None:
        plan = self._plans.get(shapes, _UNKNOWN)
        if plan is _UNKNOWN:
            plan = self._new_plan(shapes)
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()  # another thread may be here, too
            self._plans[shapes] = plan
        return plan

    def _new_plan(self, shapes: tuple[Shape, ...]) -> _Plan | None:
        """Returns how to cut arrays of some shapes; None if the results of the steps are not all of one shape."""
        shape_of = dict(zip(self._inputs, shapes, strict=True))
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
        return _Plan(shape, [*shapes, *[shape] * len(self._outputs)], _BLOCK_BYTES // widest)

    def _run_blocks(self, plan: _Plan, views: Sequence[Array]) -> None:
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


# --- cutting ---------------------------------------------------------------------------------------------------------


class _Plan:
    """How arrays of some shapes are cut into blocks.

    Args:
      shape: the shape of the results.
      shapes: the shapes of the arrays, which broadcast to the shape of the results.
      most: the most elements of a block.
    """

    def __init__(self, shape: Shape, shapes: Sequence[Shape], most: int) -> None:
        self.shape = shape
        dims, repeats = _merge_axes(shape, shapes)
        self._view_shapes = [
            tuple([1 if is_repeated else dim for dim, is_repeated in zip(dims, axes, strict=True)])
            for axes in zip(*repeats, strict=True)
        ]
        self.cuts = list(_cuts(dims, most))
        self._repeated_axes = [
            None if math.prod(shape) == 1 else [i for i, dim in enumerate(shape) if dim == 1]
            for shape in self._view_shapes
        ]
        """For each array the axes along which the array repeats; None for a scalar."""

    def views(self, arrays: Sequence[Array]) -> list[Array]:
        """Returns arrays with the axes that are cut; scalars as they are."""
        return [a.reshape(shape) if a.ndim else a for a, shape in zip(arrays, self._view_shapes, strict=True)]

    def pieces(self, views: Sequence[Array], index: int) -> list[Array]:
        """Returns the pieces of all arrays that belong to the block of a number."""
        cut = self.cuts[index]
        return [
            view if axes is None else view[_without(cut, axes) if axes else cut]
            for view, axes in zip(views, self._repeated_axes, strict=True)
        ]


def _merge_axes(shape: Shape, shapes: Sequence[Shape]) -> tuple[list[int], list[tuple[bool, ...]]]:
    """Returns the axes of broadcast arrays, as few as possible, and for each axis which arrays repeat along it."""
    padded_shapes = [(1,) * (len(shape) - len(s)) + s for s in shapes]
    dims: list[int] = []
    repeats: list[tuple[bool, ...]] = []
    for dim, *parts in zip(shape, *padded_shapes, strict=True):
        repeat = tuple([part == 1 for part in parts])
        if dim == 1:
            continue
        if repeats and repeats[-1] == repeat:
            dims[-1] *= dim
        else:
            dims.append(dim)
            repeats.append(repeat)
    return dims, repeats


def _cuts(dims: Sequence[int], most: int) -> Iterator[Cut]:
    """Yields the blocks of an array as slices of its first axes: a block has at most `most` elements."""
    axis, inner = len(dims) - 1, 1
    while axis and inner * dims[axis] <= most:
        inner *= dims[axis]
        axis -= 1
    length = _length(dims[axis], max(most // inner, 1), inner)
    parts = [slice(start, start + length) for start in range(0, dims[axis], length)]
    for position in np.ndindex(*dims[:axis]):
        outer = tuple([slice(index, index + 1) for index in position])
        for part in parts:
            yield *outer, part


def _length(size: int, most: int, inner: int) -> int:
    """Returns the length of blocks of about equal length along an axis.

    Blocks along the last axis begin at multiples of a vector register, as vectors of the whole array do.
    """
    count = -(-size // most)
    length = -(-size // count)
    return -(-length // _ALIGNMENT) * _ALIGNMENT if inner == 1 else length


def _without(cut: Cut, axes: Sequence[int]) -> Cut:
    """Returns a block of an array that repeats along some axes, which are left whole."""
    whole = slice(None)
    return tuple([whole if axis in axes else part for axis, part in enumerate(cut)])


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
