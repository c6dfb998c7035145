"""Functions of one element run on a whole block: the block form of a graph.

TensorFlow's guide asks users to batch before they map, so that a function runs once per batch. Here the pipeline does
that by itself. The graph of the function is run on all rows by the batching rules that `tf.vectorized_map`
uses. A function has a block form only if every operation has such a rule, and the rule gives each element the bits that
the function gives for the element alone: an element does not depend on the elements around it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autodiff.vectorize import vectorize
from millrace._src.core.shapes import TensorShape
from millrace._src.function.graph_function import GraphFunction
from millrace._src.graph.control_deps import function_attrs, list_called_functions
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import must_compile
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedValue, spread
from millrace._src.ops.batching_rules import is_exact_on_rows

_BYTES_AT_ONCE = 1 << 20
"""The size of the largest tensor of a block form: rows beyond it wait, so that memory and caches are not flooded."""
_UNKNOWN_SIZE = 64
"""What an unknown dimension is taken to be, and the bytes of a string."""


class _NoBlockFormError(Exception):
    """An operation has no rule for many rows."""


def vectorize_function(function: GraphFunction, argument_count: int) -> Callable[..., Sequence[Any]] | None:
    """Returns the program of the block form of a function; None if there is no such form.

    Args:
      function: takes the tensors of an element, then captures.
      argument_count: the number of the element's tensors, to which the block form adds a first axis.
    """
    if not _is_exact(function.graph):
        return None
    tensors = (*function.graph.inputs[:argument_count], *function.graph.outputs)
    if not argument_count or any(t.dtype.is_handle for t in tensors):
        return None
    try:
        graph = _block_graph(function.graph, argument_count, f"{function.name}_of_blocks")
    except (_NoBlockFormError, ValueError, TypeError):  # a rule that meets an unknown shape raises an error
        return None
    runner: Callable[..., Sequence[Any]] = GraphFunction(graph, graph.name, on_host=True).array_runner()
    return runner


def rows_at_once(graph: FuncGraph) -> int:
    """Returns how many rows the block form of a function takes at a time; 1 for a function of large tensors."""
    return max(_BYTES_AT_ONCE // max(_largest(graph), 1), 1)


def _largest(graph: FuncGraph) -> int:
    """Returns the size in bytes of the largest tensor in the graph of a function, as far as shapes are known."""
    sizes = [_size(tensor) for operation in graph.get_operations() for tensor in operation.outputs]
    inner = [_largest(inner) for operation in graph.get_operations() for inner in function_attrs(operation)]
    return max([*sizes, *inner], default=0)


def _size(tensor: Any) -> int:
    dims = [None] if tensor.shape.rank is None else tensor.shape.as_list()
    return math.prod(_UNKNOWN_SIZE if d is None else d for d in dims) * (tensor.dtype.size or _UNKNOWN_SIZE)


def _is_exact(graph: FuncGraph) -> bool:
    """Returns whether all operations of a graph give each row of a batch the bits that they give for the row alone."""
    return all(_is_exact_operation(operation) for operation in graph.get_operations())


def _is_exact_operation(operation: Operation) -> bool:
    op = operation.op_def
    if op.holds_graphs:
        if any(map(must_compile, list_called_functions(operation))):
            return False  # XLA rounds as it fuses
        graphs = function_attrs(operation)
        return op.traits.control in ("call", "choice") and all(_is_exact(graph) for graph in graphs)
    if not operation.inputs or op.traits.returns_input or is_exact_on_rows(op):
        return True
    tensors = (*operation.inputs, *operation.outputs)
    return not any(t.dtype.is_floating or t.dtype.is_complex for t in tensors)


def _block_graph(of_row: FuncGraph, argument_count: int, name: str) -> FuncGraph:
    """Returns the graph of the block form."""

    def refuse(operation: Operation, arguments: Sequence[BatchedValue], count: object) -> list[Any]:
        raise _NoBlockFormError(operation.type)

    graph = FuncGraph(name)
    with graph.as_default():
        values = []
        for index, tensor in enumerate(of_row.inputs):
            is_row = index < argument_count
            shape = TensorShape([None]).concatenate(tensor.shape) if is_row else tensor.shape
            placeholder = graph.placeholder_like(tensor, shape, "rows" if is_row else "capture")
            values.append(BatchedValue(placeholder, is_row))
        graph.inputs = [value.tensor for value in values]
        given = {id(t.op): value for t, value in zip(of_row.inputs, values, strict=True)}
        count = raw.Shape(input=graph.inputs[0])[0]
        results = vectorize(of_row, given, of_row.outputs, count, refuse)
        if any(value.is_uneven for value in results):
            raise _NoBlockFormError
        graph.outputs = [spread(value, count) for value in results]
    return graph
