"""Tracing the functions of a control flow op into graphs that take the same inputs.

The functions passed to `tf.cond` take no arguments; tensors that the functions use from outside are captured. The
branches of one op must have equal inputs, so after tracing the captures are merged, and each branch gets placeholders
for the captures that it does not use.

Tests: tests/control_flow/test_cond.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autodiff.tape import VariableWatcher
from millrace._src.core import context
from millrace._src.core.composite import common_structure
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.handle_types import HandleType, common_type
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.shapes import TensorShape
from millrace._src.graph import rewriting
from millrace._src.graph.captured_tensors import capture_into
from millrace._src.graph.control_deps import add_automatic_control_dependencies, join_effects
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.util import nest


class Branch:
    """One traced function: the graph and the structure of the result."""

    def __init__(self, graph: FuncGraph, structure: Any) -> None:
        self.graph = graph
        self.structure = structure
        self.nones: list[bool] = []


def trace_branch(function: Callable[[], Any], name: str, scope: str, selector: object) -> Branch:
    """Traces a function without arguments; its operations are named below `scope`.

    Where the function returns an operation, the branch returns the value of `selector` once that operation has run.
    """
    graph = FuncGraph(f"{name}_{context.unique_id()}")
    tapes = context.state.tapes
    with graph.as_default(), context.tapes_scope((VariableWatcher(tapes),) if tapes else ()), context.name_scope(scope):
        structure = function()
        branch = Branch(graph, nest.map_structure(lambda item: _value_after(item, selector), structure))
        finish_branch(branch)
    return branch


def _value_after(item: object, selector: object) -> Any:
    """Returns a tensor that depends on an operation; other items unchanged."""
    if not _is_operation(item):
        return item
    with context.state.graph.control_dependencies([item]):
        return raw.Identity(input=selector)


def finish_branch(branch: Branch) -> None:
    """Turns the result of the function into the outputs of the branch's graph, and orders the effects."""
    graph = branch.graph
    leaves = nest.flatten(branch.structure, expand_composites=True)
    branch.nones = [item is None for item in leaves]
    tensors = [convert_to_tensor(item) for item in leaves if item is not None and not _is_operation(item)]
    must_run = add_automatic_control_dependencies(graph)
    graph.control_outputs = must_run
    count = len(graph.get_operations())
    graph.outputs = [raw.Identity(input=t) for t in tensors]
    effects = join_effects(graph, must_run)
    if effects is not None:
        for operation in graph.get_operations()[count:]:
            if operation is not effects:
                rewriting.wait_for(operation, [effects])


def _is_operation(item: object) -> bool:
    return isinstance(item, Operation)


def widen_indices(branches: Sequence[Branch], scope: str, op_name: str) -> None:
    """Casts int32 indices of an IndexedSlices to int64 where another branch returns int64 indices in the same position.

    Raises: TypeError: if another branch returns no IndexedSlices in that position.
    """
    structures = [nest.flatten(branch.structure) for branch in branches]
    if len({len(leaves) for leaves in structures}) > 1:
        return  # the branches are refused later
    for position, leaves in enumerate(zip(*structures)):
        count = sum(isinstance(leaf, IndexedSlices) for leaf in leaves)
        if count not in (0, len(leaves)):
            raise TypeError(f"Cannot reconcile {op_name} {position}-th outputs:\n  branches returned: {leaves}")
        dtypes = [leaf.indices.dtype for leaf in leaves] if count else []
        if int32 in dtypes and int64 in dtypes:
            for branch, dtype in zip(branches, dtypes):
                if dtype is int32:
                    _cast_indices(branch, position, scope)


def _cast_indices(branch: Branch, position: int, scope: str) -> None:
    leaves = nest.flatten(branch.structure)
    slices = leaves[position]
    parts = nest.flatten(slices, expand_composites=True)
    output = sum(map(_output_count, leaves[:position])) + next(i for i, t in enumerate(parts) if t is slices.indices)
    graph = branch.graph
    with graph.as_default(), context.name_scope(scope):
        wide = raw.Cast(x=graph.outputs[output], DstT=int64)
    graph.outputs = [*graph.outputs[:output], wide, *graph.outputs[output + 1 :]]
    leaves[position] = IndexedSlices(slices.values, wide, slices.dense_shape)
    branch.structure = nest.pack_sequence_as(branch.structure, leaves)


def _output_count(leaf: object) -> int:
    """Returns how many outputs of a branch represent a leaf of its structure."""
    return sum(item is not None and not _is_operation(item) for item in nest.flatten(leaf, expand_composites=True))


def merge_captures(graphs: Sequence[FuncGraph], missing: Callable[[FuncGraph, int, Any], tuple[str, Any]]) -> list[Any]:
    """Gives graphs the same inputs, one per distinct capture; returns the captured outer tensors in that order.

    `missing(graph, index, tensor)` gives name and shape of the placeholder of a capture that a graph does not use.
    """
    outer_tensors: dict[int, Any] = {}
    for graph in graphs:
        for tensor, _ in graph.captures:
            outer_tensors.setdefault(id(tensor), tensor)
    for graph in graphs:
        known_captures = {id(tensor): placeholder for tensor, placeholder in graph.captures}
        inputs = []
        for index, (key, tensor) in enumerate(outer_tensors.items()):
            placeholder = known_captures.get(key)
            if placeholder is None:
                name, shape = missing(graph, index, tensor)
                with graph.as_default():
                    placeholder = graph.placeholder_like(tensor, shape, name)
                graph.replace_capture(tensor, placeholder)
            inputs.append(placeholder)
        graph.inputs = inputs
    return list(outer_tensors.values())


def into_current_graph(tensors: Sequence[Any], scope: str, first: int = 0) -> list[Any]:
    """Returns tensors of outer contexts as tensors of the current graph."""
    graph = context.state.graph
    return [capture_into(graph, t, f"{scope}input_{first + i}") for i, t in enumerate(tensors)]


def common_shapes(graphs: Sequence[FuncGraph]) -> list[TensorShape]:
    """Returns, for each output, the most specific shape that holds for all graphs."""
    shapes = []
    for outputs in zip(*(g.outputs for g in graphs), strict=True):
        shape = outputs[0].shape
        for tensor in outputs[1:]:
            shape = shape.most_specific_compatible_shape(tensor.shape)
        shapes.append(shape)
    return shapes


def common_handle_types(graphs: Sequence[FuncGraph]) -> list[HandleType | None]:
    """Returns, for each output, the most specific handle type that holds for all graphs."""
    return [common_type(t.handle_type for t in tensors) for tensors in zip(*(g.outputs for g in graphs), strict=True)]


def read_only_inputs(
    graphs: Sequence[FuncGraph], offset: int, may_write: Callable[[FuncGraph, int], bool]
) -> list[int]:
    """Returns the positions of the resource inputs that no graph writes."""
    return [
        i + offset
        for i, tensor in enumerate(graphs[0].inputs)
        if tensor.dtype.is_resource and not any(may_write(g, i) for g in graphs)
    ]


def pack_outputs(branch: Branch, tensors: Sequence[Any], others: Sequence[Branch] = ()) -> Any:
    """Fills the structure that a branch, and others like it, returned with the op's outputs."""
    remaining = iter(tensors)
    structure = common_structure(branch.structure, [other.structure for other in others])
    leaves = nest.flatten(structure, expand_composites=True)
    filled_leaves = [
        None if is_none or _is_operation(item) else next(remaining)
        for is_none, item in zip(branch.nones, leaves, strict=True)
    ]
    return nest.pack_sequence_as(structure, filled_leaves, expand_composites=True)
