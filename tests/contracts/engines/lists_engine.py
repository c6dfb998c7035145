"""An engine of Python lists: the example of the recipe, and the proof that the contract says all that an engine needs.

Its arrays are Python lists (`list_arrays`); NumPy's arrays come in and go out at the boundary of a program. It is slow,
knows a part of the namespace, and says which op asks for more than that.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import numpy as np

from millrace._src.core import errors
from millrace._src.core.accelerator import Accelerator
from millrace._src.core.array_namespace import Xp
from millrace._src.core.context import eager_engine
from millrace._src.core.dispatch import flatten_result
from millrace._src.core.engine import Program
from millrace._src.core.op_def import Effects
from millrace._src.core.op_signature import argument_indices
from millrace._src.core.resources import resource_of
from millrace._src.core.tensor import EagerTensor
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.node_errors import node_failure
from millrace._src.engines.variable_cells import Cell
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value, all_nodes
from millrace._src.passes.pipeline import optimize
from tests.contracts.engines.list_arrays import FUNCTIONS, ListArray, broadcast_to, fit, listed, rearranged, transpose

# --- the namespace ---------------------------------------------------------------------------------------------------


class ListNamespace:
    """The `xp` of the engine: the part of the array namespace that it has."""

    engine = "lists"

    def __init__(self) -> None:
        vars(self).update(FUNCTIONS)

    def __getattr__(self, name: str) -> Any:
        raise errors.UnimplementedError(None, None, f"there is no function '{name}'")

    def astype(self, x: Any, dtype: Any) -> ListArray:
        return listed(x).astype(dtype)

    converted = astype

    def asarray(self, x: Any, dtype: Any = None) -> ListArray:
        return listed(x) if dtype is None else listed(x).astype(dtype)

    array = asarray

    def zeros(self, shape: Any, dtype: Any = None) -> ListArray:
        return self.full(shape, 0, dtype)

    def ones(self, shape: Any, dtype: Any = None) -> ListArray:
        return self.full(shape, 1, dtype)

    def zeros_like(self, x: ListArray) -> ListArray:
        return self.full(x.shape, 0, x.dtype)

    def full(self, shape: Any, value: Any, dtype: Any = None) -> ListArray:
        return broadcast_to(listed(np.asarray(value, dtype)), shape)

    def arange(self, *bounds: Any, dtype: Any = None) -> ListArray:
        return listed(np.arange(*bounds, dtype=dtype))

    def where(self, condition: Any, x: Any, y: Any) -> ListArray:
        choose, x, y = listed(condition), listed(x), listed(y)
        shape, dtype = np.broadcast_shapes(choose.shape, x.shape, y.shape), np.result_type(x.dtype, y.dtype)
        rows = zip(*(broadcast_to(a, shape).items for a in (choose, x, y)), strict=True)
        return ListArray([a if c else b for c, a, b in rows], shape, dtype)

    def reshape(self, x: ListArray, shape: Any) -> ListArray:
        return listed(x).reshape(shape if np.ndim(shape) else (shape,))

    def moveaxis(self, x: ListArray, source: Any, destination: Any) -> ListArray:
        return rearranged(x, lambda indices: np.moveaxis(indices, source, destination))

    def swapaxes(self, x: ListArray, axis1: int, axis2: int) -> ListArray:
        return rearranged(x, lambda indices: np.swapaxes(indices, axis1, axis2))

    def concatenate(self, arrays: Sequence[Any], axis: int = 0) -> ListArray:
        parts = [listed(a) for a in arrays]
        starts = itertools.accumulate((a.size for a in parts), initial=0)
        numbers = [np.arange(a.size).reshape(a.shape) + start for a, start in zip(parts, starts, strict=False)]
        order, items = np.concatenate(numbers, axis), [i for a in parts for i in a.items]
        return ListArray([items[i] for i in order.reshape(-1)], order.shape, parts[0].dtype)

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> ListArray:
        parts = [listed(a) for a in arrays]
        at = axis % (parts[0].ndim + 1)
        return self.concatenate([a.reshape((*a.shape[:at], 1, *a.shape[at:])) for a in parts], at)

    def take(self, x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> ListArray:
        x = listed(x) if axis is not None else listed(x).reshape(-1)
        at = axis or 0
        rows = np.clip(np.asarray(indices), 0, x.shape[at] - 1) if mode == "clip" else np.asarray(indices)
        return x[(slice(None),) * at + (rows,)]

    def matmul(self, a: ListArray, b: ListArray) -> ListArray:
        if a.ndim != 2 or b.ndim != 2:
            raise TypeError("it multiplies two matrices")
        (rows, inner), columns = a.shape, transpose(b)
        lines = [a.items[i * inner : (i + 1) * inner] for i in range(rows)]
        others = [columns.items[i * inner : (i + 1) * inner] for i in range(b.shape[1])]
        sums = [fit(sum(map(operator.mul, line, other)), a.dtype) for line in lines for other in others]
        return ListArray(sums, (rows, b.shape[1]), a.dtype)

    def mean(self, x: ListArray, axis: Any = None, keepdims: bool = False) -> ListArray:
        total = self.sum(x, axis, None, keepdims)
        return total / listed(np.asarray(x.size // max(total.size, 1), x.dtype))

    def are_known(self, *arrays: Any) -> bool:
        return True

    def may_hold(self, condition: ListArray) -> bool:
        return condition.any()

    def cond(self, predicate: Any, then: Any, otherwise: Any, operands: Sequence[Any]) -> Any:
        return then(*operands) if predicate else otherwise(*operands)

    def switch(self, index: Any, branches: Sequence[Any], operands: Sequence[Any]) -> Any:
        return branches[int(index) if 0 <= int(index) < len(branches) else -1](*operands)

    def while_loop(self, cond: Any, body: Any, state: Sequence[Any]) -> Any:
        while cond(*state)[0]:
            state = body(*state)
        return state


xp = cast(Xp, ListNamespace())


# --- the engine ------------------------------------------------------------------------------------------------------


class ListsEngine:
    """Runs graphs on Python lists."""

    name = "lists"
    xp: Xp = xp

    def bind(self, op: Any, dtypes: tuple[Any, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        """Returns the common kernel: none is declared for this engine."""
        return bind_kernel(op, attrs, engine=self.name, xp=xp, convert_function=self._callable)

    def accelerators(self) -> tuple[Accelerator, ...]:
        return ()

    def record(self) -> None:
        """Returns None: watchers see all kernels."""

    def facts(self) -> dict[str, Any]:
        """Returns that there is no compiler and no accelerator."""
        return {"compiler": "none", "accelerators": [], "error": ""}

    def finish(self) -> None:
        """Does nothing: kernels return results."""

    def compile(self, graph: OptimizedGraph) -> Program:
        """Returns a program that goes through the nodes; random numbers are left to the engine that draws them."""
        for node in all_nodes(graph):
            is_host_work = node.op_def.traits.host_only or node.effects is Effects.IO
            if is_host_work or any(map(_is_foreign, (*node.inputs, *node.outputs))):
                raise _refusal(node, "it works on the host")
        if any(node.effects is Effects.RANDOM for node in all_nodes(graph)):
            program = eager_engine().compile(graph)
            program.leave_to(eager_engine().name, "its random numbers are drawn there.")
            return program
        return Program(lambda *arrays: self._run(graph, arrays), self.name)

    def _callable(self, function: Any) -> Callable[..., Any]:
        graph = function if isinstance(function, OptimizedGraph) else optimize(getattr(function, "graph", function))
        return lambda *arrays: self._interpreted(graph, arrays)

    def _run(self, graph: OptimizedGraph, arrays: Sequence[Any]) -> list[Any]:
        """Runs a graph between NumPy's arrays and variables."""
        cells: dict[int, Cell] = {}
        storages = []
        given: list[Any] = []
        for value, array in zip(graph.inputs, arrays, strict=True):
            if value.dtype.is_resource:
                storage = resource_of(array)
                if id(storage) not in cells:
                    cells[id(storage)] = Cell(listed(storage.value), storage.name)
                    storages.append((storage, cells[id(storage)].value))
                given.append(cells[id(storage)])
            else:
                given.append(array if _is_foreign(value) else listed(array))
        try:
            return [np.asarray(result) for result in self._interpreted(graph, given)]
        finally:
            for storage, old in storages:
                if cells[id(storage)].value is not old:
                    storage.value = np.asarray(cells[id(storage)].value)

    def _interpreted(self, graph: OptimizedGraph, arguments: Sequence[Any]) -> list[Any]:
        known: dict[Value, Any] = dict(zip(graph.inputs, arguments, strict=True))
        for node in graph.nodes:
            inputs = [value.constant if value.constant is not None else known[value] for value in node.inputs]
            known.update(zip(node.outputs, self._results(node, inputs), strict=True))
        return [listed(value.constant) if value.constant is not None else known[value] for value in graph.outputs]

    def _results(self, node: Node, inputs: list[Any]) -> list[Any]:
        constants = {at for arg, at in _positions(node) if arg in node.op_def.traits.constant_inputs}
        arrays = [np.asarray(x) if i in constants else x if _is_cell(x) else listed(x) for i, x in enumerate(inputs)]
        kernel = self.bind(node.op_def, tuple(value.dtype for value in node.inputs), node.attrs)
        try:
            results = flatten_result(node.op_def, kernel(*arrays))
            return [result if _is_cell(result) else listed(result) for result in results]
        except errors.UnimplementedError as error:
            raise _refusal(node, error.message) from None
        except (TypeError, AttributeError) as error:  # the kernel asked for more than a list can do
            raise _refusal(node, str(error)) from None
        except Exception as error:
            tensors = [EagerTensor(np.asarray(x), t.dtype) for x, t in zip(inputs, node.inputs, strict=True)]
            raise node_failure(node, tensors, error) from None


def _positions(node: Node) -> Iterator[tuple[str, int]]:
    for arg, at in argument_indices(node.op_def.signature.inputs, node.attrs):
        yield from ((arg.name, index) for index in at)


def _is_cell(value: Any) -> bool:
    return isinstance(value, Cell)


def _is_foreign(value: Value) -> bool:
    return value.dtype.name in ("string", "variant")


def _refusal(node: Node, reason: str) -> errors.UnimplementedError:
    return errors.UnimplementedError(None, None, f"The engine 'lists' cannot run {_described(node)}: {reason}.")


def _described(node: Node) -> str:
    return f"{node.type} {{{{node {node.name}}}}}"
